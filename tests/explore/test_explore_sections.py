"""The static sections, with and without clips, and what one step costs in a study of 100,000 answers."""

import time

import pytest
from bs4 import BeautifulSoup

from explore.explore_study import write_landmark_study
from helpers import tables
from helpers.explore import sections
from helpers.explore.clips import Clips
from helpers.explore.studies import found_study
from helpers.reports.judged import open_judged
from helpers.simulate.culturescore import culturescore_study
from helpers.simulate.raters import Rater
from helpers.widgets.explorer import Explorer

ORDER = "judge and people furthest apart first"


def cells(shown) -> list[list[str]]:
    rows = BeautifulSoup(shown.data, "html.parser").find_all("tr")
    return [[cell.get_text() for cell in row.find_all(["td", "th"])] for row in rows]


@pytest.fixture
def places(tmp_path):
    return Clips(open_judged(found_study(write_landmark_study(tmp_path / "pier")), "landmarks"))


def test_counts_say_of_how_many_clips_there_is_a_score(places):
    assert cells(sections.counts(places)) == [
        ["country", "clips", "a score", "a score by judge and people", "a score by two judges"],
        ["Peru", "4", "2", "2", "2"],
    ]


def test_the_list_begins_as_the_explorer_sorts_it(places):
    header, *rows = cells(sections.first_clips(places, ORDER, 2))
    listed = [dict(zip(header, row, strict=True)) for row in rows]
    assert [row["model"] for row in listed] == ["Model first", "Model second"]
    assert [row["from people"] for row in listed] == ["0.50", "0.00"]


def test_the_clip_is_the_first_of_the_list_or_the_one_asked_for(places):
    assert "Model first" in sections.one_clip(places, ORDER).data
    assert "Model second" in sections.one_clip(places, ORDER, "second").data
    with pytest.raises(ValueError, match="no clip 'nowhere' of GeoAttraction-500"):
        sections.one_clip(places, ORDER, "nowhere")


@pytest.mark.parametrize("benchmark", ["culturescore", "culturevidbench", "landmarks"])
def test_a_study_without_clips_has_sentences_instead(tmp_path, benchmark):
    clips = Clips(open_judged(found_study(tmp_path / "none"), benchmark))
    pieces = [sections.counts(clips), sections.first_clips(clips, ORDER, 3), sections.one_clip(clips, ORDER)]
    assert all("Nothing to show here" in piece.data for piece in pieces)


@pytest.mark.parametrize(("name", "expected"), [("JPY_SESSION_NAME", True), ("OTHER", False)])
def test_only_jupyters_kernels_are_attended(monkeypatch, name, expected):
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    monkeypatch.setenv(name, "86_explore.ipynb")
    assert sections.attended() is expected


@pytest.mark.slow
def test_a_step_through_a_hundred_thousand_answers_takes_less_than_a_fifth_of_a_second(tmp_path):
    judges = [Rater(rater_id=f"judge {name}") for name in "ab"]
    made = culturescore_study(seed=0, judges=judges, scenarios=20)
    for name, rows in made.tables.items():
        tables.write(tmp_path / "large", name, rows)
    assert len(made.tables["answers"]) > 100_000
    page = Explorer(tmp_path / "large")
    steps = [page.next, page.back, lambda: page.show(3000)]
    steps += [
        lambda name=name: setattr(page.menus["order"], "value", name) for name in ("as in the table", ORDER)
    ]
    steps += [lambda: setattr(page.menus["country"], "value", "Japan")]
    taken = []
    for step in steps * 3:
        start = time.process_time()
        step()
        taken.append(time.process_time() - start)
    # The processor's time, which does not depend on what else the machine does.
    assert sorted(taken)[len(taken) // 2] < 0.2
