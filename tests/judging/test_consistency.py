"""Several samples of each question, with known replies."""

import json

import pytest

from helpers import schemas
from helpers.judging.consistency import judge_repeatedly
from helpers.judging.protocols import cases_of, culturescore_protocol, landmarks_protocol
from helpers.judging.study import study_tables
from judging.replies import grades


@pytest.fixture
def repeated(server, completion, study, clips, judge, pace, tmp_path):
    def repeated(protocol, replies, **about):
        """Sample number n of each question gets reply number n, made from what was asked."""
        server.answer = lambda asked: completion(replies[asked.body["seed"]](asked.text))
        cases = cases_of(protocol, study_tables(study))
        about = {"samples": len(replies), "pace": pace} | about
        rows, report = judge_repeatedly(protocol, cases, clips, judge, tmp_path / "log.jsonl", **about)
        return rows, report, [json.loads(text)["samples"] for text in rows["settings"]]

    return repeated


def said(*words: str) -> list:
    return [lambda text, word=word: rf"Because.\boxed{{{word}}}" for word in words]


def scored(*scores) -> list:
    return [lambda text, score=score: grades(text, score) for score in scores]


def test_the_majority_wins(repeated):
    rows, report, notes = repeated(culturescore_protocol(), said("yes", "no", "yes"))
    assert rows["answer"].all()
    assert report.count() == 3 * len(rows)
    # Of the three pairs one agrees.
    assert notes[0] == {
        "asked": 3,
        "scored": 3,
        "mean": pytest.approx(2 / 3),
        "agreement": pytest.approx(1 / 3),
    }


def test_a_tie_is_no_answer(repeated):
    rows, _, _ = repeated(culturescore_protocol(), said("yes", "no"))
    assert set(rows["status"]) == {"unscored"}
    assert rows["answer"].isna().all()


def test_what_cannot_be_read_has_no_vote(repeated):
    rows, _, notes = repeated(culturescore_protocol(), said("no", "maybe", "perhaps"))
    assert not rows["answer"].any()
    assert notes[0] == {"asked": 3, "scored": 1, "mean": 0.0, "agreement": None}


def test_without_a_single_value_there_is_none(repeated):
    rows, _, notes = repeated(culturescore_protocol(), said("maybe", "perhaps"))
    assert set(rows["status"]) == {"unscored"}
    assert notes[0] == {"asked": 2, "scored": 0}


def test_grades_are_averaged(repeated):
    rows, _, notes = repeated(landmarks_protocol(), scored(2, 3, 3, 5))
    assert set(rows["score"]) == {3}
    assert notes[0]["mean"] == 13 / 4


def test_one_sample_is_none(repeated):
    with pytest.raises(ValueError, match="expected at least 2"):
        repeated(culturescore_protocol(), said("yes"))


def test_rows_fit_the_table(repeated):
    rows, _, _ = repeated(landmarks_protocol(), scored(2, 3))
    assert list(rows) == list(schemas.TABLES["ratings"].columns)
