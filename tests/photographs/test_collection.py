"""Photographs from a package written here, from installed libraries and, where cached, from GCompris."""

import re
import subprocess

import numpy as np
import pandas as pd
import pytest

from helpers import geography, schemas
from helpers.checking import DataError
from helpers.photographs import collection, gcompris
from helpers.photographs.collection import bundled, load, monuments
from helpers.photographs.credits import shown_by_default
from helpers.photographs.pictures import read_picture
from photographs.written import encoded, scene

PLACES = pd.read_csv(collection.MONUMENTS)
TOWER = "explore_monuments/resource/france/eiffelTower.webp"


def test_a_package_gives_landmarks_photographs_and_pairs(make_package, tmp_path, capsys):
    found = load(make_package(), cache=tmp_path / "cache")
    assert list(found.landmarks["landmark_id"]) == ["aula-palatina", "chichen-itza", "eiffel-tower"]
    assert list(found.landmarks["country"]) == ["Germany", "Mexico", "France"]
    ids = found.photographs.set_index("photograph_id")
    assert list(ids.index) == [
        "aula-palatina-1", "chichen-itza-1", "eiffel-tower-1", "eiffel-tower-2", "eiffel-tower-3"
    ]  # fmt: skip
    # The README spells this file otherwise.
    assert ids.loc["aula-palatina-1", "author"] == "Berthold Werner"
    assert ids.loc["eiffel-tower-3", "author"] == "A. Nother, adapted by Bruno Coudoin and others"
    pairs = found.pairs.set_index(["first", "second"])["relation"].to_dict()
    assert pairs["eiffel-tower-1", "eiffel-tower-2"] == "near duplicate"
    assert pairs["eiffel-tower-1", "eiffel-tower-3"] == "same place"
    assert found.source == "5 photographs of monuments from Debian's gcompris-qt-data (GCompris)."
    assert capsys.readouterr().out == f"{found.source}\n"
    assert "eiffel-tower-2 is a near duplicate of eiffel-tower-1 (0 of 63 bits differ)." in found.problems


def test_doubtful_copies_are_neither_the_reference_nor_shown(make_package, tmp_path):
    found = load(make_package(), cache=tmp_path / "cache")
    doubt = found.photographs.set_index("photograph_id")["doubt"].dropna()
    # The copy has no credit of its own, so that the original's is in question too.
    assert doubt.to_dict() == {
        "eiffel-tower-1": "eiffel-tower-2 is the same picture with another credit",
        "eiffel-tower-2": "eiffel-tower-1 is the same picture with another credit",
    }
    reference = found.landmarks.set_index("landmark_id")["reference_image"]
    assert "TourEiffel_background" in reference["eiffel-tower"]
    shown = found.photographs.loc[shown_by_default(found.photographs), "photograph_id"]
    assert list(shown) == ["aula-palatina-1"]


def test_other_photographs_of_a_place_are_no_copies_of_its_reference(make_package, tmp_path):
    credit = "\n\nCopyright: A\nLicense: Public Domain\nSource: x\nFiles:\n"
    readme = f"{credit}france/eiffelTower.webp\n"
    same = f"{credit}eiffelTower.webp\n"
    package = make_package(
        {
            "explore_monuments/resource/README": readme.encode(),
            "categorization/resource/images/monuments/README": same.encode(),
        }
    )
    found = load(package, cache=tmp_path / "cache")
    others = found.others()
    assert list(others) == ["eiffel-tower"]
    assert "TourEiffel_background" in others["eiffel-tower"]


def test_what_is_disputed_unlisted_or_missing_is_said(make_package, tmp_path):
    more = {
        "categorization/resource/images/monuments/monument1.webp": encoded(scene(7)),
        "explore_monuments/resource/france/newOne.webp": encoded(scene(8)),
    }
    found = load(make_package(more), cache=tmp_path / "cache")
    said = "\n".join(found.problems)
    assert "Dome of the Rock is left out: which country" in said
    assert "explore_monuments/resource/france/newOne is left out: nobody has listed what it shows." in said
    assert "explore_monuments/resource/wonders/petra is not in the package." in said
    assert "dome-of-the-rock" not in set(found.landmarks["landmark_id"])


