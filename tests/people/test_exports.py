import random

import pandas as pd
import pytest

from helpers.checking import DataError
from helpers.people.assignment import culturescore_sheets, culturevidbench_sheets
from helpers.people.exports import read_survey
from helpers.people.mapping import load_mapping
from helpers.published import CRITERIA
from helpers.schemas import MAY_BE_NA

CODES = {criterion: str(code) for code, criterion in enumerate(CRITERIA, start=1)}
LABELS = {"Very poor": 1, "Poor": 2, "Fair": 3, "Good": 4, "Excellent": 5}
TRIPLETS = """
name: main
rater: PROLIFIC_PID
country_column: cohort
sheet_column: sheet
blinded_column: arm
consent: {column: Q_consent, accept: ["I understand, and I agree", "1"]}
attention:
  - {column: Q_check1, accept: [Strongly disagree, "1"]}
  - {column: Q_check2, accept: [Strongly disagree, "1"]}
duration: {at_least: 300}
relevance: "T{step}_relevant"
ranking: "T{step}_rank_{position}"
clips: {Video A: 1, Video B: 2, Video C: 3}
"""
JOINED = TRIPLETS + 'accuracy: {columns: "T{step}_true", none: "None of the clips"}\n'
SPLIT = TRIPLETS + 'accuracy: {columns: "T{step}_true_{position}", none: "4"}\n'
RATINGS = """
name: ethiopia
rater: PROLIFIC_PID
country: Ethiopia
sheet_column: sheet
ratings:
  columns: "{step}_{position}_R_{criterion}"
  labels: {Very poor: 1, Poor: 2, Fair: 3, Good: 4, Excellent: 5}
  not_applicable: [Not applicable]
  criteria:
"""
RATINGS += "".join(f"    {criterion}: {code}\n" for criterion, code in CODES.items())


@pytest.fixture
def mapping(tmp_path):
    def make(text):
        path = tmp_path / "survey.yaml"
        path.write_text(text, encoding="utf-8")
        return load_mapping(path)

    return make


@pytest.fixture(scope="module")
def triplets(culturescore_study):
    """The sheets, the clips, and what the raters of two sheets mean to answer, drawn at random."""
    prompts, questions, videos = culturescore_study
    sheets = culturescore_sheets(prompts, questions, videos, seed=7, raters=2)
    draw = random.Random(7)
    meant = {}
    for (rater, step), clips in sheets[sheets["tier"].eq("accuracy")].groupby(["rater_id", "step"]):
        ticked = {position for position in clips["position"] if draw.random() < 0.4}
        meant[rater, step] = (draw.random() < 0.7, ticked, draw.sample([1, 2, 3], 3))
    return sheets, videos, meant


def person(number, sheet, meant, *, split=False, **changes):
    """A finished response, with choice texts in joined columns or with codes in split ones."""
    cells = {
        "Q_consent": "1" if split else "I understand, and I agree",
        "Q_check1": "1" if split else "Strongly disagree",
        "Q_check2": "1" if split else "Strongly disagree",
        "T1_timing_Page Submit": "73.211",
        "PROLIFIC_PID": f"{number:024x}",
        "cohort": sheet.rsplit("-", 1)[0],
        "sheet": sheet,
        "arm": "informed",
        "Finished": "1" if split else "True",
        "Status": "0" if split else "IP Address",
    }
    for (rater, step), (relevant, ticked, ranks) in meant.items():
        if rater != sheet:
            continue
        cells[f"T{step}_relevant"] = {True: "1", False: "2"}[relevant] if split else ["No", "Yes"][relevant]
        if split:
            # Unticked is blank or, where Qualtrics recodes it, 0.
            empty = "0" if step % 2 else ""
            cells |= {f"T{step}_true_{n}": str(n) if n in ticked else empty for n in (1, 2, 3)}
            cells[f"T{step}_true_4"] = "" if ticked else "4"
        else:
            names = [f"Video {'ABC'[place - 1]}" for place in sorted(ticked)]
            cells[f"T{step}_true"] = ",".join(names) or "None of the clips"
        cells |= {f"T{step}_rank_{place}": str(rank) for place, rank in enumerate(ranks, start=1)}
    return cells | changes


