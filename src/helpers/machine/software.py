"""Python, packages, codecs, fonts and programs."""

import platform
import shutil
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from helpers.machine.finding import Finding
from helpers.metrics import tesseract
from helpers.photographs import collection

PACKAGES = {
    "tables and statistics": ("pandas", "pyarrow", "scipy", "statsmodels"),
    "running and the book": ("papermill", "snakemake", "jupyter-book"),
    "models": ("torch", "transformers", "diffusers", "open_clip_torch", "sentence-transformers"),
    "clips and pictures": ("av", "pillow", "kornia"),
    "judges behind servers": ("openai", "google-genai"),
}
# Nothing needs these; who wants them installs them.
OPTIONAL = {
    "vllm": ("serving a judge on this machine", "pip install vllm, in an environment of its own"),
    "cosmos-guardrail": ("clips by Cosmos-Predict2.5", "pip install cosmos-guardrail"),
}
DECODERS = ("h264", "hevc", "vp9", "av1")
ENCODERS = ("libx264", "libvpx-vp9", "libsvtav1", "aac")
NEEDED_CODECS = {"h264 decoder", "libx264 encoder", "aac encoder"}
LETTERS = {
    "Latin": "é",
    "Han": "中",
    "Hiragana": "あ",
    "Katakana": "ア",
    "Hangul": "한",
    "Devanagari": "अ",
    "Arabic": "ع",
    "Cyrillic": "я",
    "Ethiopic": "አ",
    "Bengali": "অ",
    "Tamil": "அ",
    "Thai": "ก",
    "Hebrew": "א",
    "Greek": "λ",
}
# Its glyphs stand for whole scripts and are no letters.
_NO_LETTERS = "LastResort"


def software(languages: tuple[str, ...] = ()) -> list[Finding]:
    """What is installed.

    Args:
        languages: what the study at hand has Tesseract read, by its names; empty where it has not.
    """
    return [
        Finding(
            what="Python", found=platform.python_version(), there=True, use="the package is tested with 3.11"
        ),
        *(_packages(use, names) for use, names in PACKAGES.items()),
        *(_optional(name, use, get) for name, (use, get) in OPTIONAL.items()),
        _codecs(),
        _fonts(),
        _tesseract(languages),
        _chromium(),
        Finding(
            what="photographs",
            found="Debian's, in the cache" if collection.available() else "those that packages bring",
            there=collection.available(),
            use="real landmarks in the demo study",
            get="notebook 13 fetches 44 MB by apt-get, on Debian and its relatives",
        ),
        Finding(what="ffmpeg", found="not needed", use="PyAV brings what it takes to read and write clips"),
    ]


def _packages(use: str, names: tuple[str, ...]) -> Finding:
    found = {name: _version(name) for name in names}
    missing = [name for name, number in found.items() if number is None]
    words = [f"{name} {number}" for name, number in found.items() if number] + [
        f"no {name}" for name in missing
    ]
    get = "make .venv/ready"
    return Finding(
        what="packages", found=", ".join(words), there=not missing, use=use, get=get, needed=bool(missing)
    )


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _optional(name: str, use: str, get: str) -> Finding:
    number = _version(name)
    return Finding(what=name, found=number or "not installed", there=number is not None, use=use, get=get)


def codecs() -> dict[str, bool]:
    """Whether each decoder and encoder is there, by names such as "h264 decoder"."""
    import av

    found = {}
    for names, mode, kind in ((DECODERS, "r", "decoder"), (ENCODERS, "w", "encoder")):
        for name in names:
            try:
                av.Codec(name, mode)
                found[f"{name} {kind}"] = True
            except ValueError:  # PyAV's UnknownCodecError
                found[f"{name} {kind}"] = False
    return found


def _codecs() -> Finding:
    found = codecs()
    missing = [name for name, there in found.items() if not there]
    reads = [name for name in DECODERS if found[f"{name} decoder"]]
    writes = [name for name in ENCODERS if found[f"{name} encoder"]]
    return Finding(
        what="codecs",
        found=f"reads {', '.join(reads)}; writes {', '.join(writes)}",
        there=not missing,
        use="reading clips, writing copies for the web",
        get="pip install av, whose wheels bring them",
        needed=bool(NEEDED_CODECS & set(missing)),
    )


@cache
def scripts_with_font() -> frozenset[str]:
    """The scripts of `LETTERS` that some font which matplotlib finds can write."""
    from matplotlib import font_manager
    from matplotlib.ft2font import FT2Font

    found: set[str] = set()
    for font in font_manager.fontManager.ttflist:
        if _NO_LETTERS in font.fname or len(found) == len(LETTERS):
            continue
        letters = FT2Font(font.fname).get_charmap()
        found |= {script for script, letter in LETTERS.items() if ord(letter) in letters}
    return frozenset(found)


def _fonts() -> Finding:
    there = scripts_with_font()
    missing = [script for script in LETTERS if script not in there]
    found = f"{len(there)} of {len(LETTERS)} scripts" + (f"; no {', '.join(missing)}" if missing else "")
    return Finding(
        what="fonts",
        found=found,
        there=not missing,
        use="titles of contact sheets and plots in a country's own script",
        get="apt-get install fonts-noto-core fonts-noto-cjk",
    )


def _tesseract(languages: tuple[str, ...]) -> Finding:
    problem = tesseract.obstacle(languages or ("eng",))
    return Finding(
        what="tesseract",
        found=problem.partition(";")[0] or tesseract.version(),
        there=not problem,
        use="metric visible_text",
        get=problem.partition("; ")[2] or "apt-get install tesseract-ocr",
        needed=bool(languages),
    )


def _chromium() -> Finding:
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    return Finding(
        what="chromium",
        found="there" if found else "not there",
        there=found is not None,
        use="tests of the pages in a browser",
        get="apt-get install chromium",
    )
