"""The page in a real JupyterLab and a real browser, by mouse and by keyboard."""

import pytest
from playwright.sync_api import expect

from helpers.widgets.choices import read_choices
from helpers.widgets.picking import STILL
from lab import opened, served

pytestmark = pytest.mark.slow
CELL = """
import pandas as pd
from pathlib import Path
from helpers.widgets.picking import PickingPage
landmarks, candidates = (pd.read_json(f"{name}.json", dtype=False) for name in ("landmarks", "candidates"))
PickingPage(landmarks, candidates, Path("choices.jsonl")).box
"""


@pytest.fixture
def page(tmp_path, landmarks, candidates):
    landmarks.to_json(tmp_path / "landmarks.json")
    candidates.to_json(tmp_path / "candidates.json")
    with served(tmp_path, CELL) as address, opened(address) as page:
        yield page


def look(page):
    """A person needs longer than the page's moment of stillness."""
    page.wait_for_timeout(2000 * STILL)


def test_a_person_picks_with_mouse_and_keyboard(page, tmp_path):
    choices = tmp_path / "choices.jsonl"
    expect(page.get_by_role("heading", name="Uluru")).to_be_visible(timeout=60_000)
    pictures = page.locator(".widget-html img:visible")
    expect(pictures).to_have_count(2)
    assert pictures.evaluate_all("found => found.every(each => each.naturalWidth === 60)")
    look(page)
    page.get_by_role("button", name="Choose 2").click()

    expect(page.get_by_role("heading", name="Fish & <b>Chips</b> Tower")).to_be_visible()
    assert read_choices(choices) == {"gldv2-1": "ab"}
    expect(page.get_by_text("This photograph cannot be shown")).to_be_visible()
    expect(page.get_by_role("button", name="Choose 2")).to_be_disabled()
    expect(page.get_by_role("button", name="Choose 1")).to_be_focused()
    look(page)
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", name="Pier")).to_be_visible()
    expect(page.get_by_role("button", name="None fits")).to_be_focused()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", name="Fish & <b>Chips</b> Tower")).to_be_visible()
    look(page)
    page.get_by_role("button", name="Choose 1").dblclick()

    expect(page.get_by_role("heading", name="Pier")).to_be_visible()
    expect(page.get_by_text("2 of 3 decided, 0 without")).to_be_visible()
    assert read_choices(choices) == {"gldv2-1": "ab", "gldv2-2": "ba"}
    look(page)
    page.get_by_role("button", name="None fits").click()
    expect(page.get_by_role("heading", name="All landmarks are decided")).to_be_visible()
