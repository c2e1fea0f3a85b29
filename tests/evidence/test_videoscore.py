import numpy as np
import pandas as pd
import pytest
from scipy import stats

from helpers import published
from helpers.evidence.videoscore import correlations, counting_share, over_models, score_pairs


@pytest.fixture(scope="module")
def cells():
    return published.load("culturescore_cells")


@pytest.fixture(scope="module")
def videoscore():
    return published.load("culturescore_videoscore")


@pytest.fixture(scope="module")
def pairs(cells, videoscore):
    return score_pairs(cells, videoscore)


def test_five_runs_have_both_scores_in_49_cells(pairs):
    sizes = pairs.groupby(["model", "variant"]).size()
    assert sizes.tolist() == [49] * 5
    assert ("Wan 2.2", "extended") not in sizes


def test_correlations_agree_with_scipy_and_with_an_independent_reading_of_the_tables(pairs):
    found = correlations(pairs, resamples=50).set_index(["model", "variant", "over"])
    reading = {
        ("LTX-2", "base"): 0.307,
        ("LTX-2", "extended"): -0.102,
        ("Wan 2.2", "base"): -0.069,
        ("Veo 3.1 Fast", "base"): 0.047,
        ("Veo 3.1 Fast", "extended"): -0.174,
    }
    for run, expected in reading.items():
        part = pairs[(pairs["model"] == run[0]) & (pairs["variant"] == run[1])]
        row = found.loc[(*run, "cells")]
        assert (row["n"], found.loc[(*run, "countries"), "n"]) == (49, 10)
        scipys = stats.spearmanr(part["videoscore"], part["culturescore"]).statistic
        assert row["estimate"] == pytest.approx(scipys)
        # The reading compared unrounded means, whose last bit breaks ties: up to 0.004 apart.
        assert row["estimate"] == pytest.approx(expected, abs=0.004)


def test_unrounded_means_give_the_independent_reading_to_its_last_digit(cells, videoscore):
    keys = ["model", "variant", "country", "category"]
    culture, video = cells.groupby(keys)["accuracy"].mean(), videoscore.groupby(keys)["score"].mean()
    for run, expected in ((("Wan 2.2", "base"), -0.069), (("Veo 3.1 Fast", "extended"), -0.174)):
        rho = stats.spearmanr(video[run], culture[run].loc[video[run].index]).statistic
        assert round(rho, 3) == expected


def test_wan_leads_in_eight_countries_and_veo_in_iran_and_poland_as_section_4_1_says(cells, videoscore):
    found = over_models(cells, videoscore).set_index("country")["highest_culturescore"]
    assert (found == "Wan 2.2").sum() == 8
    assert sorted(found.index[found == "Veo 3.1 Fast"]) == ["Iran", "Poland"]


def test_ltx_has_the_highest_videoscore_in_all_regions_as_figure_5_says(cells, videoscore):
    assert (over_models(cells, videoscore)["highest_videoscore"] == "LTX-2").all()


def test_rho_over_models_by_hand():
    # LTX-2 > Veo > Wan in quality, the reverse in culture.
    models = ["LTX-2", "Wan 2.2", "Veo 3.1 Fast"]
    cells = pd.DataFrame(
        {"model": models, "variant": "extended", "country": "Chile", "accuracy": [1.0, 3, 2]}
    )
    quality = pd.DataFrame(
        {
            "model": models,
            "variant": ["extended", "base", "extended"],
            "country": "Chile",
            "score": [3.0, 1.0, 2.0],
        }
    )
    row = over_models(cells, quality).iloc[0]
    assert row["rho"] == -1
    assert (row["lowest_videoscore"], row["lowest_culturescore"]) == ("Wan 2.2", "LTX-2")


def test_counting_alone_explains_all_of_binomial_noise():
    rng = np.random.default_rng(5)
    n, p = 40, 0.4
    rows = [
        {
            "model": "a",
            "variant": "base",
            "country": f"c{place}",
            "category": "family",
            "dimension": dimension,
            "accuracy": 100 * rng.binomial(n, p) / n,
            "n": n,
        }
        for place in range(3000)
        for dimension in published.DIMENSIONS
    ]
    row = counting_share(pd.DataFrame(rows)).iloc[0]
    assert row["cells"] == 3000
    # Textbook: the variance of a mean of three shares is p (1 - p) / (3 n); in squared points times 10,000.
    assert row["variance"] == pytest.approx(1e4 * p * (1 - p) / (3 * n), rel=0.1)
    assert row["share"] == pytest.approx(1, abs=0.1)
