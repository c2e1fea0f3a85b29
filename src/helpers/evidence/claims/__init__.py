"""CultureScore's text against its own tables: what it says, and what the printed numbers give.

Rani et al. 2026 (arXiv:2606.07311). Each check restates one sentence in our words, computes the same quantity
from the published tables, and says whether the two agree.
"""

import pandas as pd

from helpers.evidence.claims import comparisons, people, results, tables
from helpers.evidence.claims.paper import Check, Paper

__all__ = ["Check", "Paper", "checks"]


def checks(paper: Paper) -> pd.DataFrame:
    """All checks: design and tables, results, VideoScore and prompts without a name, people.

    Returns:
        where (section, table or figure), says, gives, holds (whether the numbers give what is said).
    """
    parts = (tables, results, comparisons, people)
    rows = [check for part in parts for check in part.checks(paper)]
    return pd.DataFrame(rows, columns=list(Check._fields))
