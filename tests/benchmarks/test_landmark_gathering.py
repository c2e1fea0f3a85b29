import re

import numpy as np
import pandas as pd
import pytest

from helpers.benchmarks.gldv2 import category_name, count_images, find_images
from helpers.benchmarks.landmarks import candidate_images, gather, landmark_table, with_groups
from helpers.benchmarks.line_report import BadLinesError, LineReport
from helpers.checking import DataError


# The columns are those that github.com/cvdfoundation/google-landmark and the data set
# visheratin/google_landmarks_places describe.
def test_landmarks_join_images_labels_and_places(make_sources):
    gathered = gather(make_sources())
    first, second = gathered.landmarks.to_dict("records")
    assert first["landmark_id"] == "gldv2-7"
    assert (first["name"], first["city"], first["country"]) == ("Château de Chambord", "Chambord", "France")
    assert (first["lat"], first["lon"]) == (47.6161, 1.5170)
    assert (first["category"], first["supercategory"]) == ("castle / fort", "castles")
    assert (first["article"], first["images"]) == ("Château de Chambord", 3)
    assert first["continent"] == "Europe"
    # Without a name of its own a place gets its Commons category's.
    assert (second["landmark_id"], second["name"], second["images"]) == ("gldv2-203093", "Uluru", 2)
    assert pd.isna(second["city"])
    assert gathered.problems.empty
    assert gathered.counts == {
        "images": 6,
        "landmarks_with_images": 3,
        "without_place": 1,
        "without_images": 1,
        "without_name": 0,
        "kept": 2,
        "without_category": 1,
    }


def test_the_landmarks_table_takes_what_was_gathered(make_sources):
    table = landmark_table(gather(make_sources()).landmarks.assign(pageviews=[5, None]))
    assert list(table["landmark_id"]) == ["gldv2-7", "gldv2-203093"]
    assert table["pageviews"].tolist()[0] == 5
    assert table["reference_image"].isna().all()


def test_groups_come_from_the_geography_tables_and_are_missing_where_these_give_none():
    rows = with_groups(pd.DataFrame({"country": ["Brazil", "France", "Fiji"]}, index=[3, 1, 2]))
    assert list(rows.index) == [3, 1, 2]
    brazil, france, fiji = rows.to_dict("records")
    assert (brazil["continent"], brazil["cultural_region"]) == ("Americas", "Latin America")
    assert (brazil["global_north_south"], brazil["global_west_east"]) == ("Global South", "Global West")
    assert (france["continent"], france["global_north_south"]) == ("Europe", "Global North")
    assert france["global_west_east"] == "Global West"
    assert pd.isna(france["cultural_region"])
    assert (fiji["continent"], fiji["global_north_south"]) == ("Oceania", "Global South")
    assert pd.isna(fiji["global_west_east"])


BAD_IMAGES = {
    "no landmark": ("1111111111111111,https://x/y.jpg,", "landmark_id: found nothing, expected a landmark"),
    "a word as landmark": ("1111111111111111,https://x/y.jpg,Uluru", "landmark_id: found 'Uluru'"),
    "a short id": ("111,https://x/y.jpg,7", "id: found '111', expected an image id of 16 hexadecimal digits"),
    "no address": ("1111111111111111,,7", "url: found nothing, expected the image's address"),
    "two fields": ("1111111111111111,https://x/y.jpg", "found 2 fields, expected 3 as in the header"),
    "a repeated id": (
        "6e158a47eb2ca3f6,https://x/y.jpg,7",
        "id: found again, expected each id once (line 2 has it)",
    ),
}


@pytest.mark.parametrize(("line", "message"), BAD_IMAGES.values(), ids=BAD_IMAGES)
def test_a_bad_image_is_named_by_line_and_does_not_count(make_sources, train_lines, line, message):
    sources = make_sources(train=[*train_lines, line])
    with pytest.raises(BadLinesError, match=re.escape(f"train.csv, line 8: {message}")):
        gather(sources)
    gathered = gather(sources, bad_rows="set_aside")
    assert gathered.counts["images"] == 6
    assert list(gathered.problems["line"]) == [8]


BAD_PLACES = {
    "north of the pole": ("8,x,x,90.5,3,c,s,France", "lat: found '90.5', expected a latitude from -90 to 90"),
    "round the world": ("8,x,x,45,181,c,s,France", "lon: found '181', expected a longitude from -180 to 180"),
    "no latitude": ("8,x,x,,3,c,s,France", "lat: found nothing, expected a latitude"),
    "a word as longitude": ("8,x,x,45,east,c,s,France", "lon: found 'east'"),
    "nothing at all": (
        "8,x,x,0,0.0,c,s,France",
        "place: found '0, 0.0', expected another one than latitude 0",
    ),
    "no country": ("8,x,x,45,3,c,s,", "country: found nothing, expected a country of one of the five"),
    "an unknown country": ("8,x,x,45,3,c,s,Frence", "country: found 'Frence'"),
    "no continent of GAP's": ("8,x,x,-80,3,c,s,Antarctica", "country: found 'Antarctica'"),
    "no id": (",x,x,45,3,c,s,France", "id: found nothing, expected a landmark"),
    "a repeated place": ("7,x,x,45,3,c,s,France", "id: found 7 again, expected each once"),
}


