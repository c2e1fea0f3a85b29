"""The papers' numbers against the papers' text, the totals and averages that they print, and each other."""

import csv
import re
from collections import Counter

import numpy as np
import pytest
from scipy import stats

from helpers import published
from helpers.geography import CULTUREVIDBENCH_COUNTRIES
from helpers.paths import DATA, ROOT

SHARED = ROOT.parent / "shared"
PAPERS = {
    "culturescore": SHARED / "papers" / "000_ce62411583832723.txt",
    "culturevidbench": SHARED / "papers" / "001_8a8c0bb39f6c1437.txt",
    "landmarks": SHARED / "papers" / "003_d00fd809b7a55fc2.txt",
}


def paper(name):
    if not PAPERS[name].is_file():
        pytest.skip(f"needs the paper's text at {PAPERS[name]}")
    return PAPERS[name].read_text(encoding="utf-8").replace("\xa0", " ")


def cells_as_printed(name):
    with published.table_path(name).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def claims():
    return published.load("claims").set_index("claim_id")["value"]


# Every file.


def test_every_file_is_declared_and_documented():
    files = {path.stem for path in (DATA / "published").glob("*.csv")}
    assert files == set(published.names())
    dictionary = (DATA / "README.md").read_text(encoding="utf-8")
    for name in published.names():
        assert f"`published/{name}.csv`" in dictionary
        for column in published.TABLES[name].columns:
            assert f"`{column}`" in dictionary, column


@pytest.mark.parametrize("name", published.names())
def test_every_table_loads_complete(name):
    frame = published.load(name)
    assert len(frame) == published.TABLES[name].rows
    assert list(frame.columns) == list(published.TABLES[name].columns)


def test_unknown_name_is_refused_with_the_nearest():
    with pytest.raises(
        ValueError, match="no published table 'culturescore_cell'; did you mean 'culturescore_cells'"
    ):
        published.load("culturescore_cell")


# Against the text of the papers: the same numbers, as often as there.


def culturescore_passages():
    """The text that belongs to each of CultureScore's tables: it stands before the table's caption."""
    text = paper("culturescore")
    text = text[text.index("\nDimension\nCategory\nBrazil") :]
    captions = [match.start() for match in re.finditer(r"\nTable \d+: ", text)]
    starts = [0, text.index("Dynamic Degree (the presence"), *captions[1:-1]]
    return {
        table: text[start:end] for table, (start, end) in enumerate(zip(starts, captions, strict=True), 1)
    }


@pytest.mark.parametrize(
    ("tables", "sources", "pattern"),
    [
        ([1], {"culturescore_facets": ["unique_facets"]}, r"(?<![\d.])\d+(?![\d.])"),
        (range(2, 9), {"culturescore_videoscore": ["score"]}, r"(?<![\d.])[1-4]\.\d+"),
        ([9, 10], {"culturescore_countries": ["base", "extended", "gain"]}, r"\d+\.\d(?!\d)"),
        (
            range(11, 17),
            {"culturescore_cells": ["accuracy"], "culturescore_overall_rows": ["accuracy"]},
            r"\d+\.\d(?!\d)",
        ),
    ],
    ids=["facets", "VideoScore", "countries", "cells"],
)
def test_culturescore_tables_hold_the_numbers_of_the_text(tables, sources, pattern):
    passages = culturescore_passages()
    for table in tables:
        numbers = [line for line in passages[table].splitlines() if re.fullmatch(r"[\d.+ ]+", line)]
        kept = [
            row[column]
            for name, columns in sources.items()
            for row in cells_as_printed(name)
            if row.get("table", "1") == str(table)
            for column in columns
        ]
        assert Counter(kept) == Counter(re.findall(pattern, "\n".join(numbers))), table


@pytest.mark.parametrize(
    ("name", "column", "start", "end"),
    [
        ("culturevidbench_scores", "score", "Evaluator\tModels", "\nTable 1: "),
        ("culturevidbench_correlations", "value", "$\\rho$\nViCLIP", "\nTable 2: "),
    ],
)
def test_culturevidbench_tables_hold_the_numbers_of_the_text(name, column, start, end):
    text = paper("culturevidbench")
    passage = text[text.index(start) : text.index(end)]
    kept = Counter(row[column] or "-" for row in cells_as_printed(name))
    assert kept == Counter(re.findall(r"(?<=\t)(?:0\.\d{3}|-)(?=[\t\n])", passage))


