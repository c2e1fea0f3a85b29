"""The papers' printed numbers beside a study's, one table a benchmark."""

from collections.abc import Mapping

import pandas as pd

from helpers import published
from helpers.published import CRITERIA, DIMENSIONS
from helpers.results.culturevidbench import PEOPLE, cultural
from helpers.results.culturevidbench_exhibits import SCORE_TITLES
from helpers.results.landmarks import MEASURES
from helpers.results.page import LackingError, Listed
from helpers.results.papers import beside, claimed, interval, of_rows, span
from helpers.scores.culturevidbench import GROUPS

SEVERAL = "lowest to highest model where there are several"
# GAP's measures as printed, and what stands for each in a study.
STANDS_FOR = {
    "human": ("people",),
    "vlm_judge": ("judge",),
    "patch_clip": MEASURES["structure"],
    "keypoint_match": MEASURES["keypoints"],
    "aigve_macs": MEASURES["quality"],
}


def culturescore(found: "dict[str, pd.DataFrame | LackingError]") -> Listed:
    """The paper's numbers beside the study's.

    Args:
        found: under "extended", "gains", "removed", "ranks", "correlations" and "preference" what the
            functions gave, or why they gave nothing; under "quality_title" the quality metric's name.
    """
    printed = published.load("culturescore_overall_rows")
    rows = []
    for dimension in DIMENSIONS:
        paper = of_rows(printed, "accuracy", variant="extended", dimension=dimension)
        own = of_rows(found["extended"], score=dimension)
        rows.append(("Figure 4, Tables 11–16", f"{dimension}, extended prompts (%)", span(paper), span(own)))
    paper = claimed("cs-average-")
    rows.append(
        ("Section 4.1", "CultureScore, extended prompts (%)", span(paper), span(_macro(found["extended"])))
    )
    for dimension in DIMENSIONS:
        own = of_rows(found["gains"], score=dimension)
        paper = claimed("cs-gain-", dimension=dimension)
        rows.append(
            ("Section 4.1, Figure 6", f"gain of {dimension} by extension (points)", span(paper), span(own))
        )
    for dimension in DIMENSIONS:
        own = of_rows(found["removed"], score=dimension, against="extended")
        paper = -claimed("cs-drop-", dimension=dimension)
        rows.append(
            (
                "Section 4.1, Figure 7",
                f"{dimension} without the country, against extended (points)",
                span(paper),
                span(own),
            )
        )
    own = of_rows(found["removed"], score="macro", against="base")
    rows.append(("not printed", "the same, mean of three, against base (points)", "–", span(own)))
    mean = claimed("cs-rank-", quantity="mean human rank")
    rows.append(
        (
            "Section 4.2",
            "mean rank, best to worst model",
            span(mean, "{:.2f}"),
            span(of_rows(found["ranks"], "mean_rank"), "{:.2f}"),
        )
    )
    rho = f"{claimed('cs-rank-videoscore-rho').iloc[0]:.2f} (3 models)"
    rows.append(
        (
            "Section 4.2",
            f"ρ of quality with preference{_named(found['quality_title'])}",
            rho,
            _rho(found["correlations"], found["quality_title"]),
        )
    )
    rows.append(
        (
            "Figure 8",
            "ρ of CultureScore with preference",
            "a picture",
            _rho(found["correlations"], "CultureScore by the judge (%)"),
        )
    )
    rows.append(
        ("Conclusion", "strongest predictor of preference", "identity", _strongest(found["preference"]))
    )
    return beside(
        rows,
        caption=f"CultureScore (Rani et al. 2026) beside this study; {SEVERAL}",
    )


