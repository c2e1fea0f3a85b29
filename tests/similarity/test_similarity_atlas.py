import itertools
import time

import pandas as pd
import pytest

from helpers.benchmarks.polite import PoliteClient
from helpers.similarity import cultural_atlas
from helpers.similarity.documents import read_documents
from helpers.similarity.main_text import NoTextError, main_text

WORDS = "Guests take off their shoes at the door and put on the slippers that the host has laid out. "
# The general shape of an article page, in our own words: header, navigation, article, lists, footer.
PAGE = f"""<!DOCTYPE html>
<html lang="en-AU"><head><title>Shoes</title><style>p {{color: red}}</style>
<script>var p = "<p>code</p>";</script></head><body>
<header><p>Our site</p></header>
<nav><ul><li><a href="/">Home</a></li><li>Countries</li></ul></nav>
<main><article>
<h1>Shoes <span>at</span>&nbsp;home</h1>
<div><p>{WORDS}</p><p>One <strong>pair</strong><em>s</em><br>each.</p>
<!-- <p>a comment</p> -->
<ul><li>First<ul><li>Second <p>Third</p></li></ul></li></ul>
<div aria-hidden="true"><p>hidden</p></div>
<p>{WORDS}</p></div>
<aside><p>Read also</p></aside>
</article></main>
<footer><p>All rights reserved</p></footer><script>track()</script></body></html>"""


@pytest.fixture
def client(tmp_path):
    with PoliteClient(tmp_path / "c.sqlite", contact="me@example.org", pause=0, first_wait=0.01) as client:
        yield client


def page(text=WORDS * 3, lang="en"):
    return f'<html lang="{lang}"><body><main><p>{text}</p></main></body></html>'


def wanted(site, *paths):
    places = itertools.product(["Brazil", "India", "South Africa"], cultural_atlas.CATEGORIES)
    rows = [
        (country, category, site.url + path) for (country, category), path in zip(places, paths, strict=False)
    ]
    return pd.DataFrame(rows, columns=["country", "category", "url"])


def test_main_text_is_headings_paragraphs_and_list_items_each_once():
    assert main_text(PAGE.encode()).split("\n") == [
        "Shoes at home",
        WORDS.strip(),
        "One pairs each.",
        "First",
        "Second",
        "Third",
        WORDS.strip(),
    ]


@pytest.mark.parametrize(
    ("body", "charset"),
    [
        (page(WORDS * 3 + "é").encode("latin-1"), "iso-8859-1"),
        (page(WORDS * 3 + "é").replace("<body>", '<meta charset="latin-1"><body>').encode("latin-1"), None),
        (page(WORDS * 3 + "é").encode("utf-16"), None),
        (page(WORDS * 3 + "é").encode(), "utf-8"),
    ],
)
def test_encodings_are_those_of_the_server_or_the_page(body, charset):
    assert main_text(body, charset).endswith("é")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (page("Short."), "found 1 words of main text, expected at least 30"),
        ("", "found 0 words of main text"),
        ("<html><body><div>" + WORDS * 9 + "</div></body></html>", "found 0 words"),
        (page(lang="pt-BR"), "found a page in 'pt-BR', expected English"),
    ],
)
def test_a_page_without_english_main_text_is_said(body, message):
    with pytest.raises(NoTextError, match=message):
        main_text(body.encode())


def test_an_unknown_encoding_is_said():
    with pytest.raises(NoTextError, match="the text is not klingon, as the server says"):
        main_text(page().encode(), "klingon")


def test_the_fifty_pages():
    pages = cultural_atlas.pages()
    assert len(pages) == 50
    assert not pages.duplicated(["country", "category"]).any()
    url = pages.set_index(["country", "category"])["url"]["South Africa", "greetings"]
    assert url.endswith("sbs.com.au/south-african-culture/south-african-culture-greetings")


def test_pages_become_documents_with_their_addresses(site, client, tmp_path):
    site.answers = {"/a": (200, {}, PAGE), "/b": (200, {}, page())}
    report = cultural_atlas.fetch(client, tmp_path / "atlas", wanted(site, "/a", "/b"))
    assert report["status"].tolist() == ["ok", "ok"]
    assert report["fetched"].str.startswith("20").all()
    documents = read_documents(tmp_path / "atlas" / "sources.csv")
    assert documents["url"].tolist() == [site.url + "/a", site.url + "/b"]
    assert documents["words"].tolist() == report["words"].tolist()
    assert documents.loc[0, "text"] == main_text(PAGE.encode())
    assert read_documents(tmp_path / "atlas")["text"].tolist() == documents["text"].tolist()
    agents = {asked.headers["User-Agent"] for asked in site.asked}
    assert {agent.split("/")[0] for agent in agents} == {"world-on-screen"}
    assert all("(me@example.org)" in agent for agent in agents)
    assert not list((tmp_path / "atlas").rglob("*.part"))


