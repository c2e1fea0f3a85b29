"""Surveys that a study file names, read by the command line."""

import pandas as pd
import pytest

from helpers import study as studies
from helpers import tables
from helpers.checking import DataError
from helpers.people import __main__ as command
from helpers.people.assignment import culturevidbench_sheets
from helpers.people.surveys import unread
from helpers.published import CRITERIA

CODES = {criterion: str(code) for code, criterion in enumerate(CRITERIA, start=1)}
MAPPING = """
name: ethiopia
rater: PROLIFIC_PID
country: Ethiopia
sheet_column: sheet
ratings:
  columns: "{step}_{position}_R_{criterion}"
  criteria:
"""
MAPPING += "".join(f"    {criterion}: {code}\n" for criterion, code in CODES.items())


@pytest.fixture
def study(culturevidbench_study, tmp_path, monkeypatch):
    """The study's folder with prompts and clips, and what was shown to one rater."""
    monkeypatch.setattr(studies, "STUDIES", tmp_path / "studies")
    prompts, videos = culturevidbench_study
    folder = tmp_path / "studies" / "small"
    tables.write(folder, "prompts", prompts)
    tables.write(folder, "videos", videos)
    return folder


@pytest.fixture
def write(study, tmp_path):
    def make(surveys: str) -> tuple[str, studies.Study]:
        path = tmp_path / "study.yaml"
        path.write_text(f"name: small\nseed: 1\nsurveys: {surveys}\n", encoding="utf-8")
        return str(path), studies.load(path)

    return make


@pytest.fixture
def survey(culturevidbench_study, write_qualtrics, write_prolific, tmp_path):
    """The entry of a Qualtrics survey that one person answered, one left half done."""
    sheets = culturevidbench_sheets(*culturevidbench_study, seed=3, raters=1)
    rated = sheets[sheets["tier"].eq("rating")]
    answers = {
        f"{row.step}_{row.position}_R_{code}": "3" for row in rated.itertuples() for code in CODES.values()
    }
    people = [{"PROLIFIC_PID": "abc", "sheet": "Ethiopia-1"} | answers]
    people.append({"PROLIFIC_PID": "def", "sheet": "Ethiopia-1", "Finished": "False"})
    export = write_qualtrics(people)
    row = {"Status": "APPROVED", "Nationality": "Ethiopia", "Country of residence": "Ethiopia"}
    prolific = write_prolific([{"Participant id": "abc", "Language": "Amharic"} | row])
    (tmp_path / "mapping.yaml").write_text(MAPPING, encoding="utf-8")
    sheets.to_csv(tmp_path / "sheets.csv", index=False)
    return (
        f"{{name: main, file: {export}, format: qualtrics, mapping: {tmp_path / 'mapping.yaml'}, "
        f"sheets: {tmp_path / 'sheets.csv'}, prolific: {prolific}}}"
    )


def test_a_survey_becomes_parts_of_the_studys_tables(write, survey, study, capsys):
    file, loaded = write(f"[{survey}]")
    assert unread(loaded.surveys, study) == loaded.surveys
    assert command.main([file]) == 0
    ratings, raters = tables.read(study, "ratings"), tables.read(study, "raters")
    assert len(ratings) == 14 * 7 * 8
    assert raters[["rater_id", "native"]].to_numpy().tolist() == [["ethiopia-1", True]]
    said = capsys.readouterr().out
    assert "784 ratings" in said
    assert "set aside: 1 of responses" in said
    assert "abc" not in said
    log = pd.read_csv(study / "logs" / "survey-main-excluded.csv")
    assert log["reason"].tolist() == ["not finished"]
    assert unread(loaded.surveys, study) == []
    assert command.main([file]) == 0
    pd.testing.assert_frame_equal(tables.read(study, "ratings"), ratings)