def culturevidbench(found: "Mapping[str, pd.DataFrame | LackingError]", who: str, reading: str) -> Listed:
    """The paper's numbers beside the study's.

    Args:
        found: under "scores", "correlations", "dispersion" and "drops", what `culturevidbench`'s functions
            gave.
        who: the judge whose numbers stand beside Gemini-3.1-Pro's.
        reading: of the cultural score.
    """
    printed = published.load("culturevidbench_scores")
    agreed = published.load("culturevidbench_correlations")
    pairs = {"human": ("people", PEOPLE), "Gemini-3.1-Pro": ("the judge", who)}
    rows = []
    for evaluator, (words, own_name) in pairs.items():
        for criterion in CRITERIA:
            paper = of_rows(printed, "score", evaluator=evaluator, criterion=criterion)
            own = of_rows(found["scores"], evaluator=own_name, score=criterion)
            rows.append(
                (
                    "Table 1",
                    f"{SCORE_TITLES[criterion]} by {words}",
                    span(paper, "{:.2f}"),
                    span(own, "{:.2f}"),
                )
            )
    for criterion in CRITERIA:
        paper = of_rows(agreed, "value", evaluator="Gemini-3.1-Pro", criterion=criterion, statistic="rho")
        own = of_rows(found["correlations"], evaluator=who, criterion=criterion, coefficient="rho")
        rows.append(("Table 2", f"ρ of judge and people, {SCORE_TITLES[criterion]}", _one(paper), _one(own)))
    paper = of_rows(agreed, "value", evaluator="Inter-human", statistic="rho")
    own = of_rows(found["correlations"], evaluator="between people", coefficient="rho")
    rows.append(
        (
            "Table 2",
            "ρ between people, over criteria",
            span(paper, "{:.2f}", "criteria"),
            span(own, "{:.2f}", "criteria"),
        )
    )
    paper = of_rows(agreed, "value", evaluator="ViCLIP", statistic="rho").dropna()
    own = found["correlations"]
    if not isinstance(own, LackingError):
        own = own[own["evaluator"].isin(["viclip", "clip_text"])]
    own = of_rows(own, coefficient="rho")
    rows.append(
        (
            "Table 2",
            "ρ of text-video similarity and people",
            span(paper, "{:.2f}", "criteria"),
            span(own, "{:.2f}", "criteria"),
        )
    )
    for name in (*GROUPS, cultural(reading)):
        own, corrected = (of_rows(found["dispersion"], each, score=name) for each in ("range", "corrected"))
        said = _one(own, f" ({_one(corrected)} without noise)")
        rows.append(("Figure 5b", f"range over countries, {SCORE_TITLES[name]}", "a picture", said))
    own = of_rows(found["drops"], score=f"drop_by_{reading}", evaluator=PEOPLE)
    own = own if isinstance(own, LackingError) else 100 * own
    rows.append(("Figure 8", "relative drop by people (%)", "a picture", span(own, "{:.0f}", "aspects")))
    return beside(
        rows,
        caption=f"CultureVidBench (Han et al. 2026) beside this study; {SEVERAL}",
    )