@pytest.mark.parametrize(("line", "message"), BAD_PLACES.values(), ids=BAD_PLACES)
def test_a_bad_place_is_named_by_line_and_left_out(make_sources, place_lines, line, message):
    sources = make_sources(places=[*place_lines, line])
    with pytest.raises(BadLinesError, match=re.escape(f"places.csv, line 5: {message}")):
        gather(sources)
    assert list(gather(sources, bad_rows="set_aside").landmarks["landmark_id"]) == ["gldv2-7", "gldv2-203093"]


def test_bad_rows_of_all_files_stand_in_one_report(make_sources, train_lines, place_lines):
    sources = make_sources(
        train=[*train_lines, BAD_IMAGES["no landmark"][0]],
        places=[*place_lines, BAD_PLACES["no country"][0], BAD_PLACES["nothing at all"][0]],
        categories=["landmark_id,category", "7,", "x,http://commons.wikimedia.org/wiki/Category:X"],
        hierarchy=["landmark_id,category,supercategory,hierarchical_label,natural_or_human_made", "7,c,s"],
    )
    with pytest.raises(BadLinesError) as caught:
        gather(sources)
    found = caught.value.problems
    names = found["file"].str.rpartition("/")[2] + " " + found["line"].astype(str)
    expected = ["categories.csv 2", "categories.csv 3", "hierarchy.csv 2", "places.csv 5", "places.csv 6"]
    assert sorted(names) == [*expected, "train.csv 8"]
    assert all(f"{name.replace(' ', ', line ')}: " in str(caught.value) for name in names)


def test_a_place_in_the_sea_is_named_and_a_pier_is_not(make_sources, place_lines):
    # Land is everything north of the equator here; the pier stands 0.03 degrees off the coast.
    places = [*place_lines, "12,x,Pier,-0.03,10,c,s,Gabon", "8,x,Rock,-0.5,10,c,s,Gabon"]
    sources = make_sources(places=[line for line in places if "Uluru" not in line])
    is_land = lambda lat, lon: np.asarray(lat) > 0  # noqa: E731
    with pytest.raises(
        BadLinesError, match=r"1 problem\n.*line 5: place: found '-0.5, 10', expected one on land"
    ):
        gather(sources, is_land=is_land)
    kept = gather(sources, is_land=is_land, bad_rows="set_aside").landmarks
    assert list(kept["name"]) == ["Château de Chambord", "Pier"]
    assert len(gather(sources).landmarks) == 2


def test_places_are_looked_up_across_the_date_line(make_sources, place_lines):
    # Land only west of 180: a place just east of the date line still has it beside it.
    is_land = lambda lat, lon: (np.asarray(lon) > 170) | (np.abs(lat) > 20)  # noqa: E731
    sources = make_sources(places=[*place_lines[:3], "12,x,Taveuni,-16.8,-179.98,c,s,Fiji"])
    assert "Taveuni" in set(gather(sources, is_land=is_land).landmarks["name"])


def test_candidate_images_bear_author_and_licence(make_sources):
    report = LineReport()
    images = candidate_images(make_sources(), ["gldv2-7"], report)
    assert list(images["image_id"]) == ["6e158a47eb2ca3f6", "202cd79556f30760", "1492a5d344495391"]
    assert set(images["landmark_id"]) == {"gldv2-7"}
    assert images["author"].tolist()[0] == "Doe, Jane"
    assert images["author"].isna().tolist() == [False, True, True]
    assert images["licence"].isna().tolist() == [False, False, True]
    assert len(report) == 0
    assert candidate_images(make_sources(), [], report).empty
    with pytest.raises(ValueError, match="found the landmark 'x', expected ids that begin with gldv2-"):
        candidate_images(make_sources(), ["x"], report)


def test_images_are_found_by_landmark_in_the_files_order(make_sources):
    sources = make_sources()
    images = find_images(sources.train, sources.attribution, [203093, 7], LineReport())
    assert list(images["landmark_id"]) == [7, 7, 7, 203093, 203093]


def test_counting_agrees_with_pandas_on_a_random_file(make_sources):
    rng = np.random.default_rng(0)
    landmark = rng.integers(0, 50, 5_000)
    rows = [f"{number:016x},https://x/{number}.jpg,{which}" for number, which in enumerate(landmark)]
    sources = make_sources(train=["id,url,landmark_id", *rows])
    counted = count_images(sources.train, LineReport())
    assert counted.equals(pd.read_csv(sources.train).groupby("landmark_id").size().rename("images"))


def test_a_missing_column_is_named(make_sources, place_lines):
    lines = [line.replace("country", "nation") for line in place_lines]
    with pytest.raises(DataError, match=r"places\.csv: column 'country' is missing"):
        gather(make_sources(places=lines))


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("http://commons.wikimedia.org/wiki/Category:Ch%C3%A2teau_de_Chambord", "Château de Chambord"),
        ("//commons.wikimedia.org/wiki/Category:St._Peter%27s_%26_Paul", "St. Peter's & Paul"),
        ("Uluru", "Uluru"),
    ],
)
def test_category_names_are_decoded(url, name):
    assert category_name(url) == name


# By its own digits alone a landmark is found in four million rows; another spelling must not vanish unsaid.
def test_a_landmark_with_leading_zeros_is_named_and_does_not_count(make_sources):
    rows = ["id,url,landmark_id", f"{1:016x},https://x/1.jpg,007", f"{2:016x},https://x/2.jpg,7"]
    report = LineReport()
    assert count_images(make_sources(train=rows).train, report).to_dict() == {7: 1}
    with pytest.raises(BadLinesError, match="landmark_id: found '007'"):
        report.refuse()
