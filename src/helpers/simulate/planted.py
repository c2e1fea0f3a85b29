"""Scripted replies with planted faults, for the model steps of the notebooks on prompts; no model is asked.

The texts lie in `replies/`. They were drafted with a language model, as the starter's were, and nobody native
has reviewed them.
"""

from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import BaseModel, ConfigDict

from helpers.benchmarks.culturevidbench_candidates import PARTS
from helpers.configuration import read_yaml
from helpers.simulate.culturescore_writer import Faults

REPLIES = Path(__file__).parent / "replies"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Fault(_Strict):
    step: str
    scene: str
    fault: str
    reply: Any


class _FaultFile(_Strict):
    faults: list[_Fault]


class _Candidate(_Strict):
    parts: list[str | int]
    planted: str | None = None


class _CandidateFile(_Strict):
    candidates: dict[str, list[_Candidate]]


def culturescore_faults() -> Faults:
    """The replies with a fault, for `culturescore_writer.starter_writer`."""
    found = read_yaml(REPLIES / "culturescore.yaml", _FaultFile, what="replies with a fault")
    return {(fault.step, fault.scene): fault.reply for fault in found.faults}


def candidate_replies(elements: pd.DataFrame) -> list[dict[str, Any]]:
    """A reply with three candidates for each of the starter's elements.

    Args:
        elements: rows of `culturevidbench_candidates.one_row_each`.

    Raises:
        ValueError: an element that the script has no candidates for.
    """
    written = _candidates()
    if unknown := set(elements["element_id"]) - set(written):
        raise ValueError(f"elements: the script has no candidates for {', '.join(sorted(unknown))}")
    return [
        {
            "candidates": [
                dict(zip(PARTS[row.category].model_fields, candidate.parts, strict=True))
                for candidate in written[row.element_id]
            ]
        }
        for row in elements.itertuples()
    ]


def planted_faults() -> pd.Series:
    """The fault planted in each of those candidates, by candidate_id; missing where there is none."""
    faults = {
        f"{element}-{number}": candidate.planted
        for element, written in _candidates().items()
        for number, candidate in enumerate(written, start=1)
    }
    return pd.Series(faults, name="planted", dtype=object).rename_axis("candidate_id")


def _candidates() -> dict[str, list[_Candidate]]:
    return read_yaml(REPLIES / "culturevidbench.yaml", _CandidateFile, what="candidates").candidates
