import numpy as np
import pandas as pd
import pytest

from helpers.criteria import of_framework
from helpers.people.assignment import culturescore_sheets
from helpers.published import DIMENSIONS
from helpers.schemas import MAY_BE_NA
from helpers.simulate.annotators import fill, grade_replies, triplet_replies
from helpers.simulate.raters import Rater
from helpers.widgets.annotation import Annotation
from helpers.widgets.replies import Person

PERFECT = Rater(rater_id="perfect", kind="human", country="Japan")
CARELESS = Rater(rater_id="careless", kind="human", country="Japan", sensitivity=0.5, specificity=0.5)
PERSON = Person(rater_id="p-1", country="Japan", kind="simulated")


@pytest.fixture
def triplets():
    """Six scenes, a question of each dimension about each, clips by three models, and a random truth."""
    scenes = [f"scene-{number}" for number in range(6)]
    prompts = pd.DataFrame({"prompt_id": [f"{scene}-extended" for scene in scenes], "scenario_id": scenes})
    prompts = prompts.assign(
        benchmark="culturescore",
        country="Japan",
        variant="extended",
        text="t",
        element=None,
        landmark_id=None,
    )
    questions = prompts[["scenario_id"]].merge(pd.DataFrame({"dimension": DIMENSIONS}), how="cross")
    questions["question_id"] = questions["scenario_id"] + "-" + questions["dimension"]
    videos = prompts[["prompt_id"]].merge(pd.DataFrame({"model": ["A", "B", "C"]}), how="cross")
    videos = videos.assign(video_id=videos["model"] + "/" + videos["prompt_id"], status="ok", path="x.mp4")
    rng = np.random.default_rng(5)
    truth = videos.merge(prompts[["prompt_id", "scenario_id"]]).merge(questions)
    truth["answer"] = rng.random(len(truth)) < 0.5
    truth["quality"] = truth["video_id"].map(dict(zip(videos["video_id"], rng.random(18), strict=True)))
    truth["relevant"] = truth["question_id"].str.endswith("context")
    study = {"prompts": prompts, "questions": questions.assign(text="q?"), "videos": videos}
    return study, truth


@pytest.mark.parametrize("person", [PERFECT, CARELESS], ids=lambda person: person.rater_id)
def test_what_is_meant_about_triplets_comes_out_of_the_page(triplets, tmp_path, person):
    study, truth = triplets
    sheet = culturescore_sheets(**study, seed=1, raters=1, triplets=6, attention_checks=2)
    meant = triplet_replies(person, sheet, truth, seed=3)
    page = Annotation(PERSON, sheet, study, tmp_path, tmp_path / "journal.jsonl")
    page.press("", 0, "yes")
    page.undo()
    fill(page, meant)
    made = page.to_tables()
    for name, keys in {"relevance": ["question_id"], "answers": ["video_id", "question_id"]}.items():
        both = made[name].merge(meant[name], on=keys, suffixes=("", "_meant"), validate="1:1")
        assert len(both) == len(meant[name]) == len(made[name])
        value = "relevant" if name == "relevance" else "answer"
        assert both[value].astype(bool).eq(both[f"{value}_meant"]).all()
    models = study["videos"].set_index("video_id")["model"]
    ranked = meant["rankings"].assign(model=lambda rows: rows["video_id"].map(models))
    both = made["rankings"].merge(ranked, on=["prompt_id", "model"], suffixes=("", "_meant"), validate="1:1")
    assert len(both) == 18
    assert both["rank"].eq(both["rank_meant"]).all()
    assert made["raters"]["attention"].item()


def test_who_sees_everything_means_the_truth(triplets):
    study, truth = triplets
    sheet = culturescore_sheets(**study, seed=1, raters=1, triplets=6, attention_checks=0)
    meant = triplet_replies(PERFECT, sheet, truth, seed=3)
    both = meant["answers"].merge(truth, on=["video_id", "question_id"])
    assert both["answer_x"].eq(both["answer_y"]).all()
    best = meant["rankings"].sort_values("rank").groupby("prompt_id")["video_id"].first()
    truest = truth.sort_values("quality").groupby("prompt_id")["video_id"].last()
    assert best.equals(truest)


def test_grades_come_out_of_the_page_too(study, sheet, tmp_path):
    names = {"drum/A": "culturevidbench", "tower/A": "landmarks"}
    truth = pd.DataFrame(
        [(clip, name) for clip, framework in names.items() for name in of_framework(framework)],
        columns=["video_id", "criterion"],
    ).assign(rate=0.5, applies=lambda rows: ~rows["criterion"].isin(MAY_BE_NA))
    meant = grade_replies(CARELESS, truth, seed=3)
    page = Annotation(PERSON, sheet[sheet["tier"].eq("rating")], study, tmp_path, tmp_path / "j.jsonl")
    fill(page, meant)
    both = page.to_tables()["ratings"].merge(meant["ratings"], on=["video_id", "criterion"])
    assert len(both) == 10
    assert both["score_x"].equals(both["score_y"].astype("Int64"))
    assert both["score_x"].isna().sum() == 2


def test_who_does_not_read_fails_the_attention_check(sheet, study, tmp_path):
    checks = sheet[sheet["tier"].eq("attention")]
    page = Annotation(PERSON, checks, study, tmp_path, tmp_path / "j.jsonl")
    fill(page, {}, attentive=False)
    assert not page.to_tables()["raters"]["attention"].item()


def test_a_page_that_asks_for_more_than_is_meant_is_refused(sheet, study, tmp_path):
    page = Annotation(PERSON, sheet, study, tmp_path, tmp_path / "j.jsonl")
    with pytest.raises(KeyError):
        fill(page, {})
