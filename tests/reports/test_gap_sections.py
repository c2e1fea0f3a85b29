"""Two models compared by country: which, and what is said of them."""

import dataclasses
import json

import pandas as pd
import pytest
from bs4 import BeautifulSoup

from helpers.paths import NOTEBOOKS
from helpers.reports import change_sections, gap_sections
from helpers.reports.changes import Run, chosen_models
from reports.report_study import COUNTRIES, MODELS

NAMES = ("Lumen 1", "Lumen 2")
FOUR = ("Brazil", "India", "Italy", "Japan")


def having(judged, cases):
    """The same benchmark with other cases, for each of its judges."""
    who = [panel.who for panel in judged.panels if not panel.people]
    return dataclasses.replace(judged, _cases=dict.fromkeys(who, cases))


def renamed(cases, model, name, country, place):
    """One model's cases of one country as another's in another country, the prompts alike for all models."""
    part = cases[cases["model"].eq(model) & cases["country"].eq(country)].astype(
        {"model": str, "country": str, "prompt_id": str, "video_id": str}
    )
    prompts = part["prompt_id"].str.replace(country, place)
    return part.assign(model=name, country=place, prompt_id=prompts, video_id=prompts + name)


@pytest.fixture(scope="module")
def several(reports):
    """Two models in four countries; before them by name one of one country, and one with few prompts."""
    judged = reports[1]
    cases = judged.cases(judged.judge())
    parts = {
        name: [renamed(cases, model, name, COUNTRIES[at % 2], place) for at, place in enumerate(FOUR)]
        for name, model in zip(NAMES, MODELS, strict=True)
    }
    lone = parts["Lumen 1"][3].assign(model="A first by name")
    few = [part[part["prompt_id"].eq(part["prompt_id"].iloc[0])] for part in parts["Lumen 2"]]
    few = pd.concat(few).assign(model="B with few")
    return having(judged, pd.concat([*parts["Lumen 1"], *parts["Lumen 2"], lone, few], ignore_index=True))


@pytest.fixture(scope="module")
def change(several):
    return gap_sections.gap_changes(change_sections.two_runs(several, several), "", "")


def text(page):
    return " ".join(BeautifulSoup(page.data, "html.parser").get_text(" ").split())


def test_models_left_out_are_two_that_share_enough_prompts_in_most_countries(several, change):
    assert (change.before, change.after) == NAMES
    assert sorted(change.gaps.change) == sorted(FOUR)
    assert change.prompts == 32
    run = Run(several, several.judge())
    assert chosen_models(run, run, before="B with few") == ("B with few", "Lumen 1")
    assert chosen_models(run, run, after="Lumen 1") == ("Lumen 2", "Lumen 1")


def test_without_two_models_in_two_countries_there_is_a_sentence_that_counts_them(several):
    cases = several.cases(several.judge())
    lone = having(several, cases[cases["model"].isin(["A first by name", "Lumen 1"])])
    why = gap_sections.gap_changes(change_sections.two_runs(lone, lone), "", "")
    assert "no two models with scored clips of the same prompts in 2 countries" in why
    assert "A first by name (1 country), Lumen 1 (4 countries)" in why
    assert "no two models" in gap_sections.gap_spread(lone, why).data


def test_figure_spread_and_map_name_the_models_the_judge_and_n(several, change, tmp_path, monkeypatch):
    figures = []
    monkeypatch.setattr(
        gap_sections.figures, "show", lambda figure, path, **told: figures.append((figure, told))
    )
    gap_sections.gap_figure(several, change, tmp_path)
    figure, told = figures[0]
    assert [each.get_text() for each in figure.legends[0].get_texts()] == list(NAMES)
    judge = change_sections.two_runs(several, several)[1].panel.title
    spread = gap_sections.gap_spread(several, change)
    for words in (told["caption"], text(spread), text(gap_sections.gap_map(several, change))):
        assert f"from Lumen 1 to Lumen 2, judged by {judge}, n = 32 prompts of 4 countries" in words
    for each in (change.spread.before, change.spread.after, change.spread.change):
        number = f"{abs(each.estimate):.2f} ("
        assert number in told["caption"]
        assert number in told["alt"]
        assert number in text(spread)


@pytest.mark.parametrize(
    ("low", "high", "answer"),
    [
        (-0.2, -0.1, "Countries lie closer together from Lumen 1 to Lumen 2."),
        (0.1, 0.2, "Countries lie further apart from Lumen 1 to Lumen 2."),
        (-0.1, 0.1, "These clips do not tell whether countries came closer"),
        (float("nan"), float("nan"), "Too little varies to tell"),
    ],
)
def test_the_answer_follows_the_interval_of_the_change(several, change, low, high, answer):
    moved = dataclasses.replace(change.spread.change, low=low, high=high)
    spread = dataclasses.replace(change.spread, change=moved, left_out=2)
    words = text(gap_sections.gap_spread(several, dataclasses.replace(change, spread=spread)))
    assert answer in words
    assert "left out: 2 countries with fewer than 3 prompts" in words


def test_gaps_of_two_countries_are_shown_and_their_spread_is_a_sentence(reports, tmp_path):
    runs = change_sections.two_runs(reports[1], reports[1])
    found = gap_sections.gap_changes(runs, "", "")
    assert {found.before, found.after} == set(MODELS)
    assert "found 2 of 2 countries" in gap_sections.gap_spread(reports[1], found).data
    assert "Standard deviation" not in gap_sections.gap_figure(reports[1], found, tmp_path).data
    assert "no judged clips of 'absent'" in gap_sections.gap_changes(runs, "absent", MODELS[0])


def test_one_model_in_two_studies_is_told_apart_by_the_studies(several, change):
    cases = several.cases(several.judge())
    other = dataclasses.replace(
        having(several, cases[cases["model"].eq("Lumen 1")]),
        page=dataclasses.replace(several.page, name="last year"),
    )
    now = having(several, cases[cases["model"].eq("Lumen 1")])
    found = gap_sections.gap_changes(change_sections.two_runs(other, now), "", "")
    assert (found.before, found.after) == ("Lumen 1, study last year", f"Lumen 1, study {now.page.name}")


def test_the_page_shows_gaps_spread_and_map_of_both_benchmarks():
    cells = json.loads((NOTEBOOKS / "85_changes.ipynb").read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    for exhibit in ("gap_spread", "gap_figure", "gap_map"):
        assert [f"gap_sections.{exhibit}(later[{at}], gaps" in code for at in (0, 1)] == [True, True]
