"""Which clips are to be measured: a study's clips, each with its file, its prompt and its photograph."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pandas as pd

from helpers.metrics.measurer import Reference
from helpers.metrics.registry import Need
from helpers.paths import file_hash, shown

TABLES = ("videos", "prompts", "landmarks")


@dataclass(frozen=True)
class Problem:
    """Why a clip has no value: status "missing" where there is nothing to measure, "failed" otherwise."""

    status: Literal["missing", "failed"]
    reason: str


@dataclass(frozen=True, kw_only=True)
class Case:
    """A clip to measure.

    Attributes:
        video_id: its name.
        path: its file, or why there is none.
        sha256: what the file is known by; None where nobody has recorded it.
        prompt: what it was to show, or why there is none.
        reference: the photograph of what it was to show, or why there is none.
    """

    video_id: str
    path: Path | Problem
    sha256: str | None = None
    prompt: str | Problem = Problem("missing", "no prompt was given")
    reference: Reference | Problem = Problem("missing", "no reference photograph was given")

    def problem(self, needs: frozenset[Need]) -> Problem | None:
        """What keeps this clip from being measured by one who needs these, as far as it is known."""
        inputs = [self.path, *(getattr(self, need) for need in sorted(needs))]
        return next((one for one in inputs if isinstance(one, Problem)), None)


def cases_of(tables: Mapping[str, pd.DataFrame], folder: Path) -> list[Case]:
    """A study's clips, in the order of the table videos.

    Args:
        tables: videos; prompts where a metric needs them or photographs; landmarks where a metric needs
            photographs.
        folder: the study's, where relative paths start.
    """
    prompts = _by_id(tables, "prompts", "prompt_id", ["text", "landmark_id"])
    photographs = _by_id(tables, "landmarks", "landmark_id", ["reference_image", "category"])
    references = {
        landmark_id: reference_at(folder / path, None if pd.isna(category) else category)
        for landmark_id, (path, category) in photographs.items()
        if pd.notna(path)
    }
    cases = []
    for row in tables["videos"].itertuples():
        text, landmark_id = prompts.get(row.prompt_id, (None, None))
        cases.append(
            Case(
                video_id=row.video_id,
                path=_path(row, folder),
                sha256=None if pd.isna(row.sha256) else row.sha256,
                prompt=Problem("missing", f"found no prompt '{row.prompt_id}'") if pd.isna(text) else text,
                reference=_reference(landmark_id, references),
            )
        )
    return cases


def reference_at(path: Path | str, category: str | None = None) -> Reference | Problem:
    """A photograph by its file, which is hashed and not yet decoded, and what it shows."""
    path = Path(path)
    try:
        return Reference(path, file_hash(path), category)
    except FileNotFoundError:
        return Problem("missing", f"{shown(path)}: no such file; expected a reference photograph")
    except OSError as error:
        return Problem("failed", f"{shown(path)}: {error.strerror or error}")


def _by_id(
    tables: Mapping[str, pd.DataFrame], name: str, key: str, columns: list[str]
) -> dict[str, tuple[str | None, ...]]:
    if name not in tables:
        return {}
    return {first: tuple(others) for first, *others in tables[name][[key, *columns]].itertuples(index=False)}


def _path(row: tuple, folder: Path) -> Path | Problem:
    if row.status != "ok" or pd.isna(row.path):
        return Problem("missing", f"the clip's status is {row.status}, and there is no file to measure")
    return folder / row.path


def _reference(landmark_id: str | None, references: Mapping[str, Reference | Problem]) -> Reference | Problem:
    if pd.isna(landmark_id):
        return Problem("missing", "the clip's prompt names no landmark")
    nothing = Problem("missing", f"the landmark '{landmark_id}' has no reference photograph")
    return references.get(landmark_id, nothing)