def expected_tables(sheets, videos, meant, names):
    """The tables that the meant answers make, computed from the sheets and nothing else."""
    model = videos.set_index("video_id")["model"]
    relevance, answers, rankings = [], [], []
    for clip in sheets.itertuples():
        if clip.rater_id not in names or clip.tier == "attention":
            continue
        rater = names[clip.rater_id]
        relevant, ticked, ranks = meant[clip.rater_id, clip.step]
        if clip.tier == "relevance" and clip.position == 1:
            relevance.append((rater, clip.question_id, relevant))
        if clip.tier == "accuracy":
            answers.append((clip.video_id, clip.question_id, rater, clip.position in ticked))
        if clip.tier == "ranking":
            rankings.append((clip.prompt_id, rater, model[clip.video_id], ranks[clip.position - 1]))
    return {
        "relevance": pd.DataFrame(relevance, columns=["rater_id", "question_id", "relevant"]),
        "answers": pd.DataFrame(answers, columns=["video_id", "question_id", "rater_id", "answer"]),
        "rankings": pd.DataFrame(rankings, columns=["prompt_id", "rater_id", "model", "rank"]),
    }


def assert_same_rows(found, expected):
    columns = list(expected)
    pd.testing.assert_frame_equal(
        found[columns].sort_values(columns).reset_index(drop=True),
        expected.sort_values(columns).reset_index(drop=True),
        check_dtype=False,
    )


@pytest.mark.parametrize("split", [False, True], ids=["choice texts, joined", "codes, split"])
def test_a_qualtrics_file_of_triplets_round_trips(triplets, write_qualtrics, mapping, split):
    sheets, videos, meant = triplets
    names = {sheet: f"main-{n}" for n, sheet in enumerate(sheets["rater_id"].unique(), start=1)}
    path = write_qualtrics([person(n, sheet, meant, split=split) for n, sheet in enumerate(names)])

    survey = read_survey(path, mapping(SPLIT if split else JOINED), sheets, videos)

    assert survey.excluded.empty
    for name, expected in expected_tables(sheets, videos, meant, names).items():
        assert_same_rows(survey.tables[name], expected)
    assert survey.tables["answers"]["status"].eq("ok").all()
    renamed = sheets.assign(rater_id=sheets["rater_id"].map(names))
    assert_same_rows(survey.tables["assignments"], renamed.drop(columns="question_id"))
    raters = survey.tables["raters"]
    assert list(raters["country"]) == ["Japan", "Japan", "South Africa", "South Africa"]
    assert raters["attention"].all()
    assert raters["blinded"].eq(False).all()
    assert raters["native"].isna().all()


def test_an_export_without_responses_makes_empty_tables(triplets, write_qualtrics, mapping):
    sheets, videos, meant = triplets
    path = write_qualtrics([person(1, "Japan-1", meant)])
    header = path.read_text(encoding="utf-8-sig").split("R_000000000000000")[0].rsplit("\n", 1)[0] + "\n"
    path.write_text(header, encoding="utf-8")
    survey = read_survey(path, mapping(JOINED), sheets, videos)
    assert all(table.empty for table in survey.tables.values())
    assert survey.excluded.empty


def test_nothing_that_identifies_a_person_is_kept(triplets, write_qualtrics, write_prolific, mapping):
    sheets, videos, meant = triplets
    path = write_qualtrics([person(1, "Japan-1", meant), person(2, "Japan-2", meant, Finished="False")])
    people = write_prolific(
        [{"Participant id": f"{number:024x}", "Status": "APPROVED", "Sex": "Fem"} for number in (1, 2)]
    )
    survey = read_survey(path, mapping(JOINED), sheets, videos, people)
    kept = "".join(frame.to_csv() for frame in [*survey.tables.values(), survey.excluded])
    for secret in (f"{1:024x}", f"{2:024x}", "203.0.113.7", "jane.doe", "Doe", "35.6895", "R_0000", "Fem"):
        assert secret not in kept


