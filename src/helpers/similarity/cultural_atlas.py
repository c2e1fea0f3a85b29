"""Texts of the Cultural Atlas (culturalatlas.sbs.com.au) on ten countries and five categories, politely.

CultureScore compared countries by these texts (its Appendix A.2). They belong to their publishers: read the
site's terms before fetching, use the texts for your own study, and do not pass them on. This project
redistributes none of them. Where the terms do not allow a program to fetch, save the pages by hand into
`<country>/<category>.txt` and read them with `documents.read_documents`.
"""

import csv
import io
from email.message import Message
from pathlib import Path
from urllib.parse import urlsplit

import pandas as pd
from tqdm import tqdm

from helpers.benchmarks.polite import ForbiddenError, NoAnswerError, PoliteClient
from helpers.geography import CULTURESCORE_COUNTRIES, countries
from helpers.published import CATEGORIES
from helpers.similarity.documents import SOURCES
from helpers.similarity.main_text import NoTextError, main_text

SITE = "https://culturalatlas.sbs.com.au"
# CultureScore, A.2: ten countries in five categories.
MOST_DOCUMENTS = 50
# Seconds between two pages, for `PoliteClient`.
PAUSE = 2.0
# So many pages in a row without an answer: the site does not want to be asked, or is down.
MOST_FAILURES = 5
MANIFEST = "sources.csv"
REPORT = ("country", "category", "url", "status", "note", "words", "fetched")


def pages(site: str = SITE) -> pd.DataFrame:
    """The addresses of CultureScore's fifty pages, formed as the site forms them.

    Args:
        site: where the Atlas is, without a final slash.

    Returns:
        Columns country, category, url: "…/brazilian-culture/brazilian-culture-greetings".
    """
    demonyms = countries().set_index("country")["demonyms"].str.split(";").str[0]
    rows = []
    for country in CULTURESCORE_COUNTRIES:
        culture = f"{demonyms[country].casefold().replace(' ', '-')}-culture"
        rows += [(country, category, f"{site}/{culture}/{culture}-{category}") for category in CATEGORIES]
    return pd.DataFrame(rows, columns=["country", "category", "url"])


def fetch(client: PoliteClient, folder: Path | str, wanted: pd.DataFrame) -> pd.DataFrame:
    """Fetch pages, keep their main texts as files, and say what became of each.

    Nothing is guessed: a page that sends the reader on to another address, that forbids programs or that has
    no English text gives no document, and the report says so. What was fetched before is not asked again.

    Args:
        client: with a pause that suits the site, `PoliteClient(cache, contact=…, pause=PAUSE)`.
        folder: receives `<country>/<category>.txt` and `sources.csv` (the list of the texts with their
            addresses, which `read_documents` takes), each only when it is whole. Texts that the list has from
            before stay in it.
        wanted: columns country, category, url, at most 50 rows, such as `pages()`.

    Returns:
        One row a page: country, category, url, status (ok; missing for 404, a redirect to another address or
        no English text; blocked where robots.txt or the server refuses; failed without a usable answer or
        not asked because five pages before it failed), note, words, fetched (UTC).

    Raises:
        ValueError: more than 50 pages, or the same country and category twice.
        DataError: the list of texts that is there is damaged.
    """
    _check(wanted)
    folder, rows, failures = Path(folder), [], 0
    manifest = folder / MANIFEST
    earlier = SOURCES.read_csv(manifest) if manifest.exists() else pd.DataFrame(columns=list(SOURCES.columns))
    for page in tqdm(list(wanted.itertuples()), desc="pages", unit="page", disable=None):
        row = dict.fromkeys(REPORT) | {"country": page.country, "category": page.category, "url": page.url}
        if failures == MOST_FAILURES:
            row |= {"status": "failed", "note": f"not asked: {MOST_FAILURES} pages in a row failed"}
        else:
            found, text = _fetch(client, page.url)
            row |= found
            failures = failures + 1 if row["status"] in ("failed", "blocked") else 0
            if text:
                _write(folder / page.country / f"{page.category}.txt", text + "\n")
        rows.append(row)
    report = pd.DataFrame(rows, columns=list(REPORT)).astype({"words": "Int64"})
    _write(manifest, _manifest(report[report["status"].eq("ok")], earlier))
    return report


def _check(wanted: pd.DataFrame) -> None:
    if len(wanted) > MOST_DOCUMENTS:
        raise ValueError(f"found {len(wanted)} pages, expected at most {MOST_DOCUMENTS}")
    twice = wanted[wanted.duplicated(["country", "category"])]
    if len(twice):
        first = twice.iloc[0]
        raise ValueError(f"found {first['country']}, {first['category']} twice, expected each once")


def _fetch(client: PoliteClient, url: str) -> tuple[dict[str, object], str]:
    """A page's status, note, words and date, and its text ("" where it has none)."""
    try:
        reply = client.page(url)
    except ForbiddenError as error:
        return {"status": "blocked", "note": str(error)}, ""
    except NoAnswerError as error:
        return {"status": "failed", "note": str(error)}, ""
    found = {"status": "missing", "fetched": reply.fetched}
    if reply.status != 200:
        return found | {"note": f"status {reply.status}"}, ""
    if _place(reply.url) != _place(url):
        return found | {"note": f"redirects to {reply.url}"}, ""
    kind = Message()
    kind["Content-Type"] = reply.content_type
    if kind.get_content_type() not in ("text/html", "application/xhtml+xml"):
        return found | {"note": f"found {reply.content_type or 'no content type'}, expected HTML"}, ""
    try:
        text = main_text(reply.body, kind.get_content_charset())
    except NoTextError as error:
        return found | {"note": str(error)}, ""
    return found | {"status": "ok", "words": len(text.split())}, text


def _place(url: str) -> tuple[str, str]:
    """What must not change when a page redirects: its host but for "www.", and its path."""
    parts = urlsplit(url)
    return parts.netloc.casefold().removeprefix("www."), parts.path.rstrip("/").casefold()


def _manifest(found: pd.DataFrame, earlier: pd.DataFrame) -> str:
    """The list of texts: what was listed before, and what was found now in its place or after it."""
    new = found.assign(file=found["country"] + "/" + found["category"] + ".txt")[list(SOURCES.columns)]
    rows = {row[:2]: row for part in (earlier, new) for row in part.itertuples(index=False, name=None)}
    listed = pd.DataFrame(rows.values(), columns=list(SOURCES.columns))
    content = io.StringIO()
    listed.to_csv(content, index=False, quoting=csv.QUOTE_MINIMAL, lineterminator="\n")
    return content.getvalue()


def _write(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    part.write_text(content, encoding="utf-8")
    part.replace(path)
