"""CultureScore's exhibits: the figures and tables of RQ1 to RQ4 with their captions."""

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns

from helpers import figures
from helpers.published import DIMENSIONS
from helpers.results import plots
from helpers.results.page import Drawn, LackingError, Listed
from helpers.results.papers import counted, interval

LABELS = {name: name for name in DIMENSIONS} | {"macro": "mean of three"}


def dimension_bars(rows: pd.DataFrame, judge: str, variant: str) -> Drawn:
    """The paper's Figure 4: dimensions, a bar a model."""
    rows = rows.assign(dimension=rows["score"].map(LABELS), variant=variant).astype({"model": str})
    many = rows["model"].nunique() > plots.MANY
    if many:
        fig = plots.dots(rows, down="model", by="variant", panels="dimension", label="yes answers (%)")
    else:
        order = list(LABELS.values())
        fig = plots.bars(rows, across="dimension", by="model", label="yes answers (%)", order=order, top=100)
    highest = rows[rows["score"].ne("macro")].sort_values("estimate").iloc[-1]
    return Drawn(
        fig,
        f"share of yes by dimension, {variant} prompts, answers by {judge}; 95 % logit intervals over "
        f"{counted(rows['clusters'])} scenarios; {counted(rows['n'])} answers behind a bar",
        f"{'Dot plot' if many else 'Bar chart'} of the share of yes in percent: three dimensions and their "
        f"mean, each model with an interval. The highest is {highest['model']}'s {highest['dimension']}.",
    )


def country_radars(culture: pd.DataFrame, quality: "pd.DataFrame | None", metric: str) -> Drawn:
    """The paper's Figure 5: quality and culture by country, one line a model.

    Args:
        culture: as `culturescore.by_country`.
        quality: as `culturescore.quality_by_country`; None draws the one radar.
        metric: the quality metric's name.

    Raises:
        LackingError: more models than a radar can show.
    """
    models = culture["model"].nunique()
    if models > plots.MANY:
        raise LackingError(f"Radars of {models} models cannot be read; the figure below has their numbers.")
    panels, limits = {}, {}
    tables = {} if quality is None else {f"{metric} (its own unit)": quality}
    for title, rows in (tables | {"CultureScore (%)": culture}).items():
        wide = rows.pivot_table(index="country", columns="model", values="estimate", observed=True)
        low, high = wide.min(axis=None), wide.max(axis=None)
        panels[title], span = wide, high - low or 1
        limits[title] = (low - 0.35 * span, high + 0.05 * span)
    n_countries = len(panels["CultureScore (%)"])
    starts = " and ".join(f"{limits[title][0]:.3g}" for title in panels)
    return Drawn(
        plots.radars(panels, limits=limits),
        f"means by country, {n_countries} {'country' if n_countries == 1 else 'countries'}; "
        f"{counted(culture['clusters'])} scenarios behind a point. The centre is {starts}, not 0, and there "
        "are no intervals: the dot plot below has both",
        "Radar charts with one spoke a country and one line a model"
        + (
            ", quality on the left and CultureScore on the right."
            if quality is not None
            else ", CultureScore only."
        ),
    )


def country_dots(culture: pd.DataFrame, quality: "pd.DataFrame | None", metric: str) -> Drawn:
    """The same numbers as the radars', readable: dots with intervals, or a grid of many models' cells."""
    if culture["model"].nunique() > plots.MANY:
        return _country_cells(culture)
    parts = [culture.assign(panel="CultureScore (%)")]
    if quality is not None:
        parts.insert(0, quality.assign(panel=metric))
    rows = pd.concat(parts, ignore_index=True).astype({"country": str, "model": str})
    units = {
        panel: "yes answers (%)" if panel.endswith("(%)") else "mean, its own unit" for panel in rows["panel"]
    }
    fig = plots.dots(rows, down="country", by="model", panels="panel", label=units)
    return Drawn(
        fig,
        f"the radars' means with 95 % intervals over scenarios ({counted(culture['clusters'])} behind a "
        "CultureScore); "
        "countries in alphabetical order",
        "Dot plots, a line a country in alphabetical order, a dot with an interval for each model.",
    )


def _country_cells(culture: pd.DataFrame) -> Drawn:
    """CultureScore by model and country, where there are too many models for dots."""
    rows = culture.astype({"country": str, "model": str})
    wide = rows.pivot_table(index="model", columns="country", values="estimate").sort_index()
    half = ((rows["high"] - rows["low"]) / 2).median()
    return Drawn(
        plots.cells(wide, label="CultureScore (%)", decimals=0),
        f"CultureScore by model and country, {counted(culture['clusters'])} scenarios a cell, and a 95 % "
        f"interval of about ±{half:.0f} points in the middle one; models and countries in alphabetical order",
        f"Grid of {len(wide)} models by {wide.shape[1]} countries, each cell coloured and labelled with its "
        "score.",
    )


