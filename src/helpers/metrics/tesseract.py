"""Reading text in pictures with Tesseract, a program of the operating system that may be absent.

Debian: `apt-get install tesseract-ocr`, and `tesseract-ocr-hin` and so on for other languages than English.
"""

import csv
import io
import os
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from helpers.geography import countries

PROGRAM = "tesseract"
# The languages that come with the program.
ALWAYS = ("eng", "osd")
# Tesseract's languages by the codes of `helpers.geography`.
LANGUAGES = {
    "am": "amh",
    "de": "deu",
    "en": "eng",
    "es": "spa",
    "fa": "fas",
    "hi": "hin",
    "it": "ita",
    "ja": "jpn",
    "ms": "msa",
    "nl": "nld",
    "pl": "pol",
    "pt": "por",
    "ru": "rus",
    "zh": "chi_sim",
}
# "Sparse text": as much as is found, in no particular order, as on signs in a scene.
LAYOUT = "11"
# Letters of 20 to 40 pixels read best; in small frames they are lower.
LEAST_HEIGHT = 960
# What it reads into rocks and leaves has up to 77, print about 95.
LEAST_CONFIDENCE = 80.0
LONGEST = 60.0


@dataclass(frozen=True)
class Word:
    """A word that was read.

    Attributes:
        text: the word.
        confidence: Tesseract's own, 0 to 100.
    """

    text: str
    confidence: float


def language_of(country: str) -> str:
    """Tesseract's language for what a country writes.

    Args:
        country: one of the benchmarks' countries, as `helpers.geography.countries` names it.

    Raises:
        ValueError: another country.
    """
    codes = countries().set_index("country")["language_code"]
    if country not in codes.index:
        raise ValueError(f"found the country '{country}', expected one of {', '.join(codes.index)}")
    return LANGUAGES[codes[country].partition("-")[0]]


def obstacle(languages: tuple[str, ...] = ("eng",)) -> str:
    """What keeps text from being read on this machine, and how to mend it; empty where nothing does."""
    there = shutil.which(PROGRAM) is not None
    missing = [name for name in languages if name not in (_installed() if there else ALWAYS)]
    packages = [f"tesseract-ocr-{name.replace('_', '-')}" for name in missing]
    if there and not missing:
        return ""
    problem = f"Tesseract lacks {', '.join(missing)}" if there else f"found no program '{PROGRAM}'"
    wanted = packages if there else ["tesseract-ocr", *packages]
    return f"{problem}; on Debian, apt-get install {' '.join(wanted)}"


def version() -> str:
    """The program's name and version."""
    return _run("--version").splitlines()[0].decode()


def read_words(picture: NDArray[np.uint8], languages: tuple[str, ...] = ("eng",)) -> list[Word]:
    """The words in a picture that Tesseract is sure enough of, and that hold a letter or digit.

    A picture lower than 960 pixels is enlarged.

    Args:
        picture: (height, width, 3), RGB.
        languages: that are looked for, by Tesseract's names.

    Raises:
        RuntimeError: Tesseract fails, or takes more than a minute.
    """
    image = Image.fromarray(picture)
    if image.height < LEAST_HEIGHT:
        width = round(image.width * LEAST_HEIGHT / image.height)
        image = image.resize((width, LEAST_HEIGHT), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    image.save(buffer, "PNG", compress_level=1)
    language = "+".join(languages)
    table = _run("stdin", "stdout", "-l", language, "--psm", LAYOUT, "tsv", given=buffer.getvalue())
    rows = csv.DictReader(io.StringIO(table.decode()), delimiter="\t", quoting=csv.QUOTE_NONE)
    words = [Word(row["text"].strip(), float(row["conf"])) for row in rows if row["text"]]
    return [
        word for word in words if word.confidence >= LEAST_CONFIDENCE and any(map(str.isalnum, word.text))
    ]


@cache
def _installed() -> frozenset[str]:
    return frozenset(_run("--list-langs").decode().splitlines()[1:])


def _run(*arguments: str, given: bytes = b"") -> bytes:
    # More threads than one make Tesseract slower on small pictures.
    about = {"env": os.environ | {"OMP_THREAD_LIMIT": "1"}, "timeout": LONGEST, "capture_output": True}
    try:
        done = subprocess.run([PROGRAM, *arguments], input=given, check=False, **about)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"Tesseract took more than {LONGEST:g} s") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise RuntimeError(f"Tesseract failed: {said[-1] if said else f'exit {done.returncode}'}")
    return done.stdout
