"""Two captions for each landmark, written by a vision model from its reference photograph.

GAP (section 3.1) gives GPT-5.1 the photograph, the name and the location and asks for a detailed caption of
three to six sentences and a short one; its own prompt is not printed. Whether its captions say the name is
left open. Here both must: a description that fits many churches would measure how well a model follows it,
not whether it knows this one.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from helpers.benchmarks.landmark_pictures import photograph
from helpers.benchmarks.landmark_prompts import SENTENCES, length_problem
from helpers.benchmarks.model_steps import Filled, RuleError, Step, Writer
from helpers.benchmarks.starter import REVIEW, STARTER
from helpers.chat.forms import Form
from helpers.chat.messages import user
from helpers.chat.pictures import Picture
from helpers.chat.request import Request
from helpers.chat.results import Result
from helpers.checking import DataError, Table, one_of, text

CAPTION = Step("caption", "reference", ("short", "detailed"))
# Pixels of the longer side: more costs tokens, and most models scale down to about this.
SIDE = 1280

_WRITTEN = Table(
    columns={
        "landmark_id": text(),
        "photograph_id": text(),
        "short": text(unique=True),
        "detailed": text(unique=True),
        "review": one_of((REVIEW,)),
    },
    key=("landmark_id",),
)
_ASIDE = re.compile(r"\s*\([^)]*\)|,.*")
_ARTICLE = re.compile(r"^the\s+")


class Captions(Form):
    """What the model writes; the short one comes last, so that it can sum up."""

    detailed: Filled
    short: Filled


def with_photograph(landmarks: pd.DataFrame, folder: Path) -> pd.DataFrame:
    """The landmarks, and whether each has a reference photograph that a model can be shown.

    Args:
        landmarks: rows with landmark_id, name, city, country and reference_image.
        folder: what relative paths in reference_image start from.

    Returns:
        All rows with reference_status (ok; missing where there is no photograph; failed where it does not
        decode) and reference_reason.
    """
    found = [_found(path, folder) for path in landmarks["reference_image"]]
    outcomes = pd.DataFrame(
        found, columns=["reference_status", "reference_reason"], index=landmarks.index, dtype=object
    )
    return landmarks.drop(columns=outcomes, errors="ignore").join(outcomes)


def caption_requests(landmarks: pd.DataFrame, writer: Writer, folder: Path) -> list[Request]:
    """Ask for both captions of each landmark that has a photograph, in one request.

    Args:
        landmarks: as `with_photograph` returns them.
        writer: a model that sees pictures.
        folder: what relative paths in reference_image start from.
    """
    return CAPTION.requests(landmarks, lambda row: _ask(row, writer, folder))


def caption_rows(landmarks: pd.DataFrame, results: Sequence[Result]) -> pd.DataFrame:
    """The captions, each of the right length and with the landmark's name in it.

    Returns:
        All rows with short and detailed. A row one of whose captions has another number of sentences or
        leaves the name out is `unscored`.
    """

    def read(row: Any, captions: Captions) -> list[str]:
        for variant in CAPTION.gives:
            if problem := caption_problem(getattr(captions, variant), variant, row.name):
                raise RuleError(f"{variant}: {problem}")
        return [captions.short, captions.detailed]

    return CAPTION.rows(landmarks, results, read)


def caption_problem(written: str, variant: str, name: str) -> str | None:
    """What is wrong with a caption; None for a good one.

    Args:
        written: the caption.
        variant: short or detailed.
        name: the landmark's.
    """
    if problem := length_problem(written, *SENTENCES[variant]):
        return problem
    return None if says_name(written, name) else f"found no '{name}' in it, expected the landmark's name"


def written_captions() -> pd.DataFrame:
    """Captions of this project, drafted with a language model for photographs of `helpers.photographs`.

    Returns:
        Columns landmark_id, photograph_id (the photograph described), short, detailed and review (always
        `starter.REVIEW`).

    Raises:
        DataError: the file does not fit its schema.
    """
    return _WRITTEN.read_csv(STARTER / "landmark_captions.csv")


def says_name(written: str, name: str) -> bool:
    """Whether a text names a landmark; accents, capitals, articles and asides of the name do not matter.

    Args:
        written: the text.
        name: such as "The Uluru (Ayers Rock)" or "St. Mary's Church, Lübeck", of which what stands in
            brackets and behind the first comma may be left out.
    """
    core = _ARTICLE.sub("", _plain(_ASIDE.sub("", name))) or _plain(name)
    return f" {core} " in f" {_plain(written)} "


def _ask(row: Any, writer: Writer, folder: Path) -> Request:
    place = ", ".join(part for part in (row.city, row.country) if pd.notna(part))
    asked = writer.request("landmark_captions", Captions, landmark=row.name, place=place)
    picture = Picture.encode(np.asarray(photograph(folder / row.reference_image, SIDE)))
    return replace(asked, messages=(user(picture, *asked.messages[0].parts),))


def _found(path: str | None, folder: Path) -> tuple[str, str | None]:
    if pd.isna(path):
        return "missing", "there is no reference photograph"
    try:
        photograph(folder / path, SIDE)
    except DataError as error:
        return "failed", str(error)
    return "ok", None


def _plain(written: str) -> str:
    """Words without accents, capitals and marks, one space between them."""
    apart = unicodedata.normalize("NFKD", written.casefold())
    letters = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return " ".join(re.findall(r"\w+", letters))
