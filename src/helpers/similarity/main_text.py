"""The main text of a web page: paragraphs, lists and headings, without navigation, scripts and styling."""

from bs4 import BeautifulSoup, Tag, UnicodeDammit
from bs4.element import NavigableString

BLOCKS = ("h1", "h2", "h3", "h4", "h5", "h6", "p", "li")
LEFT_OUT = "script, style, noscript, template, nav, header, footer, aside, form, [hidden], [aria-hidden=true]"
# Where pages put what they are about; the first that is there.
PLACES = ("main", "[role=main]", "article", "body")
LEAST_WORDS = 30


class NoTextError(ValueError):
    """A page that has no English main text; the message says what it has."""


def main_text(body: bytes, charset: str | None = None) -> str:
    """Extract the main text, as CultureScore describes it (A.2): paragraphs, list items and headings.

    Args:
        body: the HTML.
        charset: the encoding that the server named; otherwise the page's own declaration decides.

    Returns:
        One paragraph, list item or heading a line, each text once even where blocks stand within blocks.

    Raises:
        NoTextError: the page says that it is in another language than English, cannot be decoded, or has
            fewer than 30 words of main text.
    """
    page = BeautifulSoup(_decoded(body, charset), "html.parser")
    language = page.html.get("lang", "en") if page.html else "en"
    if not language.casefold().startswith("en"):
        raise NoTextError(f"found a page in '{language}', expected English")
    for element in page.select(LEFT_OUT):
        element.decompose()
    for line_break in page.find_all("br"):
        line_break.replace_with(" ")
    main = next(filter(None, map(page.select_one, PLACES)), page)
    text = "\n".join(filter(None, map(_own_text, main.find_all(BLOCKS))))
    words = len(text.split())
    if words < LEAST_WORDS:
        raise NoTextError(f"found {words} words of main text, expected at least {LEAST_WORDS}")
    return text


def _decoded(body: bytes, charset: str | None) -> str:
    if charset:
        try:
            return body.decode(charset)
        except (UnicodeDecodeError, LookupError):
            raise NoTextError(f"the text is not {charset}, as the server says") from None
    found = UnicodeDammit(body, is_html=True)
    if body and (found.contains_replacement_characters or found.unicode_markup is None):
        raise NoTextError("the encoding of the text cannot be told")
    return found.unicode_markup or ""


def _own_text(block: Tag) -> str:
    """A block's text without that of blocks inside it, its spaces made single."""
    own = [
        string
        for string in block.find_all(string=True)
        if type(string) is NavigableString and string.find_parent(BLOCKS) is block
    ]
    return " ".join("".join(own).split())
