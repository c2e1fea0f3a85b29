"""Asking public web services politely: named, one request at a time, nothing twice, waiting when told to.

Wikimedia's policy asks for a user agent with a way to reach its user, for serial requests and for a pause
after "429 Too Many Requests". Replies are kept on disk, so that the same command continues where it stopped.
"""

import json
import sqlite3
import time
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self, TypeVar

import httpx2

Parsed = TypeVar("Parsed")

ATTEMPTS = 5
# Seconds: between two requests, before the first repetition (doubled each time), and the longest wait obeyed.
PAUSE, FIRST_WAIT, LONGEST_WAIT = 0.1, 1.0, 300.0
TIMEOUT = 30.0
TRANSIENT = (408, 425, 429, 500, 502, 503, 504)


class NoAnswerError(ConnectionError):
    """A service that gave no usable answer, even after waiting."""


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
            "create table if not exists replies "
            "(request text primary key, fetched text not null, status integer not null, body text not null)"
        )
        agent = f"world-on-screen/{version('world-on-screen')} ({contact}) httpx/{httpx2.__version__}"
        self._http = httpx2.Client(headers={"User-Agent": agent}, timeout=TIMEOUT, follow_redirects=True)
        self._pause, self._first_wait = pause, first_wait
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
            NoAnswerError: five attempts without a usable answer, or a refusal that waiting does not help.
        """
        return self._ask(url, None, parse)

    def post(self, url: str, form: dict[str, str], parse: Callable[[Any], Parsed]) -> Parsed | None:
        """As `get`, with the parameters in the request's body, where long ones fit."""
        return self._ask(url, form, parse)

    def _ask(self, url: str, form: dict[str, str] | None, parse: Callable[[Any], Parsed]) -> Parsed | None:
        request = url if form is None else f"{url} {json.dumps(form, sort_keys=True)}"
        kept = self._cache.execute("select status, body from replies where request = ?", [request]).fetchone()
        if kept is not None:
            return _read(*kept, parse)
        trouble, wait = "", self._first_wait
        for attempt in range(ATTEMPTS):
            if attempt:
                time.sleep(wait)
                wait *= 2
            try:
                reply = self._send(url, form)
                if reply.status_code in TRANSIENT:
                    trouble = f"status {reply.status_code}"
                    wait = _told_to_wait(reply, wait)
                    if wait > LONGEST_WAIT:
                        break
                    continue
                if reply.status_code not in (200, 404):
                    raise NoAnswerError(f"{url}: found status {reply.status_code}, expected 200 or 404")
                value = _read(reply.status_code, reply.text, parse)
            except httpx2.HTTPError as error:
                trouble = f"{type(error).__name__}: {error}"
            except (ValueError, KeyError, TypeError) as error:
                trouble = f"an unexpected answer ({type(error).__name__}: {error})"
            else:
                self._keep(request, reply)
                return value
        raise NoAnswerError(f"{url}: no usable answer in {attempt + 1} attempts, last: {trouble}")

    def _send(self, url: str, form: dict[str, str] | None) -> httpx2.Response:
        time.sleep(max(0.0, self._last + self._pause - time.monotonic()))
        self._last = time.monotonic()
        return self._http.get(url) if form is None else self._http.post(url, data=form)

    def _keep(self, request: str, reply: httpx2.Response) -> None:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._cache:
            self._cache.execute(
                "insert or replace into replies values (?, ?, ?, ?)",
                [request, now, reply.status_code, reply.text],
            )


def _read(status: int, body: str, parse: Callable[[Any], Parsed]) -> Parsed | None:
    return None if status == 404 else parse(json.loads(body))


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