def test_every_response_that_does_not_count_is_listed_with_its_reason(
    triplets, write_qualtrics, write_prolific, mapping
):
    sheets, videos, meant = triplets
    good = [person(1, "Japan-1", meant)]
    bad = [
        ({"Status": "Survey Preview", "PROLIFIC_PID": ""}, "Status 'Survey Preview' is not a respondent's"),
        ({"Status": "Spam"}, "Status 'Spam' is not a respondent's"),
        ({"Finished": "False", "Progress": "41"}, "not finished"),
        ({"PROLIFIC_PID": ""}, "no participant id"),
        ({"cohort": "Atlantis"}, "unknown country 'Atlantis'"),
        ({"sheet": "Japan-77"}, "unknown assignment sheet 'Japan-77'"),
        ({"Q_consent": "I do not agree"}, "no consent"),
        ({"Duration (in seconds)": "74"}, "took less than 300 seconds, or an unknown time"),
        ({"PROLIFIC_PID": "0000"}, "not among Prolific's participants"),
        ({"PROLIFIC_PID": "abc1"}, "submission RETURNED on Prolific"),
        ({"PROLIFIC_PID": f"{1:024x}"}, "the participant's second response; the first one counts"),
    ]
    bad_people = [person(n, "Japan-2", meant) | changes for n, (changes, _) in enumerate(bad, start=2)]
    people = write_prolific(
        [{"Participant id": f"{n:024x}", "Status": "AWAITING REVIEW"} for n in range(1, 20)]
        + [{"Participant id": "abc1", "Status": "RETURNED"}]
    )
    survey = read_survey(write_qualtrics(good + bad_people), mapping(JOINED), sheets, videos, people)

    assert list(survey.tables["raters"]["rater_id"]) == ["main-1"]
    assert set(survey.excluded["table"]) == {"responses"}
    # Three header rows and the good response come first.
    assert list(survey.excluded["row"]) == list(range(5, 5 + len(bad)))
    assert list(survey.excluded["reason"]) == [reason for _, reason in bad]
    assert survey.excluded["rater_id"].iloc[-1] == "main-1"
    assert survey.excluded["rater_id"].isna().sum() == 3


def test_an_unfinished_first_response_does_not_count_as_the_first(triplets, write_qualtrics, mapping):
    sheets, videos, meant = triplets
    path = write_qualtrics([person(1, "Japan-1", meant, Finished="False"), person(1, "Japan-1", meant)])
    survey = read_survey(path, mapping(JOINED), sheets, videos)
    assert len(survey.tables["raters"]) == 1
    assert list(survey.excluded["reason"]) == ["not finished"]


def test_a_failed_attention_check_is_recorded_and_its_answers_are_kept(triplets, write_qualtrics, mapping):
    sheets, videos, meant = triplets
    path = write_qualtrics(
        [person(1, "Japan-1", meant), person(2, "Japan-2", meant, Q_check2="Somewhat agree")]
    )
    survey = read_survey(path, mapping(JOINED), sheets, videos)
    assert list(survey.tables["raters"]["attention"]) == [True, False]
    assert survey.tables["answers"].groupby("rater_id").size().to_dict() == {"main-1": 27, "main-2": 27}


def test_a_survey_can_ask_who_is_native_itself(triplets, write_qualtrics, mapping):
    sheets, videos, meant = triplets
    said = {"Japan-1": "Yes", "Japan-2": "No", "South Africa-1": ""}
    path = write_qualtrics([person(n, sheet, meant, Q_native=said[sheet]) for n, sheet in enumerate(said)])
    asked = mapping(JOINED + "native: {column: Q_native, accept: [Yes]}\n")
    raters = read_survey(path, asked, sheets, videos).tables["raters"]
    assert [None if pd.isna(native) else native for native in raters["native"]] == [True, False, None]


def test_a_ranking_with_ties_or_gaps_is_set_aside_whole(triplets, write_qualtrics, mapping):
    sheets, videos, meant = triplets
    bad = {
        1: (("2", "2", "1"), "tied ranks"),
        2: (("1", "", "3"), "a rank is missing"),
        3: (("1", "2", "4"), "ranks other than 1 to 3"),
        4: (("1.5", "2", "3"), "ranks other than 1 to 3"),
        5: (("", "-99", ""), "no answer"),
    }
    cells = person(1, "Japan-1", meant)
    for step, (ranks, _) in bad.items():
        cells |= {f"T{step}_rank_{place}": rank for place, rank in enumerate(ranks, start=1)}
    survey = read_survey(write_qualtrics([cells]), mapping(JOINED), sheets, videos)

    assert set(survey.excluded["table"]) == {"rankings"}
    assert dict(zip(survey.excluded["item"], survey.excluded["reason"], strict=True)) == {
        f"T{step}_rank_1": reason for step, (_, reason) in bad.items()
    }
    assert survey.excluded["row"].eq(4).all()
    assert survey.excluded["rater_id"].eq("main-1").all()
    assert len(survey.tables["rankings"]) == (9 - len(bad)) * 3


def test_a_relevance_that_is_no_yes_and_no_no_is_set_aside(triplets, write_qualtrics, mapping):
    sheets, videos, meant = triplets
    path = write_qualtrics([person(1, "Japan-1", meant, T2_relevant="", T5_relevant="Perhaps")])
    survey = read_survey(path, mapping(JOINED), sheets, videos)
    assert dict(zip(survey.excluded["item"], survey.excluded["reason"], strict=True)) == {
        "T2_relevant": "no answer",
        "T5_relevant": "neither yes nor no",
    }
    assert len(survey.tables["relevance"]) == 7


