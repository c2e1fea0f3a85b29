"""Small files of the shape of Google Landmarks v2: real places, invented images, and planted faults."""

import csv
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pandas as pd

from helpers.benchmarks.gldv2 import ATTRIBUTION, CATEGORIES, HIERARCHY, TRAIN
from helpers.simulate.latent import stream

# Images a landmark on average; most have few and some many, as in the published file.
MEAN_IMAGES = 20
_COMMONS = "http://commons.wikimedia.org/wiki/Category:"
_CREDIT = ("Invented Author", "https://creativecommons.org/publicdomain/zero/1.0/", "Invented.jpg")
_PLACES = ("id", "category_name", "name", "lat", "lon", "city", "state", "country")


def write_gldv2(folder: Path, places: pd.DataFrame, *, seed: int) -> Path:
    """Write the five files that `landmarks.Sources.in_folder` names.

    Six faults are planted: an image without a landmark, a repeated image id, a landmark without a category, a
    place in the open sea, one that geocoding left at 0, 0, and one in a country that does not exist. The last
    landmark of `places` has images and no place.

    Args:
        folder: where to write; it is made.
        places: name, city, country, lat, lon and category of real landmarks, three or more.
        seed: the same seed writes the same files.

    Returns:
        The folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    draw = stream(seed, "gldv2")
    images = _images(len(places), draw)
    _write(folder / "train.csv", TRAIN, images)
    credit = [(name, url, *_CREDIT) for name, url, landmark in images[:-1] if landmark]
    _write(folder / "train_attribution.csv", ATTRIBUTION, credit)
    addresses = [_COMMONS + quote(name.replace(" ", "_")) for name in places["name"]]
    _write(folder / "train_label_to_category.csv", CATEGORIES, [*enumerate(addresses), (len(places), "")])
    kinds = [
        (number, address, category, category, "human-made")
        for number, (address, category) in enumerate(zip(addresses, places["category"], strict=True))
    ]
    _write(folder / "train_label_to_hierarchical.csv", HIERARCHY, kinds)
    good = [
        (
            number,
            "Landmark",
            row.name,
            row.lat,
            row.lon,
            "" if pd.isna(row.city) else row.city,
            "",
            row.country,
        )
        for number, row in enumerate(places.head(-1).itertuples(index=False))
    ]
    after = len(places)
    faults = [
        (after + 1, "Landmark", "Drifting Lighthouse", -40.0, -100.0, "", "", "Chile"),
        (after + 2, "Landmark", "Lost Chapel", 0.0, 0.0, "", "", "Ghana"),
        (after + 3, "Landmark", "Paper Castle", 48.0, 11.0, "", "", "Ruritania"),
    ]
    _write(folder / "places.csv", _PLACES, [*good, *faults])
    return folder


def _images(landmarks: int, draw: np.random.Generator) -> list[tuple[str, str, str]]:
    """Rows of train.csv in mixed order, the two bad ones last."""
    counts = draw.geometric(1 / MEAN_IMAGES, landmarks)
    ids = [f"{number:016x}" for number in draw.choice(2**62, counts.sum() + 1, replace=False)]
    owners = draw.permutation(np.repeat(np.arange(landmarks), counts))
    address = "https://upload.wikimedia.org/wikipedia/commons/x/xx/Invented_{}.jpg"
    rows = [(name, address.format(name), str(owner)) for name, owner in zip(ids[1:], owners, strict=True)]
    return [*rows, (ids[0], address.format(ids[0]), ""), rows[0]]


def _write(path: Path, header: tuple[str, ...], rows: list[tuple]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])
