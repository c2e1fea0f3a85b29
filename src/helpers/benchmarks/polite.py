"""Asking public web services politely: named, one request at a time, nothing twice, waiting when told to.

Wikimedia's policy asks for a user agent with a way to reach its user, for serial requests and for a pause
after "429 Too Many Requests". Web pages are fetched only where the site's robots.txt lets this project in.
Replies are kept on disk, so that the same command continues where it stopped.
"""

import json
import os
import sqlite3
import time
from collections.abc import Callable, Container
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self, TypeVar
from urllib.parse import urljoin, urlsplit

import httpx2

from helpers.benchmarks.robots import Robots

Parsed = TypeVar("Parsed")

ATTEMPTS = 5
# Seconds: between two requests, before the first repetition (doubled each time), and the longest wait obeyed.
PAUSE, FIRST_WAIT, LONGEST_WAIT = 0.1, 1.0, 300.0
TIMEOUT = 30.0
MOST_BYTES = 100 * 10**6
TRANSIENT = (408, 425, 429, 500, 502, 503, 504)
REFUSALS = (401, 403, 451)
REDIRECTS = (301, 302, 303, 307, 308)
MOST_REDIRECTS = 5
AGENT = "world-on-screen"


class NoAnswerError(ConnectionError):
    """A service that gave no usable answer, even after waiting."""


class ForbiddenError(NoAnswerError):
    """A page that the site does not want to give: by its robots.txt or by status 401, 403 or 451."""


class UnusableError(NoAnswerError):
    """An address that is none, or behind which lies more than this client reads; the network did its part."""


@dataclass(frozen=True)
class Reply:
    """What a service answered.

    Attributes:
        status: the HTTP status.
        url: where the answer comes from; of a redirect, where it points to.
        fetched: when, in UTC (ISO 8601).
        content_type: the header of this name, "" where there was none.
        body: the bytes.
    """

    status: int
    url: str
    fetched: str
    content_type: str
    body: bytes


