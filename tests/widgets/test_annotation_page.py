import json
import re

import ipywidgets
import pandas as pd
import pytest

from helpers import tables
from helpers.benchmarks.country_words import names_no_country
from helpers.checking import DataError
from helpers.criteria import of_framework
from helpers.people.rules import apply_rules
from helpers.widgets.annotation import Annotation
from helpers.widgets.replies import Person

EIGHT = list(of_framework("culturevidbench"))
TABLES = ["raters", "assignments", "relevance", "answers", "ratings", "rankings"]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "journals" / "p-1.jsonl"


@pytest.fixture
def make_page(study, sheet, path, tmp_path):
    def make(**changes):
        person = Person(**{"rater_id": "p-1", "country": "Japan", "native": True} | changes)
        return Annotation(person, sheet, study, tmp_path, path)

    return make


def below(widget):
    """A widget and all those in it that are displayed."""
    if widget.layout.display != "none":
        yield widget
        for child in getattr(widget, "children", ()):
            yield from below(child)


def buttons(page) -> list[ipywidgets.Button]:
    return [widget for widget in below(page.box) if isinstance(widget, ipywidgets.Button)]


def click(page, *names) -> None:
    for name in names:
        next(found for found in buttons(page) if found.description == name).click()


def key(page, *keys) -> None:
    """Press keys as the page's script does: the marked row's button that bears the key."""
    for each in keys:
        (row,) = (w for w in below(page.box) if "annotation-current" in w._dom_classes)
        found = [w for w in below(row) if isinstance(w, ipywidgets.Button) and w.tooltip == f"Key {each}"]
        found[0].click()


def text(page) -> str:
    return "\n".join(widget.value for widget in below(page.box) if isinstance(widget, ipywidgets.HTML))


def finish(page) -> None:
    """Fill in the whole sheet by keys: yes; clips 1 and 3; ranks 2, 3, 1; attentive; grades."""
    for keys in (["y"], ["1", "3"], ["2", "3", "1"], ["1"], [*"54nn3212"], ["0", "5"]):
        key(page, *keys)
        click(page, "Next")


def test_a_triplet_is_asked_in_three_tiers_with_its_muted_clips(make_page):
    page = make_page()
    shown = text(page)
    assert "<h3>1 of 6</h3>" in shown
    assert shown.count("<video ") == shown.count(" muted ") == 3
    assert "Is this a fair question" in shown
    media = page._media.value
    key(page, "n")
    click(page, "Next")
    assert "For which clips is the answer yes?" in text(page)
    assert page._media.value == media
    click(page, "Clip 2", "Next")
    assert "Which clip is most faithful?" in text(page)
    assert [b.description for b in buttons(page)].count("1 (best)") == 3


def test_eight_criteria_have_rubrics_and_na_where_it_is_allowed(make_page):
    page = make_page()
    page.show(4)
    shown = text(page)
    assert all(f"<b>{criterion.title}</b>" in shown for criterion in of_framework("culturevidbench").values())
    assert [b.description for b in buttons(page)].count("not applicable") == 2
    assert shown.count("<video ") == 1
    assert " muted " not in shown
    assert "<b>What it should show:</b> Japanese taiko &lt;i&gt;drum&lt;/i&gt;" in shown


def test_a_landmark_is_shown_as_frames_beside_its_photograph(make_page):
    page = make_page()
    page.show(5)
    shown = text(page)
    assert shown.count('src="data:image/jpeg') == 2
    assert "<video" not in shown
    assert [b.description for b in buttons(page)].count("0") == 2


def test_every_reply_is_in_the_journal_at_once(make_page, path):
    page = make_page()
    key(page, "y")
    click(page, "Next")
    key(page, "3", "1")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["reply"] for line in lines] == ["yes", "3", "1,3"]
    assert lines[-1]["shown"] == ["tea/C", "tea/A", "tea/B"]
    assert {line["rater_id"] for line in lines} == {"p-1"}


