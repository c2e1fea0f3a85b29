"""The same clips judged twice: by a judge and people, by two judges, or by two revisions of one."""

import numpy as np
import pandas as pd

from helpers.reports.frameworks import Framework
from helpers.scores.outcomes import OUTCOMES, SCORED


def paired_cases(first: pd.DataFrame, second: pd.DataFrame, framework: Framework) -> pd.DataFrame:
    """What two panels made of the same things, as one difference each.

    Args:
        first: cases as the framework's `cases` returns them.
        second: the other panel's.
        framework: whose.

    Returns:
        The cases that both were to judge: value is first minus second (missing unless both scored), first and
        second stand beside it, and the outcome is that of the one without a score (the first's, if neither
        has one).
    """
    keys = list(dict.fromkeys(["video_id", "part", framework.item]))
    words = dict.fromkeys(keys, str)
    other = second.astype(words)[[*keys, "value", "outcome"]]
    both = first.astype(words).merge(other, on=keys, suffixes=("", "_second"))
    one, two = both["outcome"].astype(object), both["outcome_second"].astype(object)
    scores = {"first": both["value"], "second": both["value_second"]}
    scored = one.eq(SCORED) & two.eq(SCORED)
    parts = pd.CategoricalDtype(first["part"].cat.categories)
    return both.drop(columns=["value_second", "outcome_second"]).assign(
        part=both["part"].astype(parts),
        value=np.where(scored, scores["first"] - scores["second"], np.nan),
        outcome=pd.Categorical(one.where(one.ne(SCORED), two), categories=list(OUTCOMES)),
        first=scores["first"].where(scored),
        second=scores["second"].where(scored),
    )
