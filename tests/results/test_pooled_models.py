"""Means over models leave out a model that was shown the prompts of one country only."""

import numpy as np
import pandas as pd
import pytest

from helpers import study as studies
from helpers import tables
from helpers.published import ASPECTS
from helpers.results import culturevidbench as results
from helpers.results import culturevidbench_exhibits as exhibits
from helpers.results.page import LackingError, Page, open_page
from helpers.simulate.culturevidbench import culturevidbench_study
from helpers.simulate.raters import Rater

PARTIAL, COUNTRY, JUDGE = "Partial", "China", "judge"


@pytest.fixture(scope="module")
def page_of(tmp_path_factory):
    def page_of(found: dict[str, pd.DataFrame]) -> Page:
        folder = tmp_path_factory.mktemp("studies")
        for name, rows in found.items():
            tables.write(folder / "small", name, rows)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(studies, "STUDIES", folder)
            return open_page(studies.Study(name="small", seed=0), "culturevidbench")

    return page_of


@pytest.fixture(scope="module")
def whole():
    return culturevidbench_study(seed=0, judges=[Rater(rater_id=JUDGE, reliability=0.8)]).tables


@pytest.fixture(scope="module")
def with_partial(whole):
    """The study and one more model: copies of the first one's clips of one country, graded lowest."""
    videos, ratings = whole["videos"], whole["ratings"]
    there = whole["prompts"].loc[whole["prompts"]["country"].eq(COUNTRY), "prompt_id"]
    copied = videos[videos["model"].eq(videos["model"].iloc[0]) & videos["prompt_id"].isin(there)]
    graded = ratings[ratings["video_id"].isin(copied["video_id"]) & ratings["score"].notna()]
    new = {"video_id": lambda rows: "partial/" + rows["video_id"]}
    return whole | {
        "videos": pd.concat([videos, copied.assign(**new, model=PARTIAL)], ignore_index=True),
        "ratings": pd.concat([ratings, graded.assign(**new, score=1)], ignore_index=True),
    }


@pytest.fixture(scope="module")
def page(page_of, with_partial):
    return page_of(with_partial)


@pytest.fixture(scope="module")
def pooled(page):
    return results.pooled(page, results.graded(page))


@pytest.mark.parametrize("columns", [["country"], ["aspect"]])
def test_country_and_aspect_means_are_those_without_the_model(page_of, whole, pooled, columns):
    alone = results.graded(page_of(whole))
    expected, found = results.by_one(alone, JUDGE, columns), results.by_one(pooled, JUDGE, columns)
    pd.testing.assert_frame_equal(found, expected, check_categorical=False)


def test_so_is_the_dispersion_that_the_model_would_make(page_of, whole, page, pooled):
    def semantic(cases):
        rows = results.dispersion(cases[JUDGE], "criteria", resamples=50, seed=0)
        return rows.set_index("score").loc["semantic_adherence"]

    alone, mixed = results.graded(page_of(whole)), results.graded(page)
    assert semantic(pooled)["range"] == pytest.approx(semantic(alone)["range"])
    assert semantic(mixed)["lowest"] == COUNTRY
    assert semantic(mixed)["range"] > semantic(alone)["range"] + 0.05


def test_every_exhibit_over_models_names_it_with_its_prompts(page, pooled):
    prompts = page.tables["prompts"]
    count = f"{PARTIAL} ({prompts['country'].eq(COUNTRY).sum()} of {len(prompts)})"
    left_out = results.left_out(page)
    countries, aspects = (results.by_one(pooled, JUDGE, [column]) for column in ("country", "aspect"))
    apart = results.dispersion(pooled[JUDGE], "criteria", resamples=50, seed=0)
    shown = [
        exhibits.country_groups(countries, JUDGE, left_out),
        exhibits.dispersion_table(apart, JUDGE, left_out),
        exhibits.aspect_dots(aspects, "criteria", left_out),
        exhibits.drop_table(results.drops(pooled, "criteria"), "criteria", left_out),
    ]
    assert all(each.caption.endswith(count) for each in shown)


def test_nothing_is_said_where_no_model_is_left_out(page_of, whole):
    assert results.left_out(page_of(whole)) == ""


def test_grades_of_such_a_model_alone_are_no_mean_over_models(page):
    cases = {who: rows[rows["model"].eq(PARTIAL)] for who, rows in results.graded(page).items()}
    with pytest.raises(LackingError, match=f"Only clips of {PARTIAL} were graded"):
        results.pooled(page, cases)


def test_an_aspect_without_a_drop_keeps_its_row_and_says_of_how_many(page_of, whole):
    clothing = whole["prompts"].loc[whole["prompts"]["aspect"].eq("clothing"), "prompt_id"]
    clips = whole["videos"].loc[whole["videos"]["prompt_id"].isin(clothing), "video_id"]
    lost = whole["ratings"]["video_id"].isin(clips) & whole["ratings"]["criterion"].eq("element_alignment")
    ratings = whole["ratings"].assign(
        score=whole["ratings"]["score"].mask(lost), status=whole["ratings"]["status"].mask(lost, "unscored")
    )
    cases = results.graded(page_of(whole | {"ratings": ratings}))
    listed = exhibits.drop_table(results.drops(cases, "criteria"), "criteria", "")
    by_aspect = listed.frame.set_index("aspect")[JUDGE]
    assert list(by_aspect.index) == list(ASPECTS)
    assert by_aspect["clothing"] == f"– (0 of {len(clips)} in element alignment)"
    assert by_aspect.drop("clothing").str.contains("%").all()


def test_no_aspect_with_a_drop_is_a_sentence(page_of, whole):
    none = whole["ratings"].assign(score=np.nan, status="unscored")
    cases = results.graded(page_of(whole | {"ratings": none}))
    with pytest.raises(LackingError, match="No aspect"):
        results.drops(cases, "criteria")
