"""What controls show about a judge: shares, drops and agreement, with intervals over clips."""

import math
from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from helpers.criteria import CRITERIA
from helpers.judging.clips import Clips
from helpers.judging.controls import CONTROLS, Control
from helpers.judging.judge import Judge
from helpers.judging.protocols import Protocol
from helpers.judging.run import Outcome, Pace, ask_cases, rows_of
from helpers.stats.bootstrap import cluster_bootstrap
from helpers.stats.proportions import wilson
from helpers.stats.results import Estimate

COLUMNS = ("protocol", "control", "group", "measure", "estimate", "low", "high", "n", "left_out", "clips")
AS_JUDGED = "as judged"


def run_controls(
    protocol: Protocol,
    cases: pd.DataFrame,
    clips: Clips,
    judge: Judge,
    log: Path,
    *,
    seed: int,
    sample: int = 40,
    controls: Sequence[Control] = CONTROLS,
    pace: Pace | None = None,
) -> pd.DataFrame:
    """Run the controls that apply to a protocol and a judge, on a sample of clips.

    What was judged before is on record and costs no call. Values are yes = 1 and no = 0, or grades as their
    place on the scale, 0 the lowest and 1 the highest.

    Args:
        protocol: how the clips are judged.
        cases: what is asked, as `protocols.cases_of` returns it.
        clips: the study's clips.
        judge: who judges.
        log: where calls are kept.
        seed: of the sample and of what is exchanged with what.
        sample: how many clips, with all that is asked about each.
        controls: which.
        pace: how fast, how long and how much.

    Returns:
        One row for each control, group (all, a dimension or a criterion) and measure: estimate with its 95 %
        interval; n, the pairs or values behind it; left_out, those without a value on both sides; clips;
        expected and method, in words. The control "as judged" is the level of the clips as they are.

    Raises:
        CannotAskError, DataError: as `run.judge_clips`.
    """
    rng = np.random.default_rng(seed)
    chosen = _sampled(cases, clips, sample, rng)
    if chosen.empty:
        return pd.DataFrame(columns=[*COLUMNS, "expected", "method"])
    wanted = [control for control in controls if control.applies(protocol, judge)]
    changed = [(control.protocol(protocol), control.cases(chosen, clips, rng)) for control in wanted]
    work = [(protocol, chosen), *changed]
    outcomes = ask_cases(work, clips, judge, log, pace)
    before = _values(protocol, chosen, outcomes[0], judge)
    shares = SHARES | ({"level"} if protocol.table == "answers" else set())
    as_judged = Control(name=AS_JUDGED, about="", expected="", measures=("level",))
    rows = _measured(as_judged, before, before, shares)
    for control, (way, altered), found in zip(wanted, changed, outcomes[1:], strict=True):
        if len(altered):
            rows += _measured(control, before, _values(way, altered, found, judge), shares)
    frame = pd.DataFrame(rows)
    return frame.assign(protocol=protocol.name)[[*COLUMNS, "expected", "method"]]


def _sampled(cases: pd.DataFrame, clips: Clips, sample: int, rng: np.random.Generator) -> pd.DataFrame:
    """All cases of a sample of clips, each case with a number of its own as the index."""
    ids = [video_id for video_id in cases["video_id"].unique() if clips.problem(video_id) is None]
    chosen = rng.permutation(ids)[:sample]
    return cases[cases["video_id"].isin(chosen)].reset_index(drop=True)


def _values(
    protocol: Protocol, cases: pd.DataFrame, outcomes: Sequence[Outcome], judge: Judge
) -> pd.DataFrame:
    """A row for each case and criterion: case, group, video_id, value (NaN without one) and ok."""
    rows = rows_of(protocol, cases, outcomes, judge)
    repeats = [len(protocol.asked(case, judge)) or 1 for case in cases.itertuples()]
    number = np.repeat(cases.index.to_numpy(), repeats)
    if protocol.table == "answers":
        group, value = cases["dimension"].to_numpy(), rows["answer"].astype("Float64")
    else:
        group = rows["criterion"].to_numpy()
        low = rows["criterion"].map(lambda name: CRITERIA[name].low)
        high = rows["criterion"].map(lambda name: CRITERIA[name].high)
        value = (rows["score"].astype("Float64") - low) / (high - low)
    return pd.DataFrame(
        {
            "case": number,
            "group": group,
            "video_id": cases["video_id"].loc[number].to_numpy(),
            "value": value.to_numpy(dtype=float, na_value=np.nan),
            "ok": rows["status"].eq("ok").to_numpy(),
        }
    )


