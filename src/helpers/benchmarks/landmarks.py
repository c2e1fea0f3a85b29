"""Landmarks from Google Landmarks v2 and a table of places: what to film, where it stands, how it is grouped.

GAP (section 3.1) takes landmarks from Google Landmarks v2, their places from the Google Landmarks Places data
set (Visheratin; from OpenStreetMap, ODbL) and their popularity from Wikipedia's page views.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd

from helpers.benchmarks.csv_chunks import once, only, read_whole
from helpers.benchmarks.gldv2 import count_images, find_images, read_labels
from helpers.benchmarks.line_report import LineReport
from helpers.geography import AXES, axes, continent, countries, standard_name
from helpers.land import is_land as on_the_mask
from helpers.schemas import check

PLACES = ("id", "name", "lat", "lon", "city", "country")
# A mask of one kilometre shows piers and capes as water: a place counts as in the sea only if all around it,
# this many degrees away, does so too.
SHORE = 0.05

BadRows = Literal["refuse", "set_aside"]
IsLand = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True, kw_only=True)
class Sources:
    """The files that landmarks are gathered from.

    Attributes:
        train, attribution, categories, hierarchy: Google Landmarks v2's train.csv, train_attribution.csv,
            train_label_to_category.csv and train_label_to_hierarchical.csv.
        places: a CSV file with the columns id (the landmark's), name, lat, lon, city and country; Google
            Landmarks Places has them, written with `pandas.read_parquet(…).to_csv(…, index=False)`.
    """

    train: Path
    attribution: Path
    categories: Path
    hierarchy: Path
    places: Path

    @classmethod
    def in_folder(cls, folder: Path) -> "Sources":
        """The files by the names under which they are published, and `places.csv`, in one folder."""
        return cls(
            train=folder / "train.csv",
            attribution=folder / "train_attribution.csv",
            categories=folder / "train_label_to_category.csv",
            hierarchy=folder / "train_label_to_hierarchical.csv",
            places=folder / "places.csv",
        )


@dataclass(frozen=True)
class Gathered:
    """What the files hold.

    Attributes:
        landmarks: one row a landmark that has images and a place: landmark_id ("gldv2-" and its number),
            name, city, country, lat, lon, category (the hierarchical label), supercategory,
            natural_or_human_made, article (the Commons category's name, a guess at the Wikipedia article's
            title), images (how many), and the groups of `with_groups`.
        problems: the bad rows that were set aside (columns file, line, problem).
        counts: images, landmarks_with_images; those left out, without_place (they cannot be grouped),
            without_images and without_name; kept, and of these without_category.
    """

    landmarks: pd.DataFrame
    problems: pd.DataFrame
    counts: dict[str, int]


def gather(sources: Sources, *, is_land: IsLand = on_the_mask, bad_rows: BadRows = "refuse") -> Gathered:
    """Join Google Landmarks v2 with its places; the files are read in chunks, in well under 1 GB.

    Args:
        sources: the files.
        is_land: says for latitudes and longitudes (arrays, degrees) which are land; a one-kilometre mask of
            the Earth (`helpers.land`), where nothing else is given.
        bad_rows: "refuse" names all bad rows of all files in one message; "set_aside" leaves them out and
            lists them in the result.

    Returns:
        The landmarks, what was set aside, and counts.

    Raises:
        DataError: a file or a column is missing.
        BadLinesError: bad rows, where they are refused: images without a landmark, repeated ids, places that
            `read_places` does not take.
    """
    report = LineReport()
    images = count_images(sources.train, report)
    labels = read_labels(sources.categories, sources.hierarchy, report)
    places = read_places(sources.places, report, is_land)
    if bad_rows == "refuse":
        report.refuse()
    joined = places.join(images, how="inner").join(labels)
    joined = joined.assign(name=joined["name"].fillna(joined["commons"]))
    named = joined[joined["name"].notna()]
    landmarks = named.rename(columns={"hierarchical_label": "category", "commons": "article"}).assign(
        landmark_id="gldv2-" + named.index.astype(str)
    )
    order = ["landmark_id", "name", "city", "country", "lat", "lon", "category"]
    more = ["supercategory", "natural_or_human_made", "article", "images"]
    counts = {
        "images": int(images.sum()),
        "landmarks_with_images": len(images),
        "without_place": len(images.index.difference(places.index)),
        "without_images": len(places.index.difference(images.index)),
        "without_name": len(joined) - len(named),
        "kept": len(named),
        "without_category": int(named["hierarchical_label"].isna().sum()),
    }
    ordered = landmarks.sort_index()[order + more].reset_index(drop=True)
    return Gathered(with_groups(ordered), report.frame(), counts)


def read_places(path: Path | str, report: LineReport, is_land: IsLand = on_the_mask) -> pd.DataFrame:
    """Read a table of places.

    Args:
        path: a CSV file with the columns of `PLACES`.
        report: where rows are noted that cannot be used, which are then left out: no number as id, a repeated
            id, latitude outside -90 to 90 or longitude outside -180 to 180, both 0 (what failed geocoding
            leaves), a country that is unknown or on none of GAP's continents, a place in the sea.
        is_land: as `gather` takes it.

    Returns:
        Index landmark_id (whole); columns name, city (missing where empty), country (its short English name),
        lat, lon.
    """
    rows = read_whole(path, PLACES, report)
    lat, lon = (pd.to_numeric(rows[name], errors="coerce") for name in ("lat", "lon"))
    on_earth = lat.between(-90, 90) & lon.between(-180, 180)
    nowhere = lat.eq(0) & lon.eq(0)
    known = {name: _country(name) for name in rows["country"].unique()}
    trouble = rows["country"].map({name: why for name, (_, why) in known.items()})
    asked = on_earth & ~nowhere
    dry = pd.Series(True, index=rows.index)
    dry[asked] = _near_land(lat[asked].to_numpy(), lon[asked].to_numpy(), is_land)
    checks = [
        ("id", rows["id"].str.fullmatch(r"[0-9]{1,9}"), "a landmark (a whole number)"),
        ("lat", lat.between(-90, 90), "a latitude from -90 to 90"),
        ("lon", lon.between(-180, 180), "a longitude from -180 to 180"),
        ("place", ~nowhere, "another one than latitude 0, longitude 0"),
        ("place", dry, "one on land, not in the open sea"),
        *(("country", trouble.ne(reason), reason) for reason in sorted(set(trouble) - {""})),
    ]
    good = only(path, rows.assign(place=rows["lat"] + ", " + rows["lon"]), checks, report)
    good = good.assign(
        id=good["id"].astype(int),
        lat=lat[good.index],
        lon=lon[good.index],
        country=good["country"].map({name: short for name, (short, _) in known.items()}),
    )
    good = once(path, good.replace({"name": {"": None}, "city": {"": None}}), "id", report)
    return good.drop(columns="place").set_index("id").rename_axis("landmark_id")


def with_groups(landmarks: pd.DataFrame) -> pd.DataFrame:
    """Landmarks with their continent, cultural region and side of GAP's two axes.

    Args:
        landmarks: rows with a column country.

    Returns:
        The rows with continent, cultural_region (missing for countries outside
        `helpers.geography.countries`), global_north_south and global_west_east (missing where
        `helpers.geography.axes` assigns no side).

    Raises:
        ValueError: a country that is unknown or on none of GAP's five continents.
    """
    regions = countries().set_index("country")[["cultural_region"]]
    sides = axes().set_index("country")[list(AXES)]
    names = landmarks["country"].unique()
    continents = dict(zip(names, map(continent, names), strict=True))
    grouped = landmarks.assign(continent=landmarks["country"].map(continents))
    return grouped.join(regions, on="country").join(sides, on="country")


def candidate_images(sources: Sources, landmarks: Collection[str], report: LineReport) -> pd.DataFrame:
    """The images from which a person picks a landmark's reference photograph.

    Args:
        sources: the files.
        landmarks: landmark_ids as `gather` writes them.
        report: where bad rows among their images and credits are noted, which are then left out.

    Returns:
        Columns landmark_id, image_id, url, author, licence, title, as `gldv2.find_images` gives them.

    Raises:
        ValueError: an id that is not from Google Landmarks v2.
    """
    foreign = [name for name in landmarks if not name.startswith("gldv2-")]
    if foreign:
        raise ValueError(f"found the landmark '{foreign[0]}', expected ids that begin with gldv2-")
    numbers = [int(name.removeprefix("gldv2-")) for name in landmarks]
    images = find_images(sources.train, sources.attribution, numbers, report)
    return images.assign(landmark_id="gldv2-" + images["landmark_id"].astype(str))


def landmark_table(landmarks: pd.DataFrame) -> pd.DataFrame:
    """The columns of a study's table `landmarks`, checked; further ones are left behind.

    Raises:
        DataError: as `helpers.schemas.check`.
    """
    names = ("landmark_id", "name", "city", "country", "lat", "lon", "category", "pageviews")
    names += ("reference_image", "author", "licence")
    return check("landmarks", landmarks[[name for name in names if name in landmarks]], "landmarks")


def _country(name: str) -> tuple[str | None, str]:
    """A country's short English name, or what was expected instead."""
    try:
        found = standard_name(name)
        continent(found)
    except ValueError as error:
        return None, f"a country of one of the five continents ({error})"
    return found, ""


def _near_land(lat: np.ndarray, lon: np.ndarray, is_land: IsLand) -> np.ndarray:
    """Which places have land on them or beside them, in one of eight directions."""
    steps = (-SHORE, 0.0, SHORE)
    near = np.zeros(lat.size, bool)
    for north in steps:
        for east in steps:
            beside = (lon + east + 180) % 360 - 180
            near |= np.asarray(is_land(np.clip(lat + north, -90, 90), beside), bool)
    return near
