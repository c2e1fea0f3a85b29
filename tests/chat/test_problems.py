from email.utils import formatdate

import pytest

from helpers.chat.problems import FatalError, PassingError, RefusedError, from_status, retry_after, shortened


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        *((status, FatalError) for status in (401, 402, 403, 404, 405, 407)),
        *((status, PassingError) for status in (408, 409, 425, 429, 500, 502, 503, 504, 529)),
        *((status, RefusedError) for status in (400, 413, 415, 422)),
    ],
)
def test_sorts_a_status_by_what_to_do_about_it(status, kind):
    assert type(from_status(status, "why")) is kind


# RFC 9110, 10.2.3: either seconds or a date; the milliseconds are OpenAI's and Azure's.
@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "120"}, 120),
        ({"retry-after": "0"}, 0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "-3"}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "1e999"}, None),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after": formatdate(0, usegmt=True)}, 0),
        ({"retry-after": "Mon, 99 Foo 2026 00:00:00 GMT"}, None),
        ({"retry-after": "Sun, 09 Sep 99999999999 01:47:10 GMT"}, None),
    ],
    ids=str,
)
def test_reads_retry_after(headers, seconds):
    assert retry_after(headers) == seconds


def test_reads_retry_after_as_a_date(monkeypatch):
    monkeypatch.setattr("time.time", lambda: 1_000_000_000.0)
    assert retry_after({"retry-after": "Sun, 09 Sep 2001 01:47:10 GMT"}) == 30


def test_a_long_message_becomes_one_short_line():
    assert shortened("<html>\n  <body>  busy") == "<html> <body> busy"
    assert len(shortened("x" * 10_000)) < 320
