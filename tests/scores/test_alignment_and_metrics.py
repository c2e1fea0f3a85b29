"""GAP's alignment (section 3.2) and means of metrics: small tables by hand, and simulated truth."""

import numpy as np
import pandas as pd
import pytest

from helpers.scores.landmarks import alignment_scores, compared_clips
from helpers.scores.metrics import measured_clips, metric_means
from helpers.simulate.landmarks import landmarks_study
from helpers.simulate.raters import Rater
from scores.small_studies import typed, value

CRITERIA = ("global_structure", "fine_detail")


@pytest.fixture
def tables():
    """Three clips: one scored by both people, one with half of a score, one that was blocked."""
    scores = {
        ("v1", "ann"): (3, 4),
        ("v1", "ben"): (1, 2),
        ("v2", "ann"): (5, "unscored"),
        ("v1", "judge"): (5, 4),
        ("v2", "judge"): (0, 1),
    }
    return typed(
        prompts=[
            {"prompt_id": f"p{k}", "benchmark": "landmarks", "country": country, "variant": "detailed"}
            | {"text": "A place.", "landmark_id": f"place-{k}"}
            for k, country in enumerate(("Peru", "Japan", "Japan"), start=1)
        ],
        videos=[
            {"video_id": f"v{k}", "prompt_id": f"p{k}", "model": "Sora 2"}
            | {"status": "blocked" if k == 3 else "ok"}
            for k in (1, 2, 3)
        ],
        raters=[{"rater_id": name, "kind": "human"} for name in ("ann", "ben")]
        + [{"rater_id": "judge", "kind": "judge"}],
        ratings=[
            {"video_id": clip, "criterion": criterion, "rater_id": rater}
            | ({"status": said} if isinstance(said, str) else {"score": said, "status": "ok"})
            for (clip, rater), both in scores.items()
            for criterion, said in zip(CRITERIA, both, strict=True)
        ],
        metric_values=[
            {"video_id": "v1", "metric": "patch_clip", "value": 0.7, "status": "ok"},
            {"video_id": "v2", "metric": "patch_clip", "value": 0.5, "status": "ok"},
        ],
    )


def test_a_clips_score_is_the_mean_of_two_criteria_and_of_raters(tables):
    """People: v1 (3.5 + 1.5)/2, v2 half a score is none. Judge: 4.5 and 0.5; v3 was never made."""
    people = alignment_scores(compared_clips(tables, "human"), [], least_share=0.5)
    assert value(people, "alignment") == 2.5
    assert value(people, "alignment", "unscored") == 1
    judge = alignment_scores(compared_clips(tables), [], least_share=0.5)
    assert value(judge, "alignment") == 2.5
    assert value(judge, "alignment", "no_clip") == 1
    refused = alignment_scores(compared_clips(tables), ["country"])
    assert value(refused, "alignment", "status", country="Japan") == "too few scored: 1 of 2"
    assert value(refused, "alignment", country="Peru") == 4.5
    assert value(refused, "alignment", "status", country="Peru") == "no interval: only one of the landmarks"


def test_metrics_are_averaged_and_counted(tables):
    scores = metric_means(measured_clips(tables), ["model"], least_share=0.6)
    assert value(scores, "patch_clip") == pytest.approx(0.6)
    assert value(scores, "patch_clip", "no_clip") == 1
    # t(1) = 12.7062 times sd/sqrt(2) = 0.1.
    assert value(scores, "patch_clip", "high") == pytest.approx(0.6 + 1.27062, abs=1e-4)
    with pytest.raises(ValueError, match="no value of the metric 'patch'"):
        measured_clips(tables, ["patch"])


