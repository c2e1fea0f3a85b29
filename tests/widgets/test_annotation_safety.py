"""What keeps a person's reply with the clip and the words that it is about."""

import hashlib
import json
import shutil
from dataclasses import replace

import ipywidgets
import pytest

from helpers.checking import DataError
from helpers.widgets.annotation import Annotation
from helpers.widgets.replies import Person

DRUM, TOWER = 4, 5


@pytest.fixture
def path(tmp_path):
    return tmp_path / "p-1.jsonl"


@pytest.fixture
def hashed(study, tmp_path):
    """The study with its clips' SHA-256 in the table."""
    files = [(tmp_path / name).read_bytes() for name in study["videos"]["path"]]
    videos = study["videos"].assign(sha256=[hashlib.sha256(data).hexdigest() for data in files])
    return study | {"videos": videos}


@pytest.fixture
def make_page(sheet, path, tmp_path):
    def make(study, **changes):
        person = replace(Person(rater_id="p-1", country="Japan", native=True), **changes)
        return Annotation(person, sheet, study, tmp_path, path)

    return make


def opened(page, number):
    """What the screen's media show, and how many options can be pressed."""
    assert page.box
    page.show(number)
    return page._media.value, sum(row.box.layout.display != "none" for row in page._rows)


def status(page) -> str:
    assert isinstance(page.box, ipywidgets.VBox)
    return page._status.value


def test_a_swapped_clip_is_not_shown_under_the_old_name(make_page, hashed, tmp_path):
    shutil.copyfile(tmp_path / "tea-A.mp4", tmp_path / "drum-A.mp4")
    page = make_page(hashed)
    shown, rows = opened(page, DRUM)
    assert "<video" not in shown
    assert "another one than the study recorded" in shown
    assert rows == 0
    assert "found another file" in page.exhibits.problems["drum/A"]
    with pytest.raises(DataError, match="takes no reply"):
        page.press("realism", 0, "5")
    assert page.replies.latest is None


def test_a_clip_of_frames_is_checked_too(make_page, hashed, tmp_path):
    shutil.copyfile(tmp_path / "tea-A.mp4", tmp_path / "tower-A.mp4")
    shown, _ = opened(make_page(hashed), TOWER)
    assert shown.count("<img ") == 1
    assert "another one than the study recorded" in shown


def test_a_clip_without_recorded_hash_must_stay_the_one_first_shown(make_page, study, tmp_path):
    page = make_page(study)
    assert "<video" in opened(page, DRUM)[0]
    shutil.copyfile(tmp_path / "tea-A.mp4", tmp_path / "drum-A.mp4")
    assert "<video" not in opened(page, DRUM)[0]


@pytest.mark.parametrize("state", ["failed", "blocked", "missing"])
def test_a_clip_that_is_not_ok_takes_no_answer_whatever_its_file(make_page, hashed, state):
    videos = hashed["videos"]
    videos.loc[videos["video_id"].eq("drum/A"), "status"] = state
    page = make_page(hashed)
    page.show(DRUM)
    with pytest.raises(DataError, match="takes no reply"):
        page.press("realism", 0, "5")
    shown, rows = opened(page, DRUM)
    assert "<video" not in shown
    assert rows == 0
    assert f"status {state}" in page.exhibits.problems["drum/A"]


@pytest.mark.parametrize("blinded", [True, False])
@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda file: file.unlink(), "it is missing"),
        (lambda file: file.write_bytes(b"no clip"), "its file is damaged"),
    ],
)
def test_an_error_tells_neither_path_nor_country(make_page, study, tmp_path, blinded, spoil, said):
    file = tmp_path / "Japan" / "drum-A.mp4"
    file.parent.mkdir()
    shutil.copyfile(tmp_path / "drum-A.mp4", file)
    videos = study["videos"]
    videos.loc[videos["video_id"].eq("drum/A"), "path"] = "Japan/drum-A.mp4"
    spoil(file)
    page = make_page(study, blinded=blinded)
    shown, _ = opened(page, DRUM)
    assert said in shown
    assert "Japan" not in shown
    assert "drum" not in shown
    assert "Japan/drum-A.mp4" in page.exhibits.problems["drum/A"]


@pytest.mark.parametrize(("number", "name"), [(DRUM, "drum-A.mp4"), (TOWER, "tower.png")])
def test_a_file_that_is_back_is_no_problem_any_more(make_page, hashed, tmp_path, number, name):
    page = make_page(hashed)
    (tmp_path / name).rename(tmp_path / "away")
    assert opened(page, number)[1] == 0
    assert page.exhibits.has_problem(page.screen)
    (tmp_path / "away").rename(tmp_path / name)
    shown, rows = opened(page, number)
    assert "cannot be shown" not in shown
    assert rows == len(page.screen.questions)
    assert page.exhibits.problems == {}


@pytest.mark.parametrize(
    ("table", "number"), [("questions", 0), ("prompts", 2)], ids=["question", "description"]
)
def test_a_reply_to_another_wording_does_not_count(make_page, study, path, table, number):
    page = make_page(study)
    page.show(number)
    page.press("", 0, page.screen.questions[""].options[0].reply)
    reworded = study | {table: study[table].assign(text="Reworded?")}
    again = make_page(reworded)
    assert again.replies.given(number, "") == ""
    assert len(again.replies.problems) == 1
    assert "line 1: found a reply to another wording" in again.replies.problems[0]
    assert "another wording do not count: 1" in status(again)
    again.undo()
    same = make_page(study)
    assert same.replies.given(number, "")
    assert same.replies.problems == []
    assert "another wording" not in status(same)


def test_a_line_that_does_not_say_its_wording_does_not_count(make_page, study, path):
    make_page(study).press("", 0, "yes")
    line = json.loads(path.read_text())
    del line["asked"]
    path.write_text(json.dumps(line) + "\n")
    again = make_page(study)
    assert again.replies.latest is None
    assert "hash not kept" in again.replies.problems[0]


def test_two_pages_open_at_once_build_on_each_other(make_page, study):
    first, second = make_page(study), make_page(study)
    for page, clip in [(first, "1"), (second, "3"), (first, "2")]:
        page.show(1)
        page.press("", 0, clip)
    assert first.replies.given(1, "") == "1,2,3"
    second.undo()
    assert second.replies.given(1, "") == "1,3"
    assert make_page(study).replies.given(1, "") == "1,3"
