"""One survey answer at a time: what its cell means, or why it means nothing.

Each reader takes all cells by (rater, column) and the rows of the sheets; it returns its table and the list
of what could not be used.
"""

from dataclasses import dataclass

import pandas as pd

from helpers.people.mapping import Accuracy, Mapping, placeholders
from helpers.people.rules import EXCLUDED
from helpers.schemas import SCALES

Cells = dict[tuple[str, str], "Cell"]
Read = tuple[pd.DataFrame, list[dict]]


@dataclass(frozen=True)
class Cell:
    """One cell of an export: its row, whose it is, its column and its text (empty where unanswered)."""

    row: int
    rater: str
    column: str
    text: str

    def excluded(self, table: str, reason: str) -> dict:
        """The line in the list of what was set aside."""
        values = (table, self.row, self.rater, self.column, self.text or None, reason)
        return dict(zip(EXCLUDED, values, strict=True))


def read_relevance(cells: Cells, mapping: Mapping, sheets: pd.DataFrame) -> Read:
    """Whether a question is a fair probe; anything but a declared yes or no is set aside."""
    rows, problems = [], []
    asked = sheets[sheets["tier"].eq("relevance")].drop_duplicates(["rater_id", "step"])
    for shown in asked.itertuples() if mapping.relevance else ():
        cell = cells[shown.rater_id, mapping.relevance.format(step=shown.step)]
        if cell.text in (*mapping.yes, *mapping.no):
            rows.append((shown.rater_id, shown.question_id, cell.text in mapping.yes))
        else:
            problems.append(cell.excluded("relevance", "neither yes nor no" if cell.text else "no answer"))
    return pd.DataFrame(rows, columns=["rater_id", "question_id", "relevant"]), problems


def read_accuracy(cells: Cells, mapping: Mapping, sheets: pd.DataFrame) -> Read:
    """For each clip of a step whether it was ticked (answer "yes") or not ("no")."""
    rows, problems = [], []
    accuracy = mapping.accuracy
    asked = sheets[sheets["tier"].eq("accuracy")].groupby(["rater_id", "step"], sort=False)
    for (rater, step), clips in asked if accuracy else ():
        ticked = _ticked(cells, accuracy, rater, step, list(clips["position"]))
        answer, problem = _choice(
            [cell.text for cell in ticked], accuracy, mapping.clips, set(clips["position"])
        )
        raw = ",".join(cell.text for cell in ticked) or None
        status = "unscored" if problem else "missing" if answer is None else "ok"
        if problem:
            problems.append(ticked[0].excluded("answers", problem))
        rows += [
            (
                clip.video_id,
                clip.question_id,
                rater,
                None if answer is None else clip.position in answer,
                status,
                raw,
            )
            for clip in clips.itertuples()
        ]
    columns = ["video_id", "question_id", "rater_id", "answer", "status", "raw"]
    return pd.DataFrame(rows, columns=columns), problems


def _ticked(cells: Cells, accuracy: Accuracy, rater: str, step: int, positions: list[int]) -> list[Cell]:
    """The cells of one question that hold a choice: a text each, or the parts of a joined one."""
    if "position" in placeholders(accuracy.columns):
        columns = [
            accuracy.columns.format(step=step, position=choice)
            for choice in [*positions, accuracy.none]
            if choice
        ]
        # A column of its own says by its name what was ticked; its text is the choice's label or code.
        found = [cells[rater, column] for column in columns]
        codes = [*(str(position) for position in positions), accuracy.none]
        return [
            Cell(cell.row, rater, cell.column, code)
            for cell, code in zip(found, codes, strict=False)
            if cell.text not in ("", "0")
        ]
    joined = cells[rater, accuracy.columns.format(step=step)]
    return [
        Cell(joined.row, rater, joined.column, part.strip())
        for part in joined.text.split(",")
        if part.strip()
    ]


def _choice(
    ticked: list[str], accuracy: Accuracy, clips: dict[str, int], positions: set[int]
) -> tuple[set[int] | None, str | None]:
    """The positions ticked, None where unanswered; or a reason why the choices mean nothing."""
    if not ticked:
        return (set() if accuracy.blank == "none" else None), None
    if accuracy.none in ticked:
        return (set(), None) if len(ticked) == 1 else (None, "clips ticked together with 'none'")
    meant = [clips.get(choice, int(choice) if choice.isdecimal() else None) for choice in ticked]
    unknown = [choice for choice, position in zip(ticked, meant, strict=True) if position not in positions]
    return (None, f"'{unknown[0]}' is none of the clips shown") if unknown else (set(meant), None)


def read_ranking(cells: Cells, mapping: Mapping, sheets: pd.DataFrame) -> Read:
    """The rank of each clip of a step; ties, gaps and missing ranks set the whole ranking aside."""
    rows, problems = [], []
    asked = sheets[sheets["tier"].eq("ranking")].groupby(["rater_id", "step"], sort=False)
    for (rater, step), clips in asked if mapping.ranking else ():
        found = [
            cells[rater, mapping.ranking.format(step=step, position=place)] for place in clips["position"]
        ]
        texts = [cell.text for cell in found]
        if sorted(texts) == [str(rank) for rank in range(1, len(clips) + 1)]:
            rows += [
                (clip.prompt_id, rater, clip.model, int(rank))
                for clip, rank in zip(clips.itertuples(), texts, strict=True)
            ]
        else:
            first = Cell(found[0].row, rater, found[0].column, ",".join(texts) if any(texts) else "")
            problems.append(first.excluded("rankings", _why_no_ranking(texts)))
    return pd.DataFrame(rows, columns=["prompt_id", "rater_id", "model", "rank"]), problems


def _why_no_ranking(ranks: list[str]) -> str:
    given = [rank for rank in ranks if rank]
    if not given:
        return "no answer"
    if len(given) < len(ranks):
        return "a rank is missing"
    if len(set(given)) < len(given):
        return "tied ranks"
    return f"ranks other than 1 to {len(ranks)}"


def read_ratings(cells: Cells, mapping: Mapping, sheets: pd.DataFrame) -> Read:
    """Each clip's score by criterion, whole and within the criterion's scale, or "not applicable"."""
    rows, problems = [], []
    ratings = mapping.ratings
    for clip in sheets[sheets["tier"].eq("rating")].itertuples() if ratings else ():
        for criterion, code in ratings.criteria.items():
            column = ratings.columns.format(step=clip.step, position=clip.position, criterion=code)
            cell = cells[clip.rater_id, column]
            score, problem = _score(cell.text, criterion, mapping)
            status = "unscored" if problem else "ok" if cell.text else "missing"
            if problem:
                problems.append(cell.excluded("ratings", problem))
            rows.append((clip.video_id, criterion, clip.rater_id, score, status, cell.text or None))
    columns = ["video_id", "criterion", "rater_id", "score", "status", "raw"]
    return pd.DataFrame(rows, columns=columns), problems


def _score(text: str, criterion: str, mapping: Mapping) -> tuple[int | None, str | None]:
    """A score, None for "not applicable" or unanswered; or a reason why the text is neither."""
    ratings = mapping.ratings
    if text in ratings.not_applicable:
        return None, None if ratings.may_be_na(criterion) else f"{criterion} cannot be 'not applicable'"
    if not text:
        return None, None
    try:
        score = float(ratings.labels.get(text, text))
    except ValueError:
        return None, "no score"
    low, high = SCALES[criterion]
    if score not in range(low, high + 1):
        return None, f"not a whole number from {low} to {high}"
    return int(score), None
