"""The built demo book in a real browser: nothing from outside; read, seen, tapped and printed well."""

import pytest
from playwright.sync_api import Page

from accessibility import serious
from helpers.paths import STUDIES

BUILT = STUDIES / "demo" / "book" / "_build" / "html"
FIRST = BUILT / "index.html"
PAGES = sorted(path for path in BUILT.rglob("*.html") if "_static" not in path.parts and path != FIRST)
# The widths of a phone, a desktop and of A4 paper without the margins, in CSS pixels.
PHONE, DESKTOP, PAPER = 390, 1280, 680
MENUS = ".bd-sidebar-primary, .bd-sidebar-secondary, .bd-header, .bd-header-article, .prev-next-footer, "
MENUS += ".dropdown-menu, .headerlink, .copybtn, .toggle-button, select, input, nav.bd-links"
# What reaches beyond the paper or is cut off there. Formulas hide a copy of themselves for screen readers.
BEYOND = """() => [...document.querySelectorAll("article *")].filter(each => {
    if (!each.checkVisibility({visibilityProperty: true}) || each.closest("svg, .math")) return false;
    const box = each.getBoundingClientRect();
    const cut = getComputedStyle(each).overflowX !== "visible" && each.scrollWidth > each.clientWidth + 1;
    return each.clientWidth > 0 && cut || box.width > 0 && box.right > innerWidth + 1;
}).map(each => each.outerHTML.slice(0, 200)).slice(0, 3)"""
CUT_CAPTIONS = """() => [...document.querySelectorAll(".shown-table")].flatMap(table =>
    [...table.querySelectorAll("caption")].filter(each => each.offsetWidth > table.clientWidth + 1)
    ).map(each => each.innerText)"""
UNREAD = """() => [...document.querySelectorAll("article details:not([open])")].filter(each =>
    !each.closest(".tag_hide-input") && ![...each.children].slice(1).every(part => part.checkVisibility()))
    .map(each => each.outerHTML.slice(0, 200))"""
BREAKS = """() => [...document.querySelectorAll("figure.shown, .clip-card, article tr")].filter(each =>
    getComputedStyle(each).breakInside !== "avoid").map(each => each.outerHTML.slice(0, 200)).slice(0, 3)"""

pytestmark = pytest.mark.slow


@pytest.fixture
def page(browser):
    page = browser.new_page(viewport={"width": DESKTOP, "height": 900})
    yield page
    page.close()


def test_the_book_is_built():
    assert FIRST.exists(), "run `make book` first"
    assert len(PAGES) > 10


def test_the_first_page_leads_into_the_book(page: Page):
    page.goto(FIRST.as_uri())
    page.wait_for_url("**/intro.html")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(BUILT).as_posix())
def test_a_page_is_whole_and_everyone_can_read_it(page: Page, path):
    outside, broken = [], []
    page.on("request", lambda request: None if request.url.startswith(("file:", "data:", "blob:")) else
            outside.append(request.url))  # fmt: skip
    page.on("pageerror", lambda error: broken.append(str(error)))
    page.goto(path.as_uri(), timeout=120_000)  # other tests may take the cores
    page.evaluate("window.MathJax?.startup?.promise.then(() => null)")
    page.evaluate("document.fonts.ready.then(() => null)")
    page.wait_for_timeout(500)  # for what scripts ask later
    assert not outside
    assert not broken
    assert page.locator("img:not([alt]), img[alt='']").count() == 0
    assert serious(page) == []
    assert page.evaluate(CUT_CAPTIONS) == []
    _fits_a_phone(page)
    _prints_well(page)


def _fits_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": PHONE, "height": 800})
    # The side bars slide away before the page has its width.
    page.wait_for_timeout(500)
    wider = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wider <= 0, "the page scrolls sideways on a phone"
    assert page.evaluate(CUT_CAPTIONS) == []
    assert serious(page, only="scrollable-region-focusable") == []


def _prints_well(page: Page) -> None:
    page.set_viewport_size({"width": PAPER, "height": 900})
    page.emulate_media(media="print")
    assert page.locator(MENUS).locator("visible=true").count() == 0, "menus on paper"
    article = page.locator("article.bd-article")
    if article.count():
        assert article.bounding_box()["width"] > 0.95 * PAPER, "narrower than the paper"
    assert page.evaluate(BEYOND) == [], "beyond the paper's edge"
    assert page.evaluate(UNREAD) == [], "folded away on paper"
    assert page.evaluate(BREAKS) == [], "cut in two between pages"


def test_the_browser_would_notice_a_request_to_the_outside(page: Page, tmp_path):
    (tmp_path / "x.html").write_text('<script src="http://127.0.0.1:9/x.js"></script>')
    outside = []
    page.on("request", lambda request: outside.append(request.url))
    page.goto((tmp_path / "x.html").as_uri())
    assert "http://127.0.0.1:9/x.js" in outside


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ('<nav class="bd-links"><a href="#">Menu</a></nav><article></article>', "menus on paper"),
        ('<article><p style="width: 900px">Wide</p></article>', "beyond the paper's edge"),
        (
            '<article><pre style="overflow: auto">' + "long " * 90 + "</pre></article>",
            "beyond the paper's edge",
        ),
        ("<article><details><summary>Solution</summary><p>4</p></details></article>", "folded away"),
        ('<article><figure class="shown">Figure</figure></article>', "cut in two"),
    ],
)
def test_a_page_that_does_not_print_well_would_be_noticed(page: Page, tmp_path, body, complaint):
    head = '<!doctype html><html lang="en"><title>x</title><style>body { margin: 0 }</style>'
    (tmp_path / "x.html").write_text(head + body)
    page.goto((tmp_path / "x.html").as_uri())
    with pytest.raises(AssertionError, match=complaint):
        _prints_well(page)
