import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from helpers.geography import continent
from helpers.published import load
from helpers.simulate.landmarks import METRICS, Metric, landmarks_study
from helpers.simulate.raters import Rater


def clips_of(study):
    tables = study.tables
    prompts = tables["prompts"][["prompt_id", "landmark_id", "variant", "country"]]
    return (
        tables["videos"]
        .merge(prompts, on="prompt_id")
        .merge(study.truth["landmarks"].drop(columns="country"), on="landmark_id")
    )


def scores_of(study, variant="detailed"):
    """Each clip's mean over criteria and raters, as GAP averages them."""
    means = study.tables["ratings"].groupby("video_id")["score"].mean().astype(float).rename("score")
    clips = clips_of(study)
    return clips[clips["variant"].eq(variant)].merge(means, on="video_id")


def test_the_default_study_has_the_sizes_and_means_of_the_paper():
    """GAP, Table 2 (continents) and 5.4 (50 pairs)."""
    study = landmarks_study(seed=1)
    regions = load("landmarks_regions").query("grouping == 'continent'").set_index("region")
    truth = study.truth["regions"].query("grouping == 'continent'").set_index("region")
    assert truth["n"].to_dict() == regions["n"].to_dict()
    assert (5 * truth["rate"] - regions["mean"]).abs().max() < 1e-9
    assert study.tables["prompts"]["variant"].value_counts().to_dict() == {"detailed": 381, "short": 50}
    places = study.tables["landmarks"].merge(study.truth["landmarks"], on="landmark_id")
    assert [continent(name) for name in places["country_x"]] == list(places["continent"])


def test_scores_recover_a_continents_mean_and_its_published_spread():
    """GAP, Table 2: Europe 3.02 (SD 0.86)."""
    study = landmarks_study(seed=2, landmarks={"Europe": 6_000}, pairs=0)
    scores = scores_of(study)["score"]
    assert scores.mean() == pytest.approx(3.02, abs=4 * 0.86 / np.sqrt(6_000))
    assert scores.std() == pytest.approx(0.86, abs=0.03)


@pytest.mark.parametrize("popularity", [0.4, 0.0, -0.4])
def test_metrics_recover_their_rank_correlation_with_page_views(popularity):
    """Pearson (1907): Spearman's rho of a normal pair is 6/pi · arcsin(r/2)."""
    study = landmarks_study(seed=3, landmarks={"Asia": 6_000}, pairs=0, popularity=popularity)
    wide = study.tables["metric_values"].merge(clips_of(study), on="video_id")
    for metric in study.truth["metrics"].itertuples():
        rows = wide[wide["metric"].eq(metric.metric)]
        found = stats.spearmanr(rows["value"], rows["log_pageviews"]).statistic
        assert found == pytest.approx(metric.spearman, abs=4 / np.sqrt(6_000))
        assert metric.spearman == pytest.approx(6 / np.pi * np.arcsin(metric.knowledge * popularity / 2))
        assert rows["value"].mean() == pytest.approx(metric.mean, abs=4 * metric.sd / np.sqrt(6_000))
        assert rows["value"].std() == pytest.approx(metric.sd, rel=0.03)


def test_a_judge_sees_popularity_too():
    steep, flat = (landmarks_study(seed=4, landmarks={"Asia": 2_000}, popularity=r) for r in (0.5, 0.0))
    rho = [stats.spearmanr(rows["score"], rows["log_pageviews"]) for rows in map(scores_of, (steep, flat))]
    assert rho[0].statistic > 0.2
    assert rho[1].pvalue > 1e-3


def test_detail_raises_the_scores_of_the_same_landmark():
    """GAP, Table 4: the judge's means go from 3.49 to 3.78 of 5, the patches' from 0.66 to 0.68."""
    study = landmarks_study(seed=5, landmarks={"Americas": 3_000}, pairs=3_000)
    short, detailed = (
        scores_of(study, variant).set_index("landmark_id")["score"] for variant in ("short", "detailed")
    )
    rate = 3.62 / 5
    expected = 5 * (rate - 1 / (1 + (1 / rate - 1) * np.exp(0.29)))
    difference = detailed - short.reindex(detailed.index)
    assert difference.mean() == pytest.approx(expected, abs=4 * difference.std() / np.sqrt(3_000))
    assert difference.std() < np.hypot(detailed.std(), short.std())
    values = study.tables["metric_values"].merge(clips_of(study), on="video_id")
    patches = values[values["metric"].eq("patch_clip")].groupby("variant")["value"].mean()
    assert patches["detailed"] - patches["short"] == pytest.approx(0.02, abs=0.003)