def test_an_archive_alone_is_enough(make_package, tmp_path):
    archive = gcompris.read_deb(make_package(), ["usr/share/gcompris-qt/rcc/explore_monuments.rcc"])
    path = tmp_path / "explore_monuments.rcc"
    path.write_bytes(archive["usr/share/gcompris-qt/rcc/explore_monuments.rcc"])
    found = load(path, cache=tmp_path / "cache")
    assert len(found.photographs) == 3


def test_a_filled_cache_is_left_alone_and_needs_no_package(make_package, tmp_path, monkeypatch):
    first = load(make_package(), cache=tmp_path / "cache")
    monkeypatch.setenv("PATH", "")
    again = load(cache=tmp_path / "cache")
    assert again.photographs.equals(first.photographs)
    assert collection.available(tmp_path / "cache")


def test_a_photograph_that_does_not_decode_is_named(make_package, tmp_path):
    with pytest.raises(DataError, match=r"eiffelTower\.webp: "):
        load(make_package({TOWER: encoded(scene(1))[:300]}), cache=tmp_path / "cache")


@pytest.mark.parametrize("content", [b"not a package", b""])
def test_a_damaged_package_leaves_no_cache(tmp_path, content):
    path = tmp_path / "small.deb"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"small\.deb"):
        load(path, cache=tmp_path / "cache")
    assert [entry.name for entry in tmp_path.iterdir()] == ["small.deb"]


def test_a_package_without_monuments_is_refused(tmp_path, make_package):
    path = tmp_path / "other.rcc"
    from photographs.written import rcc_bytes

    path.write_bytes(rcc_bytes({"gcompris/src/activities/chess/a.webp": b"x"}))
    with pytest.raises(DataError, match=r"other\.rcc: no photographs of monuments"):
        load(path, cache=tmp_path / "cache")


class TestDownload:
    @pytest.fixture
    def apt_get(self, tmp_path, monkeypatch):
        """A stand-in for apt-get that runs the given shell lines."""

        def make(script: str) -> None:
            folder = tmp_path / "bin"
            folder.mkdir()
            (folder / "apt-get").write_text(f"#!/bin/sh\n{script}\n")
            (folder / "apt-get").chmod(0o755)
            monkeypatch.setenv("PATH", str(folder), prepend=":")

        return make

    def test_a_downloaded_package_fills_the_cache(self, apt_get, make_package, tmp_path):
        apt_get(f'test "$1" = download && cp {make_package()} .')
        assert len(load(cache=tmp_path / "cache").photographs) == 5
        assert not list(tmp_path.glob(".unpacking-*"))

    @pytest.mark.parametrize(
        ("script", "reason"),
        [
            ("echo 'E: Unable to locate package gcompris-qt-data' >&2; exit 100", "Unable to locate package"),
            ("exit 0", "could not download gcompris-qt-data (no reason given)"),
        ],
    )
    def test_a_failed_download_falls_back_and_says_why(self, apt_get, tmp_path, capsys, script, reason):
        apt_get(script)
        found = load(cache=tmp_path / "cache")
        assert len(found.photographs) == 10
        assert reason in found.source
        assert reason in capsys.readouterr().out

    def test_a_download_that_hangs_is_given_up(self, apt_get, tmp_path):
        apt_get("exec sleep 30")
        with pytest.raises(gcompris.UnavailableError, match=re.escape("did not finish within 0.2 seconds")):
            gcompris.download(tmp_path, timeout=0.2)

    def test_without_apt_get_or_leave_to_download_the_libraries_serve(self, tmp_path, monkeypatch):
        assert "a download was not asked for" in load(download=False, cache=tmp_path / "cache").source
        monkeypatch.setenv("PATH", "")
        assert "apt-get is not there" in load(cache=tmp_path / "cache").source


@pytest.fixture(scope="module")
def from_libraries():
    return bundled()


@pytest.fixture(scope="module")
def from_gcompris():
    if not collection.available():
        pytest.skip("gcompris-qt-data is not in .cache (helpers.photographs.collection.load fetches it)")
    return monuments(gcompris.CACHE)


