"""How often Wikipedia's readers opened an article between two dates, from Wikimedia's public service.

A title that only redirects has few views, of its own; so the wiki itself resolves all titles first. The
service leaves out days without views and answers 404 where there is none or the title is unknown
(doc.wikimedia.org, Analytics API): 404 is no data here, not 0.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any
from urllib.parse import quote

import pandas as pd
from tqdm import tqdm

from helpers.benchmarks.polite import NoAnswerError, PoliteClient

SERVICE = "https://wikimedia.org/api/rest_v1"
FIRST_DAY = date(2015, 7, 1)
# Views by people, not by known robots, with computers, telephones and applications.
AGENT, ACCESS = "user", "all-access"
TITLES_AT_ONCE = 50
# So many failures one after the other are the network's, not the articles'.
MOST_FAILURES = 5
COLUMNS = ("article", "title", "first", "last", "views", "status", "note")


def page_views(
    client: PoliteClient,
    articles: Sequence[str],
    first: date,
    last: date,
    *,
    project: str = "en.wikipedia",
    service: str = SERVICE,
    wiki: str | None = None,
) -> pd.DataFrame:
    """Count the views of articles over stated days.

    Whole months are asked for by month, other periods by day; the sum is the same.

    Args:
        client: it keeps every answer, so that a run that was stopped continues.
        articles: titles, with spaces or underscores.
        first: the first day, not before 1 July 2015.
        last: the last day, before yesterday: later days may not be counted yet.
        project: a wiki such as "en.wikipedia".
        service: where the counts are.
        wiki: the wiki's api.php; the project's own where left out.

    Returns:
        One row an article, in the order given: article, title (the page whose views were counted, after
        normalising and redirects), first, last, views (missing where there is no data), status (ok; missing
        for no data, no such page or a disambiguation page; failed where the service gave no answer), note
        (redirects and reasons).

    Raises:
        ValueError: dates that the service has no data for or that are in the wrong order, a repeated,
            missing or empty title, one with a character that no title can have.
        NoAnswerError: the wiki does not answer, or five articles in a row fail.
    """
    _check_dates(first, last)
    _check_titles(articles)
    pages = {}
    for start in range(0, len(articles), TITLES_AT_ONCE):
        some = articles[start : start + TITLES_AT_ONCE]
        pages |= _resolve(client, some, wiki or f"https://{project}.org/w/api.php")
    rows, failures = [], 0
    for article in tqdm(articles, desc="page views", unit="article", disable=None):
        title, problem, note = pages[article]
        views, status = None, "missing"
        if not problem:
            views, status, problem = _count(client, _address(service, project, title, first, last))
            failures = failures + 1 if status == "failed" else 0
        if failures == MOST_FAILURES:
            raise NoAnswerError(
                f"{failures} articles in a row failed, last '{article}' ({problem}); "
                "what arrived before is kept, run again to continue"
            )
        remark = "; ".join(filter(None, [note, problem])) or None
        rows.append([article, title, first, last, views, status, remark])
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"views": "Int64"})


def with_pageviews(landmarks: pd.DataFrame, views: pd.DataFrame) -> pd.DataFrame:
    """Landmarks with the views of their articles.

    Args:
        landmarks: rows with a column `article`.
        views: as `page_views` returns them.

    Returns:
        The rows with `pageviews`, missing where there is no count or no article.

    Raises:
        ValueError: an article was not asked about.
    """
    asked = landmarks["article"].isin(views["article"]) | landmarks["article"].isna()
    absent = landmarks.loc[~asked, "article"]
    if len(absent):
        raise ValueError(f"no page views for {len(absent)} landmarks, first '{absent.iloc[0]}'; expected all")
    return landmarks.assign(pageviews=landmarks["article"].map(views.set_index("article")["views"]))


def _check_dates(first: date, last: date) -> None:
    ready = datetime.now(UTC).date() - timedelta(days=2)
    if not FIRST_DAY <= first <= last <= ready:
        raise ValueError(
            f"dates: found {first} to {last}, expected days in order from {FIRST_DAY} to {ready}"
        )


def _check_titles(articles: Sequence[str]) -> None:
    seen = set()
    for article in articles:
        if not isinstance(article, str) or not article.strip() or set(article) & set("#<>[]|{}\n"):
            raise ValueError(f"found the title '{article}', expected text without # < > [ ] | {{ }}")
        if article in seen:
            raise ValueError(f"found the title '{article}' twice, expected each once")
        seen.add(article)


def _address(service: str, project: str, title: str, first: date, last: date) -> str:
    months = first.day == 1 and (last + timedelta(days=1)).day == 1
    name = quote(title.replace(" ", "_"), safe="")
    return (
        f"{service}/metrics/pageviews/per-article/{project}/{ACCESS}/{AGENT}/{name}/"
        f"{'monthly' if months else 'daily'}/{first:%Y%m%d}00/{last:%Y%m%d}00"
    )


def _count(client: PoliteClient, address: str) -> tuple[int | None, str, str]:
    """An article's views, the row's status and what is wrong."""
    try:
        views = client.get(address, _total)
    except NoAnswerError as error:
        return None, "failed", str(error)
    return (None, "missing", "no data (404)") if views is None else (views, "ok", "")


def _total(document: Any) -> int:
    return sum(int(item["views"]) for item in document["items"])


def _resolve(
    client: PoliteClient, articles: Sequence[str], wiki: str
) -> dict[str, tuple[str | None, str, str]]:
    """For each title the page meant, why it cannot be counted ("" where it can), and a note."""
    form = {
        "action": "query",
        "format": "json",
        "formatversion": "2",
        "redirects": "1",
        "prop": "pageprops",
        "ppprop": "disambiguation",
        "titles": "|".join(articles),
    }
    found = client.post(wiki, form, _query)
    if found is None:
        raise NoAnswerError(f"{wiki}: found status 404, expected the wiki's api.php")
    steps = {step["from"]: step for step in _steps(found)}
    pages = {page["title"]: page for page in found["pages"]}
    return {article: _page(article, steps, pages) for article in articles}


def _query(document: Any) -> dict[str, Any]:
    if "error" in document:
        raise ValueError(document["error"].get("info", "an error without a reason"))
    return {key: document["query"].get(key, []) for key in ("normalized", "redirects", "pages")}


def _steps(query: dict[str, Any]) -> Iterator[dict[str, str]]:
    yield from ({**step, "kind": ""} for step in query["normalized"])
    yield from ({**step, "kind": "redirect"} for step in query["redirects"])


def _page(
    article: str, steps: dict[str, dict[str, str]], pages: dict[str, dict[str, Any]]
) -> tuple[str | None, str, str]:
    title, notes, seen = article, [], set()
    while title in steps and title not in seen:
        seen.add(title)
        step = steps[title]
        title = step["to"]
        if step["kind"]:
            section = f", section '{step['tofragment']}'" if step.get("tofragment") else ""
            notes.append(f"redirects to '{title}'{section}")
    page = pages.get(title, {"missing": True})
    note = "; ".join(notes)
    if page.get("missing") or page.get("invalid"):
        return None, "no such page", note
    if "disambiguation" in page.get("pageprops", {}):
        return title, "a disambiguation page", note
    return title, "", note
