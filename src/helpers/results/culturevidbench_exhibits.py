"""CultureVidBench's exhibits: Tables 1 and 2, Figures 4, 5, 6 and 8 with their captions."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from helpers.published import ASPECTS, CRITERIA
from helpers.results import plots
from helpers.results.culturevidbench import READINGS, SEMANTIC, cultural
from helpers.results.page import Drawn, LackingError, Listed
from helpers.results.papers import bracket, counted
from helpers.results.ranks import METHOD
from helpers.scores.culturevidbench import GROUPS

SCORE_TITLES = {name: name.replace("_", " ") for name in (*CRITERIA, *GROUPS)}
SCORE_TITLES |= {cultural(reading): "cultural score" for reading in READINGS}


def scores_table(rows: pd.DataFrame) -> Listed:
    """Table 1: models x criteria, people and judges, with half widths of the intervals."""
    rows = rows[rows["score"].isin(CRITERIA)]
    said = [_with_half(row) for row in rows.itertuples()]
    wide = rows.assign(said=said).pivot_table(
        index=["evaluator", "model"],
        columns="score",
        values="said",
        aggfunc="first",
        observed=True,
        sort=False,
    )
    order = [
        (who, model)
        for who in dict.fromkeys(rows["evaluator"])
        for model in sorted(set(rows["model"].astype(str)))
    ]
    wide = (
        wide.reindex([pair for pair in order if pair in wide.index])
        .reindex(columns=list(CRITERIA))
        .fillna("–")
    )
    counts = rows.groupby("evaluator", sort=False)["n"].agg(["min", "max"])
    clips = "; ".join(f"{who} {row['min']:,} to {row['max']:,}" for who, row in counts.iterrows())
    return Listed(
        wide.reset_index().rename(columns=SCORE_TITLES),
        f"mean scores, 0 to 1, ± half the 95 % interval over prompts; – nothing to judge (such as sound of a "
        f"silent model). Graded clips a cell: {clips}",
    )


def scores_dots(rows: pd.DataFrame) -> Drawn:
    """Table 1 as a figure: groups of criteria by model, people beside judges."""
    rows = rows[rows["score"].isin(GROUPS)].astype({"model": str})
    names = list(dict.fromkeys(rows["evaluator"]))
    fig = plots.dots(
        rows.assign(panel=rows["score"].map(SCORE_TITLES).str.replace(" ", "\n", n=1)),
        down="model",
        by="evaluator",
        panels="panel",
        label="mean score (0–1)",
        names=names,
    )
    return Drawn(
        fig,
        f"mean scores by group of criteria, 95 % logit intervals over prompts; {_counts(rows)}. A group "
        "without "
        "sound (silent models) is its other criterion alone",
        "Dot plots, one panel a group of criteria, one line a model in alphabetical order, a dot with an "
        "interval for "
        "each evaluator.",
    )


def correlations_table(rows: pd.DataFrame, coefficient: str) -> Listed:
    """Table 2: evaluators x criteria, one coefficient."""
    part = rows[rows["coefficient"].eq(coefficient)]
    said = [_with_half(row, 2) for row in part.itertuples()]
    wide = part.assign(said=said).pivot_table(
        index="evaluator", columns="criterion", values="said", aggfunc="first", observed=True, sort=False
    )
    wide = wide.reindex(list(dict.fromkeys(part["evaluator"]))).reindex(columns=list(CRITERIA)).fillna("–")
    name = {"tau": "Kendall's τ", "rho": "Spearman's ρ"}[coefficient]
    own = part[part["evaluator"].ne("between people")]
    clips = f"{counted(own['clips'])} clips, " if len(own) else ""
    countries = own["n"].max() if len(own) else part["n"].max()
    return Listed(
        wide.reset_index().rename(columns=SCORE_TITLES),
        f"{name} with people's mean over clips within a country, averaged over countries, ± half the 95 % t "
        "interval "
        f"over countries; {clips}up to {countries} countries. "
        "'Between people' averages pairs of single raters, which is a lower bar than their mean",
    )


def correlations_dots(rows: pd.DataFrame) -> Drawn:
    """Table 2 as a figure: rho by criterion and evaluator."""
    part = rows[rows["coefficient"].eq("rho")]
    fig = plots.dots(
        part.assign(title=part["criterion"].map(SCORE_TITLES)),
        down="title",
        by="evaluator",
        label="Spearman's ρ with people, averaged over countries",
        order=[SCORE_TITLES[name] for name in CRITERIA if part["criterion"].eq(name).any()],
        zero=0.0,
    )
    return Drawn(
        fig,
        f"the table's ρ with 95 % t intervals over up to {part['n'].max()} countries or pairs of raters; "
        f"{counted(part['clips'])} clips",
        "Dot plot, one line a criterion, one dot with an interval for each judge, metric, and for pairs of "
        "people; "
        "a dashed line at zero.",
    )


def ranks_figure(rows: pd.DataFrame) -> Drawn:
    """Figure 4: places with ranges, a panel a criterion."""
    models = sorted(rows["model"].unique())
    fig = plots.ranks(rows, panels="criterion", by="evaluator", models=models)
    decided = (rows["best"] == rows["worst"]).mean()
    return Drawn(
        fig,
        f"places of {len(models)} models by {rows['evaluator'].nunique()} evaluators; lines: places that are "
        f"not ruled out ({METHOD.format(unit='prompts')}). {decided:.0%} of the places are certain; "
        f"{counted(rows['clusters'])} prompts",
        "Small panels, one a criterion: models down, places across, a dot and a line of possible places for "
        f"each evaluator. {decided:.0%} of the lines cover one place only.",
    )


def ranks_table(rows: pd.DataFrame) -> Listed:
    """Figure 4 as a table: place (range) by criterion, evaluator and model."""
    models = sorted(rows["model"].unique())
    words = [
        {"criterion": SCORE_TITLES[criterion], "evaluator": who}
        | dict(zip(models, _place_words(part, models), strict=True))
        for (criterion, who), part in rows.groupby(["criterion", "evaluator"], sort=False)
    ]
    return Listed(
        pd.DataFrame(words), "place of each model and, in brackets, the places that it may hold; – no score"
    )


def country_groups(rows: pd.DataFrame, who: str, left_out: str) -> Drawn:
    """Figure 5a: country means over models, a panel a group.

    Args:
        rows: by country, of the models that are pooled.
        who: graded.
        left_out: which models are not, as `helpers.results.culturevidbench.left_out`.
    """
    order = [*GROUPS]
    rows = rows[rows["score"].isin(order)].assign(evaluator=who)
    rows = rows.sort_values("score", key=lambda names: names.map(order.index), kind="stable")
    fig = plots.dots(
        rows.assign(panel=rows["score"].map(SCORE_TITLES).str.replace(" ", "\n", n=1)),
        down="country",
        by="evaluator",
        panels="panel",
        label="mean score (0–1)",
    )
    return Drawn(
        fig,
        f"country means over models by {who}, 95 % logit intervals over {counted(rows['clusters'])} "
        f"prompts a country; alphabetical order{left_out}",
        "Dot plots, one panel a group of criteria, one line a country in alphabetical order, a dot with an "
        "interval.",
    )


def dispersion_table(rows: pd.DataFrame, who: str, left_out: str) -> Listed:
    """Figure 5b: the range as printed, what noise alone gives, and the corrected one.

    Args:
        rows: as `helpers.results.culturevidbench.dispersion`.
        who: graded.
        left_out: as `country_groups`.
    """
    shown = rows.assign(score=rows["score"].map(SCORE_TITLES))
    return Listed(
        shown[
            ["score", "range", "expected", "noise_high", "p", "corrected", "sd", "low", "high", "n"]
        ].rename(
            columns={"expected": "by noise alone", "noise_high": "noise 95 %", "sd": "SD between countries"}
        ),
        f"largest minus smallest country mean by {who}: as the paper prints it; the mean range, and its 95 "
        "% quantile, that "
        "equal countries would show; p of no difference; without the noise; standard deviation between "
        "countries with "
        f"its 95 % interval; n countries{left_out}",
        dict.fromkeys(
            ["range", "by noise alone", "noise 95 %", "corrected", "SD between countries", "low", "high"],
            "{:.3f}",
        )
        | {"p": "{:.2g}"},
    )


def country_model_cells(rows: pd.DataFrame, who: str, reading: str) -> Drawn:
    """Figure 6: the cultural score by country and model."""
    rows = _cultural(rows, reading).astype({"country": str, "model": str})
    wide = rows.pivot_table(
        index="country", columns="model", values="estimate", aggfunc="first", observed=True, sort=False
    ).sort_index()
    if wide.shape[1] > plots.MANY:
        wide = wide.T.sort_index()
    width = (rows["high"] - rows["low"]).median() / 2
    fig = plots.cells(wide, label="cultural score (0–1)", limits=(0, 1))
    return Drawn(
        fig,
        f"cultural score (faithfulness and multimodal rendering, mean of their {reading}) by {who}; "
        f"{counted(rows['clusters'])} prompts a cell, and a 95 % interval of about ±{width:.2f} in the "
        "middle one"
        f"{_partial(rows)}. Grey: no score",
        f"Grid of {rows['country'].nunique()} countries by {rows['model'].nunique()} models, each cell "
        "coloured and labelled with its score.",
    )


def aspect_dots(rows: pd.DataFrame, reading: str, left_out: str) -> Drawn:
    """Figure 8: cultural and semantic score by aspect, a panel an evaluator.

    Args:
        rows: by evaluator and aspect, of the models that are pooled.
        reading: of the cultural score.
        left_out: as `country_groups`.
    """
    kinds = {cultural(reading): "cultural score", SEMANTIC: "semantic adherence"}
    rows = rows[rows["score"].isin(kinds)].assign(kind=lambda part: part["score"].map(kinds))
    fig = plots.dots(
        rows.astype({"aspect": str}),
        down="aspect",
        by="kind",
        panels="evaluator",
        label="mean score (0–1)",
        order=[aspect for aspect in ASPECTS if rows["aspect"].eq(aspect).any()],
        names=list(kinds.values()),
    )
    return Drawn(
        fig,
        f"cultural score (mean of its {reading}) and semantic adherence by aspect over models, 95 % "
        "logit "
        f"intervals over {counted(rows['clusters'])} prompts an aspect{_partial(rows)}; aspects in the "
        "benchmark's "
        f"order (material, social, ritual){left_out}",
        "Dot plots, one panel an evaluator, one line an aspect, a dot for the cultural score and one for "
        "semantic "
        "adherence with intervals.",
    )


def drop_table(rows: pd.DataFrame, reading: str, left_out: str) -> Listed:
    """Figure 8's percentages: the relative drop by aspect and evaluator, with intervals.

    Args:
        rows: as `helpers.results.culturevidbench.drops`.
        reading: which drop these are.
        left_out: as `country_groups`.
    """
    wide = rows.assign(said=[_drop_or_why(row) for row in rows.itertuples()]).pivot_table(
        index="aspect", columns="evaluator", values="said", aggfunc="first", observed=True, sort=False
    )
    wide = wide.reindex([aspect for aspect in ASPECTS if aspect in wide.index])
    wide = wide.reindex(columns=list(dict.fromkeys(rows["evaluator"]))).fillna("–")
    wide.insert(0, "category", [ASPECTS[aspect] for aspect in wide.index])
    known = rows.dropna(subset="estimate")
    return Listed(
        wide.reset_index(),
        f"relative drop from semantic adherence to the cultural score (mean of its {reading}), 1 − "
        "cultural/semantic, 95 % "
        f"t interval over prompts; {counted(known['clusters'])} prompts an aspect{_partial(known)}; – too "
        f"few graded clips: how many of those asked for, and under which criterion{left_out}",
    )


def _drop_or_why(row: tuple) -> str:
    """A drop in percent with its interval, or "–" and of how many clips under which criterion."""
    if np.isnan(row.estimate):
        return f"– ({row.status.removeprefix('too few scored: ').replace('_', ' ')})"
    ends = bracket(100 * row.low, 100 * row.high, "{:.0f}")
    return f"{100 * row.estimate:.0f} % ".replace("-", "−") + ends


def _place_words(rows: pd.DataFrame, models: Sequence[str]) -> list[str]:
    """For each model "2 (1-3)": its place and the range; "–" where it has none."""
    by_model = rows.set_index("model")
    words = []
    for model in models:
        if model not in by_model.index:
            words.append("–")
            continue
        row = by_model.loc[model]
        words.append(f"{row['rank']:.0f} ({row['best']:.0f}–{row['worst']:.0f})")
    return words


def _cultural(rows: pd.DataFrame, reading: str) -> pd.DataFrame:
    """The rows of the cultural score.

    Raises:
        LackingError: none has an estimate.
    """
    found = rows[rows["score"].eq(cultural(reading))]
    if found.empty:
        raise LackingError(
            "No cell has a cultural score: too few clips were graded under one of its criteria."
        )
    return found


def _partial(rows: pd.DataFrame) -> str:
    """How many scores rest on fewer criteria than their neighbours."""
    fewer = rows["status"].str.contains("without").sum()
    return (
        f"; {fewer} of {len(rows)} without text or sound, of which there was none to judge" if fewer else ""
    )


def _with_half(row: tuple, decimals: int = 3) -> str:
    half = f" ± {(row.high - row.low) / 2:.{decimals}f}" if np.isfinite(row.low) else ""
    return f"{row.estimate:.{decimals}f}{half}"


def _counts(rows: pd.DataFrame) -> str:
    return "; ".join(
        f"{who}: {counted(part['clusters'])} prompts" for who, part in rows.groupby("evaluator", sort=False)
    )
