"""Weights in the cache, keys by their names, and servers that answer."""

import os
import urllib.error
import urllib.request
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from helpers.machine.finding import Finding
from helpers.weights import in_cache

# Seconds that a server has to answer.
PATIENCE = 2.0
USUAL_KEYS = {
    "OPENAI_API_KEY": "judges and Sora at OpenAI",
    "GEMINI_API_KEY": "judges at Google",
    "GOOGLE_API_KEY": "Veo at Google",
    "HF_TOKEN": "weights behind a licence, such as Cosmos's",
}


@dataclass(frozen=True)
class Weights:
    """Weights that something loads.

    Attributes:
        name: what loads them.
        model: an id, which is downloaded when it is first used, or a folder, which has to be there.
        use: what for.
        gb: how much they are, where that is known.
    """

    name: str
    model: str
    use: str
    gb: float | None = None

    def finding(self) -> Finding:
        """Whether they lie on this machine."""
        is_folder = Path(self.model).is_absolute() or self.model.count("/") != 1
        here, cached = Path(self.model).exists(), in_cache(self.model)
        absent = f"not here ({self.gb:g} GB)" if self.gb else "not here"
        get = f"hf download {self.model}, or by itself when it is first used"
        return Finding(
            what=self.name,
            found="a folder" if here else "in the cache" if cached else absent,
            there=here or cached,
            use=self.use,
            get="mend the folder's name in the study file" if is_folder else get,
            needed=is_folder,
        )


def keys(needed: Iterable[str] = ()) -> list[Finding]:
    """Which variables that hold keys are set; what they hold is not read.

    Args:
        needed: the variables that the study at hand names.
    """
    needed = set(needed)
    return [
        Finding(
            what=name,
            found="set" if os.environ.get(name, "").strip() else "not set",
            there=bool(os.environ.get(name, "").strip()),
            use=USUAL_KEYS.get(name, "named by the study"),
            get=f"export {name}=…",
            needed=name in needed,
        )
        for name in dict.fromkeys([*USUAL_KEYS, *sorted(needed)])
    ]


def servers(addresses: dict[str, str]) -> list[Finding]:
    """Which servers answer; no key is sent, and a refusal is an answer.

    Args:
        addresses: by the address up to `/v1`: what it is for.
    """
    if not addresses:
        return []
    with ThreadPoolExecutor(len(addresses)) as pool:
        answers = list(pool.map(answer, addresses))
    return [
        Finding(
            what=address,
            found=found,
            there=not found.startswith("no answer"),
            use=use,
            get="`python -m helpers.servers STUDY.yaml` says how to start a judge's",
            needed=True,
        )
        for (address, use), found in zip(addresses.items(), answers, strict=True)
    ]


def answer(address: str) -> str:
    """What a server says when it is asked for its models, in words."""
    try:
        with urllib.request.urlopen(f"{address.rstrip('/')}/models", timeout=PATIENCE) as reply:
            return f"answers ({reply.status})"
    except urllib.error.HTTPError as error:
        return f"answers ({error.code})"
    except OSError as error:
        reason = getattr(error, "reason", error)
        return f"no answer ({getattr(reason, 'strerror', None) or reason})"