def test_without_metrics_their_tables_are_empty_and_all_others_as_they_were():
    without, study = landmarks_study(seed=1, metrics=()), landmarks_study(seed=1)
    assert without.tables["metric_values"].empty
    assert without.truth["metrics"].empty
    assert without.tables["metric_values"].columns.equals(study.tables["metric_values"].columns)
    assert without.tables["ratings"].equals(study.tables["ratings"])


def test_an_effect_moves_only_its_region_and_the_metrics_that_know_the_place():
    plain, worse = (landmarks_study(seed=6, effects=effects) for effects in ({}, {"Global South": -1.0}))
    before, after = (scores_of(study).set_index("video_id") for study in (plain, worse))
    changed = before["score"] != after["score"]
    assert set(before.loc[changed, "global_north_south"]) == {"Global South"}
    assert (after["score"] <= before["score"]).all()
    wide = [
        study.tables["metric_values"].pivot_table(index="video_id", columns="metric", values="value")
        for study in (plain, worse)
    ]
    assert wide[0]["aigve_macs"].equals(wide[1]["aigve_macs"])
    south = before["global_north_south"].eq("Global South").reindex(wide[0].index, fill_value=False)
    moved = (wide[1] - wide[0])["patch_clip"]
    assert moved[south].max() < 0 < moved[~south & ~south.index.str.contains("short")].min()


def test_landmarks_have_what_a_map_and_a_trend_need():
    study = landmarks_study(seed=7)
    views = study.tables["landmarks"]["pageviews"]
    assert views.min() > 0
    assert np.log(views.astype(float)).std() == pytest.approx(1.5, abs=0.25)
    assert study.tables["metric_values"].groupby("metric").size().eq(431).all()


@settings(max_examples=4)
@given(
    seed=st.integers(0, 2**32 - 1),
    sizes=st.dictionaries(st.sampled_from(["Africa", "Asia", "Oceania"]), st.integers(1, 6), min_size=1),
    detail=st.floats(-3, 3),
)
def test_scores_stay_on_the_scale(seed, sizes, detail):
    study = landmarks_study(seed=seed, landmarks=sizes, pairs=1, detail=detail)
    assert study.tables["ratings"]["score"].between(0, 5).all()
    assert len(study.tables["ratings"]) == 2 * (sum(sizes.values()) + 1)


def test_same_seed_same_study_and_another_seed_another():
    people = [Rater(rater_id=f"person-{number}", kind="human", reliability=0.7) for number in range(3)]
    first, again, other = (landmarks_study(seed=seed, people=people) for seed in (8, 8, 9))
    for name, table in first.tables.items():
        pd.testing.assert_frame_equal(table, again.tables[name])
    assert not first.tables["metric_values"].equals(other.tables["metric_values"])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"landmarks": {"Asien": 3}}, "landmarks: .*did you mean 'Asia'"),
        ({"effects": {"Global Sooth": 1}}, "effects: .*did you mean 'Global South'"),
        ({"pairs": 382}, "pairs: found 382, expected 0 to 381"),
        ({"popularity": 0.8}, r"popularity: 0\.8 squared is more than landmark_share = 0\.5"),
        ({"clip_share": 1.5}, "expected numbers from 0 that sum to 1"),
        ({"judges": [Rater(rater_id="j", bias={"finedetail": 1})]}, "did you mean 'fine_detail'"),
    ],
)
def test_what_does_not_fit_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        landmarks_study(seed=1, **wrong)


def test_a_metric_knows_no_more_than_everything():
    with pytest.raises(ValueError, match="expected a knowledge from -1 to 1"):
        Metric(name="oracle", mean=0, sd=1, knowledge=1.2)
    assert {metric.name for metric in METRICS} <= {"patch_clip", "keypoint_match", "aigve_macs"}
