import html
import shutil

import pandas as pd
import pytest

from explore.explore_study import write_landmark_study
from helpers import tables
from helpers.widgets import explorer
from helpers.widgets.explorer import LISTED, Explorer
from reports.report_study import COUNTRIES, MODELS, TRAP, write_study


@pytest.fixture(scope="module")
def studies(tmp_path_factory):
    root = tmp_path_factory.mktemp("explorer")
    write_study(root)
    return [root / "traps", write_landmark_study(root / "pier")]


@pytest.fixture(scope="module")
def broken(tmp_path_factory, studies):
    folder = tmp_path_factory.mktemp("explorer") / "broken"
    shutil.copytree(studies[1], folder)
    path = folder / "tables" / "ratings.parquet"
    path.write_bytes(path.read_bytes()[:200])
    return folder


@pytest.fixture
def page(studies):
    return Explorer(studies)


def words(page):
    return page._status.value + page._about.value + page._frames.value + page._below.value


def options(page, name):
    return [label for label, _ in page.menus[name].options]


def test_it_opens_with_the_first_study_and_its_lowest_clip(page):
    assert options(page, "study") == ["traps", "pier"]
    assert options(page, "benchmark") == ["CultureScore", "CultureVidBench"]
    assert page.video_id == page.clips.table.sort_values("score", kind="stable")["video_id"].iloc[0]
    assert TRAP in html.unescape(words(page))
    assert TRAP not in words(page)


def test_every_menu_has_a_label(page):
    assert [menu.description for menu in page.menus.values()] == [
        "Study", "Benchmark", "Country", "Category", "Model", "Variant", "Judge", "Order",
    ]  # fmt: skip
    page.menus["benchmark"].value = "culturevidbench"
    assert page.menus["group"].description == "Aspect"


def test_menus_narrow_from_the_left_and_keep_what_is_still_there(page):
    page.menus["benchmark"].value = "culturevidbench"
    everything = len(page.listed)
    page.menus["country"].value = COUNTRIES[1]
    page.menus["group"].value = "wedding"
    page.menus["model"].value = MODELS[1]
    assert set(page.listed["country"]) == {COUNTRIES[1]}
    assert set(page.listed["group"]) == {"wedding"}
    assert set(page.listed["model"]) == {MODELS[1]}
    assert 0 < len(page.listed) < everything
    page.menus["country"].value = COUNTRIES[0]
    assert page.menus["group"].value == "wedding"
    for name in ("country", "group", "model"):
        page.menus[name].value = ""
    assert len(page.listed) == everything


def test_the_judge_and_the_order_sort_the_list(page):
    first = page.video_id
    page.menus["order"].value = "highest score first"
    assert page.listed["score"].is_monotonic_decreasing
    page.menus["judge"].value = "judge two"
    assert page.clips.judge.who == "judge two"
    assert page.listed["score"].is_monotonic_decreasing
    assert page.video_id != first


def test_buttons_list_and_number_go_to_a_clip(page):
    ids = list(page.listed["video_id"])
    page.next()
    assert page.video_id == ids[1]
    page._list.value = 3
    assert page.video_id == ids[3]
    page._place.value = 3
    assert page.video_id == ids[2]
    assert page._list.value == 2
    page.back()
    assert page.video_id == ids[1]
    page.show(10**6)
    assert page.video_id == ids[-1]
    page.next()
    assert page.video_id == ids[-1]
    page.show(-5)
    assert page.video_id == ids[0]


def test_the_list_is_a_window_around_the_clip(page, monkeypatch):
    assert LISTED < 1000
    monkeypatch.setattr(explorer, "LISTED", 4)
    page.show(5)
    assert [number for _, number in page._list.options] == [4, 5, 6, 7]
    assert page._list.value == 5
    assert f"of {len(page.listed)}" == page._of.value


def test_another_study_is_opened_and_the_first_one_remembered(page, monkeypatch):
    opened = page.clips
    page.menus["study"].value = "pier"
    assert options(page, "benchmark") == ["GeoAttraction-500"]
    assert page.menus["group"].description == "Landmark"
    assert page.video_id == "second"
    monkeypatch.setattr(explorer, "open_judged", lambda *_: pytest.fail("read again"))
    page.menus["study"].value = "traps"
    assert page.clips is opened


def test_a_video_is_loaded_only_when_asked_for_and_goes_with_its_clip(page):
    assert page._video.value == ""
    page.load()
    assert page._video.value.startswith("<figure")
    assert TRAP not in page._video.value
    assert " muted" in page._video.value
    page.next()
    assert page._video.value == ""


def test_a_clip_that_is_large_or_cannot_be_played_says_so(page, monkeypatch):
    monkeypatch.setattr(explorer, "LARGEST", 10)
    page.load()
    assert "Too large to be played here; it lies at " in page._video.value
    page.menus["study"].value = "pier"
    page.show(2)
    page.load()
    assert "No video: the clip&#39;s file third.mp4 is not in" in page._video.value


def test_a_broken_table_says_so_in_the_page_and_other_studies_still_open(studies, broken):
    page = Explorer([broken, *studies])
    assert "ratings.parquet" in page._status.value
    assert 'role="alert"' in page._status.value
    assert page.video_id is None
    assert page.menus["country"].disabled
    page.next()
    page.load()
    page.menus["study"].value = "pier"
    assert page.video_id == "second"
    assert page._status.value == ""
    page.menus["study"].value = "broken"
    assert page.video_id is None
    assert page._about.value == page._below.value == page._frames.value == ""


def test_tables_that_contradict_each_other_say_so(tmp_path):
    write_study(tmp_path, clips=False)
    answers = tables.read(tmp_path / "traps", "answers")
    answers.loc[0, "question_id"] = "Brazil-2-identity"
    tables.write(tmp_path / "traps", "answers", answers)
    page = Explorer(tmp_path / "traps")
    assert "expected a question about the clip" in page._status.value
    page.menus["benchmark"].value = "culturevidbench"
    assert page.video_id is not None


def test_without_clips_or_studies_there_is_a_sentence(tmp_path, monkeypatch):
    tables.write(tmp_path / "bare", "prompts", pd.DataFrame(
        {"prompt_id": ["a"], "benchmark": "landmarks", "country": "Peru", "variant": "short", "text": "x"}
    ))  # fmt: skip
    assert "videos.parquet: no such file" in Explorer(tmp_path / "bare")._status.value
    monkeypatch.setattr(explorer, "studies_in", list)
    assert "no study with tables" in Explorer()._status.value


def test_two_folders_of_one_name_are_told_apart(studies, tmp_path):
    other = write_landmark_study(tmp_path / "pier")
    assert options(Explorer([studies[1], other]), "study") == [str(studies[1]), str(other)]


def test_what_it_displays_has_the_keys(page, monkeypatch):
    shown = []
    monkeypatch.setattr(explorer, "display", lambda *parts: shown.extend(parts))
    page._ipython_display_()
    assert shown[0] is page.box
    assert ".explorer-next" in shown[1].data