def test_a_metric_is_not_asked_of_kinds_of_clips_without_any_row(tables):
    """Of four clips, photographs are known of the first two places, and the prompts 1 and 4 quote a text."""
    prompts = tables["prompts"].assign(text=["A “Café”.", "A place.", "A place."])
    fourth = prompts.iloc[[2]].assign(prompt_id="p4", text="A “Bar”.")
    clip = tables["videos"].iloc[[0]].assign(video_id="v4", prompt_id="p4")
    rows = [
        ("v1", "patch_clip"),
        ("v1", "error_rate"),
        ("v4", "error_rate"),
        ("v1", "motion"),
        ("v2", "motion"),
    ]
    rows += [("v4", "motion")]
    study = typed(
        landmarks=[
            {"landmark_id": f"place-{k}", "name": "Place", "country": "Peru"}
            | ({"reference_image": "place.jpg"} if k < 3 else {})
            for k in (1, 2, 3)
        ],
        metric_values=[{"video_id": a, "metric": b, "value": 0.5, "status": "ok"} for a, b in rows],
    )
    study |= {"prompts": pd.concat([prompts, fourth]), "videos": pd.concat([tables["videos"], clip])}
    cases = measured_clips(study)
    became = cases.set_index(["video_id", "metric"])["outcome"].unstack()  # noqa: PD010
    assert became["patch_clip"].tolist() == ["scored", "not_asked", "not_asked", "not_asked"]
    assert became["error_rate"].tolist() == ["scored", "not_asked", "not_asked", "scored"]
    assert became["motion"].tolist() == ["scored", "scored", "not_asked", "scored"]
    assert not {"pictured", "quoting"} & set(cases)


def test_a_metric_without_meaning_for_a_clip_is_not_missing_there(tables):
    """Two clips act and get 4, two do not and have no row; a fifth was not measured, a sixth failed."""
    names = [f"v{k}" for k in range(1, 7)]
    clips = pd.concat([tables["videos"].iloc[[0]].assign(video_id=name) for name in names])
    action, overall = "aigve_macs_action_quality", "aigve_macs_overall"
    rows = [(name, overall, 3) for name in names[:4]] + [(name, action, 4) for name in names[:2]]
    rows += [("v6", action, None), ("v6", overall, None)]
    study = tables | typed(
        metric_values=[
            {"video_id": clip, "metric": metric, "value": value, "status": "ok" if value else "failed"}
            for clip, metric, value in rows
        ]
    )
    cases = measured_clips(study | {"videos": clips})
    became = cases.set_index(["video_id", "metric"])["outcome"].unstack()  # noqa: PD010
    acted, lost = ["scored"] * 2, ["missing", "failed"]
    assert became[action].tolist() == [*acted, "not_applicable", "not_applicable", *lost]
    assert became[overall].tolist() == [*acted, *acted, *lost]
    scores = metric_means(cases[cases["video_id"].lt("v5")], ["model"])
    assert [value(scores, action, column) for column in ("n", "asked", "not_applicable")] == [2, 2, 2]
    assert value(scores, action) == 4
    assert value(scores, overall, "n") == 4
    # Where no clip acts, there is no mean, and nobody is to blame.
    rest = cases[cases["video_id"].isin(["v3", "v4"])]
    assert value(metric_means(rest, ["model"]), action, "status") == "nothing to score"


def test_simulated_continents_are_recovered():
    study = landmarks_study(seed=1, judges=[Rater(rater_id="judge", missing=0.05)], pairs=0)
    found = alignment_scores(compared_clips(study.tables), ["continent"]).table.set_index("continent")
    truth = study.truth["regions"].query("grouping == 'continent'").set_index("region")
    assert set(found.index) == set(truth.index)
    rate = 5 * truth["rate"].loc[list(found.index)].to_numpy()
    assert ((found["low"] - 0.05 < rate) & (rate < found["high"] + 0.05)).mean() >= 5 / 6
    assert found["asked"].sum() == truth["n"].sum()
    # Quality says nothing of the place, so its 381 values are independent draws with mean 3.5 and SD 0.5.
    quality = value(metric_means(measured_clips(study.tables)), "aigve_macs")
    assert quality == pytest.approx(3.5, abs=4 * 0.5 / np.sqrt(381))