def test_each_claim_stands_in_its_paper_as_printed():
    for claim in cells_as_printed("claims"):
        value = claim["value"].lstrip("-")
        if "." not in value and int(value) <= 12:
            continue  # often written as a word
        spelt = f"{int(value):,}" if value.isdigit() else value
        found = re.search(rf"(?<![\d.])(?:{re.escape(value)}|{spelt})(?![\d]|\.\d)", paper(claim["paper"]))
        assert found, claim["claim_id"]


# Vocabulary.


def test_categories_of_aspects_hold_the_prompts_that_the_released_list_gives():
    path = SHARED / "data" / "index_elements_prompts.txt"
    if not path.is_file():
        pytest.skip(f"needs CultureVidBench's prompt list at {path}")
    codes = [line[2:4] for line in path.read_text(encoding="utf-8").splitlines() if line]
    aspects = dict(zip((f"{code:02d}" for code in range(1, 15)), published.ASPECTS, strict=True))
    found = Counter(published.ASPECTS[aspects[code]] for code in codes)
    # The paper prints 270, 386 and 344 (its section 3.3): two prompts are counted elsewhere.
    assert found == {"material": 272, "social": 386, "ritual": 342}


def test_criteria_come_in_four_groups_of_two():
    assert set(Counter(published.CRITERIA.values()).values()) == {2}
    assert len(published.CRITERIA) == claims()["cvb-criteria"]


# CultureScore: what its tables print against what they add up to.


def test_only_south_africa_has_no_family_facets():
    facets = published.load("culturescore_facets")
    empty = facets[facets["unique_facets"] == 0]
    assert set(zip(empty["country"], empty["category"], strict=True)) == {("South Africa", "family")}
    assert len(empty) == 3


@pytest.mark.parametrize("name", ["culturescore_videoscore", "culturescore_cells"])
def test_every_table_of_cells_leaves_out_exactly_that_family(name):
    frame = published.load(name)
    for _, table in frame.groupby("table"):
        pairs = set(zip(table["country"], table["category"], strict=True))
        assert len(pairs) == 49
        assert ("South Africa", "family") not in pairs


def test_counts_of_culturescore_fit_together():
    said = claims()
    assert said["cs-prompts"] == said["cs-scenarios"] * said["cs-variants"]
    assert said["cs-videos"] == said["cs-videos-wan"] + said["cs-videos-ltx"] + said["cs-videos-veo"]
    assert said["cs-raters"] == said["cs-human-countries"] * said["cs-raters-per-country"]
    # Two that do not: 94.85 % of the questions are left, and 45 raters x 9 triplets give 405 rankings.
    assert 100 * said["cs-questions-valid"] / said["cs-questions-generated"] == pytest.approx(94.85, abs=0.01)
    assert said["cs-raters"] * said["cs-triplets"] == 3 * said["cs-rank-observations"]


def test_gains_by_country_are_differences_within_rounding():
    frame = published.load("culturescore_countries")
    assert (frame["extended"] - frame["base"] - frame["gain"]).abs().max() < 0.1 + 1e-9


def test_average_rows_are_means_of_countries_within_rounding():
    frame = published.load("culturescore_countries").set_index(["table", "dimension"])
    printed = frame[frame["level"] == "average"][["base", "extended", "gain"]]
    countries = frame[frame["level"] == "country"][["base", "extended", "gain"]]
    means = countries.groupby(["table", "dimension"]).mean()
    assert (means - printed).abs().max(axis=None) < 0.1 + 1e-9


def test_averages_of_countries_are_not_the_averages_of_the_text():
    # Section 4.1 prints 51.4 and 56.8, the mean of the three "Overall" rows of Tables 12 and 14; Tables 9 and
    # 10 print 50.7 and 55.3 as the average of their "Overall" columns.
    frame = published.load("culturescore_countries").query("level == 'average' and dimension == 'overall'")
    assert frame["extended"].tolist() == [50.7, 55.3]
    rows = published.load("culturescore_overall_rows").query("variant == 'extended'")
    means = rows.groupby("model")["accuracy"].mean()
    assert means["LTX-2"] == pytest.approx(claims()["cs-average-ltx"], abs=0.05)
    assert means["Wan 2.2"] == pytest.approx(claims()["cs-average-wan"], abs=0.05)
    assert means["Veo 3.1 Fast"] == pytest.approx(51.0)