class PoliteClient:
    """A client with a cache; close it, or use it in a `with` statement.

    Args:
        cache: the SQLite file that keeps replies; it is made where it is missing.
        contact: how the service's owner can reach whoever asks: an email address or a web page.
        pause: seconds between two requests.
        first_wait: seconds before a failed request is repeated; doubled each time. A `Retry-After` header is
            obeyed instead, up to five minutes.

    Raises:
        ValueError: a contact that is neither an email address nor a web page.
    """

    def __init__(
        self, cache: Path | str, *, contact: str, pause: float = PAUSE, first_wait: float = FIRST_WAIT
    ):
        if "@" not in contact and not contact.startswith(("http://", "https://")):
            raise ValueError(f"contact: found '{contact}', expected an email address or a web page")
        Path(cache).parent.mkdir(parents=True, exist_ok=True)
        self._cache = sqlite3.connect(cache)
        self._cache.execute(
            "create table if not exists kept (request text primary key, status integer not null, "
            "url text not null, fetched text not null, content_type text not null, body blob not null)"
        )
        agent = f"{AGENT}/{version(AGENT)} ({contact}) httpx/{httpx2.__version__}"
        self._http = httpx2.Client(headers={"User-Agent": agent}, timeout=TIMEOUT)
        self._pause, self._first_wait = pause, first_wait
        self._robots: dict[str, Robots] = {}
        self._last = -pause

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection and the cache."""
        self._http.close()
        self._cache.close()

    def get(self, url: str, parse: Callable[[Any], Parsed]) -> Parsed | None:
        """What a JSON document says; None where the service answers 404.

        Args:
            url: the address, percent-encoded.
            parse: takes what it needs from the decoded document; raising ValueError, KeyError or TypeError
                means that the document is not what was asked for.

        Raises:
            NoAnswerError: five attempts without a usable answer, or a refusal that waiting does not help; as
                `UnusableError` for what is no address, or an answer of more than 100 MB.
        """
        return self._document(url, None, parse)

    def post(self, url: str, form: dict[str, str], parse: Callable[[Any], Parsed]) -> Parsed | None:
        """As `get`, with the parameters in the request's body, where long ones fit."""
        return self._document(url, form, parse)

    def page(self, url: str) -> Reply:
        """A web page, with its redirects followed, where robots.txt allows every step.

        A site without a robots.txt (status 4xx) allows everything; one that does not answer, nothing (RFC
        9309, 2.3.1). Its `Crawl-delay` is obeyed where it is longer than this client's own pause.

        Returns:
            The page, or the answer 404 or 410; its `url` is the last one.

        Raises:
            ForbiddenError: robots.txt forbids the page or one that it redirects to, or status 401, 403 or
                451.
            NoAnswerError: as `get`, or more than five redirects.
        """
        return self._followed(url, keep=True)

    def download(self, url: str, path: Path) -> bool:
        """Fetch a file, whole or not at all; one that is there already is not fetched again.

        Args:
            url: the address, percent-encoded; redirects are followed and robots.txt is obeyed, as by `page`.
            path: where to keep it; its folder is made.

        Returns:
            Whether it is there; False where the service answers 404 or 410.

        Raises:
            NoAnswerError: as `get`, or `ForbiddenError` as `page`.
        """
        if path.exists():
            return True
        # The file itself is the copy that is kept: the cache is no place for photographs.
        reply = self._followed(url, keep=False)
        if reply.status != 200:
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        try:
            unfinished.write_bytes(reply.body)
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)
        return True

    def _followed(self, url: str, *, keep: bool) -> Reply:
        """What lies at the end of an address's redirects, where robots.txt allows every step."""
        step = url
        for _ in range(MOST_REDIRECTS + 1):
            reply = self._kept(step) if keep else None
            if reply is None:
                self._check_robots(step)
                reply = self._ask(step, None, lambda reply: reply, (200, 404, 410, *REDIRECTS), keep=keep)
            if reply.status not in REDIRECTS:
                return reply
            step = reply.url
        raise NoAnswerError(f"{url}: found more than {MOST_REDIRECTS} redirects")

    def _document(
        self, url: str, form: dict[str, str] | None, parse: Callable[[Any], Parsed]
    ) -> Parsed | None:
        return self._ask(url, form, lambda reply: _read(reply, parse), (200, 404), follow=True)

    def _check_robots(self, url: str) -> None:
        _check_address(url)
        site = urljoin(url, "/")
        if site not in self._robots:
            self._robots[site] = self._read_robots(urljoin(site, "robots.txt"))
        if not self._robots[site].allows(url):
            raise ForbiddenError(f"{url}: robots.txt forbids it, or does not answer")

    def _read_robots(self, url: str) -> Robots:
        statuses = (200, *range(400, 500))
        try:
            reply = self._ask(url, None, lambda reply: reply, statuses, follow=True, keep=False)
        except NoAnswerError:
            return Robots(rules=(("/", False),))
        content = reply.body.decode("utf-8-sig", errors="replace") if reply.status == 200 else ""
        robots = Robots.parse(content, AGENT)
        self._pause = max(self._pause, robots.delay)
        return robots

    def _ask(
        self,
        url: str,
        form: dict[str, str] | None,
        read: Callable[[Reply], Parsed],
        statuses: Container[int],
        *,
        follow: bool = False,
        keep: bool = True,
    ) -> Parsed:
        _check_address(url)
        request = url if form is None else f"{url} {json.dumps(form, sort_keys=True)}"
        kept = self._kept(request)
        if kept is not None:
            return read(kept)
        trouble, wait = "", self._first_wait
        for attempt in range(ATTEMPTS):
            if attempt:
                time.sleep(wait)
                wait *= 2
            try:
                answer, body = self._send(url, form, follow)
                if answer.status_code in TRANSIENT:
                    trouble = f"status {answer.status_code}"
                    wait = _told_to_wait(answer, wait)
                    if wait > LONGEST_WAIT:
                        break
                    continue
                reply = _reply(answer, body)
                if reply.status not in statuses:
                    error = ForbiddenError if reply.status in REFUSALS else NoAnswerError
                    raise error(f"{url}: found status {reply.status}, expected 200 or 404")
                value = read(reply)
            except httpx2.HTTPError as error:
                trouble = f"{type(error).__name__}: {error}"
            except (ValueError, KeyError, TypeError) as error:
                trouble = f"an unexpected answer ({type(error).__name__}: {error})"
            else:
                if keep:
                    self._keep(request, reply)
                return value
        raise NoAnswerError(f"{url}: no usable answer in {attempt + 1} attempts, last: {trouble}")

    def _send(self, url: str, form: dict[str, str] | None, follow: bool) -> tuple[httpx2.Response, bytes]:
        time.sleep(max(0.0, self._last + self._pause - time.monotonic()))
        self._last = time.monotonic()
        method = "GET" if form is None else "POST"
        with self._http.stream(method, url, data=form, follow_redirects=follow) as answer:
            return answer, _body(answer)

    def _kept(self, request: str) -> Reply | None:
        found = self._cache.execute(
            "select status, url, fetched, content_type, body from kept where request = ?", [request]
        ).fetchone()
        return None if found is None else Reply(*found)

    def _keep(self, request: str, reply: Reply) -> None:
        with self._cache:
            self._cache.execute(
                "insert or replace into kept values (?, ?, ?, ?, ?, ?)", [request, *astuple(reply)]
            )


def _check_address(url: str) -> None:
    try:
        address = httpx2.URL(url)
        _ = urlsplit(url).port
    except (httpx2.InvalidURL, ValueError) as error:
        raise UnusableError(f"{url!r}: no address ({error})") from None
    if address.scheme not in ("http", "https") or not address.host:
        raise UnusableError(f"{url!r}: no address, expected http:// or https://")


def _body(answer: httpx2.Response) -> bytes:
    """An answer's content, read bit by bit, so that one without end does not fill the memory."""
    told = answer.headers.get("Content-Length", "")
    content = bytearray()
    if not told.isdecimal() or int(told) <= MOST_BYTES:
        for part in answer.iter_bytes():
            content += part
            if len(content) > MOST_BYTES:
                break
        else:
            return bytes(content)
    raise UnusableError(f"{answer.url}: found more than {MOST_BYTES:,} bytes, expected at most so many")


def _reply(answer: httpx2.Response, body: bytes) -> Reply:
    url = str(answer.url)
    if answer.status_code in REDIRECTS:
        url = urljoin(url, answer.headers["Location"])
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Reply(answer.status_code, url, now, answer.headers.get("Content-Type", ""), body)


def _read(reply: Reply, parse: Callable[[Any], Parsed]) -> Parsed | None:
    return None if reply.status == 404 else parse(json.loads(reply.body))


def _told_to_wait(reply: httpx2.Response, otherwise: float) -> float:
    """The seconds of a Retry-After header, given as a number or as a date."""
    told = reply.headers.get("Retry-After", "")
    if told.isdigit():
        return float(told)
    try:
        until = parsedate_to_datetime(told)
    except ValueError:
        return otherwise
    if until.tzinfo is None:
        until = until.replace(tzinfo=UTC)
    return max(0.0, (until - datetime.now(UTC)).total_seconds())
