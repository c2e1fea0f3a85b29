from pathlib import Path

import pytest

from helpers.benchmarks.landmarks import Sources

# Six images of three landmarks; landmark 12 has no place, place 99 no image.
TRAIN = [
    "id,url,landmark_id",
    "6e158a47eb2ca3f6,https://upload.wikimedia.org/a.jpg,7",
    "202cd79556f30760,http://upload.wikimedia.org/b%2C.jpg,7",
    "3ad87684c99c06e1,https://upload.wikimedia.org/c.jpg,12",
    "0193b65bb58d2c77,https://upload.wikimedia.org/d.jpg,203093",
    "1a6cb1deed46bb17,https://upload.wikimedia.org/e.jpg,203093",
    "1492a5d344495391,https://upload.wikimedia.org/f.jpg,7",
]
ATTRIBUTION = [
    "id,url,author,license,title",
    '6e158a47eb2ca3f6,https://commons.wikimedia.org/a,"Doe, Jane",https://creativecommons.org/licenses/by/3.0,A.jpg',
    "202cd79556f30760,https://commons.wikimedia.org/b,,https://creativecommons.org/licenses/by/2.0,B.jpg",
    "0193b65bb58d2c77,https://commons.wikimedia.org/d,安藤,https://creativecommons.org/licenses/by/4.0,D.jpg",
]
CATEGORIES = [
    "landmark_id,category",
    "7,http://commons.wikimedia.org/wiki/Category:Ch%C3%A2teau_de_Chambord",
    "12,http://commons.wikimedia.org/wiki/Category:Somewhere",
    "203093,http://commons.wikimedia.org/wiki/Category:Uluru",
]
HIERARCHY = [
    "landmark_id,category,supercategory,hierarchical_label,natural_or_human_made",
    "7,http://commons.wikimedia.org/wiki/Category:Ch%C3%A2teau_de_Chambord,castles,castle / fort,human-made",
    "12,http://commons.wikimedia.org/wiki/Category:Somewhere,,,",
]
PLACES = [
    "id,category_name,name,lat,lon,city,state,country",
    "7,Château de Chambord,Château de Chambord,47.6161,1.5170,Chambord,Centre,France",
    "203093,Uluru,,-25.3444,131.0369,,Northern Territory,Australia",
    "99,Nowhere,Nowhere,9.05,7.5,Somewhere,,Nigeria",
]


@pytest.fixture
def make_sources(tmp_path):
    """Small files of the published shapes; each keyword replaces one file's lines."""

    def make(**lines) -> Sources:
        standard = {
            "train": TRAIN,
            "attribution": ATTRIBUTION,
            "categories": CATEGORIES,
            "hierarchy": HIERARCHY,
            "places": PLACES,
        }
        paths: dict[str, Path] = {}
        for name, rows in (standard | lines).items():
            paths[name] = tmp_path / f"{name}.csv"
            paths[name].write_text("\n".join(rows) + "\n", encoding="utf-8")
        return Sources(**paths)

    return make


@pytest.fixture
def train_lines():
    return list(TRAIN)


@pytest.fixture
def place_lines():
    return list(PLACES)
