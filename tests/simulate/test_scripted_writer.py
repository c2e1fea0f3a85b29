"""The stand-in for a writer, and the starter's own texts given as its replies."""

import pytest

from helpers.benchmarks import culturescore as steps
from helpers.benchmarks import culturescore_questions as asking
from helpers.benchmarks import starter
from helpers.benchmarks.model_steps import Writer
from helpers.chat.ask import ask_many
from helpers.simulate.culturescore_writer import starter_writer
from helpers.simulate.scripted import Scripted, script

WRITER = Writer(model="stand-in")
ROWS = starter.scenarios()
SCENES = ROWS.rename(columns={"base": "prompt"})[list(steps.SCENARIOS.columns)]
FIRST = SCENES["scenario_id"][0]


def test_each_question_gets_its_replies_in_turn(tmp_path):
    requests = steps.decompose_requests(SCENES.head(3), WRITER)
    facets = {"prompt": "p", "identity": "i", "behavior": "b", "context": "c"}
    backend = Scripted(script(requests[:2], [facets, ["no JSON", facets]]))
    first, second, unknown = ask_many(requests, backend, tmp_path / "log.jsonl")
    assert (first.status, first.reading) == ("ok", "strict")
    assert (second.status, second.reading) == ("ok", "repaired")
    assert unknown.status == "failed"
    assert "the script has no reply" in unknown.reason


def test_the_last_reply_stands_for_all_that_follow(tmp_path):
    requests = steps.decompose_requests(SCENES.head(1), WRITER)
    (result,) = ask_many(requests, Scripted(script(requests, ["no JSON"])), tmp_path / "log.jsonl")
    assert result.status == "unscored"


def test_the_starter_s_texts_pass_every_check_of_the_steps(tmp_path):
    """What lies in the files is held to the rules that a model's replies are held to."""
    scenes = SCENES.copy()
    scenes.loc[0, "prompt"] = ROWS["no_country"][0]
    backend, log = starter_writer(scenes, WRITER), tmp_path / "log.jsonl"
    rows = steps.decompose_rows(scenes, ask_many(steps.decompose_requests(scenes, WRITER), backend, log))
    for ask, read in (
        (steps.extend_requests, steps.extend_rows),
        (steps.remove_country_requests, steps.remove_country_rows),
        (steps.uniqueness_requests, steps.uniqueness_rows),
    ):
        rows = read(rows, ask_many(ask(rows, WRITER), backend, log))
    requests = asking.question_requests(rows, WRITER, asked_from="base")
    rows, questions = asking.question_rows(rows, ask_many(requests, backend, log), asked_from="base")
    assert rows.filter(like="_status").eq("ok").all(axis=None)
    assert questions["form_status"].eq("ok").all()
    assert len(questions) == 450
    assert list(rows["base"]) == list(ROWS["base"])
    assert list(rows["extended"]) == list(ROWS["extended"])
    assert list(rows["no_country"]) == list(ROWS["no_country"])


def test_a_planted_fault_takes_the_place_of_the_starter_s_reply(tmp_path):
    faults = {("remove_country", FIRST): {"text": ROWS["base"][0]}}
    backend, log = starter_writer(SCENES, WRITER, faults), tmp_path / "log.jsonl"
    rows = steps.decompose_rows(SCENES, ask_many(steps.decompose_requests(SCENES, WRITER), backend, log))
    rows = steps.remove_country_rows(
        rows, ask_many(steps.remove_country_requests(rows, WRITER), backend, log)
    )
    assert rows["remove_country_status"].value_counts().to_dict() == {"ok": 49, "unscored": 1}


def test_scenes_and_faults_that_do_not_exist_are_refused():
    with pytest.raises(ValueError, match="found 49 of 50 in the starter"):
        starter_writer(SCENES.replace(FIRST, "mine"), WRITER)
    with pytest.raises(ValueError, match=r"faults: no step and scene \('extent'"):
        starter_writer(SCENES, WRITER, {("extent", FIRST): "x"})