def test_tables_that_are_tables_already(write, study, tmp_path, culturevidbench_study):
    clip = culturevidbench_study[1]["video_id"].iloc[0]
    rows = pd.DataFrame(
        {"video_id": clip, "criterion": ["realism", "text_rendering"], "rater_id": "r1", "score": ["4", ""]}
    )
    rows.assign(status="ok").to_csv(tmp_path / "ratings.csv", index=False)
    (tmp_path / "raters.csv").write_text("rater_id,kind,country,native\nr1,human,Ethiopia,true\n")
    entries = [
        f"{{name: lab, file: {tmp_path / name}.csv, format: table, table: {name}}}"
        for name in ("ratings", "raters")
    ]
    file, _ = write(f"[{', '.join(entries)}]")
    assert command.main([file]) == 0
    assert tables.read(study, "ratings")["score"].tolist() == [4, pd.NA]
    assert tables.read(study, "raters")["native"].tolist() == [True]


def test_what_would_spoil_a_table_is_refused_and_the_others_are_read(write, survey, study, tmp_path, capsys):
    (tmp_path / "raters.csv").write_text("rater_id,kind\nethiopia-1,human\n")
    (tmp_path / "ratings.csv").write_text(
        "video_id,criterion,rater_id,score,status\nno such clip,realism,r1,4,ok\n"
    )
    entries = [
        f"{{name: {name}, file: {tmp_path / name}.csv, format: table, table: {name}}}"
        for name in ("raters", "ratings")
    ]
    file, _ = write(f"[{survey}, {', '.join(entries)}]")
    assert command.main([file]) == 2
    said = capsys.readouterr().err
    assert "'rater_id': 'ethiopia-1'} in 'raters', which" in said
    assert "'no such clip'; expected clips of its table videos" in said
    assert len(tables.read(study, "ratings")) == 784


def test_a_survey_does_not_replace_a_judges_rows(write, survey, study, culturevidbench_study, capsys):
    clip = culturevidbench_study[1]["video_id"].iloc[0]
    said = {"video_id": [clip], "criterion": ["realism"], "rater_id": ["Survey main"], "score": [4]}
    tables.write(study, "ratings", pd.DataFrame(said).assign(status="ok"), part="survey-main")
    judge = pd.DataFrame({"rater_id": ["Survey main"], "kind": ["judge"]})
    tables.write(study, "raters", judge, part="survey-main")
    file, _ = write(f"[{survey}]")
    assert command.main([file]) == 2
    assert "the survey 'main' would replace rows of 'Survey main' in " in capsys.readouterr().err
    assert tables.read(study, "raters")["rater_id"].tolist() == ["Survey main"]
    assert tables.read(study, "ratings")["rater_id"].tolist() == ["Survey main"]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{name: a, file: a.csv, format: qualtrics}", "needs the key 'mapping'"),
        (
            "{name: a, file: a.csv, format: table, table: raters, mapping: m}",
            "found the key 'mapping', which",
        ),
        ("{name: a, file: a.csv, format: table, table: rating}", "did you mean 'ratings'?"),
        ("{name: a, file: a.csv, format: qualtrix}", "did you mean 'qualtrics'?"),
        (
            "{name: a, file: a.csv, formt: table}",
            "line 3: unknown key 'surveys.0.formt'; did you mean 'format'?",
        ),
        (
            "{name: a, file: a.csv, format: table, table: raters}, "
            "{name: a, file: b.csv, format: table, table: raters}",
            "found the survey 'a' twice",
        ),
    ],
)
def test_entries_that_make_no_sense(write, entry, message):
    with pytest.raises(DataError) as error:
        write(f"[{entry}]")
    assert message in str(error.value)


def test_a_file_that_is_not_there_is_named(write, capsys):
    file, _ = write("[{name: a, file: gone.csv, format: table, table: raters}]")
    assert command.main([file]) == 2
    assert "gone.csv: no such file" in capsys.readouterr().err
    assert command.main([file, "--survey", "b"]) == 2
    assert "has no survey 'b'" in capsys.readouterr().err
