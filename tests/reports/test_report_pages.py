"""The reports in a real browser: traps show as text, tables sort, galleries filter, axe is content."""

from pathlib import Path

import pytest
from playwright.sync_api import Page

from accessibility import serious
from helpers import figures
from helpers.paths import STUDIES
from helpers.reports import change_sections, gap_sections, sections
from reports.report_study import COUNTRIES, KEY, MODELS, TRAP

PHONE, DESKTOP = 390, 1280
BUILT = sorted((STUDIES / "demo" / "book" / "_build" / "html" / "notebooks").glob("8[1-5]_*.html"))
NAMES = ("leaderboard", "countries", "models", "failures", "changes")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def pages(reports, tmp_path_factory):
    """Every report of the study of traps, each as a page of its own."""
    folder = tmp_path_factory.mktemp("pages")
    figures.use_style()
    runs = [change_sections.two_runs(each, each) for each in reports]
    changes = [change_sections.judges(each) for each in runs]
    gaps = gap_sections.gap_changes(runs[1], *MODELS)
    pieces = {
        "leaderboard": [
            *(sections.leaderboard(each) for each in reports),
            sections.judge_beside_people(reports[1], "", folder),
        ],
        "countries": [
            *(sections.country_map(each) for each in reports),
            sections.report_cards(reports, "country"),
        ],
        "models": [sections.report_cards(reports, "model")],
        "failures": [
            sections.failure_counts(reports, low=0.25, apart=0.5),
            *(sections.failure_gallery(each, low=0.25, apart=0.5, seed=0) for each in reports),
        ],
        "changes": [
            *(change_sections.score_changes(*both, folder) for both in zip(runs, changes, strict=True)),
            *(change_sections.outcome_table(*both) for both in zip(runs, changes, strict=True)),
            *(change_sections.changed_clips(*both, 4, 0) for both in zip(runs, changes, strict=True)),
            gap_sections.gap_figure(reports[1], gaps, folder),
            gap_sections.gap_map(reports[1], gaps),
        ],
    }
    for name, parts in pieces.items():
        head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Report</title>'
        head += '<meta name="viewport" content="width=device-width"><body><main><h1>Report?</h1><h2>Part</h2>'
        body = "".join(part.data for part in parts)
        (folder / f"{name}.html").write_text(f"{head}{body}</main></body></html>", encoding="utf-8")
    return folder


def opened(browser, path: Path, width: int = DESKTOP, **options) -> Page:
    page = browser.new_page(viewport={"width": width, "height": 900}, **options)
    page.goto(path.as_uri())
    return page


@pytest.mark.parametrize("name", NAMES)
def test_what_models_files_and_judges_wrote_shows_as_text_and_runs_nowhere(browser, pages, name):
    page = browser.new_page()
    outside, broken = [], []
    page.on("request", lambda request: outside.append(request.url))
    page.on("pageerror", lambda error: broken.append(str(error)))
    page.on("dialog", lambda dialog: broken.append(dialog.message))
    page.goto((pages / f"{name}.html").as_uri())
    page.wait_for_load_state("networkidle")
    assert page.evaluate("window.trapped") is None
    assert not [url for url in outside if not url.startswith(("file:", "data:"))]
    assert not broken
    assert page.locator("img:not([src^='data:image/'])").count() == 0
    assert page.locator("script").count() <= 3
    assert TRAP in page.locator("main").text_content()
    page.close()


def test_the_browser_would_fall_into_a_trap_that_is_not_escaped(browser, tmp_path):
    (tmp_path / "trap.html").write_text(f"<p>{TRAP}</p>", encoding="utf-8")
    page = opened(browser, tmp_path / "trap.html")
    page.wait_for_function("window.trapped === 2")
    page.close()


@pytest.mark.parametrize("name", NAMES)
def test_neither_keys_nor_places_on_a_disk_are_in_a_page(pages, name):
    text = (pages / f"{name}.html").read_text(encoding="utf-8")
    assert KEY not in text
    assert "/srv/secret" not in text
    assert "/home/someone" not in text


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
@pytest.mark.parametrize("name", NAMES)
def test_pages_fit_their_width_and_axe_finds_nothing_serious(browser, pages, name, width):
    page = opened(browser, pages / f"{name}.html", width)
    wider = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wider <= 0, "the page scrolls sideways"
    assert serious(page, "main") == []
    page.close()