def quality_table(rows: pd.DataFrame, metric: str) -> Listed:
    """How quality and culture go together, over countries and over models."""
    shown = rows.assign(over=rows["n"].astype(str) + " " + rows["over"])
    return Listed(
        shown[["model", "over", "rho", "low", "high", "p"]],
        f"Spearman's rho of {metric} and CultureScore, 95 % Bonett-Wright interval and p. Over three models "
        "the "
        "smallest two-sided p there can be is 0.33",
        dict.fromkeys(["rho", "low", "high"], "{:.2f}") | {"p": "{:.2g}"},
    )


def gain_dumbbells(rows: pd.DataFrame, judge: str) -> Drawn:
    """The paper's Figure 6: base and extended prompts, by dimension and model."""
    rows = _fewer(rows)
    lines = list(dict.fromkeys(zip(rows["model"].astype(str), rows["score"], strict=True)))
    fig, axes = plt.subplots(1, 2, figsize=(9, 1.4 + 0.3 * len(lines)), layout="constrained", sharey=True)
    colours = sns.color_palette(figures.PALETTE)
    by_line = rows.assign(model=rows["model"].astype(str)).set_index(["model", "score"]).reindex(lines)
    y = range(len(lines))
    axes[0].hlines(y, by_line["base"], by_line["extended"], color="0.6", linewidth=2)
    for variant, marker, colour in (("base", "o", colours[0]), ("extended", "D", colours[1])):
        axes[0].plot(by_line[variant], y, marker, color=colour, label=f"{variant} prompt")
    axes[1].hlines(y, by_line["low"], by_line["high"], color=colours[2], linewidth=2)
    axes[1].plot(by_line["estimate"], y, "s", color=colours[2])
    axes[1].axvline(0, color="0.4", linestyle="--", linewidth=1)
    axes[0].set_yticks(y, [f"{plots.plain(model)}: {LABELS[score]}" for model, score in lines])
    axes[0].invert_yaxis()
    axes[0].set(xlabel="yes answers (%)")
    axes[1].set(xlabel="extended − base (percentage points)")
    fig.legend(loc="outside lower center", ncols=2)
    return Drawn(
        fig,
        f"base and extended prompts of the same scenarios, same questions, answers by {judge}, and their "
        "paired "
        f"difference with 95 % t intervals over {counted(rows['clusters'])} scenarios ({counted(rows['n'])} "
        "pairs)",
        "Left, a dumbbell for each model and dimension from the base prompt's share of yes to the extended "
        "one's; right, the difference with its interval and a line at zero.",
    )


def explicit_table(rows: pd.DataFrame) -> Listed:
    """Gains by whether the prompt that a question was made from asks for what the question is about.

    Raises:
        LackingError: no question says whether it is explicit.
    """
    if rows["explicit"].eq("unknown").all():
        raise LackingError("No question says whether its prompt asks for what it is about (column explicit).")
    rows = _fewer(rows)
    shown = pd.DataFrame(
        {
            "model": rows["model"].astype(str),
            "questions": rows["explicit"].astype(str),
            "dimension": rows["score"].map(LABELS),
            "base (%)": rows["base"],
            "extended (%)": rows["extended"],
            "gain (points)": [interval(row, "{:+.1f}") for _, row in rows.iterrows()],
            "pairs": rows["n"],
        }
    )
    kinds = ", ".join(sorted(shown["questions"].unique()))
    return Listed(
        shown,
        f"extended minus base prompts by kind of question ({kinds}), percentage points, 95 % t interval over "
        "scenarios",
        dict.fromkeys(["base (%)", "extended (%)"], "{:.1f}"),
    )


def variant_bars(rows: pd.DataFrame, judge: str) -> Drawn:
    """The paper's Figure 7: all prompt variants, by dimension, a panel a model."""
    rows = rows.assign(
        dimension=rows["score"].map(LABELS),
        model=rows["model"].astype(str),
        variant=rows["variant"].astype(str).str.replace("_", " "),
    )
    many = rows["model"].nunique() > plots.MANY
    lines = {"down": "model", "panels": "dimension"} if many else {"down": "dimension", "panels": "model"}
    order = sorted(rows["model"].unique()) if many else list(LABELS.values())
    fig = plots.dots(rows, by="variant", label="yes answers (%)", order=order, **lines)
    return Drawn(
        fig,
        f"share of yes by variant of the prompt, answers by {judge}, 95 % logit intervals over "
        f"{counted(rows['clusters'])} scenarios; all scenarios of each variant",
        f"Dot plots, a panel a {lines['panels']}, a line a {lines['down']}, a dot a prompt variant with its "
        "interval.",
    )