class TestBundled:
    def test_every_photograph_is_in_the_installed_packages(self, from_libraries):
        assert len(from_libraries.photographs) == 10
        assert not [
            problem for problem in from_libraries.problems if "not in the installed package" in problem
        ]
        schemas.check("landmarks", from_libraries.landmarks, "bundled")

    def test_pictures_are_those_that_the_libraries_load(self, from_libraries):
        from skimage import data
        from sklearn.datasets import load_sample_image

        paths = from_libraries.photographs.set_index("photograph_id")["path"]
        assert np.array_equal(read_picture(paths["astronaut"]), data.astronaut())
        assert np.array_equal(read_picture(paths["china"]), load_sample_image("china.jpg"))
        left, _, _ = data.stereo_motorcycle()
        assert np.array_equal(read_picture(paths["motorcycle_left"]), left)

    # The Middlebury pair: one scene from two places.
    def test_the_stereo_pair_is_one_scene_and_no_copy(self, from_libraries):
        (pair,) = from_libraries.pairs.to_dict("records")
        assert {pair["first"], pair["second"]} == {"motorcycle_left", "motorcycle_right"}
        assert pair["relation"] == "same place"


class TestListedPlaces:
    def test_countries_are_short_english_names(self):
        known = PLACES["country"].dropna()
        assert [geography.standard_name(name) for name in known] == list(known)
        assert PLACES.loc[PLACES["country"].isna(), "left_out"].notna().all()

    def test_each_file_shows_one_place(self):
        files = PLACES["files"].str.split(";").explode()
        assert files.is_unique
        assert files.str.startswith(tuple(f"{name}/resource/" for name in gcompris.ACTIVITIES)).all()

    @pytest.mark.slow
    # global-land-mask, a one-kilometre mask: piers and islets lie within 0.05 degrees of land.
    def test_places_lie_on_land(self):
        from helpers.benchmarks.landmarks import SHORE
        from helpers.land import is_land

        steps = np.array([-SHORE, 0, SHORE])
        lat, lon = PLACES["lat"].to_numpy(), PLACES["lon"].to_numpy()
        near = is_land(lat[:, None, None] + steps[:, None], lon[:, None, None] + steps[None, :])
        assert near.any(axis=(1, 2)).all()


# GCompris 3.1 in Debian 12; its READMEs credit 49 + 27 photographs of monuments and 13 adapted ones.
class TestRealPackage:
    def test_every_photograph_has_an_author_and_a_licence(self, from_gcompris):
        assert from_gcompris.photographs[["author", "licence", "source"]].notna().all(axis=None)
        assert from_gcompris.photographs["doubt"].isna().all()
        assert len(from_gcompris.photographs) == len(from_gcompris.landmarks) + 16 == 87

    def test_most_may_be_shown(self, from_gcompris):
        assert from_gcompris.photographs["licence"].value_counts().to_dict() == {
            "public domain": 43,
            "CC0-1.0": 29,
            "CC-BY-SA-4.0": 14,
            "CC-BY-4.0": 1,
        }

    def test_three_pairs_are_copies_and_the_others_two_views(self, from_gcompris):
        copies = from_gcompris.pairs[from_gcompris.pairs["relation"] == "near duplicate"]
        assert set(copies["first"]) == {"brandenburg-gate-1", "colosseum-1", "great-pyramid-of-giza-1"}
        assert from_gcompris.pairs["relation"].value_counts().to_dict() == {
            "same place": 15,
            "near duplicate": 3,
        }
        assert len(from_gcompris.others()) == 11


@pytest.mark.slow
def test_the_real_package_downloads(tmp_path):
    """Only that apt-get would find it: nothing is fetched."""
    if gcompris.shutil.which("apt-get") is None:
        pytest.skip("no apt-get on this system")
    asked = subprocess.run(
        ["apt-get", "download", "--print-uris", "-q", gcompris.PACKAGE],
        capture_output=True, text=True, cwd=tmp_path, timeout=60, check=False,
    )  # fmt: skip
    if asked.returncode:
        pytest.skip("apt-get knows no such package here (no package lists)")
    assert gcompris.PACKAGE in asked.stdout
