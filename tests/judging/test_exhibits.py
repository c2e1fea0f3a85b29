"""What is shown of judging: readings, the filled question, what a run took, and which control finds what."""

import pandas as pd
import pytest

from helpers.chat.log import Record
from helpers.judging.control_results import run_controls
from helpers.judging.culturescore import ANSWER
from helpers.judging.exhibits import against_expected, conversation, expectations, readings, usage
from helpers.judging.judge import Judge
from helpers.judging.plots import control_panels, dials, judged_against_true, recovered
from helpers.judging.protocols import cases_of, culturescore_protocol, culturevidbench_protocol
from helpers.judging.study import study_tables
from helpers.simulate.judge import Dials, SimulatedJudge
from helpers.simulate.judged_truth import draw_truth


@pytest.fixture
def simulated(study) -> Judge:
    truth = draw_truth(study_tables(study), seed=1, quality={"LTX-2": 0.6})
    backend = SimulatedJudge(truth=truth, dials=Dials(), seed=1)
    return Judge(rater_id="Simulated", model="simulated", backend=backend, kind="simulated", whole=True)


@pytest.fixture
def request_(study, clips, judge):
    case = next(cases_of(culturescore_protocol(), study_tables(study)).itertuples())
    return culturescore_protocol().request(case, clips, judge)


def test_a_conversation_has_the_question_and_a_remark_for_what_is_no_text(request_):
    text = conversation(request_)
    assert text.startswith("[16 frames of the clip")
    assert "Is the identity of scene 0 right?" in text
    assert text.rstrip().endswith("Write no other box.")  # the form's description is part of what is sent


def test_replies_are_read_or_refused_with_a_reason():
    read = readings({"a": r"\boxed{yes}", "b": "Answer: no", "c": "Yes and no."}, ANSWER)
    assert read["reading"].tolist() == ["strict", "tolerant", "refused"]
    assert read["why"].str.len().gt(0).tolist() == [False, False, True]


def test_usage_counts_calls_on_record_and_prefers_the_servers_count(request_):
    counted = {"outcome": "replied", "at": "2026-01-01", "text": "x" * 400}
    records = {"a": Record(key="a", received=7, **counted), "b": Record(key="b", **counted)}
    used = usage([request_], records)
    assert used["calls"] == 2
    assert used["received"] == (7 + 100) / 2  # four bytes a token
    assert used["text"] + used["pictures"] == pytest.approx(request_.sent_tokens, abs=1)


def test_expectations_name_results_that_controls_have(study, clips, simulated, tmp_path):
    protocols = (culturescore_protocol(), culturevidbench_protocol())
    found = study_tables(study)
    results = pd.concat(
        run_controls(way, cases_of(way, found), clips, simulated, tmp_path / "log.jsonl", seed=0)
        for way in protocols
    ).assign(judge="a")
    panels = expectations((0.2, 1.0))
    checked = against_expected(results, panels)
    # A judge that is sent no sound has no controls of it, nor do questions without a country's name.
    lacking = checked.loc[checked["met"].isna(), "control"].unique()
    assert set(lacking) <= {"sound swapped", "reversed clip"}
    assert checked.loc[checked["control"].eq("blank clip"), "met"].all()
    assert len(control_panels(checked.dropna(subset="judge"), ["a"]).axes) == 12


def test_an_interval_that_ends_before_what_is_expected_does_not_meet_it():
    panel = pd.DataFrame(
        [("p", "c", "all", "level", "title", 0.0, 0.1)],
        columns=["protocol", "control", "group", "measure", "title", "good_low", "good_high"],
    )
    about = {"protocol": "p", "control": "c", "group": "all", "measure": "level"}
    rows = [(0.2, 0.05, 0.3), (0.2, 0.15, 0.3), (0.05, float("nan"), float("nan"))]
    results = pd.DataFrame([about | dict(zip(("estimate", "low", "high"), row, strict=True)) for row in rows])
    results["judge"] = ["a", "b", "c"]
    assert against_expected(results, panel)["met"].tolist() == [True, False, True]


def test_figures_hold_a_panel_each_and_leave_refused_scores_empty():
    found = pd.DataFrame(
        {"estimate": [0.5, None], "low": [0.4, None], "high": [0.6, None], "true": [0.5, 0.5]}
        | {"score": ["a", "b"], "judge": ["j", "j"], "model": ["m", "n"]}
        | {"kind": ["x", "y"], "strength": [0.0, 1.0], "value": [0.4, 0.6]}
    )
    shown = recovered(found, rows="score", series="judge", panels="model", xlabel="share")
    assert [ax.get_title(loc="left") or ax.get_title() for ax in shown.axes] == ["m", "n"]
    assert len(dials(found, "alignment").axes) == 2
    assert len(judged_against_true(found, label="alignment", top=1, by="kind").axes) == 1
