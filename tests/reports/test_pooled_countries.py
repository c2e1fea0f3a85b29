"""Country maps and cards leave out a model that was shown the prompts of one country only, and name it."""

from dataclasses import replace

import pandas as pd
import pytest
from bs4 import BeautifulSoup

from helpers.reports.judged import Judged
from helpers.reports.materials import material
from helpers.reports.sections import country_map, report_cards

PARTIAL, COUNTRY = "Partial", "Japan"
SAID = "those that were shown few of the prompts: Partial (8 of 16)"


@pytest.fixture(scope="module")
def mixed(reports) -> Judged:
    """The judged study and one more model: copies of the first one's clips of one country, graded lowest."""
    page = reports[1].page
    videos, ratings = page.tables["videos"], page.tables["ratings"]
    copied = videos[videos["model"].eq(videos["model"].iloc[0]) & videos["prompt_id"].str.contains(COUNTRY)]
    graded = ratings[ratings["video_id"].isin(copied["video_id"])]
    new = {"video_id": lambda rows: "partial/" + rows["video_id"]}
    found = {
        "videos": pd.concat([videos, copied.assign(**new, model=PARTIAL)], ignore_index=True),
        "ratings": pd.concat([ratings, graded.assign(**new, score=1)], ignore_index=True),
    }
    return replace(reports[1], page=replace(page, tables=dict(page.tables) | found), _cases={})


def captions(page: str, element: str) -> list[str]:
    return [each.get_text() for each in BeautifulSoup(page, "html.parser").select(element)]


def test_country_cards_have_the_scores_without_the_model(reports, mixed):
    found, expected = (material(judged, "country") for judged in (mixed, reports[1]))
    for name, cells in expected.overall.items():
        pd.testing.assert_frame_equal(found.overall[name], cells)
    pd.testing.assert_frame_equal(found.groups, expected.groups)
    pd.testing.assert_frame_equal(found.everywhere, expected.everywhere)


def test_model_cards_keep_its_own_scores_and_compare_with_the_others(reports, mixed):
    found, expected = (material(judged, "model") for judged in (mixed, reports[1]))
    own = found.overall[found.judge.title].query("model == @PARTIAL and score == 'semantic_adherence'")
    assert own["estimate"].tolist() == [0]
    assert len(found.groups.query("model == @PARTIAL"))
    pd.testing.assert_frame_equal(found.everywhere, expected.everywhere)


def test_the_map_and_every_card_name_it(mixed):
    assert SAID in captions(country_map(mixed).data, "figcaption")[0]
    cards = captions(report_cards([mixed], "country").data, "caption")
    overall = [each for each in cards if "with 95 % intervals" in each]
    assert len(overall) == 2
    assert all(SAID in each for each in overall)
    models = captions(report_cards([mixed], "model").data, "caption")
    beside_all = [each for each in models if "the highest and lowest of" in each]
    assert len(beside_all) == 3
    assert all(SAID in each for each in beside_all)


def test_nothing_is_said_where_all_models_count(reports):
    assert "shown few" not in country_map(reports[1]).data
    assert "shown few" not in report_cards([reports[1]], "country").data


def test_a_variant_is_named_beside_its_prompts(reports):
    page = reports[0].page
    videos = page.tables["videos"]
    few = videos["model"].eq(videos["model"].iloc[1]) & ~videos["prompt_id"].str.contains("-0")
    fewer = replace(page, tables=dict(page.tables) | {"videos": videos[~few].reset_index(drop=True)})
    judged = replace(reports[0], page=fewer, _cases={})
    assert "(2 of 6 base prompts)" in material(judged, "country").left_out