def removal_table(rows: pd.DataFrame) -> Listed:
    """The country removed, against extended and base prompts."""
    rows = _fewer(rows)
    shown = pd.DataFrame(
        {
            "model": rows["model"].astype(str),
            "compared with": rows["against"],
            "dimension": rows["score"].map(LABELS),
            "change (points)": [interval(row, "{:+.1f}") for _, row in rows.iterrows()],
            "scenarios": rows["clusters"],
            "pairs": rows["n"].astype(str) + " of " + rows["asked"].astype(str),
        }
    )
    return Listed(
        shown,
        "without the country's name minus with it, percentage points, 95 % t interval over scenarios that "
        "were "
        "classified as belonging to one country; negative: fewer yes without the name",
    )


def rank_panels(rows: pd.DataFrame, correlations: pd.DataFrame) -> Drawn:
    """The paper's Figure 8: every measure against the mean rank by people, one standard error each way."""
    rho = {
        row.measure: f"{row.measure}\nρ = {row.rho:+.2f} over {row.models} models"
        if pd.notna(row.rho)
        else row.measure
        for row in correlations.itertuples()
    }
    fig = plots.against(
        rows.assign(panel=rows["measure"].map(rho)),
        panels="panel",
        by="model",
        x_label="mean rank by people (1: best)",
    )
    return Drawn(
        fig,
        "each model's mean on the ranked clips against its mean rank, ±1 standard error (over people "
        "across, over "
        f"scenarios up); {counted(rows['n'])} ranks a model. ρ is with preference, so that above 0 is "
        "agreement; "
        f"with {correlations['models'].max()} models its p cannot fall below "
        f"{correlations['smallest_p'].min():.2f}",
        "Small scatter plots, one a measure: mean human rank on a reversed x axis, the measure on y, one "
        "point "
        "with error bars for each model.",
    )


def rank_table(rows: pd.DataFrame) -> Listed:
    """Mean ranks with both standard errors."""
    return Listed(
        rows[["model", "mean_rank", "low", "high", "se", "se_naive", "n", "people"]],
        "mean rank by people (1: most preferred), 95 % t interval and standard error over people, and the "
        "standard error as if all n ranks were independent",
        dict.fromkeys(["mean_rank", "low", "high"], "{:.2f}") | dict.fromkeys(["se", "se_naive"], "{:.3f}"),
    )


def preference_forest(won: pd.DataFrame, joint: "pd.DataFrame | None", judge: str) -> Drawn:
    """Which dimension goes with preference: alone (left), the others held fixed (right).

    Args:
        won: as `preference.concordance`.
        joint: as `preference.joint_effects`; None where there are too few scenarios.
        judge: whose answers.
    """
    alone = won[won["dimension"].isin(DIMENSIONS)]
    panels = {"preferred clip has more yes (share of pairs)": (alone, 0.5)}
    if joint is not None:
        panels["log-odds of preference for 10 points more yes,\nother dimensions fixed"] = (joint, 0.0)
    fig, axes = plt.subplots(
        1,
        len(panels),
        figsize=(4.3 * len(panels) + 0.4, 2.6),
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    for ax, (label, (rows, null)) in zip(axes[0], panels.items(), strict=True):
        place = rows["dimension"].map(list(DIMENSIONS).index)
        ax.hlines(place, rows["low"], rows["high"], color="C0", linewidth=2)
        ax.plot(rows["estimate"], place, "o", color="C0", markersize=7)
        ax.axvline(null, color="0.4", linestyle="--", linewidth=1)
        ax.set_xlabel(label, fontsize=10)
    axes[0, 0].set_yticks(range(len(DIMENSIONS)), DIMENSIONS)
    axes[0, 0].set_ylim(len(DIMENSIONS) - 0.5, -0.5)
    return Drawn(
        fig,
        f"{counted(alone['n'])} pairs of clips ordered by people, answers by {judge}; 95 % t intervals over "
        "scenarios; "
        "dashed: no relation",
        "Forest plot, one line a dimension: how often the preferred clip has the larger share of yes, and "
        "the "
        "effect of each dimension with the others held fixed.",
    )


def preference_table(won: pd.DataFrame) -> Listed:
    """Dimensions and their differences."""
    return Listed(
        won[["dimension", "estimate", "low", "high", "p", "n", "tied"]],
        "share of ordered pairs in which the preferred clip has more yes (0.5: no relation; equal shares "
        "count "
        "half), and differences between dimensions on the same pairs; t intervals and p over scenarios",
        dict.fromkeys(["estimate", "low", "high"], "{:.3f}") | {"p": "{:.2g}", "tied": "{:.0%}"},
    )


def _fewer(rows: pd.DataFrame) -> pd.DataFrame:
    """Of many models only the mean of the three dimensions."""
    return rows[rows["score"].eq("macro")] if rows["model"].nunique() > plots.MANY else rows