def test_an_option_that_there_is_not_is_refused_before_it_is_saved(make_page, path):
    with pytest.raises(ValueError, match="found the reply 'maybe', expected one of yes, no"):
        make_page().press("", 0, "maybe")
    assert not path.exists()


def test_a_reply_that_cannot_be_saved_is_said_on_the_page(make_page, path):
    page = make_page()
    path.mkdir(parents=True)
    click(page, "Yes")
    assert "This was NOT saved" in text(page)
    assert "<b>0 of 6</b> answered" in text(page)
    path.rmdir()
    click(page, "Yes")
    assert "<b>1 of 6</b> answered" in text(page)
    assert "NOT saved" not in text(page)


def test_a_whole_sheet_becomes_rows_of_the_tables(make_page, study, tmp_path):
    page = make_page(language="Japanese")
    finish(page)
    assert "That was all" in text(page)
    made = page.to_tables()
    assert sorted(made) == sorted(TABLES)
    assert made["relevance"].to_dict("records") == [
        {"rater_id": "p-1", "question_id": "q1", "relevant": True}
    ]
    assert made["answers"].set_index("video_id")["answer"].to_dict() == {
        "tea/C": True,
        "tea/A": False,
        "tea/B": True,
    }
    assert made["rankings"].set_index("model")["rank"].to_dict() == {"C": 2, "A": 3, "B": 1}
    grades = made["ratings"].set_index("criterion")
    assert grades.loc[EIGHT, "raw"].tolist() == ["5", "4", "NA", "NA", "3", "2", "1", "2"]
    assert grades.loc[EIGHT, "score"].isna().tolist() == [False] * 2 + [True] * 2 + [False] * 4
    assert grades.loc[["global_structure", "fine_detail"], "score"].tolist() == [0, 5]
    assert made["ratings"]["status"].eq("ok").all()
    (rater,) = made["raters"].to_dict("records")
    assert (rater["kind"], rater["attention"], rater["language"]) == ("human", True, "Japanese")
    assert len(made["assignments"]) == 12
    page.write(tmp_path / "out", "p-1")
    for name in TABLES:
        pd.testing.assert_frame_equal(tables.read(tmp_path / "out", name), made[name])
    kept, excluded = apply_rules({**made, "questions": study["questions"]})
    assert excluded.empty
    assert len(kept["answers"]) == 3


def test_what_is_open_is_missing_and_never_guessed(make_page):
    page = make_page()
    click(page, "Yes", "Next", "Clip 1", "Next", "1 (best)")
    made = page.to_tables()
    assert made["rankings"].empty
    assert made["ratings"]["status"].eq("missing").all()
    assert len(made["ratings"]) == 10
    assert pd.isna(made["raters"]["attention"].item())


def test_a_missed_attention_check_is_recorded(make_page):
    page = make_page()
    page.show(3)
    click(page, "Agree")
    assert not page.to_tables()["raters"]["attention"].item()


def test_going_on_is_refused_while_something_is_open(make_page):
    page = make_page()
    click(page, "Next")
    assert "<h3>1 of 6</h3>" in text(page)
    assert "still open" in text(page)


def test_a_page_goes_on_where_the_last_one_stopped(make_page):
    page = make_page()
    click(page, "Yes", "Next", "Clip 1")
    again = make_page()
    assert "<h3>2 of 6</h3>" in text(again)
    assert "<b>2 of 6</b> answered" in text(again)
    click(again, "Clip 3")
    assert again.replies.given(1, "") == "1,3"


def test_undo_brings_the_reply_before_it_back(make_page):
    page = make_page()
    click(page, "Yes", "No", "Next", "Clip 2", "Undo")
    assert page.replies.given(1, "") == ""
    click(page, "Undo")
    assert page.replies.given(0, "") == "yes"
    assert "<h3>1 of 6</h3>" in text(page)
    click(page, "Undo", "Undo")
    assert page.replies.latest is None
    assert make_page().replies.latest is None