def landmarks(found: "Mapping[str, pd.DataFrame | LackingError]") -> Listed:
    """The paper's numbers beside the study's.

    Args:
        found: under "matrix", "popularity", "regions", "equivalence", "specificity" what `landmarks`'
            functions gave.
    """
    rows = [("Figure 3", "ρ of people and judge", "a picture", _pair(found["matrix"], "people", "judge"))]
    for paper in published.load("landmarks_popularity").itertuples():
        said = f"{paper.srcc:.3f} (p = {paper.srcc_p:.2g})".replace("-0.", "−0.")
        own = _measured(found["popularity"], paper.metric, "{row.rho:.3f} (p = {row.p:.2g}, n = {row.n})")
        rows.append(("Table 1", f"ρ with page views, {paper.metric}", said, own))
    regions = published.load("landmarks_regions")
    means, own = of_rows(regions, "mean", grouping="continent"), found["regions"]
    own = own if isinstance(own, LackingError) else own[own["unit"].eq("landmarks")]
    rows.append(
        (
            "Table 2",
            "means of continents by people",
            span(means, "{:.2f}", "continents"),
            span(of_rows(own, grouping="continent"), "{:.2f}", "continents"),
        )
    )
    spreads = of_rows(regions, "sd", grouping="continent")
    rows.append(
        (
            "Table 2",
            "standard deviations of continents",
            span(spreads, "{:.2f}", "continents"),
            span(of_rows(own, "sd", grouping="continent"), "{:.2f}", "continents"),
        )
    )
    for row in published.load("landmarks_equivalence").itertuples():
        name = f"{row.first} − {row.second}"
        rows.append(
            (
                "Table 3",
                name,
                interval({"estimate": row.mean_difference, "low": row.low, "high": row.high}),
                _difference(found["equivalence"], row.first, row.second),
            )
        )
    for paper in published.load("landmarks_specificity").itertuples():
        said = f"{paper.mean_short:.2f} to {paper.mean_detailed:.2f}, d = {paper.d:.2f}"
        form = "{row.short:.2f} to {row.detailed:.2f}, d = {row.d:.2f} (n = {row.n})"
        own = _measured(found["specificity"], paper.metric, form)
        rows.append(("Table 4", f"short to detailed, {paper.metric}", said, own))
    return beside(rows, caption="GAP on Sora 2 (Liu et al. 2026) beside this study")


def _macro(rows: "pd.DataFrame | LackingError") -> "pd.Series | LackingError":
    return of_rows(rows, score="macro")


def _rho(rows: "pd.DataFrame | LackingError", measure: "str | LackingError") -> str:
    if isinstance(rows, LackingError) or isinstance(measure, LackingError):
        return "–"
    own = rows[rows["measure"].eq(measure)].dropna(subset="rho")
    return f"{own['rho'].iloc[0]:.2f} ({own['models'].iloc[0]} models)" if len(own) else "–"


def _named(metric: "str | LackingError") -> str:
    return "" if isinstance(metric, LackingError) else f" (the paper: VideoScore, this study: {metric})"


def _strongest(won: "pd.DataFrame | LackingError") -> str:
    if isinstance(won, LackingError):
        return "–"
    alone = won[won["dimension"].isin(DIMENSIONS)].sort_values("estimate", ascending=False)
    apart = won[won["dimension"].str.contains("−") & won["p"].lt(0.05)]
    top = alone.iloc[0]["dimension"]
    sure = apart["dimension"].str.contains(top).sum() == 2
    return top if sure else f"not decided ({top} is highest)"


def _one(values: "pd.Series | LackingError", more: str = "") -> str:
    if isinstance(values, LackingError) or not len(values.dropna()):
        return "–"
    return f"{values.dropna().iloc[0]:.2f}{more}"


def _rows(found: "pd.DataFrame | LackingError") -> list:
    return [] if isinstance(found, LackingError) else list(found.itertuples())


def _measured(found: "pd.DataFrame | LackingError", metric: str, form: str) -> str:
    """The study's row of what stands for a printed measure, named where it is not the paper's own."""
    for row in _rows(found):
        if row.measure in STANDS_FOR[metric]:
            named = "" if row.measure in (metric, "people", "judge") else f", by {row.measure}"
            return (form.format(row=row) + named).replace("-0.", "−0.")
    return "–"


def _pair(found: "pd.DataFrame | LackingError", first: str, second: str) -> str:
    for row in _rows(found):
        if {row.first, row.second} == {first, second}:
            return f"{interval({'estimate': row.rho, 'low': row.low, 'high': row.high})} (n = {row.n})"
    return "–"


def _difference(found: "pd.DataFrame | LackingError", first: str, second: str) -> str:
    """The study's difference in the paper's direction."""
    for row in _rows(found):
        if row.pair == f"{first} − {second}":
            return interval({"estimate": row.difference, "low": row.low, "high": row.high})
        if row.pair == f"{second} − {first}":
            return interval({"estimate": -row.difference, "low": -row.high, "high": -row.low})
    return "–"
