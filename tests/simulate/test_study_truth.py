"""The truth behind a simulated study: its means follow from the dials, its draws from names alone."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit

from helpers.schemas import check
from helpers.simulate.dials import SimulatedModel
from helpers.simulate.levels import CLIP, SCENE, VARIANTS, country_effect
from helpers.simulate.study_truth import (
    CRITERIA,
    DIMENSIONS,
    QUESTION,
    judged_truth,
    true_answers,
    true_grades,
)

MODELS = [
    SimulatedModel(name="Simulated good", faithfulness=0.9, country_spread=0),
    SimulatedModel(name="Simulated poor", faithfulness=0.3, country_spread=0),
]
SCENES, COUNTRIES = 300, ("Japan", "Chile", "Italy")


def mean_share(centre: float, *spreads: float) -> float:
    """The mean of expit(centre + noise) for normal noise, by Gauss-Hermite quadrature (Abramowitz and Stegun
    1964, 25.4.46)."""
    nodes, weights = np.polynomial.hermite.hermgauss(60)
    spread = np.sqrt(np.sum(np.square(spreads)))
    return float(weights @ expit(centre + np.sqrt(2) * spread * nodes) / np.sqrt(np.pi))


@pytest.fixture(scope="module")
def study() -> dict[str, pd.DataFrame]:
    """Scenes with two variants and three questions each, and as many plain prompts; clips by three models."""
    rows = [
        {"prompt_id": f"s{n}-{variant}", "benchmark": "culturescore", "country": COUNTRIES[n % 3],
         "category": "family", "variant": variant, "scenario_id": f"s{n}", "text": f"Scene {n}, {variant}."}
        for n in range(SCENES) for variant in ("base", "extended")
    ] + [
        {"prompt_id": f"v{n}", "benchmark": "culturevidbench", "country": COUNTRIES[n % 3], "aspect": "food",
         "variant": "plain", "text": f"Meal {n}.", "text_cue": n % 2 == 0}
        for n in range(SCENES)
    ]  # fmt: skip
    prompts = check("prompts", pd.DataFrame(rows), "test")
    questions = [
        {"question_id": f"s{n}-{dimension}", "scenario_id": f"s{n}", "dimension": dimension,
         "text": f"Is {dimension} there in scene {n}?"}
        for n in range(SCENES) for dimension in DIMENSIONS
    ]  # fmt: skip
    videos = pd.concat(
        prompts[["prompt_id"]].assign(model=model, video_id=model + "/" + prompts["prompt_id"])
        for model in ("Simulated good", "Simulated poor", "Drawn by hand")
    )
    videos = videos.assign(sha256=videos["video_id"], status="ok")
    return {
        "prompts": prompts,
        "questions": check("questions", pd.DataFrame(questions), "test"),
        "videos": check("videos", videos.sort_values("video_id", ignore_index=True), "test"),
    }


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
@pytest.mark.parametrize("variant", ["base", "extended"])
@pytest.mark.parametrize("dimension", list(DIMENSIONS))
def test_shares_of_yes_are_those_of_the_dials_by_gauss_hermite_quadrature(study, model, variant, dimension):
    answers = true_answers(study, MODELS, 3)
    said = answers[
        answers["video_id"].str.fullmatch(f"{model.name}/s\\d+-{variant}")
        & answers["dimension"].eq(dimension)
    ]["answer"]
    centre = logit(model.faithfulness) + VARIANTS.get(variant, 0) + DIMENSIONS[dimension]
    expected = mean_share(centre, SCENE, CLIP, QUESTION)
    assert len(said) == SCENES
    # Four standard errors of a share of independent answers.
    assert said.mean() == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / SCENES))


@pytest.mark.parametrize("criterion", ["element_alignment", "subject_alignment", "text_rendering"])
def test_mean_grades_are_those_of_the_dials_by_gauss_hermite_quadrature(study, criterion):
    grades = true_grades(study, MODELS, 3).query("criterion == @criterion")
    for model in MODELS:
        of_model = grades[grades["video_id"].str.startswith(model.name)]
        expected = 1 + 4 * mean_share(logit(model.faithfulness) + CRITERIA[criterion], SCENE, CLIP)
        assert of_model["score"].mean() == pytest.approx(expected, abs=0.35)
        graded = SCENES // 2 if criterion == "text_rendering" else SCENES
        assert of_model["score"].notna().sum() == graded


def test_clips_of_other_models_deserve_little(study):
    answers = true_answers(study, MODELS, 3)
    assert answers[answers["video_id"].str.startswith("Drawn")]["answer"].mean() < 0.2


def test_a_clips_truth_is_the_same_alone_and_among_others(study):
    videos = study["videos"]
    for truth, video in ((true_answers, "Simulated good/s7-base"), (true_grades, "Simulated good/v7")):
        alone = study | {"videos": videos[videos["video_id"].eq(video)].reset_index(drop=True)}
        every, one = (truth(tables, MODELS[::-1], 3) for tables in (study, alone))
        every = every[every["video_id"].eq(video)].reset_index(drop=True)
        pd.testing.assert_frame_equal(every, one)
        assert len(one)


def test_the_country_spread_moves_culture_by_its_size_and_words_not_at_all(study):
    """At a spread of 1, each country's level moves by its standard normal effect."""
    wide = [model.model_copy(update={"country_spread": 1.0}) for model in MODELS]
    before, after = (
        true_grades(study, models, 3).set_index(["video_id", "criterion"]) for models in (MODELS, wide)
    )
    ours = before.index.get_level_values("video_id").str.startswith("Simulated")
    moved = (logit(after["rate"]) - logit(before["rate"]))[ours]
    expected = before.loc[ours, "country"].map({country: country_effect(3, country) for country in COUNTRIES})
    cultural = moved.index.get_level_values("criterion").isin(
        ["element_alignment", "cultural_consistency", "text_rendering", "audio_alignment"]
    )
    np.testing.assert_allclose(moved[cultural], expected[cultural].astype(float), atol=1e-9)
    np.testing.assert_allclose(moved[~cultural], 0, atol=1e-9)


def test_judges_read_the_same_truth_by_hash_and_text(study):
    truth, answers = judged_truth(study, MODELS, 3), true_answers(study, MODELS, 3)
    assert all(truth.shows(row.video_id, row.text) == row.answer for row in answers.itertuples())
    assert truth.is_behavior("Is behavior there in scene 1?")
    assert not truth.is_behavior("Is identity there in scene 1?")
    grades = true_grades(study, MODELS, 3)
    for row in grades.itertuples():
        known = truth.grades[row.video_id, row.criterion]
        assert (known is None) == pd.isna(row.score)
        assert known is None or known == row.score
