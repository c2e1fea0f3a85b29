"""CultureVidBench's scores from ratings: the paper's example and Table 1, hand counts, simulated truth."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import published
from helpers.geography import CULTUREVIDBENCH_COUNTRIES
from helpers.published import CRITERIA
from helpers.scores.countries import average_over_countries, country_dispersion
from helpers.scores.culturevidbench import culturevidbench, graded_clips
from helpers.simulate.culturevidbench import culturevidbench_study
from helpers.simulate.raters import Rater, cohort
from scores.small_studies import grades_study, value

WEDDING = ("Japan", "wedding", "Kling 3.0", True)
FOOD = ("Japan", "food", "Kling 3.0", True)
PEOPLE = [(name, "human") for name in ("ann", "ben", "cyd")]


def all_criteria(clip, *scores, rater="judge"):
    return [(clip, name, rater, score) for name, score in zip(CRITERIA, scores, strict=True)]


def test_figure_9():
    """Human scores are means of three: 2.3, 3.0, 5.0 and 5.0, normalised to (score - 1)/4 (5.1)."""
    given_scores = {
        "element_alignment": (2, 2, 3),
        "cultural_consistency": (3, 3, 3),
        "subject_alignment": (5, 5, 5),
        "action_alignment": (5, 5, 5),
    }
    ratings = [
        ("pelmeni", criterion, rater, score)
        for criterion, three in given_scores.items()
        for (rater, _), score in zip(PEOPLE, three, strict=True)
    ]
    clips = {"pelmeni": ("Russia", "food", "Wan 2.2", False)}
    scores = culturevidbench(graded_clips(grades_study(ratings, clips=clips, raters=PEOPLE), "human"))
    assert round(1 + 4 * value(scores, "element_alignment"), 1) == 2.3
    assert value(scores, "cultural_consistency") == 0.5
    assert value(scores, "semantic_adherence") == 1
    # Faithfulness (1/3 + 1/2)/2; nobody graded text or sound, so there is no cultural score.
    assert value(scores, "cultural_faithfulness") == pytest.approx(5 / 12)
    assert value(scores, "multimodal_rendering", "status") == "nothing to score"
    assert np.isnan(value(scores, "cultural_by_groups"))
    assert value(scores, "text_rendering", "not_asked") == 1


def table_1(evaluator):
    """Ratings that average to the printed means: 250 clips a model and criterion, of whole scores."""
    printed = published.load("culturevidbench_scores").query("evaluator == @evaluator")
    ratings, clips = [], {}
    for row in printed.dropna(subset="score").itertuples():
        total = round(row.score * 4 * 250)
        for number in range(250):
            clips[f"{row.model}/{number}"] = (
                CULTUREVIDBENCH_COUNTRIES[number % 12],
                "wedding",
                row.model,
                row.model not in SILENT,
            )
            ratings.append((f"{row.model}/{number}", row.criterion, "judge", 1 + (total + number) // 250))
    return grades_study(ratings, clips=clips), printed


SILENT = ("Cosmos-Predict2.5", "HunyuanVideo-1.5", "Wan 2.2")


@pytest.mark.parametrize("evaluator", ["human", "Gemini-3.1-Pro"])
def test_groups_and_both_cultural_scores_follow_from_table_1(evaluator):
    """Plain arithmetic on the printed means; silent models (Table 3) have no mean under sound."""
    tables, printed = table_1(evaluator)
    scores = culturevidbench(graded_clips(tables))
    wide = printed.pivot_table(index="model", columns="criterion", values="score")
    for model, row in wide.iterrows():
        for criterion, mean in row.dropna().items():
            assert value(scores, criterion, model=model) == pytest.approx(mean, abs=0.001)
        culture = row[["element_alignment", "cultural_consistency", "text_rendering", "audio_alignment"]]
        faithful, multimodal = culture.iloc[:2].mean(), culture.iloc[2:].mean()
        semantic = (row["subject_alignment"] + row["action_alignment"]) / 2
        both = (faithful + multimodal) / 2
        expected = {
            "cultural_faithfulness": faithful,
            "multimodal_rendering": multimodal,
            "perceptual_quality": (row["realism"] + row["visual_quality"]) / 2,
            "cultural_by_groups": both,
            "cultural_by_criteria": culture.mean(),
            "drop_by_groups": 1 - both / semantic,
            "drop_by_criteria": 1 - culture.mean() / semantic,
        }
        for name, number in expected.items():
            assert value(scores, name, model=model) == pytest.approx(number, abs=0.002), (model, name)
        silent = model in SILENT
        status = value(scores, "cultural_by_groups", "status", model=model)
        assert status == ("ok; without audio_alignment" if silent else "ok")
        differ = abs(expected["cultural_by_groups"] - expected["cultural_by_criteria"]) > 0.01
        assert differ == silent


def test_not_applicable_is_neither_a_score_nor_a_loss():
    """Text: 5 and NA, so the mean is 1 of one clip, all of what was to be scored."""
    ratings = [("a", "text_rendering", "judge", 5), ("b", "text_rendering", "judge", None)]
    ratings += [("c", "text_rendering", "judge", "unscored")]
    clips = {"a": FOOD, "b": FOOD, "c": FOOD}
    scores = culturevidbench(graded_clips(grades_study(ratings, clips=clips)), least_share=0.5)
    row = scores.table.set_index("score").loc["text_rendering"]
    assert row[["estimate", "n", "asked", "not_applicable", "unscored"]].tolist() == [1, 1, 2, 1, 1]
    refused = culturevidbench(graded_clips(grades_study(ratings, clips=clips)))
    assert value(refused, "text_rendering", "status") == "too few scored: 1 of 2"


def test_sound_counts_where_the_aspect_has_one_and_the_model_makes_it():
    """Section 4.1: weddings, not food; not the silent model's or the mute clip's; a lost one does count."""
    clips = {
        "wedding": WEDDING,
        "food": FOOD,
        "mute": ("Japan", "wedding", "Kling 3.0", False),
        "silent": ("Japan", "wedding", "Wan 2.2", False),
        "lost": ("Japan", "wedding", "Kling 3.0", None, "failed"),
    }
    ratings = [(clip, "audio_alignment", "judge", 3) for clip in ("wedding", "food", "mute", "silent")]
    cases = graded_clips(grades_study(ratings, clips=clips))
    row = culturevidbench(cases, [], least_share=0.5).table.set_index("score").loc["audio_alignment"]
    assert row[["estimate", "n", "asked", "no_sound", "no_clip"]].tolist() == [0.5, 1, 2, 3, 1]


def test_people_are_asked_about_the_clips_that_they_were_shown():
    """Scores 1, 3 and one unreadable: the mean of two. A tie of NA and losses is a loss."""
    ratings = [("a", "text_rendering", "ann", 1), ("a", "text_rendering", "ben", 3)]
    ratings += [("a", "text_rendering", "cyd", "unscored"), ("b", "text_rendering", "ann", None)]
    ratings += [("b", "text_rendering", "ben", "blocked")]
    tables = grades_study(ratings, clips={"a": FOOD, "b": FOOD, "unseen": FOOD}, raters=PEOPLE)
    scores = culturevidbench(graded_clips(tables, "human"), least_share=0.5)
    row = scores.table.set_index("score").loc["text_rendering"]
    assert row[["estimate", "n", "asked", "blocked"]].tolist() == [0.25, 1, 2, 1]


def test_a_drop_from_nothing_is_undefined():
    ratings = all_criteria("a", 3, 3, 3, 3, 1, 1, 3, 3)
    scores = culturevidbench(graded_clips(grades_study(ratings, clips={"a": WEDDING})))
    assert value(scores, "semantic_adherence") == 0
    status = "undefined: subject_alignment and action_alignment 0"
    assert value(scores, "drop_by_groups", "status") == status


score = st.one_of(st.integers(1, 5), st.sampled_from([None, "unscored"]))
graded = st.integers(1, 5)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(graded, graded, score, score, graded, graded), min_size=1, max_size=8))
def test_the_same_as_a_slow_plain_reading(rows):
    clips = {f"v{k}": WEDDING for k in range(len(rows))}
    ratings = [
        each for k, scores in enumerate(rows) for each in all_criteria(f"v{k}", *scores, scores[0], scores[1])
    ]
    found = culturevidbench(graded_clips(grades_study(ratings, clips=clips)), least_share=0)
    means = {}
    for position, name in enumerate(CRITERIA):
        given_scores = [(*row, row[0], row[1])[position] for row in rows]
        numbers = [(each - 1) / 4 for each in given_scores if isinstance(each, int)]
        means[name] = sum(numbers) / len(numbers) if numbers else None
        assert value(found, name, "n") == len(numbers)
        if numbers:
            assert value(found, name) == pytest.approx(sum(numbers) / len(numbers))
    lost = any(
        means[name] is None and any(row[place] == "unscored" for row in rows)
        for name, place in (("text_rendering", 2), ("audio_alignment", 3))
    )
    culture = [means[name] for name in list(CRITERIA)[:4] if means[name] is not None]
    multimodal = [means[name] for name in list(CRITERIA)[2:4] if means[name] is not None]
    by_criteria = value(found, "cultural_by_criteria")
    by_groups = value(found, "cultural_by_groups")
    if lost:
        assert np.isnan(by_criteria)
    else:
        assert by_criteria == pytest.approx(sum(culture) / len(culture))
    if lost or not multimodal:
        assert np.isnan(by_groups)
    else:
        faithful = (means["element_alignment"] + means["cultural_consistency"]) / 2
        assert by_groups == pytest.approx((faithful + sum(multimodal) / len(multimodal)) / 2)


@pytest.fixture(scope="module")
def study():
    people = cohort(CULTUREVIDBENCH_COUNTRIES, 3, Rater(rater_id="p", kind="human", native=True))
    return culturevidbench_study(
        seed=3, people=people, prompts_per_aspect=4, effects={"Ethiopia": -1.5, "Malaysia": -0.8}
    )


def test_simulated_country_rates_are_recovered(study):
    """Truth of a country and criterion: the mean of its cells' rates over models and aspects."""
    truth = study.truth["countries"].query("not matched").rename(columns={"criterion": "score"})
    found = culturevidbench(graded_clips(study.tables), ["country"]).table
    both = found.merge(truth.astype({"country": str}), on=["country", "score"])
    assert len(both) == 12 * 8
    inside = both["rate"].between(both["low"], both["high"])
    assert inside.mean() > 0.95 - 3 * np.sqrt(0.05 * 0.95 / 96)


