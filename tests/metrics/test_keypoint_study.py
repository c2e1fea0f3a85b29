"""How keypoint alignment behaves: perfect copies, chance, other constants, the dial; and its pictures."""

from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pytest

from helpers.metrics import keypoint_plots as plots
from helpers.metrics import keypoint_study as looks
from helpers.metrics.keypoint_formula import GAP, Constants
from helpers.metrics.keypoints import KeypointAlignment
from helpers.metrics.matchers import XFeatMatcher
from helpers.metrics.working import working_copy
from helpers.photographs.collection import bundled
from helpers.photographs.credits import PUBLIC_DOMAIN
from helpers.simulate.clips.dial import KINDS, dial_clips


@pytest.fixture(scope="module")
def collection():
    return bundled()


@pytest.fixture(scope="module")
def metric():
    return KeypointAlignment(XFeatMatcher(keypoints=512), long_side=256)


@pytest.fixture(scope="module")
def shots(collection, metric):
    places = looks.some_places(collection, 2, seed=0)
    photographs = {place: reference.picture() for place, reference in places.items()}
    return [
        looks.Shot(place, kind, strength, metric.known(places[place]), metric.matches(places[place], clip))
        for place, kind, strength, clip in dial_clips(photographs, [0.5, 1.0], frames=2, seed=0)
    ]


@pytest.fixture(autouse=True)
def closed():
    yield
    mpl.pyplot.close("all")


TWO = {name: np.full((64, 64, 3), shade, np.uint8) for name, shade in [("a", 0), ("b", 200)]}


class TestDialClips:
    def test_start_faithful_and_go_through_every_kind(self):
        clips = list(dial_clips(TWO, [0.5, 1.0], frames=2, seed=0))
        assert [clip[:3] for clip in clips[:3]] == [
            ("a", "identity", 0),
            ("a", "detail_loss", 0.5),
            ("a", "detail_loss", 1),
        ]
        assert len(clips) == 2 * (1 + 2 * len(KINDS))
        assert clips[0][3].shape == (2, 256, 256, 3)

    def test_show_the_next_place_where_another_replaces_it(self):
        *_, last = [clip for clip in dial_clips(TWO, [1.0], frames=1, seed=0) if clip[0] == "a"]
        assert last[1:3] == ("other_landmark", 1.0)
        assert (last[3] == 200).all()

    def test_need_two_places(self):
        with pytest.raises(ValueError, match="two places"):
            list(dial_clips({"a": TWO["a"]}, [1.0], frames=1, seed=0))


class TestExample:
    def test_shows_only_what_a_book_may_show(self, collection):
        found = looks.example(collection, "anything")
        shown = collection.photographs.set_index("path")
        for reference in (found.reference, found.same, found.other):
            assert shown.loc[str(reference.path), "licence"] in PUBLIC_DOMAIN
        assert found.filmed
        assert found.other != found.reference
        assert all(line.endswith(".") for line in found.credits)

    def test_takes_a_second_photograph_of_the_wanted_place_where_it_may(self, collection):
        free = collection.photographs.assign(licence="CC0-1.0", doubt=None)
        found = looks.example(replace(collection, photographs=free), "motorcycle")
        assert [found.reference.path.stem, found.same.path.stem] == ["motorcycle_left", "motorcycle_right"]
        assert not found.filmed


def test_places_are_different_scenes_and_the_seed_decides(collection):
    drawn = looks.some_places(collection, 5, seed=1)
    assert drawn.keys() == looks.some_places(collection, 5, seed=1).keys()
    scenes = collection.photographs.set_index("photograph_id")["scene"]
    assert scenes[list(drawn)].is_unique
    assert len(looks.some_places(collection, 100, seed=1)) == scenes.nunique()


def test_scores_repeat_the_faithful_clip_in_each_kind(shots):
    scores = looks.shot_scores(shots)
    assert len(scores) == 2 * 3 * 3
    faithful = scores[scores["strength"].eq(0)]
    assert faithful.groupby("place")["alignment"].nunique().eq(1).all()
    assert np.allclose(scores["alignment"], scores["density"] + scores["geometry"])


def test_the_interval_of_a_mean_is_students(shots):
    scores = looks.shot_scores(shots)
    table = looks.mean_with_interval(scores, "density")
    row = table.query("kind == 'warped_structure' and strength == 0.5").iloc[0]
    two = scores.query("kind == 'warped_structure' and strength == 0.5")["density"].to_numpy()
    # With two places: half the difference times t(0.975, 1) = 12.706 (any table of Student's t).
    assert row["mean"] == pytest.approx(two.mean())
    assert row["high"] - row["mean"] == pytest.approx(abs(two[0] - two[1]) / 2 * 12.706, rel=1e-4)
    assert row["n"] == 2


def test_other_constants_are_compared_with_gaps(shots):
    table = looks.constants_table(shots, [GAP, Constants(beta=0.5)])
    assert table["order"].iloc[0] == pytest.approx(1)
    assert table["faithful"].iloc[1] > table["faithful"].iloc[0]
    assert np.allclose(table["drop"], table["faithful"] - table["other"])


def test_geometry_by_chance_falls_with_the_number_of_matches():
    table = looks.chance_geometry([3, 10, 100], draws=50, seed=0)
    assert table["mean"].is_monotonic_decreasing
    assert table["mean"].iloc[0] > 0.4
    assert table["mean"].iloc[2] < 0.05
    assert (table["low"] <= table["mean"]).all()
    with pytest.raises(ValueError, match="at least 3"):
        looks.chance_geometry([2], draws=5, seed=0)


def test_a_perfect_copy_has_geometry_1_and_less_density_the_more_detail(shots):
    references = {shot.place: shot.reference for shot in shots}
    copies = looks.copies_table(references).sort_values("detail")
    assert copies["geometry"].to_numpy() == pytest.approx(1)
    assert copies["density"].is_monotonic_decreasing


def test_pictures_are_drawn(collection, metric, shots):
    example = looks.example(collection, "anything")
    known, picture = metric.known(example.reference), working_copy(example.reference.picture(), 256)
    other = working_copy(example.other.picture(), 256)
    pairs = metric.matches(example.reference, picture[None]) + metric.matches(example.reference, other[None])
    scores = [looks.score_clip(known, [pair]).frames[0] for pair in pairs]
    figure = plots.pair_figure(picture, [picture, other], known.regions, pairs, scores, ["same", "other"])
    legends = [axis.get_legend() for axis in figure.axes]
    for score, legend in zip(scores, legends, strict=True):
        assert f"score {score.score:.2f}" in legend.get_title().get_text()
    assert len(legends[0].get_texts()) == len(known.regions)
    plots.draw_regions(figure.axes[0], picture, known.regions)
    means = looks.mean_with_interval(looks.shot_scores(shots), "density")
    assert len(plots.dial_figure(dict.fromkeys("abcd", means)).axes) == 4
    chance = looks.chance_geometry([3, 10], draws=5, seed=0)
    copies = looks.copies_table({"a": known})
    assert len(plots.limits_figure(copies, chance, GAP.beta).axes) == 2


def test_a_pair_without_matches_is_drawn(metric, collection):
    example = looks.example(collection, "anything")
    known, picture = metric.known(example.reference), working_copy(example.reference.picture(), 256)
    blank = np.full((64, 64, 3), 255, np.uint8)
    [pair] = metric.matches(example.reference, blank[None])
    frame = looks.score_clip(known, [pair]).frames[0]
    figure = plots.pair_figure(picture, [blank], known.regions, [pair], [frame], ["blank"])
    assert "0 matches" in figure.axes[0].get_legend().get_title().get_text()
