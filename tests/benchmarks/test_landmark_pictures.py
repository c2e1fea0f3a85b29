import io
import re

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from helpers.benchmarks import polite
from helpers.benchmarks.landmark_pictures import MOST_FAILURES, download_candidates, photograph
from helpers.benchmarks.polite import ForbiddenError, NoAnswerError, PoliteClient
from helpers.checking import DataError
from stub_site import StubSite


def picture(width=60, height=30, kind="JPEG", exif=None) -> bytes:
    file = io.BytesIO()
    pixels = np.random.default_rng(0).integers(0, 256, (height, width, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(file, kind, **({"exif": exif} if exif else {}))
    return file.getvalue()


class Commons(StubSite):
    """Photographs by path, as (status, content); a list is used up one by one, and all else is 404."""

    def __init__(self):
        super().__init__()
        self.files = {}

    def answer(self, asked):
        found = self.files.get(asked.path, (404, b""))
        status, content = found.pop(0) if isinstance(found, list) else found
        return status, {}, content

    @property
    def photographs(self) -> list[str]:
        """The paths asked for, without robots.txt."""
        return [asked.path for asked in self.asked if asked.path != "/robots.txt"]

    def candidates(self, *paths, landmark="gldv2-1") -> pd.DataFrame:
        rows = [
            (landmark, f"{n:016x}", path if ":" in path else self.url + path) for n, path in enumerate(paths)
        ]
        return pd.DataFrame(rows, columns=["landmark_id", "image_id", "url"])


@pytest.fixture
def commons():
    service = Commons()
    yield service
    service.close()


@pytest.fixture
def client(tmp_path):
    with PoliteClient(tmp_path / "cache.sqlite", contact="who@example.org", pause=0, first_wait=0) as client:
        yield client


def test_photographs_are_fetched_named_and_kept(commons, client, tmp_path):
    commons.files = {"/a.JPG": (200, picture()), "/b%2C.png?x=1": (200, picture(kind="PNG"))}
    candidates = commons.candidates("/a.JPG", "/b%2C.png?x=1").assign(author=["A", None])
    rows = download_candidates(client, candidates, tmp_path / "photographs")
    folder = tmp_path / "photographs" / "gldv2-1"
    assert rows["path"].tolist() == [str(folder / f"{n:016x}{end}") for n, end in enumerate((".jpg", ".png"))]
    assert rows["status"].tolist() == ["ok", "ok"]
    assert rows["author"].tolist()[0] == "A"
    assert (folder / f"{0:016x}.jpg").read_bytes() == commons.files["/a.JPG"][1]
    agents = {asked.headers["User-Agent"] for asked in commons.asked}
    assert all("world-on-screen" in agent and "who@example.org" in agent for agent in agents)
    again = download_candidates(client, candidates, tmp_path / "photographs")
    pd.testing.assert_frame_equal(again, rows)
    assert len(commons.photographs) == 2
    assert sorted(path.name for path in folder.iterdir()) == [f"{0:016x}.jpg", f"{1:016x}.png"]


def test_what_is_gone_broken_or_nowhere_has_a_status_and_a_reason(commons, client, tmp_path):
    commons.files = {"/cut.jpg": (200, picture()[:400]), "/page.jpg": (200, b"<html>Not here</html>")}
    candidates = commons.candidates("/gone.jpg", "/cut.jpg", "/page.jpg", "ftp://x/y.jpg")
    rows = download_candidates(client, candidates, tmp_path)
    assert rows["status"].tolist() == ["missing", "failed", "failed", "failed"]
    assert rows["path"].isna().tolist() == [True] * 4
    for reason, part in zip(
        rows["reason"],
        ("404", "cannot be decoded", "no picture of a known format", "expected http:// or https://"),
        strict=True,
    ):
        assert part in reason


def test_a_server_that_is_busy_is_asked_again(commons, client, tmp_path):
    commons.files = {"/a.jpg": [(503, b""), (429, b""), (200, picture())]}
    rows = download_candidates(client, commons.candidates("/a.jpg"), tmp_path)
    assert rows["status"].tolist() == ["ok"]
    assert len(commons.photographs) == 3


def test_a_refusal_is_a_failure_and_many_end_the_run(commons, client, tmp_path):
    paths = [f"/{n}.jpg" for n in range(MOST_FAILURES)]
    commons.files = dict.fromkeys(paths, (403, b""))
    rows = download_candidates(client, commons.candidates(*paths[1:]), tmp_path)
    assert set(rows["status"]) == {"failed"}
    assert "found status 403" in rows["reason"][0]
    with pytest.raises(NoAnswerError, match=f"{MOST_FAILURES} photographs in a row did not come"):
        download_candidates(client, commons.candidates(*paths), tmp_path)


def test_what_robots_txt_forbids_is_not_asked_for(commons, client, tmp_path):
    commons.files = {
        "/robots.txt": (200, b"User-agent: *\nDisallow: /archive/\n"),
        "/a.jpg": (200, picture()),
    }
    rows = download_candidates(client, commons.candidates("/archive/a.jpg", "/a.jpg"), tmp_path)
    assert rows["status"].tolist() == ["failed", "ok"]
    assert "robots.txt forbids it" in rows["reason"][0]
    assert commons.photographs == ["/a.jpg"]


def test_each_landmark_gets_its_first_few(commons, client, tmp_path):
    paths = [f"/{n}.jpg" for n in range(5)]
    commons.files = dict.fromkeys(paths, (200, picture()))
    both = pd.concat([commons.candidates(*paths), commons.candidates("/0.jpg", landmark="gldv2-2")])
    rows = download_candidates(client, both, tmp_path, most=2)
    assert rows["landmark_id"].tolist() == ["gldv2-1", "gldv2-1", "gldv2-2"]
    assert commons.photographs == ["/0.jpg", "/1.jpg", "/0.jpg"]


@pytest.mark.parametrize("bad", ["../x", "a/b", ".hidden", ""])
def test_an_id_that_would_lead_elsewhere_is_refused(commons, client, tmp_path, bad):
    candidates = commons.candidates("/a.jpg").assign(landmark_id=bad)
    with pytest.raises(ValueError, match=re.escape(f"found the id '{bad}'")):
        download_candidates(client, candidates, tmp_path)
    assert not commons.asked


# EXIF 2.32: orientation 6 says that the camera was turned; upright, width and height change places.
def test_a_photograph_is_upright_and_small(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6
    path = tmp_path / "a.jpg"
    path.write_bytes(picture(600, 300, exif=exif))
    assert photograph(path, 200).size == (100, 200)
    assert photograph(path, 2000).size == (300, 600)
    path.write_bytes(b"nothing")
    with pytest.raises(DataError, match="no picture of a known format"):
        photograph(path, 200)


# WHATWG URL standard: neither is an address; a download list may hold anything.
def test_bad_addresses_fail_alone(commons, client, tmp_path):
    commons.files = {"/a.jpg": (200, picture())}
    bad = ["http://[bad/x.jpg", "http://\x00/x.jpg", "http://", "http://x:99999/x.jpg"]
    rows = download_candidates(client, commons.candidates(*bad, "/a.jpg"), tmp_path)
    assert rows["status"].tolist() == ["failed"] * len(bad) + ["ok"]
    assert rows["reason"][: len(bad)].str.contains("no address").all()


@pytest.mark.parametrize("told", [True, False])
def test_a_file_too_large_is_not_read_to_its_end(commons, client, tmp_path, monkeypatch, told):
    monkeypatch.setattr(polite, "MOST_BYTES", 1000)
    commons.files = {"/a.jpg": (200, b"x" * 1001)}
    if not told:
        monkeypatch.setattr("httpx2.Headers.get", lambda *_: "")
    rows = download_candidates(client, commons.candidates("/a.jpg"), tmp_path)
    assert rows["status"].tolist() == ["failed"]
    assert "found more than 1,000 bytes" in rows["reason"][0]
    assert commons.photographs == ["/a.jpg"]


def test_what_does_not_decode_is_asked_for_again(commons, client, tmp_path):
    commons.files = {"/a.jpg": [(200, b"<html>Busy</html>"), (200, picture())]}
    candidates = commons.candidates("/a.jpg")
    assert download_candidates(client, candidates, tmp_path)["status"].tolist() == ["failed"]
    assert download_candidates(client, candidates, tmp_path)["status"].tolist() == ["ok"]


# RFC 9309, section 2.3: each address that is asked for has to be allowed, a redirect's target too.
def test_robots_txt_holds_for_where_a_redirect_leads(client, tmp_path):
    site = StubSite()
    site.answers = {
        "/robots.txt": (200, {}, "User-agent: *\nDisallow: /private/\n"),
        "/a.jpg": (302, {"Location": "/private/a.jpg"}, ""),
        "/private/a.jpg": (200, {}, picture()),
        "/b.jpg": (301, {"Location": "/c.jpg"}, ""),
        "/c.jpg": (200, {}, picture()),
    }
    try:
        with pytest.raises(ForbiddenError, match=r"/private/a\.jpg: robots.txt forbids it"):
            client.download(f"{site.url}/a.jpg", tmp_path / "a.jpg")
        assert client.download(f"{site.url}/b.jpg", tmp_path / "b.jpg")
        assert "/private/a.jpg" not in [asked.path for asked in site.asked]
    finally:
        site.close()
