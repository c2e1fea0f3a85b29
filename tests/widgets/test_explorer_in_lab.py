"""The explorer in a real JupyterLab and browser, by mouse and by keyboard, with text that tries to run."""

import shutil

import pytest
from playwright.sync_api import expect

from explore.explore_study import write_landmark_study
from lab import opened, served
from reports.report_study import COUNTRIES, TRAP, write_study

pytestmark = pytest.mark.slow
CELL = """
from pathlib import Path
from helpers.explore.sections import attended
from helpers.widgets.explorer import Explorer
assert attended()
Explorer([Path(name) for name in ("traps", "pier", "broken")])
"""


@pytest.fixture
def page(tmp_path):
    write_study(tmp_path)
    write_landmark_study(tmp_path / "pier")
    shutil.copytree(tmp_path / "pier", tmp_path / "broken")
    (tmp_path / "broken" / "tables" / "ratings.parquet").write_bytes(b"no table")
    with served(tmp_path, CELL) as address, opened(address) as page:
        yield page


def test_a_person_explores_by_menus_and_keys_and_nothing_runs(page):
    explorer, place = page.locator(".explorer"), page.get_by_label("Clip", exact=True)
    expect(explorer.get_by_role("heading", name="What did everyone say?")).to_be_visible(timeout=60_000)
    expect(explorer.locator("img")).to_have_count(1)
    assert explorer.locator("img").evaluate("picture => picture.naturalWidth") > 200
    assert TRAP in explorer.text_content()
    assert page.evaluate("window.trapped") is None
    for name in ("Study", "Benchmark", "Country", "Category", "Model", "Variant", "Judge", "Order", "Clips"):
        expect(page.get_by_label(name, exact=True)).to_be_visible()

    expect(explorer.get_by_text("of 12", exact=True)).to_be_visible()
    page.get_by_label("Country", exact=True).select_option(COUNTRIES[0])
    expect(explorer.get_by_text("of 6", exact=True)).to_be_visible()

    # A click on words gives the page the keys.
    explorer.get_by_text("Prompt:").click()
    page.keyboard.press("ArrowRight")
    expect(place).to_have_value("2")
    page.keyboard.press("ArrowRight")
    expect(place).to_have_value("3")
    page.keyboard.press("ArrowLeft")
    expect(place).to_have_value("2")
    # In JupyterLab a, b, d d and x add, delete and cut cells; not from within the page.
    for key in "abddx":
        page.keyboard.press(key)
    assert page.locator(".jp-Cell").count() == 2

    page.keyboard.press("p")
    video = explorer.locator("video")
    expect(video).to_have_count(1)
    # 4 is HAVE_ENOUGH_DATA: the whole clip can be played.
    page.wait_for_function("document.querySelector('.explorer video').readyState === 4")
    assert video.evaluate("video => video.videoWidth") == 64

    # Arrows stay with menus and numbers.
    place.fill("4")
    place.press("Enter")
    expect(video).to_have_count(0)
    place.press("ArrowLeft")
    page.get_by_label("Clips", exact=True).press("ArrowUp")
    expect(place).to_have_value("3")

    page.get_by_label("Study", exact=True).select_option("broken")
    expect(explorer.get_by_role("alert")).to_contain_text("ratings.parquet: not a readable Parquet file")
    expect(explorer.locator("img")).to_have_count(0)
    page.get_by_label("Study", exact=True).select_option("pier")
    expect(explorer.locator("img")).to_have_count(2)
    expect(explorer.get_by_role("alert")).to_have_count(0)
    assert page.evaluate("window.trapped") is None
