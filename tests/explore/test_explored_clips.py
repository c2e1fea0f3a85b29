import pandas as pd
import pytest

from explore.explore_study import write_landmark_study
from helpers import tables
from helpers.checking import DataError
from helpers.explore.clips import FILTERS, ORDERS, Clips, judge_names, narrowed, ordered
from helpers.explore.said import measured, missing, said_of
from helpers.explore.studies import benchmarks_of, found_study, studies_in
from helpers.reports.judged import open_judged
from helpers.results import page as pages


@pytest.fixture
def folder(tmp_path):
    return write_landmark_study(tmp_path / "A pier")


@pytest.fixture
def places(folder):
    return Clips(open_judged(found_study(folder), "landmarks"))


def gaps(clips, video_id):
    return missing(clips, video_id, said_of(clips, video_id), measured(clips, video_id))


def test_studies_are_folders_with_tables(tmp_path, folder):
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    assert studies_in(tmp_path) == [folder]
    assert studies_in(tmp_path / "nowhere") == []


def test_a_study_has_the_benchmarks_of_its_clips(folder, traps):
    assert benchmarks_of(folder) == ["landmarks"]
    assert benchmarks_of(traps) == ["culturescore", "culturevidbench"]
    (folder / "tables" / "videos.parquet").write_bytes(b"PAR1")
    with pytest.raises(DataError, match=r"videos\.parquet"):
        benchmarks_of(folder)


def test_scores_and_distances_are_those_worked_out_by_hand(places):
    # Judge a: (5 + 5) / 2 / 5 = 1 and (1 + 2) / 2 / 5 = 0.3. The person: (0 + 5) / 2 / 5 = 0.5, which is 0.5
    # from 1. Judge b: (4 + 5) / 2 / 5 = 0.9, which is 0.1 from 1.
    table = places.table.set_index("video_id")
    assert table["score"].tolist()[:2] == pytest.approx([1, 0.3])
    assert table["from_people"].tolist()[:2] == pytest.approx([0.5, 0])
    assert table["from_judges"].tolist()[:2] == pytest.approx([0.1, 0])
    assert table.loc[["third", "gone"], ["score", "from_people", "from_judges"]].isna().all(axis=None)
    assert set(table["group"]) == {"Pier"}


def test_another_judge_sorts_by_its_own_scores(folder):
    table = Clips(open_judged(found_study(folder), "landmarks"), "judge b").table
    assert table["score"].tolist()[:2] == pytest.approx([0.9, 0.3])
    assert table["from_people"].tolist()[0] == pytest.approx(0.4)


EXPECTED = {
    "lowest score first": ["second", "first", "third", "gone"],
    "highest score first": ["first", "second", "third", "gone"],
    "judge and people furthest apart first": ["first", "second", "third", "gone"],
    "judges furthest apart first": ["first", "second", "third", "gone"],
    "as in the table": ["first", "second", "third", "gone"],
}


@pytest.mark.parametrize("order", ORDERS)
def test_clips_without_the_value_come_last(places, order):
    assert list(ordered(places.table, order)["video_id"]) == EXPECTED[order]


@pytest.mark.parametrize("column", FILTERS)
def test_narrowing_keeps_the_rows_of_a_value_and_nothing_else(grades, column):
    table = grades.table
    value = table[column].iloc[0]
    left = narrowed(table, {column: value})
    assert set(left[column]) == {value}
    assert len(left) + table[column].ne(value).sum() == len(table)
    assert narrowed(table, {column: ""}).equals(table)


def test_people_sort_where_there_is_no_judge(folder):
    ratings = tables.read(folder, "ratings").query("rater_id == 'person'")
    tables.write(folder, "ratings", ratings)
    clips = Clips(open_judged(found_study(folder), "landmarks"))
    assert clips.judge is None
    assert judge_names(clips.judged) == {}
    assert clips.table["score"].tolist()[:2] == pytest.approx([0.5, 0.3])
    assert "No judge has a row in the study's table 'ratings'." in gaps(clips, "first")