def test_each_page_without_a_document_is_named_and_the_rest_goes_on(site, client, tmp_path):
    site.answers = {
        "/robots.txt": (200, {}, "User-agent: *\nDisallow: /private\n"),
        "/moved": (301, {"Location": "/"}, ""),
        "/": (200, {}, page()),
        "/empty": (200, {}, page("Nothing.")),
        "/forbidden": (403, {}, "no"),
        "/broken": (500, {}, "oops"),
        "/pdf": (200, {"Content-Type": "application/pdf"}, b"%PDF-1.7 \xff"),
        "/portuguese": (200, {}, page(lang="pt")),
        "/bytes": (200, {}, page().encode() + b"\xff"),
        "/good": (200, {}, page()),
        "/twin": (302, {"Location": "/twin/"}, ""),
        "/twin/": (200, {}, page()),
        "/circle": (302, {"Location": "/circle"}, ""),
    }
    paths = ["/none", "/moved", "/empty", "/forbidden", "/private/a", "/broken", "/pdf", "/portuguese"]
    paths += ["/bytes", "/good", "/twin", "/circle"]
    report = cultural_atlas.fetch(client, tmp_path, wanted(site, *paths))
    found = dict(zip(paths, zip(report["status"], report["note"], strict=True), strict=True))
    assert {path: status for path, (status, _) in found.items()} == {
        "/none": "missing",
        "/moved": "missing",
        "/empty": "missing",
        "/forbidden": "blocked",
        "/private/a": "blocked",
        "/broken": "failed",
        "/pdf": "missing",
        "/portuguese": "missing",
        "/bytes": "missing",
        "/good": "ok",
        "/twin": "ok",
        "/circle": "failed",
    }
    for path, note in {
        "/none": "status 404",
        "/moved": f"redirects to {site.url}/",
        "/empty": "found 1 words of main text, expected at least 30",
        "/forbidden": f"{site.url}/forbidden: found status 403, expected 200 or 404",
        "/private/a": f"{site.url}/private/a: robots.txt forbids it, or does not answer",
        "/pdf": "found application/pdf, expected HTML",
        "/portuguese": "found a page in 'pt', expected English",
        "/bytes": "the text is not utf-8, as the server says",
    }.items():
        assert found[path][1] == note
    assert "no usable answer in 5 attempts, last: status 500" in found["/broken"][1]
    assert "more than 5 redirects" in found["/circle"][1]
    assert "/private/a" not in site.pages
    assert len(read_documents(tmp_path / "sources.csv")) == 2


def test_nothing_is_asked_twice_but_the_failures(site, tmp_path):
    site.answers = {"/a": (200, {}, page()), "/b": (403, {}, "")}
    for _ in range(2):
        with PoliteClient(tmp_path / "c.sqlite", contact="me@example.org", pause=0) as client:
            cultural_atlas.fetch(client, tmp_path, wanted(site, "/a", "/b", "/none"))
    assert sorted(site.pages) == ["/a", "/b", "/b", "/none"]


@pytest.mark.parametrize("status", [500, 503])
def test_a_site_whose_robots_txt_fails_is_left_alone(site, client, tmp_path, status):
    site.answers = {"/robots.txt": (status, {}, ""), "/a": (200, {}, page())}
    report = cultural_atlas.fetch(client, tmp_path, wanted(site, "/a", "/a2"))
    assert report["status"].tolist() == ["blocked", "blocked"]
    assert site.pages == []
    assert len(site.asked) == 5


def test_after_five_failures_in_a_row_the_site_is_left_alone(site, client, tmp_path):
    site.answers = {f"/{number}": (403, {}, "") for number in range(9)} | {"/a": (200, {}, page())}
    report = cultural_atlas.fetch(client, tmp_path, wanted(site, "/a", *[f"/{n}" for n in range(7)]))
    assert report["status"].tolist() == ["ok", *["blocked"] * 5, *["failed"] * 2]
    assert report["note"].tolist()[-1] == "not asked: 5 pages in a row failed"
    assert len(site.pages) == 6


def test_the_delay_that_the_site_asks_for_is_kept(site, client, tmp_path):
    site.answers = {"/robots.txt": (200, {}, "User-agent: *\nCrawl-delay: 0.2")}
    started = time.monotonic()
    cultural_atlas.fetch(client, tmp_path, wanted(site, "/a", "/b"))
    assert time.monotonic() - started >= 0.4


def test_a_page_on_another_site_is_asked_for_only_where_that_site_allows_it(site, client, tmp_path):
    other = site.url.replace("127.0.0.1", "localhost")
    site.answers = {
        "/robots.txt": (200, {}, "User-agent: *\nDisallow: /b"),
        "/a": (302, {"Location": f"{other}/b"}, ""),
    }
    report = cultural_atlas.fetch(client, tmp_path, wanted(site, "/a"))
    assert report.loc[0, "note"] == f"{other}/b: robots.txt forbids it, or does not answer"
    assert site.pages == ["/a"]


def test_too_many_or_repeated_pages_are_refused(client, tmp_path):
    pages = cultural_atlas.pages()
    with pytest.raises(ValueError, match="found 51 pages, expected at most 50"):
        cultural_atlas.fetch(client, tmp_path, pd.concat([pages, pages.head(1)]))
    with pytest.raises(ValueError, match="found Brazil, dates-of-significance twice, expected each once"):
        cultural_atlas.fetch(client, tmp_path, pd.concat([pages.head(1)] * 2))


def test_documents_of_an_earlier_run_stay_in_the_list(site, client, tmp_path):
    site.answers = {path: (200, {"Content-Type": "text/html"}, page()) for path in ("/a", "/b")}
    both = wanted(site, "/a", "/b")
    cultural_atlas.fetch(client, tmp_path, both[:1])
    cultural_atlas.fetch(client, tmp_path, both[1:])
    cultural_atlas.fetch(client, tmp_path, both[1:].assign(url=site.url + "/gone"))
    assert sorted(read_documents(tmp_path / cultural_atlas.MANIFEST)["url"]) == sorted(both["url"])