def test_ticks_that_mean_nothing_stay_as_rows_without_an_answer(triplets, write_qualtrics, mapping):
    sheets, videos, meant = triplets
    cases = {
        1: ("", "missing", None),
        2: ("-99", "missing", None),
        3: ("Video A,None of the clips", "unscored", "clips ticked together with 'none'"),
        4: ("Video A,Video D", "unscored", "'Video D' is none of the clips shown"),
        5: ("7", "unscored", "'7' is none of the clips shown"),
        6: ("3, 1", "ok", None),
    }
    ticks = {f"T{step}_true": text for step, (text, _, _) in cases.items()}
    survey = read_survey(
        write_qualtrics([person(1, "Japan-1", meant, **ticks)]), mapping(JOINED), sheets, videos
    )
    places = sheets[sheets["rater_id"].eq("Japan-1") & sheets["tier"].eq("accuracy")]
    found = survey.tables["answers"].merge(places[["video_id", "step", "position"]], on="video_id")
    for step, (_, status, _) in cases.items():
        assert set(found.loc[found["step"].eq(step), "status"]) == {status}
    assert found["answer"].isna().sum() == 5 * 3
    sixth = found[found["step"].eq(6)]
    assert list(sixth["answer"]) == [place in (1, 3) for place in sixth["position"]]
    assert list(survey.excluded["reason"]) == [reason for _, _, reason in cases.values() if reason]


def test_a_blank_means_none_of_the_clips_only_where_the_mapping_says_so(triplets, write_qualtrics, mapping):
    sheets, videos, meant = triplets
    path = write_qualtrics([person(1, "Japan-1", meant, T2_true="")])
    blank = mapping(TRIPLETS + 'accuracy: {columns: "T{step}_true", none: "None of the clips", blank: none}')
    answers = read_survey(path, blank, sheets, videos).tables["answers"]
    assert answers["status"].eq("ok").all()


def rated(number, sheet, sheets, score=lambda clip, criterion: "Good"):
    cells = {"PROLIFIC_PID": f"{number:024x}", "sheet": sheet}
    for clip in sheets[sheets["rater_id"].eq(sheet) & sheets["tier"].eq("rating")].itertuples():
        for criterion, code in CODES.items():
            cells[f"{clip.step}_{clip.position}_R_{code}"] = score(clip, criterion)
    return cells


def test_a_qualtrics_file_of_ratings_round_trips(culturevidbench_study, write_qualtrics, mapping):
    prompts, videos = culturevidbench_study
    sheets = culturevidbench_sheets(prompts, videos, seed=3, raters=2)
    draw = random.Random(3)
    meant = {}

    def score(clip, criterion):
        choices = [*LABELS, "3", "5"] + ["Not applicable"] * (criterion in MAY_BE_NA)
        text = draw.choice(choices)
        value = None if text == "Not applicable" else LABELS.get(text) or int(text)
        meant[clip.video_id, criterion, clip.rater_id.lower()] = value
        return text

    path = write_qualtrics([rated(n, f"Ethiopia-{n}", sheets, score) for n in (1, 2)])
    survey = read_survey(path, mapping(RATINGS), sheets, videos)

    ratings = survey.tables["ratings"]
    assert len(ratings) == 2 * 98 * 8
    assert ratings["status"].eq("ok").all()
    found = ratings.set_index(["video_id", "criterion", "rater_id"])["score"]
    assert {key: None if pd.isna(value) else value for key, value in found.items()} == meant
    assert None in meant.values()


