import itertools
import json
import time
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from email.utils import format_datetime
from urllib.parse import parse_qs, unquote

import pandas as pd
import pytest

from helpers.benchmarks import polite
from helpers.benchmarks.pageviews import page_views, with_pageviews
from helpers.benchmarks.polite import NoAnswerError, PoliteClient
from stub_site import StubSite

FIRST, LAST = date(2023, 1, 1), date(2023, 12, 31)
REDIRECTS = {"Ayers Rock": "Uluru", "Castle of Chambord": "Château de Chambord", "Rock": "Geology"}
VIEWS = {"Uluru": [100, 20], "Château de Chambord": [7], "AT&T/Tower, 1% (Old)?": [3, 4], "Geology": [9]}


class Service(StubSite):
    """Wikimedia's two services on a loopback port: answers of the documented shapes, faults on request."""

    def __init__(self):
        super().__init__()
        self.requests = []
        self.faults = []
        self.pages = {*VIEWS, *REDIRECTS, "Unread", "Mercury"}

    def answer(self, asked):
        self.requests.append((asked.path, asked.headers, time.monotonic()))
        if asked.method == "POST":
            form = parse_qs(asked.body.decode())
            status, body, headers = (*self.titles(form["titles"][0].split("|")), {})
        elif self.faults:
            status, body, headers = self.faults.pop(0)
        else:
            status, body, headers = (*self.views(asked.path), {})
        return status, headers, body if isinstance(body, str) else json.dumps(body)

    # Documented at doc.wikimedia.org (Analytics API, page views per article): items with their views, months
    # or days without any left out, 404 where there is none at all.
    def views(self, path):
        *_, title, granularity, _first, _last = path.split("/")
        counts = VIEWS.get(unquote(title).replace("_", " "))
        if counts is None:
            return 404, {"title": "Not found."}
        return 200, {"items": [{"granularity": granularity, "views": views} for views in counts]}

    # Documented at mediawiki.org (API:Query): normalized, redirects and pages, in format version 2.
    def titles(self, titles):
        normalized = [{"from": title, "to": title.replace("_", " ")} for title in titles if "_" in title]
        names = [title.replace("_", " ") for title in titles]
        redirects = [{"from": name, "to": REDIRECTS[name]} for name in names if name in REDIRECTS]
        for redirect in redirects:
            if redirect["from"] == "Rock":
                redirect["tofragment"] = "Stones"
        pages = []
        for name in dict.fromkeys(REDIRECTS.get(name, name) for name in names):
            page = {"title": name} if name in self.pages else {"title": name, "missing": True}
            if name == "Mercury":
                page["pageprops"] = {"disambiguation": ""}
            pages.append(page)
        query = {"normalized": normalized, "redirects": redirects, "pages": pages}
        return 200, {"batchcomplete": True, "query": {key: rows for key, rows in query.items() if rows}}

    @property
    def articles(self):
        return [path for path, _, _ in self.requests if "per-article" in path]


@pytest.fixture
def service():
    service = Service()
    yield service
    service.close()


@pytest.fixture
def client(tmp_path):
    with PoliteClient(
        tmp_path / "cache.sqlite", contact="me@example.org", pause=0, first_wait=0.01
    ) as client:
        yield client


def views(client, service, articles, first=FIRST, last=LAST):
    return page_views(client, articles, first, last, service=service.url, wiki=service.url + "/w/api.php")


def test_views_are_summed_over_the_stated_days(client, service):
    rows = views(client, service, ["Uluru", "Château_de_Chambord"])
    assert list(rows["views"]) == [120, 7]
    assert list(rows["title"]) == ["Uluru", "Château de Chambord"]
    assert list(rows["status"]) == ["ok", "ok"]
    assert rows["note"].isna().all()
    assert (rows["first"] == FIRST).all()
    assert (rows["last"] == LAST).all()


def test_whole_months_are_asked_for_by_month_and_other_days_by_day(client, service):
    views(client, service, ["Uluru"])
    views(client, service, ["Uluru"], first=date(2023, 1, 2))
    views(client, service, ["Uluru"], first=date(2024, 2, 1), last=date(2024, 2, 29))
    assert [path.split("/")[-3:] for path in service.articles] == [
        ["monthly", "2023010100", "2023123100"],
        ["daily", "2023010200", "2023123100"],
        ["monthly", "2024020100", "2024022900"],
    ]


