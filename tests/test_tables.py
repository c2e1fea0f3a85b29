import pandas as pd
import pandera.pandas as pa
import pytest

from helpers import schemas, tables
from helpers.checking import DataError
from helpers.published import CRITERIA


def example(name):
    """Two valid rows of a table, filled from its own declaration."""
    declared = schemas.TABLES[name]
    values = {
        "country": ["Japan", "South Africa"],
        "status": ["ok", "ok"],
        "criterion": ["realism", "text_rendering"],
        "score": [3, 5],
        "answer": [True, False],
        "tier": ["relevance", "accuracy"],
    }
    frame = {}
    for column, kind in declared.columns.items():
        if column in values:
            frame[column] = values[column]
        elif str(kind.dtype) == "boolean":
            frame[column] = [True, False]
        elif str(kind.dtype) in ("Int64", "float64"):
            frame[column] = [1, 2]
        elif allowed := kind.checks[0].statistics.get("allowed_values"):
            frame[column] = [allowed[0], allowed[-1]]
        else:
            frame[column] = [f"{column} 1", f'{column} 2, "ü"\n']
    return pd.DataFrame(frame)


@pytest.mark.parametrize("name", schemas.TABLES)
def test_every_table_reads_as_it_was_written(tmp_path, name):
    frame = example(name)
    path = tables.write(tmp_path, name, frame)
    assert path == tmp_path / "tables" / f"{name}.parquet"
    pd.testing.assert_frame_equal(tables.read(tmp_path, name), frame, check_dtype=False)
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("name", schemas.TABLES)
def test_columns_that_may_be_empty_may_be_left_out_and_come_back_typed(tmp_path, name):
    declared = schemas.TABLES[name].columns
    needed = [column for column, kind in declared.items() if not kind.nullable]
    frame = example(name)
    if name == "assignments":
        needed += ["prompt_id", "video_id"]
    if name in ("answers", "ratings", "metric_values"):
        frame["status"] = "missing"
    tables.write(tmp_path, name, frame[needed])
    back = tables.read(tmp_path, name)
    assert list(back) == list(declared)
    assert back.drop(columns=needed).isna().all(axis=None)
    assert {column: pa.Column(back[column].dtype).dtype for column in back} == {
        column: kind.dtype for column, kind in declared.items()
    }


@pytest.mark.parametrize("name", schemas.TABLES)
def test_a_repeated_key_is_refused(name):
    frame = example(name).iloc[[0, 0]]
    with pytest.raises(DataError, match="is used by an earlier row; expected each key once"):
        schemas.check(name, frame, "here")


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("prompts", {"country": "USA"}, "found USA, .*short English name.*did you mean 'United States'"),
        ("prompts", {"country": "Brasil"}, "found Brasil, .*short English name.*did you mean 'Brazil'"),
        ("landmarks", {"country": "SOUTH AFRCA"}, "found SOUTH AFRCA, .*did you mean 'South Africa'"),
        (
            "raters",
            {"country": "xyz"},
            r"found xyz, expected a country's short English name \('South Africa'\)",
        ),
        ("prompts", {"country": None}, r"column 'country': found nothing, expected a value\n"),
        ("prompts", {"variant": "bse"}, "found bse, .*did you mean 'base'"),
        ("prompts", {"aspect": "weding"}, "did you mean 'wedding'"),
        ("questions", {"dimension": "behaviour"}, "did you mean 'behavior'"),
        ("questions", {"weight": 11}, "column 'weight': found 11, expected a whole number from 1 to 10"),
        ("questions", {"weight": 2.5}, "'weight'.*whole number"),
        ("landmarks", {"lat": 91}, "expected a number from -90 to 90"),
        ("raters", {"kind": "person"}, "expected one of human, judge, simulated"),
        ("raters", {"native": "perhaps"}, "found 'perhaps', expected true or false"),
        ("relevance", {"relevant": None}, "column 'relevant': found nothing, expected a value"),
        ("ratings", {"score": 3.5}, "'score'.*expected a whole number from 0 to 5"),
        ("ratings", {"score": 6}, "found 6, expected a whole number from 0 to 5"),
        ("ratings", {"score": 0}, "expected a score of at least 1"),
        ("ratings", {"score": None}, "only text_rendering and audio_alignment may be 'not applicable'"),
        ("ratings", {"status": "missing"}, "expected a score only where the status is ok"),
        ("answers", {"answer": None}, "expected an answer where the status is ok, and nowhere else"),
        ("answers", {"status": "unscored"}, "expected an answer where the status is ok, and nowhere else"),
        ("metric_values", {"value": None}, "expected a value where the status is ok"),
        ("rankings", {"rank": 0}, "expected a whole number from 1"),
        ("assignments", {"video_id": None}, "a prompt and a clip, except in an attention check"),
        ("assignments", {"tier": "attention"}, "a prompt and a clip, except in an attention check"),
        ("videos", {"status": "done"}, "expected one of ok, unscored, failed, blocked, missing"),
    ],
)
def test_a_value_that_does_not_fit_is_named(tmp_path, name, change, message):
    with pytest.raises(DataError, match=message) as raised:
        tables.write(tmp_path, name, example(name).assign(**change))
    assert f"{name}.parquet" in str(raised.value)
    assert "row 2" in str(raised.value)
    assert not (tmp_path / "tables").exists()