def _measured(control: Control, before: pd.DataFrame, after: pd.DataFrame, shares: Set[str]) -> list[dict]:
    pairs = after.merge(before, on=["case", "group", "video_id"], suffixes=("", "_before"))
    rows = []
    for group in ("all", *dict.fromkeys(pairs["group"])):
        chosen = pairs if group == "all" else pairs[pairs["group"].eq(group)]
        for name in control.measures:
            values, clusters = MEASURES[name](chosen)
            estimate = _estimate(values, clusters, BOUNDS.get(name, (0.0, 1.0)), share=name in shares)
            about = {"control": control.name, "group": group, "measure": name, "expected": control.expected}
            counted = {"left_out": len(chosen) - len(values), "clips": len(set(clusters))}
            numbers = {
                field: getattr(estimate, field) for field in ("estimate", "low", "high", "n", "method")
            }
            rows.append(about | counted | numbers)
    return rows


Measured = tuple[np.ndarray, np.ndarray]


def _level(pairs: pd.DataFrame) -> Measured:
    """The values under the control."""
    return _known(pairs, pairs["value"])


def _drop(pairs: pd.DataFrame) -> Measured:
    """How much lower than without it."""
    return _known(pairs, pairs["value_before"] - pairs["value"])


def _agreement(pairs: pd.DataFrame) -> Measured:
    """Whether the replies are the same, "not applicable" included."""
    ok = pairs["ok"] & pairs["ok_before"]
    both = pairs["value"].eq(pairs["value_before"]) | (pairs["value"].isna() & pairs["value_before"].isna())
    return _known(pairs, both.astype(float).where(ok))


def _sum(pairs: pd.DataFrame) -> Measured:
    """Yes and negated yes."""
    return _known(pairs, pairs["value"] + pairs["value_before"])


def _contradiction(pairs: pd.DataFrame) -> Measured:
    """Whether question and negation got the same word."""
    same = pairs["value"].eq(pairs["value_before"]).astype(float)
    return _known(pairs, same.where(pairs["value"].notna() & pairs["value_before"].notna()))


def _not_applicable(pairs: pd.DataFrame) -> Measured:
    """Whether the reply is "not applicable"."""
    return _known(pairs, pairs["value"].isna().astype(float).where(pairs["ok"]))


def _known(pairs: pd.DataFrame, values: pd.Series) -> Measured:
    known = values.notna().to_numpy()
    return values[known].to_numpy(), pairs.loc[known, "video_id"].to_numpy()


MEASURES: dict[str, Callable[[pd.DataFrame], Measured]] = {
    "level": _level,
    "drop": _drop,
    "agreement": _agreement,
    "sum": _sum,
    "contradiction": _contradiction,
    "not applicable": _not_applicable,
}


BOUNDS = {"drop": (-1.0, 1.0), "sum": (0.0, 2.0)}


# Means of yes and no; a level is one where the replies themselves are yes or no.
SHARES = {"agreement", "contradiction", "not applicable"}


def _estimate(
    values: np.ndarray, clusters: np.ndarray, bounds: tuple[float, float], *, share: bool
) -> Estimate:
    """The mean with an interval over clips; of a share that is 0 or 1 everywhere, Wilson's with n clips."""
    if not values.size:
        return Estimate(estimate=math.nan, n=0, method="no values")
    found = cluster_bootstrap(values, clusters, unit="clips", bounds=bounds)
    if share and math.isnan(found.low) and found.estimate in (0.0, 1.0):
        count = len(np.unique(clusters))
        over = wilson(int(found.estimate) * count, count)
        return replace(over, n=values.size, method=f"{over.method}; n = {count} clips, all alike")
    return found
