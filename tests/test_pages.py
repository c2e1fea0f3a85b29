"""The built demo book in a real browser: it loads nothing from outside, and every page reads well."""

import pytest
from playwright.sync_api import Page

from helpers.paths import STUDIES

BUILT = STUDIES / "demo" / "book" / "_build" / "html"
PAGES = sorted(path for path in BUILT.rglob("*.html") if "_static" not in path.parts)
PHONE, DESKTOP = 390, 1280

pytestmark = pytest.mark.slow


@pytest.fixture
def page(browser):
    page = browser.new_page(viewport={"width": DESKTOP, "height": 900})
    yield page
    page.close()


def test_the_book_is_built():
    assert (BUILT / "index.html").exists(), "run `make book` first"
    assert len(PAGES) > 10


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(BUILT).as_posix())
def test_a_page_is_whole_and_asks_nothing_of_the_network(page: Page, path):
    outside, broken = [], []
    page.on("request", lambda request: None if request.url.startswith(("file:", "data:", "blob:")) else
            outside.append(request.url))  # fmt: skip
    page.on("pageerror", lambda error: broken.append(str(error)))
    page.goto(path.as_uri())
    page.wait_for_load_state("networkidle", timeout=120_000)  # other tests may take the cores
    assert not outside
    assert not broken
    assert page.locator("img:not([alt]), img[alt='']").count() == 0
    page.set_viewport_size({"width": PHONE, "height": 800})
    # The side bars slide away before the page has its width.
    page.wait_for_timeout(500)
    wider = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wider <= 0, "the page scrolls sideways on a phone"


def test_the_browser_would_notice_a_request_to_the_outside(page: Page, tmp_path):
    (tmp_path / "x.html").write_text('<script src="http://127.0.0.1:9/x.js"></script>')
    outside = []
    page.on("request", lambda request: outside.append(request.url))
    page.goto((tmp_path / "x.html").as_uri())
    assert "http://127.0.0.1:9/x.js" in outside