def test_clips_that_nobody_judged_are_listed(folder):
    (folder / "tables" / "ratings.parquet").unlink()
    clips = Clips(open_judged(found_study(folder), "landmarks"))
    assert len(clips.table) == 4
    assert clips.table["score"].isna().all()
    assert gaps(clips, "first")[0] == "No judge has a row in the study's table 'ratings'."


def test_an_unknown_judge_is_refused(folder):
    with pytest.raises(ValueError, match="did you mean 'judge a'"):
        Clips(open_judged(found_study(folder), "landmarks"), "judge aa")


def test_every_reply_has_its_cell_and_every_judge_a_column(places):
    said = said_of(places, "first")
    assert [voice.title for voice in said.voices] == ["judge a", "judge b", "person"]
    assert list(said.items["item"]) == ["global_structure", "fine_detail"]
    assert {key: row.said for key, row in said.cells.items() if key[0] == "global_structure"} == {
        ("global_structure", "judge a"): "5 of 5",
        ("global_structure", "judge b"): "4 of 5",
        ("global_structure", "person"): "0 of 5",
    }
    assert said.lacking == {}


def test_a_clips_replies_are_those_on_the_disk_and_read_once(grades, traps, monkeypatch):
    read, asked = pages.read_about, []

    def counted(folder, name, clips):
        asked.append((name, *clips))
        return read(folder, name, clips)

    monkeypatch.setattr(pages, "read_about", counted)
    clip = grades.table["video_id"].iloc[3]
    said = said_of(grades, clip)
    rows = tables.read(traps, "ratings").query("video_id == @clip and raw.notna()")
    expected = {tuple(row) for row in rows[["rater_id", "raw"]].itertuples(index=False)}
    assert {tuple(row) for row in said.replies[["rater_id", "raw"]].itertuples(index=False)} == expected
    assert len(expected) == 2
    assert asked == [("ratings", clip)]


def test_what_a_clip_lacks_is_said(places):
    assert gaps(places, "first") == ["The study has no metric values for this benchmark."]
    assert gaps(places, "third")[:3] == [
        "judge a: of 2 items missing 2.",
        "judge b: of 2 items missing 2.",
        "No person has said anything of this clip in the table 'ratings'.",
    ]
    assert gaps(places, "gone")[0] == "The clip: blocked (a filter said no)."


def test_questions_come_by_dimension_with_everything_that_cannot_be_counted(questions):
    clips = questions.judged.page.tables["answers"]
    lost = clips[clips["status"].eq("unscored") & clips["rater_id"].eq("judge two")]["video_id"].iloc[0]
    said = said_of(questions, lost)
    assert list(said.items["criterion"]) == ["identity", "behavior", "context"]
    assert any("judge two: of 3 items unscored" in gap for gap in gaps(questions, lost))
    assert "Nobody has ranked the clips of this prompt." in gaps(questions, lost)


def test_silent_clips_miss_no_grade_of_their_sound(grades):
    clip = grades.table["video_id"].iloc[0]
    said = said_of(grades, clip)
    assert len(said.items) == 8
    assert set(said.lacking) == {("audio_alignment", voice.rater_id) for voice in said.voices[:2]}
    assert not any("of 8 items" in gap for gap in gaps(grades, clip))


def test_metrics_without_a_value_or_row_are_named(questions):
    first, second = questions.table["video_id"].iloc[:2]
    values = measured(questions, first).set_index("metric")["status"]
    assert values.to_dict() == {"<b>own</b>": "ok", "motion": "failed"}
    assert "Metrics without a value: motion (failed)." in gaps(questions, first)
    assert "Metrics without a value: <b>own</b> (no row)." in gaps(questions, second)


def test_a_clip_has_only_its_own_rows(questions):
    table = questions.judged.page.tables["answers"]
    clip = table["video_id"].iloc[-1]
    found = questions.one(clip).page.tables["answers"]
    expected = table[table["video_id"].eq(clip)]
    pd.testing.assert_frame_equal(found, expected)
