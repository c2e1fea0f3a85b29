"""The papers' rules for what counts, each by its name.

Rules say what they set aside, row by row, in one list (columns `EXCLUDED`); nothing is dropped in silence.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Literal

import pandas as pd

from helpers.checking import nearest
from helpers.geography import countries
from helpers.schemas import TABLES

# The list of what was set aside: from which table, which row of the export (if any), whose, which answer and
# what it said (or the row's key), and why.
EXCLUDED = ("table", "row", "rater_id", "item", "value", "reason")
SCREENS = ("nationality", "residence", "language")


def excluded_frame(rows: Sequence[dict]) -> pd.DataFrame:
    """The list of what was set aside as a frame with the columns `EXCLUDED`."""
    types = dict.fromkeys(EXCLUDED, str) | {"row": "Int64"}
    return pd.DataFrame(rows, columns=list(EXCLUDED)).astype(types)


def screen(
    people: pd.DataFrame,
    cohort: pd.Series,
    languages: Collection[str] = (),
    by: Collection[str] = SCREENS,
) -> pd.DataFrame:
    """Screen people by nationality, residence and primary language (CultureVidBench, C.1).

    CultureScore screened by nationality and residence alone (its section 4.2): `by=("nationality",
    "residence")`.

    Args:
        people: columns nationality, residence and language, one row a person; missing where unknown.
        cohort: the country whose clips each person judges, on the same index.
        languages: the primary languages that count as the cohort's own; its official language where empty.
        by: the screens that a native has to pass.

    Returns:
        One column a screen and `native`, all nullable booleans: failing one screen is enough to be no native,
        and where one is unknown and none failed, `native` is missing.

    Raises:
        ValueError: a screen that does not exist.
    """
    for name in by:
        if name not in SCREENS:
            raise ValueError(
                f"no screen '{name}'{nearest(name, SCREENS)}; expected some of {', '.join(SCREENS)}"
            )
    official = cohort.map(countries().set_index("country")["official_language"])
    speaks = people["language"].isin(list(languages)) if languages else people["language"].eq(official)
    passed = pd.DataFrame(
        {
            "nationality": people["nationality"].eq(cohort),
            "residence": people["residence"].eq(cohort),
            "language": speaks,
        }
    ).astype("boolean")
    passed = passed.mask(people[list(SCREENS)].isna())
    native = pd.Series(True, people.index, dtype="boolean")
    for name in by:
        native &= passed[name]
    return passed.assign(native=native)


def irrelevant_questions(relevance: pd.DataFrame) -> pd.DataFrame:
    """The questions that a majority of their cohort calls irrelevant; they count nowhere downstream.

    A majority is more than half of those who answered (CultureScore, B.3); a tie keeps the question.

    Args:
        relevance: a table `relevance`, of the cohort's raters only.

    Returns:
        One row a question: question_id, n (raters), irrelevant (raters), excluded.
    """
    votes = relevance.groupby("question_id")["relevant"].agg(n="size", relevant="sum").reset_index()
    irrelevant = votes["n"] - votes["relevant"]
    return votes[["question_id", "n"]].assign(irrelevant=irrelevant, excluded=2 * irrelevant > votes["n"])


def majority_vote(answers: pd.DataFrame, ties: Literal["missing", "yes", "no"] = "missing") -> pd.DataFrame:
    """The raters' majority as the answer that holds for a clip and a question (CultureScore, 4.2).

    Args:
        answers: a table `answers`; only answers with status "ok" vote.
        ties: what as many yes as no means.

    Returns:
        One row for each video_id and question_id: yes, no, n (votes), tied, and answer (a nullable boolean;
        missing without votes or by the tie rule).

    Raises:
        ValueError: an unknown tie rule.
    """
    outcomes = {"missing": pd.NA, "yes": True, "no": False}
    if ties not in outcomes:
        raise ValueError(f"ties: found '{ties}', expected one of {', '.join(outcomes)}")
    votes = answers.groupby(["video_id", "question_id"])["answer"].agg(yes="sum", n="count").reset_index()
    no = votes["n"] - votes["yes"]
    tied = votes["yes"].eq(no) & votes["n"].gt(0)
    answer = votes["yes"].gt(no).astype("boolean").mask(votes["yes"].eq(no))
    return votes.assign(no=no, tied=tied, answer=answer.mask(tied, outcomes[ties]))[
        ["video_id", "question_id", "yes", "no", "n", "tied", "answer"]
    ]


def mean_rating(ratings: pd.DataFrame, expected: int = 3) -> pd.DataFrame:
    """A clip's score as the mean of its raters (CultureVidBench, 4.3: three of them).

    Args:
        ratings: a table `ratings` of the raters to average.
        expected: how many raters each clip should have.

    Returns:
        One row for each video_id and criterion: score (mean over those who scored; missing where none did), n
        (scores), not_applicable, unusable (unscored, failed, blocked or missing), and complete: whether
        `expected` raters scored or said "not applicable".

    Raises:
        ValueError: fewer than one rater expected.
    """
    if expected < 1:
        raise ValueError(f"expected: found {expected}, expected at least one rater")
    ok = ratings["status"].eq("ok")
    counted = ratings.assign(not_applicable=ok & ratings["score"].isna(), unusable=~ok)
    means = counted.groupby(["video_id", "criterion"], as_index=False).agg(
        score=("score", "mean"),
        n=("score", "count"),
        not_applicable=("not_applicable", "sum"),
        unusable=("unusable", "sum"),
    )
    return means.assign(complete=means["n"] + means["not_applicable"] >= expected)


def apply_rules(
    tables: dict[str, pd.DataFrame], *, attention: bool = True, native: bool = True, relevance: bool = True
) -> tuple[dict[str, pd.DataFrame], pd.DataFrame]:
    """Set aside what the papers set aside.

    Args:
        tables: a study's tables by name, `raters` among them.
        attention: leave out raters who failed an attention check (both papers); who had none stays.
        native: leave out people who are not known to be native; judges stay.
        relevance: leave the questions that a majority of the remaining people calls irrelevant out of
            `questions` and `answers`. The votes themselves stay in `relevance`.

    Returns:
        The tables that remain, and one row for each row left out (columns `EXCLUDED`; `item` is its key).
    """
    tables, excluded = dict(tables), []
    raters = tables["raters"]
    failed = _is_false(raters["attention"])
    foreign = raters["kind"].ne("judge") & ~raters["native"].fillna(False)
    for wanted, out, reason in (
        (attention, failed, "failed an attention check"),
        (native, foreign, "not known to be native"),
    ):
        if wanted:
            excluded += _leave_out(tables, list(tables), "rater_id", set(raters.loc[out, "rater_id"]), reason)
    if relevance and "relevance" in tables:
        people = tables["raters"].loc[tables["raters"]["kind"].ne("judge"), "rater_id"]
        votes = irrelevant_questions(tables["relevance"].loc[lambda rows: rows["rater_id"].isin(people)])
        questions = set(votes.loc[votes["excluded"], "question_id"])
        reason = "a majority calls the question irrelevant"
        excluded += _leave_out(tables, ["questions", "answers"], "question_id", questions, reason)
    return tables, excluded_frame(excluded)


def counting(tables: Mapping[str, pd.DataFrame]) -> tuple[dict[str, pd.DataFrame], dict[str, int]]:
    """The tables without the people who count nowhere.

    They failed an attention check (both papers), or are known not to be native. Who had no check, or of whom
    it is not known, stays; so do judges.

    Args:
        tables: a study's tables by name; without `raters` everybody stays.

    Returns:
        The tables that remain, and for each reason how many people it concerns; nobody is counted twice.
    """
    if "raters" not in tables:
        return dict(tables), {}
    raters = tables["raters"]
    failed = _is_false(raters["attention"])
    foreign = raters["kind"].ne("judge") & _is_false(raters["native"]) & ~failed
    counts = {"failed an attention check": int(failed.sum()), "not native": int(foreign.sum())}
    out = raters.loc[failed | foreign, "rater_id"]
    kept = {
        name: table[~table["rater_id"].isin(out)].reset_index(drop=True)
        if len(out) and "rater_id" in table
        else table
        for name, table in tables.items()
    }
    return kept, {reason: count for reason, count in counts.items() if count}


def _is_false(flags: pd.Series) -> pd.Series:
    """Whether each is known to be false."""
    return flags.eq(False).fillna(False)


def _leave_out(
    tables: dict[str, pd.DataFrame], names: list[str], column: str, values: set[str], reason: str
) -> list[dict]:
    """Take the rows with these values out of the named tables, in place, and list them."""
    listed = []
    for name in names:
        if name not in tables or column not in tables[name]:
            continue
        frame = tables[name]
        out = frame[column].isin(values)
        key = [part for part in TABLES[name].key if part != "rater_id"]
        for row in frame[out].to_dict("records"):
            item = ", ".join(f"{part}={row[part]}" for part in key) or None
            line = (name, None, row.get("rater_id"), item, None, reason)
            listed.append(dict(zip(EXCLUDED, line, strict=True)))
        tables[name] = frame[~out].reset_index(drop=True)
    return listed
