"""The page in a real JupyterLab and a real browser, by mouse and by keyboard."""

import shutil
import socket
import subprocess
import sys
import time
import urllib.request

import nbformat
import pytest
from playwright.sync_api import expect, sync_playwright

from helpers.widgets.choices import read_choices
from helpers.widgets.picking import STILL

pytestmark = pytest.mark.slow
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]
CELL = """
import pandas as pd
from pathlib import Path
from helpers.widgets.picking import PickingPage
landmarks, candidates = (pd.read_json(f"{name}.json", dtype=False) for name in ("landmarks", "candidates"))
PickingPage(landmarks, candidates, Path("choices.jsonl")).box
"""


@pytest.fixture
def lab(tmp_path, landmarks, candidates):
    """The address of a notebook in a JupyterLab that serves a folder with the page's data."""
    landmarks.to_json(tmp_path / "landmarks.json")
    candidates.to_json(tmp_path / "candidates.json")
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)], metadata=kernel)
    nbformat.write(notebook, tmp_path / "pick.ipynb")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}"]
    settings = [f"--ServerApp.root_dir={tmp_path}", "--ServerApp.port_retries=0", "--IdentityProvider.token="]
    with (tmp_path / "lab.log").open("w") as log:
        server = subprocess.Popen([*command, *settings], stdout=log, stderr=subprocess.STDOUT, cwd=tmp_path)
        try:
            until = time.monotonic() + 60
            while not answers(f"http://127.0.0.1:{port}/api"):
                assert server.poll() is None, (tmp_path / "lab.log").read_text()
                assert time.monotonic() < until
                time.sleep(0.2)
            yield f"http://127.0.0.1:{port}/lab/tree/pick.ipynb"
        finally:
            server.terminate()
            server.wait()


def answers(url) -> bool:
    try:
        with urllib.request.urlopen(url):
            return True
    except OSError:
        return False


@pytest.fixture
def page(lab):
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("Chromium is not installed (Debian's package `chromium`)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=QUIET)
        page = browser.new_page(viewport={"width": 1280, "height": 1000})
        page.goto(lab)
        # A cell that is run before the kernel is there is quietly not run.
        expect(page.get_by_text("| Idle")).to_be_visible(timeout=60_000)
        page.locator(".jp-Notebook .cm-content").first.click(timeout=60_000)
        page.keyboard.press("Shift+Enter")
        yield page
        browser.close()


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
