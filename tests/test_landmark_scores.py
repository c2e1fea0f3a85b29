"""GAP's score of a clip is the mean of two criteria (section 3.2); everything else is bookkeeping."""

import numpy as np
import pandas as pd
import pytest

from helpers.landmark_scores import GROUPINGS, TABLES, clip_scores, rater_scores
from helpers.schemas import check
from helpers.simulate.landmarks import landmarks_study
from helpers.simulate.raters import Rater

CRITERIA = ("global_structure", "fine_detail")


def ratings(video, rater, *scores):
    return [
        {"video_id": video, "criterion": criterion, "rater_id": rater, "score": score}
        | {"status": "missing" if score is None else "ok"}
        for criterion, score in zip(CRITERIA, scores, strict=True)
    ]


@pytest.fixture
def tables():
    """Two landmarks (Peru is on no axis here), one clip of another model, one of another benchmark."""
    places = {"inca": ("Peru", 1000), "temple": ("Japan", 0)}
    rows = {
        "landmarks": [
            {"landmark_id": name, "name": name, "country": country, "pageviews": views}
            for name, (country, views) in places.items()
        ],
        "prompts": [
            {"prompt_id": f"p-{name}", "benchmark": "landmarks", "country": country, "variant": "detailed"}
            | {"text": "A place.", "landmark_id": name}
            for name, (country, _) in places.items()
        ],
        "videos": [
            {"video_id": "v1", "prompt_id": "p-inca", "model": "Sora 2", "status": "ok"},
            {"video_id": "v2", "prompt_id": "p-temple", "model": "Sora 2", "status": "blocked"},
            {"video_id": "v3", "prompt_id": "p-temple", "model": "Other", "status": "ok"},
            {"video_id": "v4", "prompt_id": "elsewhere", "model": "Sora 2", "status": "ok"},
        ],
        "raters": [
            {"rater_id": "ann", "kind": "human"},
            {"rater_id": "ben", "kind": "human"},
            {"rater_id": "gpt", "kind": "judge"},
        ],
        "ratings": ratings("v1", "ann", 3, 4) + ratings("v1", "ben", 1, None) + ratings("v1", "gpt", 5, 4),
        "metric_values": [
            {"video_id": "v1", "metric": "patch_clip", "value": 0.7, "status": "ok"},
            {"video_id": "v3", "metric": "patch_clip", "value": 0.5, "status": "ok"},
        ],
    }
    return {name: check(name, pd.DataFrame(rows[name]), name) for name in TABLES}


def test_one_row_a_clip_of_the_model_and_the_benchmark(tables):
    assert list(clip_scores(tables, "Sora 2")["video_id"]) == ["v1", "v2"]
    assert list(clip_scores(tables, "Other")["video_id"]) == ["v3"]


def test_a_score_is_the_mean_of_both_criteria_and_then_of_the_raters_who_gave_both(tables):
    scored, blocked = clip_scores(tables, "Sora 2").itertuples()
    assert (scored.people, scored.judge, scored.patch_clip) == (3.5, 4.5, 0.7)
    assert np.isnan([blocked.people, blocked.judge, blocked.patch_clip]).all()


def test_a_rater_who_gave_one_criterion_has_no_score(tables):
    wide = rater_scores(tables, "human")
    assert wide.loc["v1", "ann"] == 3.5
    assert np.isnan(wide.loc["v1", "ben"])


def test_places_and_page_views(tables):
    inca, temple = clip_scores(tables, "Sora 2").itertuples()
    assert (inca.continent, temple.continent) == ("Americas", "Asia")
    assert (inca.global_north_south, inca.global_west_east) == ("Global South", "Global West")
    assert (temple.global_north_south, temple.global_west_east) == ("Global North", "Global East")
    assert inca.log_views == 3
    assert temple.pageviews == 0
    assert np.isnan(temple.log_views)


def test_an_unknown_model_is_refused_by_naming_the_known(tables):
    with pytest.raises(ValueError, match="no clip of 'sora', expected one of: Other, Sora 2"):
        clip_scores(tables, "sora")


def test_nobody_of_a_kind_means_no_scores_of_it(tables):
    tables["raters"] = tables["raters"].query("kind == 'human'")
    assert rater_scores(tables, "judge").empty
    assert clip_scores(tables, "Sora 2")["judge"].isna().all()


def test_replies_that_nobody_could_read_mean_no_scores(tables):
    tables["ratings"] = tables["ratings"].assign(score=pd.NA)
    assert rater_scores(tables, "human").empty


def test_a_simulated_study_comes_back_with_every_clip_place_and_score():
    people = [Rater(rater_id=name, kind="human", reliability=0.5) for name in "ab"]
    study = landmarks_study(seed=1, people=people, landmarks={"Africa": 30, "Oceania": 4}, pairs=10)
    scores = clip_scores(study.tables, "Sora 2")
    assert scores["variant"].value_counts().to_dict() == {"detailed": 34, "short": 10}
    assert scores[["people", "judge", "patch_clip", "log_views"]].notna().all(axis=None)
    truth = study.truth["landmarks"].set_index("landmark_id").loc[scores["landmark_id"]]
    for grouping in GROUPINGS:
        assert list(scores[grouping]) == list(truth[grouping])
    pd.testing.assert_series_equal(
        scores["people"],
        scores["video_id"].map(study.tables["ratings"].query("rater_id in ['a', 'b']")
                               .groupby("video_id")["score"].mean().astype(float)),
        check_names=False,
    )  # fmt: skip
