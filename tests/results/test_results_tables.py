"""What pages compute, against scipy and pandas on the same rows."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from helpers import study as studies
from helpers import tables
from helpers.published import ASPECTS
from helpers.results import culturescore, culturevidbench, landmarks
from helpers.results.culturevidbench_exhibits import drop_table
from helpers.results.landmark_exhibits import categories_dots, views_histogram
from helpers.results.page import LackingError, open_page
from helpers.simulate.culturescore import culturescore_study
from helpers.simulate.culturevidbench import culturevidbench_study
from helpers.simulate.landmarks import landmarks_study
from helpers.simulate.raters import Rater, cohort


@pytest.fixture(scope="module")
def page_of(tmp_path_factory):
    """The page of a benchmark on given tables."""

    def page_of(benchmark: str, found: dict[str, pd.DataFrame]):
        folder = tmp_path_factory.mktemp("studies")
        for name, rows in found.items():
            tables.write(folder / "small", name, rows)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(studies, "STUDIES", folder)
            return open_page(studies.Study(name="small", seed=0), benchmark)

    return page_of


@pytest.fixture(scope="module")
def vidbench(page_of):
    resident = Rater(rater_id="person", kind="human", native=True, reliability=0.6)
    judges = [Rater(rater_id="judge", reliability=0.5)]
    return page_of(
        "culturevidbench",
        culturevidbench_study(seed=0, judges=judges, people=cohort(["China", "Italy"], 2, resident)).tables,
    )


@pytest.fixture(scope="module")
def places(page_of):
    sizes = {"Europe": 30, "Asia": 14, "Oceania": 2}
    judge = Rater(rater_id="judge", reliability=0.6)
    return page_of("landmarks", landmarks_study(seed=0, judges=[judge], landmarks=sizes, pairs=12).tables)


def test_table_1_is_the_mean_grade_on_the_scale_from_0_to_1(vidbench):
    cases = culturevidbench.graded(vidbench)
    found = culturevidbench.by(cases, ["model"], "realism")
    ratings = vidbench.tables["ratings"].merge(vidbench.tables["videos"], on="video_id")
    own = ratings[ratings["criterion"].eq("realism") & ratings["rater_id"].eq("judge")]
    expected = (own.groupby("model")["score"].mean().astype(float) - 1) / 4
    by_judge = found[found["evaluator"].eq("judge")].set_index("model")["estimate"]
    assert by_judge.to_dict() == pytest.approx(expected.to_dict())


@pytest.mark.parametrize(("letter", "function"), [("rho", stats.spearmanr), ("tau", stats.kendalltau)])
def test_table_2_averages_scipys_coefficients_over_countries(vidbench, letter, function):
    found = culturevidbench.correlations(vidbench, culturevidbench.graded(vidbench))
    row = found.query("evaluator == 'judge' and criterion == 'realism' and coefficient == @letter").iloc[0]
    ratings = vidbench.tables["ratings"].query("criterion == 'realism'").astype({"score": float})
    means = ratings.assign(who=ratings["rater_id"].eq("judge")).pivot_table(
        index="video_id", columns="who", values="score"
    )
    both = means.dropna()
    prompts = vidbench.tables["videos"].set_index("video_id")["prompt_id"]
    countries = vidbench.tables["prompts"].set_index("prompt_id")["country"]
    where = both.index.map(prompts).map(countries)
    values = [function(part[True], part[False]).statistic for _, part in both.groupby(where)]
    assert row["estimate"] == pytest.approx(np.mean(values))
    assert row["n"] == 2
    assert row["clips"] == len(both)


def test_ranks_follow_the_means(vidbench):
    found = culturevidbench.ranked(culturevidbench.graded(vidbench))
    part = found.query("evaluator == 'judge' and criterion == 'realism'")
    part = part.sort_values("rank")
    assert part["estimate"].is_monotonic_decreasing
    assert part["rank"].tolist() == sorted(1 + sum(part["estimate"].gt(own)) for own in part["estimate"])


def test_the_readings_of_the_cultural_score():
    assert culturevidbench.cultural("groups") == "cultural_by_groups"
    with pytest.raises(ValueError, match="criteria"):
        culturevidbench.cultural("clips")


def test_a_drop_over_one_prompt_has_no_interval():
    rows = pd.DataFrame(
        {
            "score": "drop_by_groups",
            "evaluator": "people",
            "aspect": list(ASPECTS)[:2],
            "estimate": [-0.07, 0.2],
            "low": [np.nan, 0.1],
            "high": [np.nan, 0.3],
            "clusters": [1, 5],
            "status": "ok",
        }
    )
    drops = drop_table(rows, "groups", "").frame["people"].tolist()
    assert drops == ["−7 % no interval", "20 % [10, 30]"]


def test_landmark_exhibits_against_scipy(places):
    clips = landmarks.clips(places, "Sora 2")
    detailed = landmarks.of_variant(clips)
    pair = landmarks.correlation_matrix(detailed).query("first == 'judge' and second == 'patch_clip'").iloc[0]
    assert pair["rho"] == pytest.approx(stats.spearmanr(detailed["judge"], detailed["patch_clip"]).statistic)
    popular = landmarks.popularity(detailed).set_index("measure").loc["judge"]
    line = stats.linregress(detailed["pageviews"], detailed["judge"])
    assert popular["slope"] == pytest.approx(line.slope)
    wide = clips.pivot_table(index="landmark_id", columns="variant", values="patch_clip").dropna()
    assert len(wide) == 12
    specific = landmarks.specificity(clips).set_index("measure").loc["patch_clip"]
    test = stats.wilcoxon(wide["detailed"], wide["short"], zero_method="pratt")
    assert specific["p"] == pytest.approx(test.pvalue)
    assert specific["d"] == pytest.approx(
        (wide["detailed"] - wide["short"]).mean() / (wide["detailed"] - wide["short"]).std()
    )


def test_regions_and_their_differences(places):
    detailed = landmarks.of_variant(landmarks.clips(places, "Sora 2"))
    regions = landmarks.regions(detailed, "judge").query("unit == 'landmarks'").set_index("region")
    europe = detailed[detailed["continent"].eq("Europe")]["judge"]
    assert regions.loc["Europe", ["estimate", "sd"]].tolist() == pytest.approx([europe.mean(), europe.std()])
    low, high = stats.t.interval(0.95, 29, europe.mean(), stats.sem(europe))
    assert regions.loc["Europe", ["low", "high"]].tolist() == pytest.approx([low, high])
    found = landmarks.equivalence(detailed, "judge", 1.0, resamples=200, seed=0).set_index("pair")
    asia = detailed[detailed["continent"].eq("Asia")]["judge"]
    assert found.loc["Asia − Europe", "difference"] == pytest.approx(asia.mean() - europe.mean())
    # No verdict rests on two landmarks, nor on five countries.
    assert found.loc["Europe − Oceania", "verdict"] == "too few landmarks"
    assert found.loc["Asia − Europe", "verdict"] != "too few landmarks"
    assert found.loc["Asia − Europe", "country_verdict"] == "too few countries"


def test_every_landmark_with_page_views_stands_in_the_histogram_once(places):
    clips = landmarks.clips(places, "Sora 2")
    per_landmark = clips.groupby("landmark_id")["pageviews"].first()
    assert len(clips) > len(per_landmark) == 46
    gone = clips["landmark_id"].isin(per_landmark.index[:6])
    drawn = views_histogram(clips.assign(pageviews=clips["pageviews"].mask(gone)))
    assert sum(bar.get_height() for bar in drawn.figure.axes[0].patches) == 40
    assert "n = 40 landmarks with clips (6 further ones" in drawn.caption
    assert f"median {per_landmark.iloc[6:].median():,.0f}, from" in drawn.caption


def test_without_page_views_the_histogram_and_the_slopes_say_what_fills_them(places):
    clips = landmarks.clips(places, "Sora 2").assign(pageviews=np.nan, log_views=np.nan)
    for exhibit in (views_histogram, landmarks.popularity):
        with pytest.raises(LackingError, match=r"have no page views .*notebook 13 with `contact` set"):
            exhibit(clips)


def test_slopes_without_scores_do_not_blame_the_page_views(places):
    clips = landmarks.clips(places, "Sora 2").assign(judge=3.0)
    with pytest.raises(LackingError, match="No score differs among at least 4 clips"):
        landmarks.popularity(clips[["judge", "pageviews", "log_views"]])


def test_a_categorys_mean_has_scipys_interval_over_its_landmarks_and_one_landmark_has_none(places):
    clips = landmarks.clips(places, "Sora 2")
    known = clips.dropna(subset="judge")["landmark_id"].drop_duplicates().tolist()
    category = dict.fromkeys(known[:9], "castle") | {known[9]: "dam"}
    clips = clips.assign(category=clips["landmark_id"].map(category))
    bars, dots = categories_dots(clips, "judge").figure.axes
    assert [label.get_text() for label in bars.get_yticklabels()] == ["castle", "dam"]
    assert [bar.get_width() for bar in bars.patches] == [9, 1]
    means = clips[clips["category"].eq("castle")].groupby("landmark_id")["judge"].mean()
    expected = stats.t.interval(0.95, 8, means.mean(), stats.sem(means))
    castle, dam = (lines.get_segments()[0] for lines in dots.collections)
    assert castle[:, 0] == pytest.approx(expected)
    assert len(dam) == 0


def test_an_unknown_model_of_landmarks_is_named(places):
    with pytest.raises(LackingError, match="no landmark clips of 'Veo'"):
        landmarks.first_model(places, "Veo")


def test_unique_scenarios_are_read_from_either_spelling(tmp_path):
    path = tmp_path / "scenes.csv"
    path.write_text("scenario_id,unique\na,yes\nb,no\nc,True\n", encoding="utf-8")
    assert culturescore.unique_scenarios(path) == {"a", "c"}
    path.write_text("scenario_id\na\n", encoding="utf-8")
    with pytest.raises(LackingError, match="expected scenario_id and unique"):
        culturescore.unique_scenarios(path)


def test_gains_are_the_differences_of_the_levels_where_all_is_answered(page_of):
    page = page_of("culturescore", culturescore_study(seed=0, scenarios=2).tables)
    cases = culturescore.answered(page, page.judge())
    found = culturescore.gained(cases)
    assert (found["extended"] - found["base"]).to_numpy() == pytest.approx(found["estimate"].to_numpy())
    assert found["n"].eq(found["asked"]).all()


def test_questions_without_verification_count_where_none_has_any(page_of):
    made = culturescore_study(seed=0, scenarios=1).tables
    made["questions"] = made["questions"].assign(
        verified=pd.array([None] * len(made["questions"]), "boolean")
    )
    page = page_of("culturescore", made)
    cases = culturescore.answered(page, page.judge())
    assert cases["outcome"].eq("scored").all()


def test_the_only_variant_with_clips_stands_in_for_the_one_wanted():
    cases = pd.DataFrame({"variant": ["base", "base"]})
    assert culturescore.variant_of(cases, "extended") == "base"
    both = pd.DataFrame({"variant": ["base", "no_country"]})
    assert culturescore.variant_of(both, "no_country") == "no_country"
    with pytest.raises(LackingError, match="the parameter `variant` can be base or no_country"):
        culturescore.variant_of(both, "extended")