def test_people_and_their_sheets(study):
    """4.3: one prompt an aspect, so 14 x 7 clips a country; raters see the same clips alike."""
    cases = graded_clips(study.tables, "human")
    assert cases.drop_duplicates("video_id").groupby("country").size().eq(14 * 7).all()


def test_dispersion_is_the_range_and_finds_the_countries_apart(study):
    scores = culturevidbench(graded_clips(study.tables), ["country"])
    spread = country_dispersion(scores, resamples=500).set_index("score")
    means = scores.table.pivot_table(index="country", columns="score", values="estimate")
    ranges = (means.max() - means.min()).rename("range")
    pd.testing.assert_series_equal(spread["range"].sort_index(), ranges.sort_index(), check_names=False)
    culture, semantic = spread.loc["cultural_by_groups"], spread.loc["semantic_adherence"]
    assert culture["lowest"] == "Ethiopia"
    assert culture["p"] < 0.01 < semantic["p"]
    assert 0 < culture["low"] < culture["sd"] < culture["high"]
    assert (spread["corrected"] <= spread["range"]).all()
    assert spread["status"].eq("ok").all()


def test_countries_without_a_score_are_named_in_averages_and_dispersions():
    places = ("Japan", "India", "China", "Brazil")
    clips = {f"{place}-{k}": (place, "food", "m", False) for place in places for k in range(3)}
    ratings = [
        (name, "element_alignment", "judge", "failed" if name.startswith("Brazil") else 1 + number % 3)
        for number, name in enumerate(clips)
    ]
    scores = culturevidbench(graded_clips(grades_study(ratings, clips=clips)), ["country"])
    average = average_over_countries(scores).table.set_index("score").loc["element_alignment"]
    assert average["status"] == "no score in 1 of 4 countries"
    assert np.isnan(average["estimate"])
    spread = country_dispersion(scores, resamples=50).set_index("score").loc["element_alignment"]
    assert spread[["n", "asked", "status"]].tolist() == [3, 4, "without 1 of 4 countries"]


def test_scores_by_one_column(study):
    scores = culturevidbench(graded_clips(study.tables), ["model", "country"])
    found = scores.by("country", "realism", model="Wan 2.2")
    assert list(found) == sorted(CULTUREVIDBENCH_COUNTRIES)
    assert found["Japan"].estimate == value(scores, "realism", model="Wan 2.2", country="Japan")
    with pytest.raises(ValueError, match="several scores 'realism'"):
        scores.by("country", "realism")
    with pytest.raises(ValueError, match="found no score 'realizm'"):
        scores.by("country", "realizm", model="Wan 2.2")
