import pytest

from stub_site import StubSite


class Site(StubSite):
    """Pages by path, HTML in UTF-8 unless they say otherwise."""

    def answer(self, asked):
        status, headers, body = super().answer(asked)
        return status, {"Content-Type": "text/html; charset=utf-8"} | headers, body

    @property
    def pages(self):
        return [asked.path for asked in self.asked if asked.path != "/robots.txt"]


@pytest.fixture
def site():
    site = Site()
    yield site
    site.close()
