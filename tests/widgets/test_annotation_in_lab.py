"""The page in a real JupyterLab and browser, by mouse and by keyboard, with a kernel that is killed."""

import json
import os
import signal

import pytest
from playwright.sync_api import expect

from lab import opened, run_cell, served

pytestmark = pytest.mark.slow
CELL = """
import os
import pandas as pd
from pathlib import Path
from helpers.widgets.annotation import Annotation
from helpers.widgets.replies import Person
Path("kernel").write_text(str(os.getpid()))
study = {name: pd.read_pickle(f"{name}.pickle") for name in ("prompts", "questions", "videos", "landmarks")}
person = Person(rater_id="p-1", country="Japan")
page = Annotation(person, pd.read_pickle("sheet.pickle"), study, Path("."), Path("journal.jsonl"))
page
"""


@pytest.fixture
def page(tmp_path, study, sheet):
    for name, frame in {**study, "sheet": sheet}.items():
        frame.to_pickle(tmp_path / f"{name}.pickle")
    with served(tmp_path, CELL) as address, opened(address) as page:
        yield page


def saved(folder) -> list[str]:
    return [json.loads(line)["reply"] for line in (folder / "journal.jsonl").read_text().splitlines()]


def keys(page, *presses):
    """Press keys as a person does: each after the page has answered the one before."""
    for each in presses:
        page.keyboard.press(each)
        page.wait_for_timeout(400)


def test_a_person_judges_and_the_kernel_dies_in_between(page, tmp_path):
    expect(page.get_by_role("heading", name="1 of 6")).to_be_visible(timeout=60_000)
    videos = page.locator("video")
    expect(videos).to_have_count(3)
    # 4 is HAVE_ENOUGH_DATA: the whole clip can be played.
    page.wait_for_function("[...document.querySelectorAll('video')].every(v => v.readyState === 4)")
    assert videos.evaluate_all("found => found.every(each => each.muted && each.videoWidth === 64)")
    assert page.locator("script", has_text="mat").count() == 0

    page.locator(".annotation").get_by_role("button", name="Yes").click()
    expect(page.get_by_text("1 of 6 answered")).to_be_visible()
    keys(page, "n", "u", "ArrowRight")
    expect(page.get_by_role("heading", name="2 of 6")).to_be_visible()
    keys(page, "1", "3", "p")
    assert videos.evaluate_all("found => found.every(each => each.currentTime > 0)")
    assert saved(tmp_path) == ["yes", "no", "", "1", "1,3"]

    os.kill(int((tmp_path / "kernel").read_text()), signal.SIGKILL)
    dismiss = page.get_by_role("button", name="Ok")
    expect(dismiss).to_be_visible(timeout=60_000)
    dismiss.click()
    run_cell(page)
    expect(page.get_by_text("2 of 6 answered")).to_be_visible(timeout=60_000)
    expect(page.get_by_role("heading", name="2 of 6")).to_be_visible()
    assert saved(tmp_path) == ["yes", "no", "", "1", "1,3"]

    # A click on words gives the page the keys.
    page.get_by_role("heading", name="2 of 6").click()
    keys(page, "ArrowRight")
    expect(page.get_by_role("heading", name="3 of 6")).to_be_visible()
    expect(page.get_by_role("button", name="Next")).to_be_focused()
    keys(page, "2", "3", "1", "ArrowRight", "1", "ArrowRight")
    expect(page.get_by_role("heading", name="5 of 6")).to_be_visible()
    keys(page, *"54nn3212", "ArrowLeft", "ArrowRight", "ArrowRight")
    # In JupyterLab a, b, d d and x add, delete and cut cells; not from within the page.
    keys(page, "a", "b", "d", "d", "x")
    expect(page.get_by_role("heading", name="6 of 6")).to_be_visible()
    assert page.locator(".jp-Cell").count() == 2
    keys(page, "0", "5", "Enter")
    expect(page.get_by_role("heading", name="That was all. Thank you.")).to_be_visible()
    expect(page.get_by_text("6 of 6 answered")).to_be_visible()
    assert saved(tmp_path)[5:] == [
        "2,,",
        "2,3,",
        "2,3,1",
        "Strongly disagree",
        *"54",
        "NA",
        "NA",
        *"3212",
        "0",
        "5",
    ]
