"""Two people check candidate prompts, each on a sheet of their own; what both accept is kept.

CultureVidBench (section 3.2): two annotators verify and revise candidates for natural wording, cultural
consistency, diversity and whether a video can show them; one is kept for each element, two for each ritual.
The paper does not say how disagreement was settled: here it is left open for the two to discuss.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from helpers.benchmarks.culturevidbench import PROMPTS_PER_ELEMENT
from helpers.benchmarks.line_report import LineReport
from helpers.checking import DataError, Table, one_of, text
from helpers.paths import shown
from helpers.published import ASPECTS
from helpers.schemas import country
from helpers.spreadsheets import as_text, as_written
from helpers.stats.chance_corrected import gwet_ac, percent_agreement

# What both reviewers answer with yes or no for every candidate.
QUESTIONS = {
    "natural": "Does it read like a sentence that somebody would write?",
    "consistent": "Does everything in it belong to this culture and to the element?",
    "diverse": "Does it differ from the element's other candidates in what happens?",
    "feasible": "Can a clip of about five seconds show it?",
}
ANSWERS = {"yes": True, "no": False}

# `source` is where the element is described, for reviewers to look it up.
CANDIDATES = Table(
    columns={
        "candidate_id": text(),
        "country": country(),
        "aspect": one_of(tuple(ASPECTS)),
        "element": text(),
        "text": text(),
        "source": text(nullable=True),
    },
    key=("candidate_id",),
)
_ELEMENT = ["country", "aspect", "element"]
_AGREEMENT = ["question", "n", "percent_agreement", "ac1", "low", "high"]
_NAME = re.compile(r"\w[\w .-]{0,99}")
_TO_FILL = [*QUESTIONS, "preference", "revised", "note"]


@dataclass(frozen=True)
class Decision:
    """What two sheets lead to.

    Attributes:
        kept: candidates that both accept, as many as their element needs: columns of `CANDIDATES` with the
            text as revised.
        open: one row an element that is not settled: country, aspect, element, needed, accepted, why.
        agreement: one row a question: question, n, percent_agreement, ac1, low, high (Gwet's AC1).
    """

    kept: pd.DataFrame
    open: pd.DataFrame
    agreement: pd.DataFrame


def write_sheets(
    candidates: pd.DataFrame, folder: Path | str, reviewers: Sequence[str] = ("a", "b"), *, seed: int
) -> list[Path]:
    """Write one sheet to fill in for each of two reviewers.

    Candidates of an element stand together, in an order drawn anew for each reviewer, so that none gains from
    its place. `preference` asks for 1 (best), 2, … within the element; `revised` for a better wording. Texts
    that a spreadsheet program would take for formulas stand after an apostrophe, which `read_sheet` removes.

    Args:
        candidates: rows of `CANDIDATES`; at least as many for each element as are kept.
        folder: where `review_<reviewer>.csv` go; it is made where it is missing.
        reviewers: two different names, which can stand in a file's name.
        seed: for the order.

    Returns:
        The files, of which both are there or none.

    Raises:
        ValueError: not two reviewers, a name that no file can have, or an element with too few candidates.
        DataError: the candidates do not fit, or a sheet is there already; work is never overwritten.
    """
    if len(reviewers) != 2 or len({name.casefold() for name in reviewers}) != 2:
        raise ValueError(f"reviewers: found {', '.join(reviewers)}, expected two different names")
    for name in reviewers:
        if not _NAME.fullmatch(name):
            raise ValueError(f"reviewers: found '{name}', expected letters, digits, ' ', '.', '_' and '-'")
    candidates = CANDIDATES.check(candidates, "candidates")
    sizes = candidates.groupby(_ELEMENT, sort=False).size()
    few = sizes[sizes < _needed(sizes.index)]
    if len(few):
        raise ValueError(f"candidates: found {few.iloc[0]} for {' · '.join(few.index[0])}, expected more")
    paths = [Path(folder) / f"review_{reviewer}.csv" for reviewer in reviewers]
    for path in paths:
        if path.exists():
            raise DataError(f"{shown(path)} is there already; expected to write a new sheet")
    Path(folder).mkdir(parents=True, exist_ok=True)
    element = candidates.groupby(_ELEMENT, sort=False).ngroup()
    unfinished = [path.with_name(f".{path.name}.part") for path in paths]
    try:
        for part, rng in zip(unfinished, np.random.default_rng(seed).spawn(2), strict=True):
            order = np.lexsort([rng.random(len(candidates)), element])
            sheet = candidates.iloc[order].assign(**dict.fromkeys(_TO_FILL, ""))
            as_text(sheet).to_csv(part, index=False)
        for part, path in zip(unfinished, paths, strict=True):
            part.replace(path)
    finally:
        for part in unfinished:
            part.unlink(missing_ok=True)
    return paths


def read_sheet(path: Path | str, candidates: pd.DataFrame) -> pd.DataFrame:
    """Read a sheet back.

    Args:
        path: a filled sheet.
        candidates: what was asked about, rows of `CANDIDATES`.

    Returns:
        One row a candidate, in the order of `candidates`: candidate_id, the answers (true or false),
        preference (whole), revised and note (missing where empty).

    Raises:
        DataError: no such file, not a CSV file, other columns than were written, a candidate there twice.
        BadLinesError: a candidate that is unknown, missing or has another text than was asked about; an
            answer other than yes or no; preferences that do not number an element's candidates 1, 2, …; all
            of them in one message.
    """
    sheet = as_written(_SHEET.read_csv(path))
    candidates = CANDIDATES.check(candidates, "candidates").set_index("candidate_id")
    report = LineReport()
    for row in sheet.itertuples():
        line, name = row.Index + 2, f"candidate {row.candidate_id}"
        if row.candidate_id not in candidates.index:
            report.add(path, line, f"{name} was not asked about")
            continue
        asked = candidates.loc[row.candidate_id, "text"]
        if row.text != asked:
            report.add(path, line, f"{name}: found the text '{row.text}', expected '{asked}'; use `revised`")
        for question in QUESTIONS:
            answer = getattr(row, question)
            if answer not in ANSWERS:
                found = "nothing" if pd.isna(answer) else f"'{answer}'"
                report.add(path, line, f"{name}, {question}: found {found}, expected yes or no")
    absent = candidates.index.difference(sheet["candidate_id"])
    for name in absent:
        report.add(path, len(sheet) + 1, f"candidate {name} is missing; expected every candidate once")
    for names, rows in sheet.groupby(_ELEMENT, sort=False):
        if sorted(rows["preference"].fillna("")) != [str(rank + 1) for rank in range(len(rows))]:
            found = ", ".join(rows["preference"].fillna("nothing"))
            report.add(
                path,
                rows.index[0] + 2,
                f"{' · '.join(names)}: found the preferences {found}, expected 1 to {len(rows)}, each once",
            )
    report.refuse()
    filled = sheet.set_index("candidate_id").loc[candidates.index, _TO_FILL]
    answers = {question: filled[question].map(ANSWERS).astype(bool) for question in QUESTIONS}
    return filled.assign(**answers, preference=filled["preference"].astype(int)).reset_index()


def decide(candidates: pd.DataFrame, first: pd.DataFrame, second: pd.DataFrame) -> Decision:
    """Keep what both reviewers accept.

    A candidate is accepted where both answer yes to every question and do not reword it differently. Of an
    element's accepted candidates those with the lowest sum of preferences are kept: one, or two for a ritual.
    Too few accepted, or a tie about the last place, leaves the element open.

    Args:
        candidates: rows of `CANDIDATES`.
        first: one reviewer's sheet as `read_sheet` returns it.
        second: the other's.

    Returns:
        What is kept, what is open and why, and how far the two agree beyond chance.
    """
    rows = CANDIDATES.check(candidates, "candidates")
    one, two = (sheet.set_index("candidate_id").loc[rows["candidate_id"]] for sheet in (first, second))
    yes = [sheet[list(QUESTIONS)].all(axis=1).to_numpy() for sheet in (one, two)]
    wording = pd.DataFrame({"one": one["revised"].to_numpy(), "two": two["revised"].to_numpy()})
    reworded = wording.nunique(axis=1).gt(1).to_numpy()
    rows = rows.assign(
        text=wording["one"].fillna(wording["two"]).fillna(rows["text"]),
        accepted=yes[0] & yes[1] & ~reworded,
        split=(yes[0] != yes[1]) | (yes[0] & yes[1] & reworded),
        preference=(one["preference"].to_numpy() + two["preference"].to_numpy()),
    )
    kept, unsettled = [], []
    for names, group in rows.groupby(_ELEMENT, sort=False):
        needed = PROMPTS_PER_ELEMENT[ASPECTS[names[1]]]
        accepted = group[group["accepted"]].sort_values("preference", kind="stable")
        why = _why_open(accepted["preference"].tolist(), needed, int(group["split"].sum()))
        if why:
            unsettled.append([*names, needed, len(accepted), why])
        else:
            kept.append(accepted.head(needed))
    columns = list(CANDIDATES.columns)
    return Decision(
        kept=pd.concat([rows.head(0), *kept])[columns].reset_index(drop=True),
        open=pd.DataFrame(unsettled, columns=[*_ELEMENT, "needed", "accepted", "why"]),
        agreement=_agreement(one, two),
    )


def undecided(candidates: pd.DataFrame) -> Decision:
    """What stands before the sheets are filled in: nothing is kept, every element is open.

    Args:
        candidates: rows of `CANDIDATES`.
    """
    rows = CANDIDATES.check(candidates, "candidates")
    names = rows[_ELEMENT].drop_duplicates().reset_index(drop=True)
    open_rows = names.assign(
        needed=_needed(pd.MultiIndex.from_frame(names)), accepted=0, why="not reviewed yet"
    )
    return Decision(kept=rows.head(0), open=open_rows, agreement=pd.DataFrame(columns=_AGREEMENT))


_SHEET = Table(
    columns=CANDIDATES.columns | {name: text(nullable=True) for name in _TO_FILL}, key=("candidate_id",)
)


def _needed(elements: pd.MultiIndex) -> list[int]:
    return [PROMPTS_PER_ELEMENT[ASPECTS[aspect]] for _, aspect, _ in elements]


def _why_open(preferences: list[int], needed: int, split: int) -> str | None:
    """Why an element is not settled, given its accepted candidates' summed preferences in rising order."""
    if len(preferences) < needed:
        return f"too few accepted; the reviewers differ on {split}" if split else "too few accepted"
    if len(preferences) > needed and preferences[needed - 1] == preferences[needed]:
        return "equally preferred"
    return None


def _agreement(one: pd.DataFrame, two: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for question in QUESTIONS:
        answers = np.column_stack([one[question], two[question]]).astype(int)
        corrected = gwet_ac(answers, [0, 1])
        rows.append(
            {
                "question": question,
                "n": corrected.n,
                "percent_agreement": percent_agreement(answers, [0, 1]).estimate,
                "ac1": corrected.estimate,
                "low": corrected.low,
                "high": corrected.high,
            }
        )
    return pd.DataFrame(rows, columns=_AGREEMENT)
