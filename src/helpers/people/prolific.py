"""Prolific's demographic export: one row a submission, with the screening answers that a study asked for."""

from pathlib import Path

import pandas as pd

from helpers.checking import DataError, csv_rows, nearest
from helpers.geography import standard_name
from helpers.paths import shown
from helpers.people.mapping import Prolific

# What Prolific writes where it has no answer (any more).
NO_ANSWER = ("", "DATA_EXPIRED", "CONSENT_REVOKED", "Rather not say", "Prefer not to say", "Not Applicable")
# A submission whose work was handed in; the others were returned, timed out, rejected or are still open.
HANDED_IN = ("APPROVED", "AWAITING REVIEW")


def read_prolific(path: Path | str, columns: Prolific) -> pd.DataFrame:
    """Read who took part, and what is needed to screen them; age, sex and all other columns stay unread.

    Args:
        path: the CSV file of a study's "demographic data".
        columns: the columns' names.

    Returns:
        One row a participant, indexed by Prolific's id, with status, nationality, residence (short English
        names where the country is known) and language; unanswered or withdrawn answers are missing. Of
        several submissions the first one handed in counts, else the first.

    Raises:
        DataError: as `checking.csv_rows`, or a column that the file lacks or holds twice.
    """
    wanted = {
        getattr(columns, name): name
        for name in ("participant", "status", "nationality", "residence", "language")
    }
    header, *rows = csv_rows(Path(path), "Prolific's demographic export", private=True)
    for column in wanted:
        if header.count(column) != 1:
            wrong = "stands there twice" if column in header else f"is missing{nearest(column, header)}"
            raise DataError(f"{shown(path)}: column '{column}' {wrong}")
    frame = pd.DataFrame(rows, columns=header, dtype=str)
    people = frame[list(wanted)].rename(columns=wanted).apply(lambda cells: cells.str.strip())
    people = people.mask(people.isin(NO_ANSWER))
    for column in ("nationality", "residence"):
        people[column] = people[column].map(known_country, na_action="ignore").astype(str)
    handed_in_first = people["status"].isin(HANDED_IN).sort_values(ascending=False, kind="stable").index
    return people.loc[handed_in_first].drop_duplicates("participant").set_index("participant")


def known_country(name: str) -> str:
    """A country's short English name, or the name as it stands where it is none that we know."""
    try:
        return standard_name(name)
    except ValueError:
        return name
