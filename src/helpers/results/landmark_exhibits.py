"""GAP's exhibits: Figures 2 and 3, Tables 1 to 4 with their captions."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import ListedColormap
from matplotlib.ticker import MaxNLocator

from helpers import figures
from helpers.benchmarks.landmark_plots import page_views
from helpers.land import land_picture
from helpers.results import plots
from helpers.results.landmarks import FEW, NO_VIEWS, bounds
from helpers.results.page import Drawn, LackingError, Listed
from helpers.results.papers import bracket, counted, interval
from helpers.stats.bootstrap import cluster_bootstrap

TITLES = {"people": "people (0–5)", "judge": "judge (0–5)"}
_CATEGORIES_SHOWN, _SMALL, _LARGE = 10, 25, 220


def world_map(rows: pd.DataFrame, measure: str) -> Drawn:
    """Where the landmarks lie, how well their clips score (colour), and how well known they are (size).

    Args:
        rows: as `landmarks.clips`, one clip a landmark or several, which are averaged.
        measure: the score.

    Raises:
        LackingError: no landmark with a place.
    """
    places = rows.dropna(subset=["lat", "lon"]).groupby("landmark_id")
    if not len(places):
        raise LackingError(
            "No landmark of this study has coordinates (columns lat and lon of its table 'landmarks')."
        )
    dots = places.agg(
        lat=("lat", "first"), lon=("lon", "first"), score=(measure, "mean"), views=("log_views", "first")
    )
    fig, ax = plt.subplots(figsize=(9, 5), layout="constrained")
    pale = ListedColormap(["white", "0.85"])
    ax.imshow(land_picture(), extent=(-180, 180, -90, 90), cmap=pale, interpolation="nearest", aspect="auto")
    sizes, key = _sizes(dots["views"])
    look = {"cmap": figures.SEQUENTIAL, "edgecolor": "black", "linewidth": 0.6, "zorder": 3}
    order = np.argsort(-sizes)
    drawn = dots.iloc[order]
    scored = drawn["score"].notna().to_numpy()
    marks = ax.scatter(
        drawn["lon"][scored],
        drawn["lat"][scored],
        s=sizes[order][scored],
        c=drawn["score"][scored].astype(float),
        **look,
    )
    ax.scatter(drawn["lon"][~scored], drawn["lat"][~scored], marker="x", color="0.3", s=30, zorder=3)
    ax.set(xlim=(-180, 180), ylim=(-58, 84), xlabel="longitude (degrees)", ylabel="latitude (degrees)")
    ax.grid(visible=False)
    fig.colorbar(
        marks,
        ax=ax,
        location="bottom",
        shrink=0.5,
        aspect=35,
        label=f"mean score by {TITLES.get(measure, measure)}",
    )
    for size, label in key:
        ax.scatter([], [], s=size, color="white", edgecolor="black", label=label)
    if key:
        fig.legend(title="page views", loc="outside upper left", ncols=len(key))
    known = dots["views"].notna().sum()
    return Drawn(
        fig,
        f"{len(dots)} landmarks; colour: mean score of their clips by {measure} "
        f"({dots['score'].notna().sum()} have one, a "
        f"cross has none); size: page views ({known} known{'' if known else ', so all dots are alike'})",
        "World map with one dot a landmark, coloured by its score and sized by page views.",
    )


def categories_dots(rows: pd.DataFrame, measure: str) -> Drawn:
    """The most frequent categories: how many landmarks, and the mean score with its interval.

    Args:
        rows: as `landmarks.clips`, one clip a landmark or several, which are averaged.
        measure: the score.

    Raises:
        LackingError: no category.
    """
    known = rows.dropna(subset=["category", measure])
    if known.empty:
        raise LackingError(
            "No landmark with a score has a category (column category of the table 'landmarks')."
        )
    values = known.groupby(["category", "landmark_id"])[measure].mean().groupby("category")
    counts = values.size().sort_index().sort_values(ascending=False, kind="stable").head(_CATEGORIES_SHOWN)
    fig, (left, right) = plt.subplots(
        1, 2, figsize=(8.5, 1.3 + 0.34 * len(counts)), sharey=True, layout="constrained"
    )
    y = np.arange(len(counts))
    left.bar_label(left.barh(y, counts, color="C0"), padding=3, fontsize=9)
    left.xaxis.set_major_locator(MaxNLocator(integer=True))
    left.margins(x=0.12)
    left.set(xlabel="landmarks")
    left.set_yticks(y, [plots.plain(name) for name in counts.index])
    left.invert_yaxis()
    rng = np.random.default_rng(0)
    for place, name in enumerate(counts.index):
        own = values.get_group(name).astype(float)
        right.plot(own, place + rng.uniform(-0.18, 0.18, len(own)), "o", color="C0", alpha=0.35, markersize=4)
        ids = own.index.get_level_values("landmark_id")
        mean = cluster_bootstrap(own, ids, method="t", unit="landmarks", bounds=bounds(measure))
        right.hlines(place, mean.low, mean.high, color="black", linewidth=2)
        right.plot(mean.estimate, place, "D", color="black", markersize=6)
    right.set(xlabel=f"score by {TITLES.get(measure, measure)}")
    rest = known["category"].nunique() - len(counts)
    return Drawn(
        fig,
        f"the {len(counts)} most frequent categories of {known['landmark_id'].nunique()} landmarks with a "
        f"score ({rest} further ones not shown), n landmarks beside the bars; each landmark's mean score "
        "(dots), and their mean with its 95 % t interval over landmarks (diamonds). One landmark, or no "
        "spread: no interval",
        "Left, bars with the number of landmarks in each category; right, dots with the scores of each "
        "category's landmarks and a diamond with an interval at their mean.",
    )


def views_histogram(rows: pd.DataFrame) -> Drawn:
    """Figure 2's distribution of page views: how many landmarks have how many, on a logarithmic axis.

    Args:
        rows: as `landmarks.clips`, one clip a landmark or several.

    Raises:
        LackingError: no landmark has page views.
    """
    places = rows.drop_duplicates("landmark_id")
    views = places["pageviews"].dropna()
    if views.empty:
        raise LackingError(NO_VIEWS)
    without = len(places) - len(views)
    gone = f" ({without:,} further ones, whose page views are not known, are not drawn)" if without else ""
    return Drawn(
        page_views(places),
        f"page views of n = {len(views):,} landmarks with clips{gone}; median {views.median():,.0f}, from "
        f"{views.min():,.0f} to {views.max():,.0f}",
        "Histogram of the number of landmarks by page views on a logarithmic axis.",
    )


def views_figure(rows: pd.DataFrame, measure: str, found: pd.DataFrame) -> Drawn:
    """Scores against page views, with means of fifths.

    Args:
        rows: as `landmarks.clips`.
        measure: the score.
        found: as `landmarks.popularity`.

    Raises:
        LackingError: this measure has no clip with page views.
    """
    both = rows[[measure, "log_views"]].dropna().astype(float).sort_values("log_views")
    own = found[found["measure"].eq(measure)]
    if both.empty or own.empty:
        raise LackingError(f"No clip with page views has a score by {measure}.")
    fig, ax = plt.subplots(figsize=(7.5, 3.8), layout="constrained")
    jitter = np.random.default_rng(0).uniform(-0.05, 0.05, len(both)) if measure in TITLES else 0
    ax.plot(10 ** both["log_views"], both[measure] + jitter, "o", alpha=0.3, markersize=4, label="clip")
    parts = np.array_split(both.to_numpy(), min(5, len(both)))
    ax.plot(
        [10 ** part[:, 1].mean() for part in parts],
        [part[:, 0].mean() for part in parts],
        "D",
        color="black",
        label="mean of a fifth",
    )
    ax.set(
        xscale="log",
        xlabel="page views (logarithmic axis)",
        ylabel=f"score by {TITLES.get(measure, measure)}",
    )
    fig.legend(loc="outside lower center", ncols=2)
    row = own.iloc[0]
    return Drawn(
        fig,
        f"each clip's score by {measure} against its landmark's page views, and means of fifths; n = "
        f"{row['n']} clips, "
        f"Spearman's ρ = {row['rho']:.2f} [{row['low']:.2f}, {row['high']:.2f}]",
        "Scatter plot of score against page views on a logarithmic axis, with five diamonds at the means of "
        "fifths.",
    )


def matrix(rows: pd.DataFrame) -> Drawn:
    """Figure 3: the correlation matrix with n in each cell."""
    names = list(dict.fromkeys([*rows["first"], *rows["second"]]))
    wide = pd.DataFrame(np.nan, names, names)
    words = pd.DataFrame("", names, names)
    for row in rows.itertuples():
        wide.loc[row.second, row.first] = row.rho
        words.loc[row.second, row.first] = f"{row.rho:.2f}\nn = {row.n}".replace("-", "−")
    wide, words = wide.iloc[1:, :-1], words.iloc[1:, :-1]
    fig = plots.cells(wide, label="Spearman's ρ", limits=(-1, 1), diverging=True, words=words)
    fig.set_size_inches(fig.get_figwidth(), 1.9 + 0.62 * len(wide))
    return Drawn(
        fig,
        "Spearman's ρ of every two scores, each over the clips that have both (n in the cell, "
        f"{counted(rows['n'])}); intervals in the table",
        f"Lower triangle of a correlation matrix of {len(names)} scores, each cell coloured and labelled "
        "with ρ and n.",
    )


def matrix_table(rows: pd.DataFrame) -> Listed:
    """The same with intervals."""
    return Listed(
        rows,
        "Spearman's ρ of every two scores with 95 % Bonett-Wright intervals and p, n clips",
        dict.fromkeys(["rho", "low", "high"], "{:.2f}") | {"p": "{:.2g}"},
    )


def popularity_table(rows: pd.DataFrame) -> Listed:
    """Table 1."""
    shown = pd.DataFrame(
        {
            "measure": rows["measure"],
            "ρ": [f"{row.rho:.3f} {bracket(row.low, row.high)}" for row in rows.itertuples()],
            "p": rows["p"],
            "slope per view": rows["slope"],
            "slope per tenfold": [
                f"{row.tenfold:.3f} {bracket(row.tenfold_low, row.tenfold_high, '{:.3f}')}"
                for row in rows.itertuples()
            ],
            "n": rows["n"],
        }
    )
    return Listed(
        shown,
        "rank correlation with page views (95 % Bonett-Wright interval, p), least-squares slope per page "
        "view as GAP "
        "prints it, and per tenfold page views (95 % HC3 interval), in each measure's unit",
        {"p": "{:.2g}", "slope per view": "{:.2g}"},
    )


def regions_dots(rows: pd.DataFrame, measure: str) -> Drawn:
    """Table 2 as a figure: means of regions with intervals by both units."""
    names = list(dict.fromkeys(rows["region"]))
    counted = rows.drop_duplicates("region").set_index("region")
    labels = {
        name: f"{name} ({counted.loc[name, 'n']} in {counted.loc[name, 'countries']} "
        f"{'country' if counted.loc[name, 'countries'] == 1 else 'countries'})"
        for name in names
    }
    fig = plots.dots(
        rows.assign(line=rows["region"].map(labels)),
        down="line",
        by="unit",
        label=f"mean score by {TITLES.get(measure, measure)}",
        order=list(labels.values()),
        names=["landmarks", "countries"],
    )
    return Drawn(
        fig,
        f"means by region with 95 % t intervals, with landmarks or countries as independent units; n = "
        f"{counted[counted['grouping'].eq('continent')]['n'].sum()} clips. One unit: no interval",
        "Dot plot of regions with two intervals each, over landmarks and over countries, the latter missing "
        "where a region has one country.",
    )


def regions_table(rows: pd.DataFrame, measure: str) -> Listed:
    """Table 2: n, mean, standard deviation."""
    one = rows[rows["unit"].eq("landmarks")]
    return Listed(
        one[["region", "n", "countries", "estimate", "sd", "low", "high"]].rename(
            columns={"estimate": "mean"}
        ),
        f"score: {TITLES.get(measure, measure)}; clips, countries, mean and standard deviation by region, "
        "95 % t interval over landmarks",
        dict.fromkeys(["mean", "sd", "low", "high"], "{:.3f}"),
    )


def equivalence_table(rows: pd.DataFrame, margin: float) -> Listed:
    """Table 3: equivalence by GAP's rule, and with countries resampled."""
    shown = pd.DataFrame(
        {
            "pair": rows["pair"],
            "landmarks": rows["landmarks"],
            "difference": [
                interval({"estimate": r.difference, "low": r.low, "high": r.high}) for r in rows.itertuples()
            ],
            "verdict": rows["verdict"],
            "smallest margin": rows["smallest_margin"],
            "over countries": [
                interval({"estimate": r.difference, "low": r.country_low, "high": r.country_high})
                for r in rows.itertuples()
            ],
            "verdict over countries": rows["country_verdict"],
        }
    )
    return Listed(
        shown,
        "differences of mean scores, 95 % percentile bootstrap over landmarks (GAP's rule) and over "
        f"countries; margin {margin:g}. 'both': different, and within the margin. With fewer than about 30 "
        "units in a group "
        f"the intervals are too narrow; below {FEW} in a region there is no verdict",
        {"smallest margin": "{:.2f}"},
    )