@pytest.mark.parametrize("path", BUILT, ids=lambda path: path.stem)
def test_built_reports_stay_small(path):
    assert path.stat().st_size < 3_000_000


def test_axe_would_notice_a_picture_without_alternative(browser, tmp_path):
    (tmp_path / "x.html").write_text('<html lang="en"><title>x</title><main><img src="data:,x"></main>')
    page = opened(browser, tmp_path / "x.html")
    assert serious(page, "main") == ['image-alt: <img src="data:,x">']
    page.close()


def test_a_leaderboard_sorts_by_click_and_by_key_and_says_so(browser, pages):
    page = opened(browser, pages / "leaderboard.html")
    table = page.locator("table.sortable").nth(1)
    heads, rows = table.locator("thead th"), table.locator("tbody th")
    assert heads.nth(1).get_attribute("aria-sort") == "descending"
    first = rows.all_text_contents()
    heads.nth(1).locator("button").click()
    assert heads.nth(1).get_attribute("aria-sort") == "ascending"
    assert rows.all_text_contents() == first[::-1]
    heads.nth(0).locator("button").focus()
    page.keyboard.press("Enter")
    assert heads.nth(0).get_attribute("aria-sort") == "ascending"
    assert heads.nth(1).get_attribute("aria-sort") is None
    assert rows.all_text_contents() == sorted(MODELS, key=str.casefold)
    page.close()


def test_a_gallery_filters_by_all_its_menus_and_counts(browser, pages):
    page = opened(browser, pages / "failures.html")
    gallery = page.locator(".gallery").nth(1)
    cards, count = gallery.locator(".clip-card"), gallery.locator(".gallery-count")
    every = cards.count()
    assert gallery.locator(".clip-card:visible").count() == every
    assert count.text_content().startswith(f"{every} clips of")
    gallery.get_by_label("Country").select_option(COUNTRIES[0])
    seen = gallery.locator(".clip-card:visible")
    assert 0 < seen.count() < every
    assert {card.get_attribute("data-country") for card in seen.all()} == {COUNTRIES[0]}
    assert count.text_content().startswith(f"{seen.count()} of the {every} clips")
    gallery.get_by_label("Criterion").select_option("realism")
    assert all("realism" in card.get_attribute("data-criterion").split("|") for card in seen.all())
    gallery.get_by_label("Model").select_option(MODELS[0])
    assert all(card.get_attribute("data-model") == MODELS[0] for card in seen.all())
    gallery.get_by_role("button", name="Show all").click()
    assert seen.count() == every
    page.close()


def test_without_scripts_everything_is_there_and_no_menu_that_does_nothing(browser, pages):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((pages / "failures.html").as_uri())
    assert page.locator(".clip-card:visible").count() == page.locator(".clip-card").count() > 0
    assert page.locator("select:visible, button:visible").count() == 0
    page.goto((pages / "leaderboard.html").as_uri())
    assert page.locator("table.sortable button").count() == 0
    assert page.locator("table.sortable tbody tr:visible").count() > 0
    context.close()


def test_on_paper_there_are_no_menus_and_no_card_is_cut(browser, pages):
    page = opened(browser, pages / "failures.html")
    page.emulate_media(media="print")
    assert page.locator("select:visible").count() == 0
    breaks = page.locator(".clip-card").first.evaluate("card => getComputedStyle(card).breakInside")
    assert breaks == "avoid"
    page.close()


def test_a_map_has_a_tile_and_a_row_for_each_country(browser, pages):
    page = opened(browser, pages / "countries.html")
    figure = page.locator(".tiles").first
    titles = figure.locator("g.tile title").all_text_contents()
    assert sorted(text.split(":")[0] for text in titles) == sorted(COUNTRIES)
    assert all("n = " in text for text in titles)
    figure.locator("summary").click()
    assert figure.locator("tbody th").all_text_contents() == sorted(COUNTRIES)
    page.close()