def test_overall_rows_lie_near_the_mean_of_their_cells():
    cells = published.load("culturescore_cells").groupby(["table", "dimension"])["accuracy"].mean()
    rows = published.load("culturescore_overall_rows").set_index(["table", "dimension"])["accuracy"]
    # Pooled over questions, so equal to the plain mean of 49 cells only to about two points.
    assert (cells - rows).abs().max() < 2


def test_accuracies_of_the_text_are_the_overall_rows_except_veo_extended():
    keys = ["model", "variant", "dimension"]
    rows = published.load("culturescore_overall_rows").set_index(keys)["accuracy"]
    said = published.load("claims").query("quantity == 'cultural accuracy' and variant != 'no_country'")
    differences = (said.set_index(keys)["value"] - rows.reindex(said.set_index(keys).index)).round(1)
    assert differences[differences != 0].to_dict() == {
        ("Veo 3.1 Fast", "extended", "identity"): -0.4,
        ("Veo 3.1 Fast", "extended", "behavior"): 0.4,
        ("Veo 3.1 Fast", "extended", "context"): -0.2,
    }


@pytest.mark.parametrize(
    ("quantity", "low", "high"),
    [
        ("gain from base to extended", "base", "extended"),
        ("drop from extended to no_country", "no_country", "extended"),
    ],
)
def test_differences_of_the_text_follow_from_its_accuracies(quantity, low, high):
    said = published.load("claims")
    accuracy = said[said["quantity"] == "cultural accuracy"].set_index(["model", "dimension", "variant"])[
        "value"
    ]
    checked = 0
    for row in said[said["quantity"] == quantity].itertuples():
        if (row.model, row.dimension, low) in accuracy.index:
            expected = accuracy[row.model, row.dimension, high] - accuracy[row.model, row.dimension, low]
            assert row.value == pytest.approx(expected, abs=0.051), row.claim_id
            checked += 1
    assert checked == 6


@pytest.mark.parametrize(
    ("table", "claim", "tolerance"),
    [
        (3, "cs-videoscore-average-ltx", 0.01),
        (5, "cs-videoscore-average-wan", 0.02),
        (7, "cs-human-videoscore-veo", 0.005),
    ],
)
def test_videoscore_averages_are_near_the_means_of_the_cells(table, claim, tolerance):
    mean = published.load("culturescore_videoscore").query("table == @table")["score"].mean()
    assert mean == pytest.approx(claims()[claim], abs=tolerance)


@pytest.mark.parametrize(
    ("model", "variant", "rho"),
    [
        ("LTX-2", "extended", -0.102),
        ("Veo 3.1 Fast", "extended", -0.174),
        ("Wan 2.2", "base", -0.069),
        ("LTX-2", "base", 0.307),
        ("Veo 3.1 Fast", "base", 0.047),
    ],
)
def test_videoscore_and_culturescore_over_cells_as_an_independent_reading_found(model, variant, rho):
    cell = ["country", "category"]
    chosen = "model == @model and variant == @variant"
    # Rounded, because sums of the same numbers in another order differ in the last bit and break ties; the
    # independent reading did not round, which moves it by up to 0.003 where scores have two digits.
    video = published.load("culturescore_videoscore").query(chosen).groupby(cell)["score"].mean().round(6)
    culture = published.load("culturescore_cells").query(chosen).groupby(cell)["accuracy"].mean().round(6)
    assert stats.spearmanr(video, culture[video.index]).statistic == pytest.approx(rho, abs=0.0035)


def test_mean_ranks_of_three_models_add_up_to_six():
    said = published.load("claims").query("quantity == 'mean human rank'")["value"]
    assert said.sum() == pytest.approx(6, abs=0.015)


def test_culturescore_leads_in_the_countries_that_the_text_names():
    cells = published.load("culturescore_cells").query("variant == 'extended'")
    best = cells.groupby(["country", "model"])["accuracy"].mean().unstack().idxmax(axis=1)
    assert set(best[best == "Veo 3.1 Fast"].index) == {"Iran", "Poland"}
    assert (best == "Wan 2.2").sum() == claims()["cs-countries-wan-leads"]