def test_a_long_reply_is_cut_where_a_row_contradicts_itself():
    reply = "yes, since " * 10_000
    rows = example("answers").assign(status="unscored", raw=reply)
    with pytest.raises(DataError) as error:
        schemas.check("answers", rows, "answers.parquet")
    message = str(error.value)
    assert "answers.parquet: row 2: found {'video_id': 'video_id 1'" in message
    assert f"'raw': '{reply[:80]}…'" in message
    assert "expected an answer where the status is ok, and nowhere else (2 such rows)" in message
    assert len(message) < 1000


def test_not_applicable_is_kept_apart_from_missing_and_unscored(tmp_path):
    ratings = pd.DataFrame(
        [
            ("a", "text_rendering", "r", None, "ok"),
            ("b", "text_rendering", "r", None, "missing"),
            ("c", "text_rendering", "r", None, "unscored"),
            ("d", "fine_detail", "r", 0, "ok"),
        ],
        columns=["video_id", "criterion", "rater_id", "score", "status"],
    )
    tables.write(tmp_path, "ratings", ratings)
    back = tables.read(tmp_path, "ratings")
    not_applicable = back["status"].eq("ok") & back["score"].isna()
    assert list(back.loc[not_applicable, "video_id"]) == ["a"]


def test_a_misspelt_optional_column_is_not_taken_for_a_missing_one():
    with pytest.raises(DataError, match="column 'scenaro_id' is not expected; did you mean 'scenario_id'"):
        schemas.check("prompts", example("prompts").rename(columns={"scenario_id": "scenaro_id"}), "here")


def test_a_failed_write_leaves_the_old_table(tmp_path, monkeypatch):
    path = tables.write(tmp_path, "rankings", example("rankings"))
    before = path.read_bytes()
    with pytest.raises(DataError):
        tables.write(tmp_path, "rankings", example("rankings").assign(rank=0))

    def full(*_, **__):
        raise OSError("No space left on device")

    monkeypatch.setattr("pandas.DataFrame.to_parquet", full)
    with pytest.raises(OSError, match="No space left"):
        tables.write(tmp_path, "rankings", example("rankings").head(1))
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_a_table_without_rows_is_a_table(tmp_path):
    tables.write(tmp_path, "ratings", example("ratings").head(0))
    assert len(tables.read(tmp_path, "ratings")) == 0


def test_files_that_are_absent_or_damaged_are_named(tmp_path):
    with pytest.raises(DataError, match=r"ratings\.parquet: no such file; expected the study's table"):
        tables.read(tmp_path, "ratings")
    path = tables.write(tmp_path, "ratings", example("ratings"))
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DataError, match=r"ratings\.parquet: not a readable Parquet file"):
        tables.read(tmp_path, "ratings")


@pytest.mark.parametrize("act", [tables.read, lambda study, name: tables.write(study, name, pd.DataFrame())])
def test_an_unknown_table_is_named_with_the_nearest(tmp_path, act):
    with pytest.raises(ValueError, match="no table 'rating'; did you mean 'ratings'"):
        act(tmp_path, "rating")


def test_parts_are_one_table_and_writing_one_leaves_the_others(tmp_path):
    rows = example("prompts")
    assert not tables.exists(tmp_path, "prompts")
    tables.write(tmp_path, "prompts", rows.tail(1), part="landmarks")
    path = tables.write(tmp_path, "prompts", rows.tail(1), part="culturescore")
    assert path == tmp_path / "tables" / "prompts" / "culturescore.parquet"
    tables.write(tmp_path, "prompts", rows.head(1), part="culturescore")
    assert tables.exists(tmp_path, "prompts")
    pd.testing.assert_frame_equal(tables.read(tmp_path, "prompts"), rows, check_dtype=False)
    assert len(list(path.parent.iterdir())) == 2


def test_parts_keep_the_declared_types_where_one_of_them_is_empty(tmp_path):
    rows = example("questions")
    tables.write(tmp_path, "questions", rows.assign(weight=None).head(1), part="a")
    tables.write(tmp_path, "questions", rows.head(0), part="b")
    back = tables.read(tmp_path, "questions")
    assert len(back) == 1
    assert str(back["weight"].dtype) == "Int64"


def test_a_key_that_two_parts_share_is_named(tmp_path):
    for part in ("a", "b"):
        tables.write(tmp_path, "prompts", example("prompts"), part=part)
    with pytest.raises(DataError, match=r"tables/prompts: 2 problems\n  - row 4: the key .*prompt_id 1"):
        tables.read(tmp_path, "prompts")


def test_a_bad_part_is_named_by_its_file(tmp_path):
    path = tables.write(tmp_path, "ratings", example("ratings"), part="a")
    path.write_bytes(b"no table")
    with pytest.raises(DataError, match=r"ratings/a\.parquet: not a readable Parquet file"):
        tables.read(tmp_path, "ratings")


