"""The servers of a study's judges: `python -m helpers.servers STUDY.yaml [--judge NAME] [--wait [SECONDS]]`.

It prints the command that starts each server of one's own with vLLM and, with `--wait`, waits until every
one of them answers with the judge's model. A judge with a key is asked at a service, which runs anyway.
The exit status is 0 where all answer (or nothing was waited for), 1 where one does not in time, 2 where one
will never do, such as one with another model.
"""

import argparse
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

import httpx2

from helpers import study as studies
from helpers.checking import DataError, nearest
from helpers.commands import leave
from helpers.judging.named import NamedJudge

# Loading the weights of a large model takes minutes, downloading them longer.
WAITING = 1800.0
ASKING_AGAIN = 5.0
ANSWERING = 10.0
# A clip's frames and a photograph.
PICTURES = '{"image": 17}'
ALL_FRAMES = '{"video": {"num_frames": -1}}'


def start_command(judge: NamedJudge, url: str, gpu: int | None = None) -> str:
    """The command that starts a judge's server with vLLM, to be typed on the server's machine.

    Args:
        judge: a judge of the kind `server`.
        url: one of its addresses.
        gpu: the one that it is to use; None for what vLLM takes by itself, the first one.
    """
    command = ["vllm", "serve", judge.model, "--port", str(urlsplit(url).port or 80)]
    command += ["--media-io-kwargs", ALL_FRAMES] if judge.whole else ["--limit-mm-per-prompt", PICTURES]
    return ("" if gpu is None else f"CUDA_VISIBLE_DEVICES={gpu} ") + shlex.join(command)


def start_commands(judge: NamedJudge) -> list[str]:
    """Of all of a judge's servers; those on one machine get a GPU each, since every one fills its own."""
    lines = []
    hosts = [urlsplit(url).hostname for url in judge.addresses]
    for at, (url, host) in enumerate(zip(judge.addresses, hosts, strict=True)):
        gpu = hosts[:at].count(host) if hosts.count(host) > 1 else None
        lines.append(f"{start_command(judge, url, gpu)}  # on {host}")
    return lines


def wait_for(judge: NamedJudge, seconds: float = WAITING, *, pause: float = ASKING_AGAIN) -> None:
    """Wait until each of a judge's servers lists its model.

    Args:
        judge: a judge of the kind `server`.
        seconds: how long, for all of them.
        pause: seconds between two attempts.

    Raises:
        TimeoutError: one does not answer in time; the message has the command that starts it.
        DataError: one answers, but without the model, or refuses.
    """
    end = time.monotonic() + seconds
    for url, command in zip(judge.addresses, start_commands(judge), strict=True):
        said = False
        while (problem := _problem(judge, url)) is not None:
            if time.monotonic() + pause > end:
                raise TimeoutError(
                    f"{judge.name}: {url} does not answer after {seconds:,.0f} s ({problem}); start it with\n"
                    f"  {command}"
                )
            if not said:
                print(f"{judge.name}: waiting for {url} ({problem})", flush=True)
                said = True
            time.sleep(pause)


def _problem(judge: NamedJudge, url: str) -> str | None:
    """Why a server is not ready yet; None where it is."""
    try:
        answer = httpx2.get(f"{url.rstrip('/')}/models", timeout=ANSWERING)
    except httpx2.TransportError as error:
        return f"{type(error).__name__}: {error}"
    if answer.status_code >= 500:
        return f"status {answer.status_code}"
    if answer.status_code != 200:
        raise DataError(
            f"{judge.name}: {url}/models answers with status {answer.status_code}; expected a server's list "
            "of models (where it wants a key, name the key's variable as key_variable)"
        )
    known = _models(answer)
    if known and judge.model not in known:
        raise DataError(
            f"{judge.name}: {url} has no model '{judge.model}'{nearest(judge.model, known)} "
            f"(it has {', '.join(known)})"
        )
    return None


def _models(answer: httpx2.Response) -> list[str]:
    """The models that a server lists; none where it does not say."""
    try:
        return [model["id"] for model in answer.json()["data"]]
    except (ValueError, KeyError, TypeError):
        return []


def own_servers(judges: Sequence[NamedJudge]) -> list[NamedJudge]:
    """Those judges whose servers are one's own to start."""
    return [judge for judge in judges if judge.kind == "server" and judge.key_variable is None]


def main(arguments: list[str] | None = None) -> int:
    """The command line; see the module's first lines."""
    parser = argparse.ArgumentParser(
        prog="python -m helpers.servers", description="Start commands of a study's servers; wait for them."
    )
    parser.add_argument("study", type=Path, help="the study's YAML file")
    parser.add_argument("--judge", action="append", metavar="NAME", help="only this judge (repeatable)")
    parser.add_argument(
        "--wait",
        type=float,
        nargs="?",
        const=WAITING,
        metavar="SECONDS",
        help=f"wait until all answer, at most so long (default: {WAITING:g})",
    )
    options = parser.parse_args(arguments)
    try:
        judges = own_servers(studies.load(options.study).chosen_judges(options.judge))
        for judge in judges:
            print(f"{judge.name}:", *start_commands(judge), sep="\n  ", flush=True)
        for judge in judges if options.wait is not None else []:
            wait_for(judge, options.wait)
    except TimeoutError as error:
        print(error, file=sys.stderr)
        return 1
    except DataError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    leave(main)