# Wikimedia's service takes titles with underscores and every other special character percent-encoded.
def test_titles_are_percent_encoded(client, service):
    rows = views(client, service, ["AT&T/Tower, 1% (Old)?", "Château de Chambord"])
    assert list(rows["views"]) == [7, 7]
    assert [path.split("/")[-4] for path in service.articles] == [
        "AT%26T%2FTower%2C_1%25_%28Old%29%3F",
        "Ch%C3%A2teau_de_Chambord",
    ]


def test_requests_name_the_project_and_its_user(client, service):
    views(client, service, ["Uluru"])
    agents = {headers["User-Agent"] for _, headers, _ in service.requests}
    assert len(agents) == 1
    assert agents.pop().startswith("world-on-screen/")
    assert all("(me@example.org)" in headers["User-Agent"] for _, headers, _ in service.requests)
    assert service.articles[0].startswith(
        "/metrics/pageviews/per-article/en.wikipedia/all-access/user/Uluru/"
    )


def test_no_data_is_missing_and_not_zero(client, service):
    rows = views(client, service, ["Unread"])
    assert rows["views"].isna().all()
    assert rows.loc[0, ["status", "note"]].tolist() == ["missing", "no data (404)"]


def test_redirects_are_followed_and_noted(client, service):
    rows = views(client, service, ["Ayers_Rock", "Rock"]).set_index("article")
    assert rows.loc["Ayers_Rock", ["title", "views", "note"]].tolist() == [
        "Uluru",
        120,
        "redirects to 'Uluru'",
    ]
    assert rows.loc["Rock", "note"] == "redirects to 'Geology', section 'Stones'"


def test_pages_that_are_not_the_landmark_are_not_counted(client, service):
    rows = views(client, service, ["No such thing", "Mercury"]).set_index("article")
    assert rows["status"].tolist() == ["missing", "missing"]
    assert rows["note"].tolist() == ["no such page", "a disambiguation page"]
    assert pd.isna(rows.loc["No such thing", "title"])
    assert service.articles == []


def test_titles_are_resolved_fifty_at_a_time(client, service):
    rows = views(client, service, [f"Place {number}" for number in range(120)])
    assert len(rows) == 120
    assert Counter(path for path, _, _ in service.requests) == {"/w/api.php": 3}


def test_nothing_is_asked_twice_even_by_another_run(tmp_path, service):
    for _ in range(2):
        with PoliteClient(tmp_path / "c.sqlite", contact="https://example.org", pause=0) as client:
            rows = views(client, service, ["Uluru", "Unread"])
            assert list(rows["status"]) == ["ok", "missing"]
            assert rows["views"].tolist()[0] == 120
    assert len(service.requests) == 3


@pytest.mark.parametrize(
    "fault",
    [
        (429, "slow down", {"Retry-After": "0"}),
        (429, "slow down", {}),
        (503, "<html>maintenance</html>", {}),
        (200, '{"items": [', {}),
        (200, "<html>please log in</html>", {}),
        (200, {"error": "odd"}, {}),
        (200, {"items": [{"views": None}]}, {}),
    ],
    ids=["429 at once", "429", "503", "cut off", "a page", "another document", "no number"],
)
def test_passing_faults_are_waited_out_and_not_kept(client, service, fault):
    service.faults = [fault, fault]
    assert views(client, service, ["Uluru"])["views"].tolist() == [120]
    assert len(service.articles) == 3
    assert views(client, service, ["Uluru"])["views"].tolist() == [120]
    assert len(service.articles) == 3


def test_the_wait_is_what_the_service_says_or_doubles(client, service, monkeypatch):
    waits = []
    monkeypatch.setattr(polite.time, "sleep", waits.append)
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    service.faults = [
        (429, "", {"Retry-After": "17"}),
        (429, "", {"Retry-After": soon}),
        (503, "", {"Retry-After": "soon"}),
    ]
    views(client, service, ["Uluru"])
    waited = [wait for wait in waits if wait]
    assert waited[0] == 17
    assert 95 < waited[1] <= 100
    assert len(waited) == 3


def test_waits_double_without_advice(client, service, monkeypatch):
    waits = []
    monkeypatch.setattr(polite.time, "sleep", waits.append)
    service.faults = [(500, "", {})] * 4
    views(client, service, ["Uluru"])
    assert [wait for wait in waits if wait] == pytest.approx([0.01, 0.02, 0.04, 0.08])


