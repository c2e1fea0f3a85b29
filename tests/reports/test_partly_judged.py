"""Studies that lack judges, people or a second run: sentences instead of failures."""

import dataclasses

import pandas as pd
import pytest
from bs4 import BeautifulSoup

from helpers.reports import change_sections, profile_cards, sections
from helpers.reports.judged import Judged, open_all
from helpers.reports.materials import material
from helpers.reports.panels import panels
from reports.report_study import JUDGES


def without(judged: Judged, *raters: str) -> Judged:
    """The same study without what some raters said."""
    tables = dict(judged.page.tables)
    for name in ("raters", "answers", "ratings"):
        tables[name] = tables[name][~tables[name]["rater_id"].isin(raters)].reset_index(drop=True)
    page = dataclasses.replace(judged.page, tables=tables)
    return Judged(page, judged.framework, panels(page))


@pytest.fixture(scope="module")
def people_only(reports):
    return [without(each, *JUDGES) for each in reports]


@pytest.fixture(scope="module")
def judges_only(reports):
    return [without(each, "person-1", "person-2") for each in reports]


def test_people_alone_fill_boards_cards_and_galleries(people_only, tmp_path):
    grades = people_only[1]
    assert "judged by 2 people" in sections.leaderboard(grades).data
    assert "no judge" in sections.judge_beside_people(grades, "", tmp_path).data
    assert "people: 1 of 5" in sections.report_cards(people_only, "country").data.replace("<b>", "").replace(
        "</b>", ""
    )
    assert "clip-card" in sections.failure_gallery(grades, low=0.25, apart=0.5, seed=0).data
    assert "found the judges none" in change_sections.two_runs(grades, grades)


def test_judges_alone_fill_them_too(judges_only, tmp_path):
    assert "no people" in sections.judge_beside_people(judges_only[1], "", tmp_path).data
    assert "clip-card" in sections.report_cards(judges_only, "model").data
    assert "clip-card" in sections.failure_gallery(judges_only[0], low=0.25, apart=0.5, seed=0).data


def test_one_judge_is_no_second_run_and_unknown_ones_are_named(reports):
    lone = without(reports[1], JUDGES[1])
    assert "Two runs of judges" in change_sections.two_runs(lone, lone)
    assert "wanted 'nobody'" in change_sections.two_runs(reports[1], reports[1], "nobody")
    why = change_sections.judges("why not")
    assert "why not" in change_sections.score_changes("why not", why, None).data


def test_the_same_judge_in_two_studies_is_compared_clip_by_clip(study, reports):
    earlier = open_all(study)[1]
    first, second = change_sections.two_runs(earlier, reports[1])
    assert first.panel == second.panel
    assert first.judged is earlier
    change = change_sections.judges((first, second))
    assert change.differences["estimate"].dropna().eq(0).all()
    assert "No clip" in change_sections.changed_clips((first, second), change, 3, 0).data


def test_a_study_in_which_no_reply_could_be_read_gets_sentences(reports, tmp_path):
    unread = []
    for judged in reports:
        tables = dict(judged.page.tables)
        tables["answers"] = tables["answers"].assign(answer=pd.NA, status="unscored")
        tables["ratings"] = tables["ratings"].assign(score=pd.NA, status="unscored")
        page = dataclasses.replace(judged.page, tables=tables)
        unread.append(Judged(page, judged.framework, panels(page)))
    assert "can be scored" in sections.leaderboard(unread[1]).data
    assert "Too few clips" in sections.judge_beside_people(unread[1], "", tmp_path).data
    assert "No country" in sections.country_map(unread[0]).data
    assert "No clip" in sections.failure_gallery(unread[1], low=0.25, apart=0.5, seed=0).data
    assert "unscored" in sections.report_cards(unread, "model").data


def test_a_page_with_too_many_cards_says_how_to_ask_for_the_others(reports, monkeypatch):
    monkeypatch.setitem(profile_cards.MOST_CARDS, "country", 1)
    page = sections.report_cards(reports, "country").data
    assert "The first 1 of 2 countries" in page
    assert page.count('class="profile"') == 1
    assert "The first" not in sections.report_cards(reports, "country", names=["Japan"]).data


def test_examples_are_of_the_prompts_whose_scores_the_card_has(reports):
    tables = dict(reports[0].page.tables)
    prompts = tables["prompts"]
    other = prompts["prompt_id"].str.endswith("-2")
    tables["prompts"] = prompts.assign(variant=prompts["variant"].mask(other, "no_country"))
    judged = dataclasses.replace(
        reports[0], page=dataclasses.replace(reports[0].page, tables=tables), _cases={}
    )
    part = material(judged, "country")
    assert set(part.scores["variant"]) == {"base"}
    assert not part.scores["prompt_id"].str.endswith("-2").any()
    counted = sections.failure_counts([judged], low=1, apart=1).data
    assert "of 8 judged clips" in counted


def test_a_study_of_one_country_has_no_column_of_all_and_a_legend_within_the_scale(reports):
    page = reports[1].page
    prompts = page.tables["prompts"]
    japan = prompts.assign(country="Japan")
    one = dataclasses.replace(page, tables=dict(page.tables) | {"prompts": japan})
    judged = dataclasses.replace(reports[1], page=one, _cases={})
    assert "all countries" in sections.report_cards([reports[1]], "country").data
    assert "all countries" not in sections.report_cards([judged], "country").data
    drawn = BeautifulSoup(sections.country_map(judged).data, "html.parser")
    assert "in 1 country. The colours span the scale" in drawn.figcaption.get_text()
    texts = [text.get_text() for text in drawn.svg.find_all("text", recursive=False)]
    assert texts[:2] == ["0.00", "1.00"]


def test_a_gallery_offers_only_menus_with_a_choice(reports, judges_only):
    def labels(judged):
        page = BeautifulSoup(
            sections.failure_gallery(judged, low=0.25, apart=0.5, seed=0).data, "html.parser"
        )
        return [label.get_text() for label in page.select(".gallery-controls label")]

    assert "Judge and people" in labels(reports[1])
    assert labels(judges_only[1]) == ["Country", "Aspect", "Criterion", "Model"]