def test_back_shows_the_reply_that_stands_and_next_finds_what_is_open(make_page):
    page = make_page()
    click(page, "Yes", "Next", "Clip 2", "Next", "Back", "Back")
    lit = [b.description for b in buttons(page) if b.button_style == "primary"]
    assert lit == ["Yes"]
    click(page, "Next")
    assert "<h3>3 of 6</h3>" in text(page)


def test_blinded_people_are_not_told_the_country(make_page):
    page = make_page(blinded=True)
    for number in range(6):
        page.show(number)
        words = re.sub(r'(src|style)="[^"]*"', "", text(page))
        assert names_no_country(words), number
    assert page.to_tables()["raters"]["blinded"].item()
    page.show(4)
    assert "Taiko drums in ▢" in text(page)


def test_what_comes_from_outside_is_shown_as_text(make_page):
    page = make_page()
    assert "A &lt;b&gt;Japanese&lt;/b&gt; tea room" in text(page)
    assert "&lt;script&gt;mat" in text(page)
    assert "<script" not in text(page)


def test_a_clip_that_vanished_is_said_and_can_be_passed(make_page, tmp_path):
    (tmp_path / "drum-A.mp4").unlink()
    page = make_page()
    page.show(4)
    assert "This cannot be shown" in text(page)
    click(page, "Next")
    assert "<h3>6 of 6</h3>" in text(page)
    assert set(page.exhibits.problems) == {"drum/A"}
    ratings = page.to_tables()["ratings"]
    assert ratings.loc[ratings["video_id"].eq("drum/A"), "status"].eq("missing").all()


def test_a_reference_image_is_shown_beside_the_clip(study, sheet, path, tmp_path):
    person = Person(rater_id="p-1", country="Japan")
    page = Annotation(person, sheet, study, tmp_path, path, references={"drum": "tower.png"})
    page.show(4)
    assert text(page).count("<img ") == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rater_id": "p-2"}, "found p-2's reply 'yes'"),
        ({"shown": ["tea/A", "tea/B", "tea/C"]}, "expected p-1's replies to this sheet"),
        ({"reply": "perhaps"}, "found p-1's reply 'perhaps' at step 1, relevance, about q1"),
    ],
)
def test_a_journal_of_another_sheet_is_refused(make_page, path, change, message):
    click(make_page(), "Yes")
    path.write_text(json.dumps(json.loads(path.read_text()) | change) + "\n")
    with pytest.raises(DataError, match=re.escape(message)):
        make_page()


def test_a_line_cut_short_by_a_crash_is_dropped(make_page, path):
    click(make_page(), "Yes", "No")
    path.write_bytes(path.read_bytes()[:-20])
    page = make_page()
    assert page.replies.given(0, "") == "yes"
    click(page, "No")
    assert make_page().replies.given(0, "") == "no"


@pytest.mark.parametrize(
    ("break_", "message"),
    [
        (lambda sheet: sheet.assign(rater_id=["a"] + ["b"] * 11), "found the raters a, b, expected one"),
        (lambda sheet: sheet.assign(prompt_id=sheet["prompt_id"].replace("tea", "te")), "the prompt 'te'"),
        (lambda sheet: sheet.assign(question_id=sheet["question_id"].replace("q1", "q")), "question 'q'"),
        (lambda sheet: sheet.assign(video_id=sheet["video_id"].replace("tea/A", "tea/Z")), "clip 'tea/Z'"),
        (
            lambda sheet: sheet.assign(tier=sheet["tier"].replace("relevance", "rating")),
            "the tier rating for",
        ),
        (lambda sheet: sheet.head(0), "found the raters of no row"),
    ],
)
def test_a_sheet_that_does_not_fit_the_study_is_refused(study, sheet, path, tmp_path, break_, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        Annotation(Person(rater_id="p", country="Japan"), break_(sheet), study, tmp_path, path)


def test_a_landmark_without_photograph_is_refused(study, sheet, path, tmp_path):
    del study["landmarks"]
    with pytest.raises(ValueError, match="the prompt 'tower' has no photograph"):
        Annotation(Person(rater_id="p", country="Japan"), sheet, study, tmp_path, path)