@pytest.mark.parametrize(("first", "second"), [(None, "a"), ("a", None)])
def test_a_table_is_in_one_file_or_in_parts(tmp_path, first, second):
    rows = example("prompts")
    kept = tables.write(tmp_path, "prompts", rows, part=first)
    with pytest.raises(DataError, match="expected the table 'prompts' in one file or in parts, not both"):
        tables.write(tmp_path, "prompts", rows, part=second)
    assert list((tmp_path / "tables").rglob("*.parquet")) == [kept]
    other = tables.table_path(tmp_path, "prompts", second)
    other.parent.mkdir(exist_ok=True)
    other.write_bytes(kept.read_bytes())
    with pytest.raises(DataError, match="not both"):
        tables.read(tmp_path, "prompts")


@pytest.mark.parametrize("part", ["", "Landmarks", "../a", "a.b", "-a"])
def test_a_part_has_a_plain_name(tmp_path, part):
    with pytest.raises(ValueError, match="expected small letters, digits and hyphens"):
        tables.write(tmp_path, "prompts", example("prompts"), part=part)


def test_culturevidbench_criteria_run_from_one_and_landmark_criteria_from_zero():
    """CultureVidBench, 4.3: a 1-5 Likert scale; GAP, 3.2: whole numbers from 0 to 5."""
    assert {schemas.SCALES[criterion] for criterion in CRITERIA} == {(1, 5)}
    assert {schemas.SCALES[criterion] for criterion in schemas.LANDMARK_CRITERIA} == {(0, 5)}


def test_statistics_leave_what_judges_wrote_on_the_disk(tmp_path):
    rows = pd.DataFrame({"video_id": ["a", "b"], "question_id": "q", "rater_id": "r", "answer": [True, None]})
    rows = rows.assign(status=["ok", "unscored"], raw="yes, since …", reasoning="…", settings="{}")
    tables.write(tmp_path, "answers", rows.head(1), part="first")
    tables.write(tmp_path, "answers", rows.tail(1), part="second")
    whole, light = tables.read(tmp_path, "answers"), tables.read(tmp_path, "answers", texts=False)
    assert set(whole) - set(light) == {"raw", "reasoning", "settings"}
    pd.testing.assert_frame_equal(light, whole[list(light)])
    assert tables.columns_of(tables.table_path(tmp_path, "answers", "first")) == list(whole)


@pytest.fixture
def replies(tmp_path):
    """Twelve answers about four clips, in two parts."""
    rows = pd.DataFrame({"video_id": list("abcd") * 3, "question_id": list("aaaabbbbcccc"), "rater_id": "r"})
    rows = rows.assign(answer=True, status="ok", raw="yes", reasoning=[f"since {n}" for n in range(12)])
    tables.write(tmp_path, "answers", rows.tail(7), part="second")
    tables.write(tmp_path, "answers", rows.head(5), part="first")
    return tmp_path


@pytest.mark.parametrize("piece", [2, 5, 100])
def test_rows_about_clips_are_those_of_the_whole_table(replies, monkeypatch, piece):
    monkeypatch.setattr(tables, "_PIECE", piece)
    whole = tables.read(replies, "answers")
    for clips in (["a"], {"d", "b", "absent"}, pd.Series(["c"]), []):
        expected = whole[whole["video_id"].isin(clips)].reset_index(drop=True)
        pd.testing.assert_frame_equal(tables.read_about(replies, "answers", clips), expected)


def test_rows_about_clips_are_checked(replies):
    path = tables.table_path(replies, "answers", "first")
    pd.read_parquet(path).assign(raw="").to_parquet(path)
    assert len(tables.read(replies, "answers", texts=False)) == 12
    with pytest.raises(DataError, match=r"first\.parquet, rows about chosen clips: row 2, column 'raw'"):
        tables.read_about(replies, "answers", ["b"])
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DataError, match=r"first\.parquet: not a readable Parquet file"):
        tables.read_about(replies, "answers", ["b"])
    with pytest.raises(DataError, match=r"ratings\.parquet: no such file"):
        tables.read_about(replies, "ratings", ["b"])


def test_a_file_that_is_no_table_is_named_without_its_texts_too(tmp_path):
    path = tables.table_path(tmp_path, "answers")
    path.parent.mkdir(parents=True)
    path.write_bytes(b"no parquet")
    with pytest.raises(DataError, match="not a readable Parquet file"):
        tables.read(tmp_path, "answers", texts=False)


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[: len(content) // 2],
        lambda content: b"",
        lambda content: content[:4] + bytes([255]) * (len(content) // 4) + content[4 + len(content) // 4 :],
    ],
    ids=["cut", "empty", "overwritten"],
)
def test_a_damaged_part_is_named_once_with_what_to_do(tmp_path, damage):
    rows = pd.DataFrame({"rater_id": [f"rater {number}" for number in range(999)], "kind": "judge"})
    path = tables.write(tmp_path, "raters", rows, part="a")
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(
        DataError, match=r"not a readable Parquet file .*; restore it from a copy, or del"
    ) as error:
        tables.read_part(path)
    assert str(error.value).count(str(path)) == 1
