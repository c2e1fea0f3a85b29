"""Calibration: which comparisons there are, how they are measured, and tables of values of known truth."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from helpers.metrics import calibration, calibration_plots, calibration_summary, calibration_together
from helpers.metrics import calibration_tables as tests
from helpers.metrics.backbones import backbone
from helpers.metrics.calibration_settings import COMPARED, CONSTANTS, DEFAULT, SETTINGS, WORDS, First, metrics
from helpers.metrics.cases import reference_at
from helpers.metrics.keypoints import KeypointAlignment
from helpers.metrics.matchers import LoFTRMatcher, XFeatMatcher
from helpers.metrics.measurer import Clip
from helpers.metrics.patches import PatchSimilarity
from helpers.metrics.remembered import RememberedBackbone, RememberedMatcher
from helpers.photographs.collection import bundled
from helpers.simulate.clips.calibration import calibration_clips, calibration_places
from helpers.simulate.clips.edits import HARMLESS, MOVING, WRONG
from helpers.video.frames import sample
from helpers.video.sampling import Uniform

PLACES = [f"place {number}" for number in range(6)]
STRENGTHS = (0.5, 1.0)


@pytest.fixture(scope="module")
def places():
    found = calibration_places(bundled(), 2, seed=0)
    return found.assign(other=found["reference"][::-1].to_list())


@pytest.fixture(scope="module")
def cases(places, tmp_path_factory):
    folder = tmp_path_factory.mktemp("clips")
    about = {"dialled": 1, "strengths": [1.0], "frames": 6, "size": (96, 96), "seed": 0, "quiet": True}
    return calibration.calibration_cases(places, calibration_clips(places, folder, **about))


def made(value, *, settings=(DEFAULT,), seed=0):
    """Values of all metrics: `value(group, kind, strength, same)` and a little noise by place and clip."""
    rng = np.random.default_rng(seed)
    rows = [("faithful", "faithful", 0.0)]
    rows += [("dial", kind, strength) for kind in tests.KINDS for strength in STRENGTHS]
    rows += [("harmless", kind, 0.0) for kind in HARMLESS] + [("wrong", kind, 0.0) for kind in WRONG]
    rows += [("moving", kind, 0.0) for kind in MOVING]
    found = []
    for setting in settings:
        for metric in metrics():
            for place in PLACES:
                for group, kind, strength in rows if setting == DEFAULT else []:
                    name = f"{place}/{kind}-{strength}"
                    number = value(group, kind, strength, True) + rng.normal(scale=0.001)
                    about = (f"{name}@{place}", name, place, place, group, kind, strength)
                    found.append((*about, setting, metric, number, "ok"))
            for clip in PLACES if metric in COMPARED else []:
                for place in PLACES:
                    number = value("real", "other photograph", 0.0, clip == place) + rng.normal(scale=0.05)
                    about = (f"{clip}@{place}", clip, clip, place, "real", "other photograph", 0.0)
                    found.append((*about, setting, metric, number, "ok"))
    columns = ["video_id", "clip", "place", "reference", "group", "kind", "strength"]
    return pd.DataFrame(found, columns=[*columns, "setting", "metric", "value", "status"])


def truth(group, kind, strength, same):
    """A metric as it should be: it falls by 0.5 to another place, by as much with what is wrong."""
    if group in ("dial", "wrong"):
        return 0.9 - 0.5 * (strength or 1.0)
    return 0.9 if same else 0.4


@pytest.fixture(scope="module")
def values():
    return made(truth, settings=(DEFAULT, *SETTINGS))


def test_comparisons_with_own_anywhere_and_other_places(places, cases):
    assert cases["video_id"].is_unique
    real = cases[cases["group"].eq("real")]
    assert len(real) == 4
    anywhere = cases[cases["place"].isna()]
    assert anywhere["reference"].tolist() == [places["place"][0]] * 2
    own = cases[cases["place"].notna() & cases["group"].ne("real")]
    assert own["place"].eq(own["reference"]).all()
    assert set(own["place"]) == {places["place"][0]}


def test_a_reference_is_measured_as_single_measurers_measure_it_and_once(cases, tmp_path):
    rows = cases[cases["reference"].eq(cases["reference"].iloc[0])]
    found = calibration._of_reference(rows, tmp_path)
    assert set(found["setting"]) == {DEFAULT, *SETTINGS}
    assert set(found["metric"]) == set(metrics()) - {"patch_random"}
    assert found["status"].eq("ok").all()
    again = calibration._of_reference(rows, tmp_path)
    pd.testing.assert_frame_equal(again, found)

    row = rows[rows["kind"].eq("warped_structure")].iloc[0]
    reference = reference_at(row["photograph"])
    clip = Clip(video_id="one", frames=sample(row["path"], Uniform(5)), reference=reference)
    hog = PatchSimilarity(backbone("hog", "whole"), metrics()["patch_hog"])
    points = KeypointAlignment(XFeatMatcher())
    outcomes = [*hog.measure([clip]), *points.measure([clip])]
    alone = {name: value for one in outcomes for name, value in one.values.items()}  # noqa: PD011
    usual = found[found["setting"].eq(DEFAULT) & found["video_id"].eq(row["video_id"])]
    together = usual.set_index("metric")["value"]
    assert {name: together[name] for name in alone} == pytest.approx(alone, abs=1e-5)

    row = rows[rows["group"].eq("real")].iloc[0]
    clip = Clip(video_id="one", frames=sample(row["path"], Uniform(5)), reference=reference)
    setting, constants = next(iter(CONSTANTS.items()))
    [outcome] = KeypointAlignment(XFeatMatcher(), constants=constants).measure([clip])
    alone = dict(outcome.values)
    other = found[found["setting"].eq(setting) & found["video_id"].eq(row["video_id"])]
    assert other.set_index("metric")["value"].to_dict() == pytest.approx(alone, abs=1e-5)


@pytest.mark.slow
def test_processes_side_by_side_measure_everything_and_its_cost(cases, tmp_path):
    measured = calibration.measure_calibration(cases, tmp_path, quiet=True)
    values = measured.values  # noqa: PD011
    assert set(tests.usual(values)["metric"]) == set(metrics())
    assert not values.duplicated(["video_id", "setting", "metric"]).any()
    assert (measured.costs[["decoding", "measuring"]] > 0).all(axis=None)
    assert len(calibration_summary.summary(values, measured.costs)) == len(metrics())


def test_what_is_remembered_equals_what_is_computed():
    pictures = np.random.default_rng(0).integers(0, 256, (3, 64, 96, 3), dtype=np.uint8)
    plain, kept = backbone("hog", "whole"), RememberedBackbone(backbone("hog", "whole"))
    kept.tokens(pictures[1:2])
    for _ in range(2):
        found, expected = kept.tokens(pictures), plain.tokens(pictures)
        np.testing.assert_array_equal(found.tokens.numpy(), expected.tokens.numpy())
        assert (found.grid, found.region) == (expected.grid, expected.region)
    with pytest.raises(ValueError, match="too large"):
        RememberedMatcher(LoFTRMatcher())


def test_remembered_matches_are_computed_once():
    class Counting:
        settings, keeps, calls = {"matcher": "counting"}, True, 0

        def features(self, pictures):
            return [{"points": picture[0, :2, :2].astype(float)} for picture in pictures]

        def match(self, reference, frame):
            self.calls += 1
            return reference["points"], frame["points"]

    pictures = np.random.default_rng(0).integers(0, 256, (2, 8, 8, 3), dtype=np.uint8)
    counting = Counting()
    matcher = RememberedMatcher(counting)
    first, second = matcher.features(pictures)
    assert matcher.match(first, second) is matcher.match(*matcher.features(pictures))
    assert counting.calls == 1
    matcher.match(second, first)
    assert counting.calls == 2


def test_the_first_frames_rule():
    assert First(5).name == "first-5"
    assert First(2).pick(np.arange(4.0), 4.0).tolist() == [0, 1]
    assert First(5).pick(np.arange(3.0), 3.0).tolist() == [0, 1, 2]


def test_a_metric_that_falls_as_it_should_is_said_to(values):
    dial = tests.dial_table(values)
    assert dial["rho"].tolist() == pytest.approx([-1] * len(dial))
    assert dial["falling"].eq(len(PLACES)).all()
    assert dial["slope"].to_numpy() == pytest.approx(-0.5, abs=0.01)
    assert ((dial["low"] < -0.49) & (dial["high"] > -0.51)).all()
    assert dial["metric"].drop_duplicates().tolist() == list(metrics())


def test_slope_and_rho_equal_scipys_within_each_place():
    found = made(lambda group, kind, strength, same: -(strength**2), seed=3)
    cells = tests.dial_values(found).query("metric == 'motion' and kind == 'detail_loss'")
    fits = [stats.linregress(own["strength"], own["value"]).slope for _, own in cells.groupby("place")]
    ranks = [stats.spearmanr(own["strength"], own["value"]).statistic for _, own in cells.groupby("place")]
    row = tests.dial_table(found).query("metric == 'motion' and kind == 'detail_loss'").iloc[0]
    t = stats.ttest_1samp(fits, 0).confidence_interval()
    assert (row["slope"], row["low"], row["high"]) == pytest.approx((np.mean(fits), t.low, t.high))
    assert row["rho"] == pytest.approx(np.mean(ranks))


def test_changes_are_told_in_units_of_the_fall_to_another_place(values):
    moved = tests.changes(values).set_index(["metric", "kind", "strength"])
    assert moved.loc[("patch_hog", "crop", 0.0), "verdict"] == "hardly moves"
    assert moved.loc[("patch_hog", "blank", 0.0), "verdict"] == "moves"
    assert moved.loc[("patch_hog", "blank", 0.0), "change"] == pytest.approx(-1, abs=0.02)
    assert moved.loc[("patch_hog", "detail_loss", 0.5), "change"] == pytest.approx(-0.5, abs=0.02)
    assert moved.loc[("patch_hog", "other_landmark", 1.0), "verdict"] == "scale"
    # Of motion, by which no place is told, a change is a share of the faithful value.
    assert moved.loc[("motion", "blank", 0.0), "change"] == pytest.approx(-0.5 / 0.9, abs=0.01)


def test_a_metric_that_rises_towards_another_place_has_no_scale():
    rising = made(lambda group, kind, strength, same: 0.2 + 0.5 * strength)
    moved = tests.changes(rising).query("metric == 'patch_hog'")
    assert moved["verdict"].eq("no scale").all()
    assert moved["change"].isna().all()


def test_the_same_loss_is_read_off_the_dial():
    def value(group, kind, strength, same):
        return {"crop": 0.65, "zoom": 0.1, "darker": 0.95}.get(kind, 0.9 - 0.5 * strength)

    row = tests.same_loss(made(value)).set_index("metric").loc["patch_hog"]
    assert row["crop"] == pytest.approx(0.5, abs=0.02)
    assert np.isnan(row["zoom"])
    assert row["darker"] == 0


def test_areas_equal_scikit_learns_and_first_counts_references(values):
    real = tests.usual(tests.real_pairs(values))
    table = tests.auc_table(real).set_index("metric")
    own = real[real["metric"].eq("patch_hog")]
    assert table.loc["patch_hog", "auc"] == pytest.approx(roc_auc_score(own["same_place"], own["value"]))
    assert (table["same"] == 6).all()
    assert (table["other"] == 30).all()
    assert (table["first"] == 6).all()
    flat = tests.auc_table(real.assign(value=0.0))
    assert flat["auc"].to_numpy() == pytest.approx(0.5)
    assert flat["first"].to_numpy() == pytest.approx(1.0)


def test_settings_are_compared_where_they_can_matter(values):
    found = tests.sensitivity(values)
    usual = found[found["setting"].eq(DEFAULT)]
    assert usual["order"].to_numpy() == pytest.approx(1)
    assert "patch_random" not in set(found["metric"])
    inliers = found[found["metric"].str.contains("inliers")]
    assert inliers["metric"].nunique() == 2
    assert not set(inliers["setting"]) & set(CONSTANTS)
    assert tests.sensitivity(values[values["group"].ne("real")]).empty


def test_agreement_beyond_the_dial_is_told_from_the_dials_own():
    rng = np.random.default_rng(0)
    found = made(lambda group, kind, strength, same: 0.9 - 0.5 * strength)
    better = dict(zip(PLACES, rng.normal(scale=0.05, size=len(PLACES)), strict=True))
    agreeing = found["metric"].isin(["motion", "flicker"])
    found.loc[agreeing, "value"] += found["reference"].map(better)
    table = calibration_together.correlations(found, resamples=200, seed=0).set_index(["first", "second"])
    assert (table["together"] > 0.6).all()
    agreed = table.loc[("motion", "flicker")]
    assert agreed["beyond"] > 0.9 > agreed["noise"]
    others = table.drop(("motion", "flicker"))
    assert (others["beyond"].abs() < 0.5).all()
    assert (others["clips"] == 6 * 7).all()


def test_a_combination_adds_what_each_part_has_and_nothing_to_noise(values):
    real = tests.usual(tests.real_pairs(values)).copy()
    rng = np.random.default_rng(0)
    real["value"] = rng.normal(size=len(real))
    names = ["patch_hog", "keypoint_density_xfeat"]
    assert 0.2 < calibration_together.combined(real, names).estimate < 0.8
    parts = real["metric"].isin(names) & real["same_place"]
    real.loc[parts, "value"] += 1.5
    single = tests.auc_table(real).set_index("metric").loc[names, "auc"]
    assert calibration_together.combined(real, names).estimate > single.min()


def test_the_summary_is_drawn_from_the_values(values):
    costs = pd.DataFrame(
        {
            "clip": ["a", "b"] * 3,
            "measurer": ["patch-hog"] * 2 + ["keypoint-alignment-xfeat"] * 2 + ["motion"] * 2,
            "decoding": 1.0,
            "measuring": [2.0, 4.0, 10.0, 10.0, 0.1, 0.1],
        }
    )
    found = calibration_summary.summary(values, costs).set_index("metric")
    row = found.loc[WORDS["patch_hog"]]
    assert row["cost"] == 3
    assert row["hardly_moved_by"] == ", ".join([*HARMLESS, *MOVING])
    assert row["moved_by"].startswith("blurred from 0.50, warped from 0.50, another place from 0.50, ")
    assert np.isnan(found.loc[WORDS["patch_random"], "cost"])
    assert found["allowed"].to_list() == [metric.range for metric in metrics().values()]
    controls = calibration_summary.control_table(values)
    assert controls.columns[:2].to_list() == ["metric", "faithful"]
    assert controls["second photograph"].to_numpy() == pytest.approx(0.9, abs=0.1)
    assert controls["second photograph of another place"].to_numpy() == pytest.approx(0.4, abs=0.1)


def test_without_second_photographs_tables_are_empty_and_pictures_drawn():
    values = made(truth).query("group != 'real'")
    real = tests.auc_table(tests.usual(tests.real_pairs(values)))
    ends = tests.auc_table(tests.simulated_pairs(values))
    assert real.empty
    for figure in (
        calibration_plots.auc_figure({"simulated": ends, "real": real}, {}),
        calibration_plots.sensitivity_figure(tests.sensitivity(values), []),
    ):
        figure.draw_without_rendering()
        plt.close(figure)
    assert "second photograph" not in calibration_summary.control_table(values)


def test_every_picture_is_drawn(values):
    real = tests.auc_table(tests.usual(tests.real_pairs(values)))
    ends = tests.auc_table(tests.simulated_pairs(values))
    together = {"both": calibration_together.combined(tests.usual(tests.real_pairs(values)), COMPARED[:2])}
    varied = tests.sensitivity(values)
    correlated = calibration_together.correlations(values, resamples=20, seed=0)
    drawn = [
        calibration_plots.contact_figure({"one": np.zeros((8, 8, 3), np.uint8)}),
        calibration_plots.dial_figure(values),
        calibration_plots.change_figure(tests.changes(values), [*HARMLESS, *WRONG]),
        calibration_plots.auc_figure({"simulated": ends, "real": real}, together),
        calibration_plots.sensitivity_figure(varied, [DEFAULT, *SETTINGS]),
        calibration_plots.correlation_figure(correlated),
    ]
    for figure in drawn:
        figure.draw_without_rendering()
        plt.close(figure)
