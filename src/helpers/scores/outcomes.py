"""What became of each thing that was asked: it has a score, was lost on the way, or is not to count.

Nothing lost is ever counted as wrong, and nothing that is not to count lowers the share that was scored.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from helpers.schemas import STATUSES

SCORED = "scored"
# Should have a score and has none. `missing` was never answered; of a `no_clip` there was nothing to look at.
LOST = ("unscored", "failed", "blocked", "missing", "no_clip")
# Not to be counted, by the paper's rule or by the judgement itself.
SET_ASIDE = (
    "unverified",
    "irrelevant",
    "tied",
    "not_applicable",
    "no_sound",
    "not_asked",
    "unpaired",
    "not_unique",
)
REASONS = (*LOST, *SET_ASIDE)
OUTCOMES = (SCORED, *REASONS)
_CODES = {name: code for code, name in enumerate(OUTCOMES)}
_OF_STATUS = {status: _CODES[SCORED if status == "ok" else status] for status in STATUSES}


def outcomes(status: pd.Series, rules: Sequence[tuple[str, np.ndarray]]) -> pd.Categorical:
    """What became of each row.

    Args:
        status: the status of what was replied; NaN where there is no reply, which is "missing". Shape (n,).
        rules: an outcome and the rows that it holds for, boolean (n,); the first that holds decides, and the
            status where none does.

    Returns:
        One of `OUTCOMES` each, shape (n,).
    """
    replied = status.map(_OF_STATUS).fillna(_CODES["missing"]).to_numpy(np.int8)
    masks = [np.asarray(mask, dtype=bool) for _, mask in rules]
    codes = np.select(masks, [_CODES[name] for name, _ in rules], replied)
    return pd.Categorical.from_codes(codes.astype(np.int8), categories=list(OUTCOMES))


def as_cases(
    about: pd.DataFrame,
    part: pd.Series | pd.Categorical,
    value: np.ndarray | pd.Series,
    became: pd.Categorical,
) -> pd.DataFrame:
    """Cases as `helpers.scores.cells.score_cells` takes them.

    Args:
        about: what describes each case, n rows.
        part: what each counts towards (a dimension, a criterion), categories.
        value: what was said, numbers; kept where the outcome is "scored" and missing elsewhere.
        became: the outcomes.

    Returns:
        The rows with part, value, weight (1) and outcome.
    """
    value = np.where(became == SCORED, np.asarray(value, dtype=float), np.nan)
    return about.assign(part=part, value=value, weight=1.0, outcome=became)