def test_requests_keep_their_distance(tmp_path, service):
    with PoliteClient(tmp_path / "c.sqlite", contact="me@example.org", pause=0.05) as client:
        views(client, service, ["Uluru", "Unread", "Geology"])
    times = [moment for _, _, moment in service.requests]
    assert all(later - earlier > 0.04 for earlier, later in itertools.pairwise(times))


def test_an_article_without_an_answer_fails_alone(client, service):
    service.faults = [(500, "", {})] * 5
    rows = views(client, service, ["Uluru", "Geology"]).set_index("article")
    assert rows["status"].to_dict() == {"Uluru": "failed", "Geology": "ok"}
    assert "no usable answer in 5 attempts, last: status 500" in rows.loc["Uluru", "note"]
    # The failure was not kept: the next run asks again.
    assert views(client, service, ["Uluru"])["status"].tolist() == ["ok"]


def test_a_refusal_is_not_repeated(client, service):
    service.faults = [(403, "blocked", {})]
    rows = views(client, service, ["Uluru"])
    assert rows.loc[0, "status"] == "failed"
    assert "found status 403" in rows.loc[0, "note"]
    assert len(service.articles) == 1


def test_a_service_that_asks_for_hours_is_left_alone(client, service):
    service.faults = [(429, "", {"Retry-After": "7200"})]
    assert "in 1 attempts, last: status 429" in views(client, service, ["Uluru"]).loc[0, "note"]


def test_many_failures_in_a_row_end_the_run_and_it_continues_later(client, service):
    names = ["Uluru", *[f"Place {number}" for number in range(6)]]
    service.pages.update(names)
    service.faults = [(200, {"items": [{"views": 1}]}, {}), *[(403, "", {})] * 5]
    with pytest.raises(
        NoAnswerError, match=r"5 articles in a row failed, last 'Place 4'.*run again to continue"
    ):
        views(client, service, names)
    before = len(service.articles)
    rows = views(client, service, names)
    assert rows["status"].tolist() == ["ok", *["missing"] * 6]
    assert len(service.articles) == before + 6


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((200, {"error": {"code": "toomanyvalues", "info": "Too many values"}}), "Too many values"),
        ((404, ""), "w/api.php: found status 404, expected the wiki's api.php"),
    ],
)
def test_a_wiki_that_does_not_resolve_titles_is_named(client, service, answer, message):
    service.titles = lambda titles: answer
    with pytest.raises(NoAnswerError, match=message):
        views(client, service, ["Uluru"])


def test_a_service_that_is_not_there_is_named(client):
    with pytest.raises(
        NoAnswerError, match=r"127\.0\.0\.1:9/w: no usable answer in 5 attempts, last: Connect"
    ):
        page_views(client, ["x"], FIRST, LAST, wiki="http://127.0.0.1:9/w")


@pytest.mark.parametrize(
    ("first", "last"),
    [
        (date(2015, 6, 30), LAST),
        (LAST, FIRST),
        (FIRST, datetime.now(UTC).date()),
    ],
)
def test_dates_without_data_are_refused(client, service, first, last):
    with pytest.raises(ValueError, match="expected days in order from 2015-07-01 to "):
        views(client, service, ["Uluru"], first, last)


@pytest.mark.parametrize(
    ("articles", "message"),
    [
        (["a|b"], "found the title 'a|b', expected text without"),
        ([" "], "found the title ' '"),
        (["Uluru", "Uluru"], "found the title 'Uluru' twice"),
    ],
)
def test_titles_that_cannot_be_are_refused(client, service, articles, message):
    with pytest.raises(ValueError, match=message.replace("|", r"\|")):
        views(client, service, articles)


def test_a_contact_is_needed(tmp_path):
    with pytest.raises(ValueError, match="contact: found 'me', expected an email address or a web page"):
        PoliteClient(tmp_path / "c.sqlite", contact="me")


def test_landmarks_get_their_articles_views(client, service):
    counted = views(client, service, ["Uluru", "Unread"])
    landmarks = pd.DataFrame(
        {"landmark_id": ["a", "b", "c", "d"], "article": ["Uluru", "Unread", None, "Uluru"]}
    )
    assert with_pageviews(landmarks, counted)["pageviews"].tolist() == [120, pd.NA, pd.NA, 120]
    with pytest.raises(ValueError, match="no page views for 1 landmarks, first 'Rome'"):
        with_pageviews(landmarks.assign(article=["Uluru", "Unread", None, "Rome"]), counted)


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_a_missing_title_is_refused(client, service, missing):
    with pytest.raises(ValueError, match=f"found the title '{missing}'"):
        views(client, service, [missing])