# CultureVidBench.


def test_counts_of_culturevidbench_fit_together():
    said = claims()
    categories = [said[f"cvb-prompts-{category}"] for category in ("material", "social", "ritual")]
    assert sum(categories) == said["cvb-prompts"]
    # Two prompts stand for each ritual element, one for each other.
    assert categories[0] + categories[1] + categories[2] / 2 == said["cvb-elements"]
    assert said["cvb-countries"] == len(CULTUREVIDBENCH_COUNTRIES)
    assert said["cvb-aspects"] == len(published.ASPECTS)
    assert said["cvb-human-prompts"] == said["cvb-countries"] * said["cvb-aspects"]
    assert said["cvb-videos-per-country"] == said["cvb-aspects"] * said["cvb-models"]
    assert said["cvb-videos"] == said["cvb-prompts"] * said["cvb-models"]


def test_models_without_sound_have_no_audio_score():
    silent = published.load("culturevidbench_generation").query("audio == 'no'")["model"]
    scores = published.load("culturevidbench_scores")
    missing = scores[scores["score"].isna()]
    assert set(missing["criterion"]) == {"audio_alignment"}
    assert set(missing["model"]) == set(silent)
    assert len(missing) == 2 * len(silent)


def test_clips_run_at_usual_frame_rates():
    frame = published.load("culturevidbench_generation")
    rates = (frame["frames"] / frame["duration"]).astype(float)
    assert np.minimum((rates - 16).abs(), (rates - 24).abs()).max() < 0.6


def test_this_benchmark_stands_in_its_own_comparison():
    own = published.load("culturevidbench_benchmarks").set_index("benchmark").loc["CultureVidBench"]
    said = claims()
    assert [own["countries"], own["aspects"], own["prompts"]] == [
        said[f"cvb-{name}"] for name in ("countries", "aspects", "prompts")
    ]


# GAP.


def test_groupings_account_for_part_of_the_attractions():
    totals = published.load("landmarks_regions").groupby("grouping")["n"].sum()
    assert totals.to_dict() == {"continent": 381, "north_south": 449, "west_east": 449}


def test_differences_of_regions_follow_from_their_means_within_rounding():
    means = published.load("landmarks_regions").set_index("region")["mean"]
    for row in published.load("landmarks_equivalence").itertuples():
        assert row.mean_difference == pytest.approx(means[row.first] - means[row.second], abs=0.0101)
        assert row.low < row.mean_difference < row.high


def test_regions_called_equivalent_have_intervals_within_the_margin():
    frame = published.load("landmarks_equivalence")
    margin = claims()["gap-delta"]
    inside = (frame["low"] > -margin) & (frame["high"] < margin)
    assert (inside == (frame["equivalent"] == "yes")).all()


def test_popularity_p_values_are_those_of_449_attractions():
    # scipy's t approximation of Spearman's p; the correlation is printed to three digits.
    for row in published.load("landmarks_popularity").itertuples():
        step = 0.5 * 10 ** (np.floor(np.log10(abs(row.srcc))) - 2)
        weak, strong = abs(row.srcc) - step, abs(row.srcc) + step
        high, low = (2 * stats.t.sf(r * np.sqrt(447 / (1 - r**2)), 447) for r in (weak, strong))
        assert low * 0.99 <= row.srcc_p <= high * 1.01, row.metric


@pytest.mark.parametrize(
    ("name", "p", "stars"),
    [("landmarks_popularity", "srcc_p", "srcc_stars"), ("landmarks_specificity", "p", "p_stars")],
)
def test_stars_follow_from_p(name, p, stars):
    marks = ["***", "**", "*", "none"]
    frame = published.load(name)
    expected = [marks[np.searchsorted([0.001, 0.01, 0.05], value)] for value in frame[p]]
    assert frame[stars].tolist() == expected


def test_detailed_prompts_score_higher_on_every_metric():
    frame = published.load("landmarks_specificity")
    assert (frame["mean_detailed"] > frame["mean_short"]).all()
    assert (frame["d"] > 0).all()