def test_scores_off_the_scale_are_unscored_and_listed(culturevidbench_study, write_qualtrics, mapping):
    prompts, videos = culturevidbench_study
    sheets = culturevidbench_sheets(prompts, videos, seed=3, raters=1)
    off = "not a whole number from 1 to 5"
    cases = {
        1: ("realism", "", "missing", None),
        2: ("realism", "3.5", "unscored", off),
        3: ("realism", "6", "unscored", off),
        4: ("realism", "0", "unscored", off),
        5: ("realism", "nan", "unscored", off),
        6: ("realism", "inf", "unscored", off),
        7: ("realism", "great", "unscored", "no score"),
        8: ("realism", "Not applicable", "unscored", "realism cannot be 'not applicable'"),
        9: ("text_rendering", "Not applicable", "ok", None),
        10: ("realism", "4.0", "ok", None),
    }
    cells = rated(1, "Ethiopia-1", sheets)
    for step, (criterion, text, _, _) in cases.items():
        cells[f"{step}_1_R_{CODES[criterion]}"] = text
    survey = read_survey(write_qualtrics([cells]), mapping(RATINGS), sheets, videos)

    ratings = survey.tables["ratings"]
    assert len(ratings) == 98 * 8
    first = sheets[sheets["position"].eq(1) & sheets["tier"].eq("rating")].set_index("step")["video_id"]
    found = ratings.set_index(["video_id", "criterion"])
    for step, (criterion, text, status, _) in cases.items():
        row = found.loc[(first[step], criterion)]
        assert row["status"] == status
        assert (pd.isna(row["raw"]) and not text) or row["raw"] == text
        assert pd.isna(row["score"]) == (text != "4.0")
    assert list(survey.excluded["reason"]) == [reason for *_, reason in cases.values() if reason]


def test_prolific_decides_who_is_native(triplets, write_qualtrics, write_prolific, mapping):
    """CultureVidBench, C.1: nationality, current residence and primary language."""
    sheets, videos, meant = triplets
    people = [
        person(number, "Japan-1", meant, Q_native="No" if number == 3 else "Yes") for number in range(1, 6)
    ]
    path = write_qualtrics(people)
    background = [
        ("Japan", "Japan", "Japanese", True),
        ("Japan", "Germany", "Japanese", False),
        ("Japan", "Japan", "DATA_EXPIRED", None),
        ("CONSENT_REVOKED", "Germany", "Japanese", False),
        ("Japan", "Japan", "English", False),
    ]
    people = write_prolific(
        [
            {
                "Participant id": f"{number:024x}",
                "Status": "APPROVED",
                "Nationality": nationality,
                "Country of residence": residence,
                "Language": language,
            }
            for number, (nationality, residence, language, _) in enumerate(background, start=1)
        ]
    )
    raters = read_survey(path, mapping(JOINED), sheets, videos, people).tables["raters"]
    assert [None if pd.isna(native) else native for native in raters["native"]] == [
        row[3] for row in background
    ]
    assert list(raters["language"].fillna("")) == ["Japanese", "Japanese", "", "Japanese", "English"]

    asked = mapping(JOINED + "native: {column: Q_native, accept: [Yes]}\n")
    raters = read_survey(path, asked, sheets, videos, people).tables["raters"]
    assert list(raters["native"]) == [True, False, False, False, False], "the survey's No is known"

    also_english = mapping(JOINED + "prolific: {languages: [Japanese, English]}\n")
    raters = read_survey(path, also_english, sheets, videos, people).tables["raters"]
    assert raters["native"].iloc[4]


def test_a_participant_who_returned_once_and_then_took_part_counts(
    triplets, write_qualtrics, write_prolific, mapping
):
    sheets, videos, meant = triplets
    people = write_prolific(
        [{"Participant id": f"{1:024x}", "Status": status} for status in ("RETURNED", "APPROVED")]
    )
    survey = read_survey(
        write_qualtrics([person(1, "Japan-1", meant)]), mapping(JOINED), sheets, videos, people
    )
    assert len(survey.tables["raters"]) == 1


def test_a_mapped_column_that_the_export_lacks_is_named(triplets, write_qualtrics, mapping):
    sheets, videos, meant = triplets
    cells = {key: value for key, value in person(1, "Japan-1", meant).items() if key != "T4_relevant"}
    with pytest.raises(DataError, match=r"column 'T4_relevant' is missing; did you mean"):
        read_survey(write_qualtrics([cells]), mapping(JOINED), sheets, videos)


def test_sheets_that_do_not_fit_are_refused(triplets, write_qualtrics, mapping):
    sheets, videos, meant = triplets
    path = write_qualtrics([person(1, "Japan-1", meant)])
    with pytest.raises(DataError, match="is not among the videos"):
        read_survey(path, mapping(JOINED), sheets, videos[videos["model"].ne("Wan 2.2")])
    everyone_alike = mapping(JOINED.replace("sheet_column: sheet\n", ""))
    with pytest.raises(DataError, match="found 4 sheets, but the mapping has no sheet_column"):
        read_survey(path, everyone_alike, sheets, videos)
    one = sheets[sheets["rater_id"].eq("Japan-1")]
    assert len(read_survey(path, everyone_alike, one, videos).tables["answers"]) == 27
