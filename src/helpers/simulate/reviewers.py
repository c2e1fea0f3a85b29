"""Two simulated reviewers who fill in the sheets on candidate prompts."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from helpers.benchmarks.review import QUESTIONS

# What a reviewer answers where it is not the usual: by candidate_id and column.
Changes = Mapping[tuple[str, str], str]


def fill_sheets(paths: Sequence[Path], changes: Sequence[Changes]) -> None:
    """Fill in sheets: yes to every question, preferences in the order of the ids, but for the given changes.

    Args:
        paths: the sheets that `review.write_sheets` wrote.
        changes: for each sheet the cells that hold something else.

    Raises:
        ValueError: another number of changes than of sheets, or a candidate or column that a sheet lacks.
    """
    for path, cells in zip(paths, changes, strict=True):
        sheet = pd.read_csv(path, dtype=str, keep_default_na=False).set_index("candidate_id", drop=False)
        sheet[list(QUESTIONS)] = "yes"
        for ids in sheet.groupby(["country", "aspect", "element"]).groups.values():
            for rank, name in enumerate(sorted(ids), start=1):
                sheet.loc[name, "preference"] = str(rank)
        for (name, column), value in cells.items():
            if name not in sheet.index or column not in sheet:
                raise ValueError(f"{path.name}: found no candidate '{name}' with a column '{column}'")
            sheet.loc[name, column] = value
        sheet.to_csv(path, index=False)