def specificity_table(rows: pd.DataFrame) -> Listed:
    """Table 4."""
    shown = pd.DataFrame(
        {
            "measure": rows["measure"],
            "short": rows["short"],
            "detailed": rows["detailed"],
            "shift": [
                interval({"estimate": row.shift, "low": row.low, "high": row.high}, "{:.3f}")
                for row in rows.itertuples()
            ],
            "p": rows["p"],
            "d_z": rows["d"],
            "landmarks": rows["n"],
        }
    )
    return Listed(
        shown,
        "means of short and detailed prompts' clips of the same landmarks; shift: median paired difference "
        "(Hodges and Lehmann, "
        "95 % interval), p of Wilcoxon's signed-rank test, Cohen's d of the differences",
        {"short": "{:.3f}", "detailed": "{:.3f}", "p": "{:.2g}", "d_z": "{:.2f}"},
    )


def models_dots(rows: pd.DataFrame, who: str) -> Drawn:
    """Mean alignment of every model, by variant."""
    who = {"human": "people"}.get(who, who)
    fig = plots.dots(
        rows.astype({"model": str, "variant": str}),
        down="model",
        by="variant",
        label=f"mean alignment by {who} (0–5)",
    )
    return Drawn(
        fig,
        f"mean alignment by {who}, 95 % logit intervals over {counted(rows['clusters'])} landmarks",
        "Dot plot, one line a model, one dot with an interval for short and one for detailed prompts.",
    )


def _sizes(log_views: pd.Series) -> tuple[np.ndarray, list[tuple[float, str]]]:
    """Areas of dots by page views, and a key; equal ones without page views."""
    known = log_views.dropna()
    if known.nunique() < 2:
        return np.full(len(log_views), 70.0), []
    low, high = known.min(), known.max()
    areas = _SMALL + (_LARGE - _SMALL) * (log_views.fillna(low) - low) / (high - low)
    key = [
        (float(_SMALL + (_LARGE - _SMALL) * share), f"{10 ** (low + share * (high - low)):,.0f}")
        for share in (0, 0.5, 1)
    ]
    return areas.to_numpy(), key
