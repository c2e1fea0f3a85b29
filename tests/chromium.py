"""Chromium for tests, without a window."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, sync_playwright

# What it would load of its own accord.
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]


@contextmanager
def launched() -> Iterator[Browser]:
    """A browser; the test is skipped where there is none."""
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("Chromium is not installed (Debian's package `chromium`)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=QUIET)
        yield browser
        browser.close()
