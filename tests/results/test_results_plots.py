"""Figures of results: names that are no names, and more models than a legend holds."""

import numpy as np
import pandas as pd
import pytest

from helpers import figures
from helpers.results import culturescore_exhibits as exhibits
from helpers.results import plots
from helpers.results.page import LackingError

NAMES = ["$a_b$ & <b>", "L" * 200, "نموذج 模型"]


def rows(models: list[str], **columns: list[str]) -> pd.DataFrame:
    """A score for each model and value of the columns."""
    index = pd.MultiIndex.from_product([models, *columns.values()], names=["model", *columns])
    frame = index.to_frame(index=False)
    return frame.assign(estimate=50.0, low=40.0, high=60.0, n=9, clusters=3)


def test_long_names_lose_their_middle_and_dollars_make_no_formula():
    assert plots.plain("Wan 2.2") == "Wan 2.2"
    assert plots.plain("$x$") == r"\$x\$"
    first, second = (plots.plain("a" * 100 + end) for end in ("8 frames", "9 frames"))
    assert len(first) == len(second) == plots.LONGEST + 1
    assert first != second


def test_characters_that_the_font_lacks_become_boxes():
    assert plots.plain("é 模型") == "é □□"


def test_odd_names_are_drawn_without_a_warning(tmp_path):
    figures.use_style()
    scores = rows(NAMES, dimension=["identity", "context"])
    drawn = [
        plots.bars(scores, across="dimension", by="model", label="%", order=["identity", "context"]),
        plots.dots(scores, down="dimension", by="model", label="%"),
        plots.dots(scores, down="model", by="dimension", label="%", panels="dimension"),
        plots.cells(scores.pivot_table(index="dimension", columns="model", values="estimate"), label="%"),
    ]
    for figure in drawn:
        figures.show(figure, tmp_path / "figure.png", caption="n = 9", alt="Bars")


@pytest.mark.parametrize("models", [plots.MANY, plots.MANY + 1])
def test_with_many_models_each_has_a_line_of_its_own(models):
    names = [f"model {number:02d}" for number in range(models)]
    many = models > plots.MANY
    bars = exhibits.dimension_bars(rows(names, score=list(exhibits.LABELS)), "judge", "base")
    assert len(bars.figure.axes) == (4 if many else 1)
    countries = rows(names, country=["Brazil", "Japan"])
    dots = exhibits.country_dots(countries, None, "")
    assert ("cell" in dots.alt) == many
    gains = rows(names, score=list(exhibits.LABELS)).assign(base=40.0, extended=60.0)
    assert len(exhibits.gain_dumbbells(gains, "judge").figure.axes[0].get_yticks()) == models * (
        1 if many else 4
    )
    variants = exhibits.variant_bars(rows(names, score=list(exhibits.LABELS), variant=["base"]), "judge")
    assert len(variants.figure.axes) == (4 if many else models)


def test_a_radar_of_many_models_is_refused():
    with pytest.raises(LackingError, match="13 models cannot be read"):
        exhibits.country_radars(rows([f"m{n}" for n in range(13)], country=["Chile", "Iran"]), None, "")


def test_a_radar_of_equal_values_has_a_scale():
    drawn = exhibits.country_radars(rows(["m"], country=["Chile", "Iran", "Japan"]), None, "")
    low, high = drawn.figure.axes[0].get_ylim()
    assert low < 50 < high
    assert np.isfinite([low, high]).all()


def numbered(figure) -> list[bool]:
    """Of each place for a panel, line by line, whether its x axis has numbers below it."""
    return [ax.get_visible() and ax.xaxis.get_tick_params()["labelbottom"] for ax in figure.axes]


def test_the_lowest_panel_of_each_column_is_numbered_also_above_an_empty_place():
    scores = rows(["a", "b"], criterion=[f"criterion {number}" for number in range(5)], who=["judge"])
    ranked = scores.assign(rank=1, best=1, worst=2)
    drawn = plots.ranks(ranked, panels="criterion", by="who", models=["a", "b"])
    assert numbered(drawn) == [False, True, True, True, True, False, False, False]
    points = scores.assign(x=1.0, x_se=0.1, y=2.0, y_se=0.1)
    drawn = plots.against(points, panels="criterion", by="model", x_label="x")
    assert numbered(drawn) == [False, False, True, True, True, False]
    two = ranked[ranked["criterion"].lt("criterion 2")]
    full = plots.ranks(two, panels="criterion", by="who", models=["a", "b"])
    assert numbered(full) == [True, True]
