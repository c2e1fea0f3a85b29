import json
import re
from pathlib import Path

import ipywidgets
import pandas as pd
import pytest

from helpers.benchmarks.landmark_pictures import with_references
from helpers.checking import DataError
from helpers.widgets import picking
from helpers.widgets.choices import read_choices
from helpers.widgets.picking import PickingPage


@pytest.fixture
def path(tmp_path):
    return tmp_path / "choices.jsonl"


@pytest.fixture
def make_page(landmarks, candidates, path, monkeypatch):
    monkeypatch.setattr(picking, "STILL", 0.0)
    return lambda: PickingPage(landmarks, candidates, path)


def below(widget):
    """A widget and all those in it that are displayed."""
    if widget.layout.display != "none":
        yield widget
        for child in getattr(widget, "children", ()):
            yield from below(child)


def button(page, name) -> ipywidgets.Button:
    buttons = [widget for widget in below(page.box) if isinstance(widget, ipywidgets.Button)]
    return next(found for found in buttons if found.description == name)


def text(page) -> str:
    return "\n".join(widget.value for widget in below(page.box) if isinstance(widget, ipywidgets.HTML))


def test_a_landmark_is_shown_with_its_candidates_and_credits(make_page):
    page = make_page()
    shown = text(page)
    assert "<h2>Uluru</h2><p>Australia</p>" in shown
    assert shown.count('<img src="data:image/jpeg') == 2
    assert "aa.jpg · A. Person · CC BY 4.0" in shown
    assert "<b>0 of 3</b> decided" in shown
    assert button(page, "Undo").disabled


def test_choices_are_saved_one_by_one_to_the_end(make_page, path):
    page = make_page()
    button(page, "Choose 2").click()
    assert read_choices(path) == {"gldv2-1": "ab"}
    assert "<p>Lima, Peru</p>" in text(page)
    button(page, "Choose 1").click()
    assert "<p>Brighton, United Kingdom</p>" in text(page)
    button(page, "None fits").click()
    assert read_choices(path) == {"gldv2-1": "ab", "gldv2-2": "ba", "gldv2-3": None}
    assert "All landmarks are decided" in text(page)
    assert "<b>3 of 3</b> decided, 1 without" in text(page)
    assert button(page, "None fits").disabled
    button(page, "None fits").click()
    assert len(read_choices(path)) == 3


def test_a_page_goes_on_where_the_last_one_stopped(make_page):
    button(make_page(), "Choose 1").click()
    assert "<p>Lima, Peru</p>" in text(make_page())


def test_undo_shows_the_landmark_again(make_page, path):
    page = make_page()
    button(page, "Choose 1").click()
    button(page, "None fits").click()
    button(page, "Undo").click()
    assert "<p>Lima, Peru</p>" in text(page)
    button(page, "Undo").click()
    assert "<h2>Uluru</h2>" in text(page)
    assert read_choices(path) == {}
    assert button(page, "Undo").disabled


def test_a_photograph_that_does_not_decode_is_said_and_cannot_be_chosen(make_page):
    page = make_page()
    assert page.problems.empty
    button(page, "Choose 1").click()
    assert "This photograph cannot be shown" in text(page)
    assert "photographs that do not decode: 1" in text(page)
    assert button(page, "Choose 2").disabled
    (problem,) = page.problems.to_dict("records")
    assert (problem["landmark_id"], problem["image_id"]) == ("gldv2-2", "bb")
    assert "the picture cannot be decoded" in problem["problem"]


def test_the_second_half_of_a_double_click_chooses_nothing(make_page, path, monkeypatch):
    page = make_page()
    monkeypatch.setattr(picking, "STILL", 60.0)
    page._since -= 61
    button(page, "Choose 1").click()
    button(page, "Choose 1").click()
    assert read_choices(path) == {"gldv2-1": "aa"}


def test_what_comes_from_outside_is_shown_as_text(make_page):
    page = make_page()
    button(page, "Choose 1").click()
    shown = text(page)
    assert "<h2>Fish &amp; &lt;b&gt;Chips&lt;/b&gt; Tower</h2>" in shown
    assert "&lt;script&gt;" in shown
    assert "<script" not in shown
    assert "<img src=x" not in shown


def test_a_file_about_other_landmarks_is_refused(make_page, path):
    line = {"landmark_id": "gldv2-9", "image_id": "aa", "undone": False, "at": "2026-01-01"}
    path.write_text(json.dumps(line) + "\n")
    with pytest.raises(DataError, match=re.escape("found the choice ('gldv2-9', 'aa'), expected these")):
        make_page()


def test_picked_photographs_become_references(make_page, landmarks, candidates, path):
    page = make_page()
    button(page, "Choose 2").click()
    button(page, "None fits").click()
    rows = with_references(landmarks, candidates, read_choices(path))
    assert list(rows["landmark_id"]) == list(landmarks["landmark_id"])
    assert rows.loc[0, ["reference_image", "author", "licence"]].tolist() == [
        candidates.loc[1, "path"],
        "A. Person",
        "CC BY 4.0",
    ]
    assert rows.loc[1:, ["reference_image", "author", "licence"]].isna().all(axis=None)
    with pytest.raises(ValueError, match="gldv2-1: found 'zz' picked, which is not among its candidates"):
        with_references(landmarks, candidates, {"gldv2-1": "zz"})


def test_nothing_picked_leaves_all_references_missing(landmarks, candidates):
    rows = with_references(landmarks, candidates, {"gldv2-1": None})
    assert rows["reference_image"].isna().all()
    assert len(rows) == 3
    assert pd.isna(rows["author"]).all()


def test_no_landmarks_are_all_decided(landmarks, candidates, path):
    page = PickingPage(landmarks[:0], candidates, path)
    assert "All landmarks are decided" in text(page)


def test_a_repeated_landmark_is_refused(landmarks, candidates, path):
    with pytest.raises(ValueError, match="found the landmark gldv2-1 twice"):
        PickingPage(pd.concat([landmarks, landmarks[:1]]), candidates, path)


def test_missing_names_and_numbers_for_authors_are_shown(landmarks, candidates, path):
    landmarks.loc[0, "name"], candidates["author"] = None, 1984
    shown = text(PickingPage(landmarks, candidates, path))
    assert "<h2>gldv2-1</h2>" in shown
    assert "aa.jpg · 1984 · CC BY 4.0" in shown


@pytest.mark.parametrize("gone", ["file", "path"])
def test_a_chosen_photograph_that_is_gone_is_said_and_asked_for_again(make_page, candidates, path, gone):
    button(make_page(), "Choose 1").click()
    if gone == "file":
        Path(candidates.loc[0, "path"]).unlink()
    else:
        candidates.loc[0, "path"] = None
    page = make_page()
    assert "<h2>Uluru</h2>" in text(page)
    assert "chosen photographs that are gone, to be chosen anew: 1" in text(page)
    button(page, "Choose 2" if gone == "file" else "Choose 1").click()
    assert read_choices(path) == {"gldv2-1": "ab"}
    assert "gone" not in text(page)
