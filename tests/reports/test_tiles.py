"""The tile map: who has a tile, where it lies, and what it says."""

import country_converter
import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from matplotlib.colors import to_rgb

from helpers.geography import COUNTRIES, iso3, standard_name
from helpers.paths import DATA
from helpers.reports.tiles import layout, tile_map
from helpers.results import plots


def values(**columns):
    base = {
        "country": ["Japan", "Brazil", "Niue"],
        "estimate": [0.2, 0.8, np.nan],
        "low": [0.1, np.nan, np.nan],
        "high": [0.3, np.nan, np.nan],
        "n": [10, 1, 0],
        "status": ["ok", "ok", "too few scored: 0 of 9"],
    }
    return pd.DataFrame(base | columns)


def drawn(frame=None, **options):
    options = {"what": "score", "caption": "A map", "ends": (0.0, 1.0)} | options
    picture = tile_map(values() if frame is None else frame, **options)
    return BeautifulSoup(str(picture), "html.parser")


def test_every_member_of_the_united_nations_has_one_tile():
    """The list is country_converter's column UNmember."""
    known = pd.read_csv(country_converter.country_converter.COUNTRY_DATA_FILE, sep="\t", dtype=str,
                        keep_default_na=False)  # fmt: skip
    members = set(known.loc[known["UNmember"].ne("") & known["obsolete"].eq(""), "ISO3"])
    assert len(members) == 193
    assert members <= set(layout())
    assert set(layout()) <= set(known["ISO3"])
    assert len(set(layout().values())) == len(layout())
    assert {iso3(country) for country in COUNTRIES} <= set(layout())


def test_tiles_lie_as_places_on_the_globe_do():
    """Longitudes and latitudes are those of the monuments' photographs."""
    places = pd.read_csv(DATA / "photographs" / "monuments.csv")
    means = places.groupby("country")[["lat", "lon"]].mean()
    tiles = [layout()[iso3(standard_name(name))] for name in means.index]
    assert len(means) >= 15
    assert np.corrcoef(means["lon"], [tile.column for tile in tiles])[0, 1] > 0.9
    assert np.corrcoef(means["lat"], [-tile.row for tile in tiles])[0, 1] > 0.8


@pytest.mark.parametrize(
    ("first", "second", "where"),
    [("PRT", "ESP", "west"), ("CHL", "ARG", "west"), ("NOR", "SWE", "west"), ("IND", "BGD", "west"),
     ("USA", "CAN", "south"), ("ZAF", "BWA", "south"), ("NZL", "FJI", "south"), ("TUN", "ITA", "south")],
)  # fmt: skip
def test_neighbours_lie_as_an_atlas_shows_them(first, second, where):
    one, two = layout()[first], layout()[second]
    assert (one.column < two.column) if where == "west" else (one.row > two.row)


def test_a_tile_says_its_number_interval_and_n_and_why_there_is_none():
    titles = {title.get_text() for title in drawn().select("g.tile title")}
    assert titles == {
        "Japan: 0.20 (0.10 to 0.30), n = 10",
        "Brazil: 0.80 (no interval), n = 1",
        "Niue: no score (too few scored: 0 of 9)",
    }


def test_the_table_says_why_there_is_no_score():
    rows = {row.th.get_text(): row.get_text("|") for row in drawn().select("tbody tr")}
    assert rows["Niue"] == "Niue|–|too few scored: 0 of 9|0"
    assert rows["Brazil"] == "Brazil|0.80|no interval|1"


def test_a_country_beyond_the_layout_gets_a_tile_below_it():
    assert "NIU" not in layout()
    texts = {text.get_text(): float(text["y"]) for text in drawn().select("g.tile text")}
    assert texts["NIU"] > max(texts["JPN"], texts["BRA"])


def test_the_table_is_the_alternative_and_lies_in_alphabetical_order():
    page = drawn()
    assert [cell.get_text() for cell in page.select("tbody th")] == ["Brazil", "Japan", "Niue"]
    assert "2 countries" in page.svg["aria-label"]
    assert page.svg["role"] == "img"


def test_colours_stop_at_the_ends_and_simulated_maps_say_so():
    page = drawn(values(estimate=[-5.0, 9.0, 0.5]), simulated=True)
    fills = [rect["fill"] for rect in page.select("g.tile rect")]
    beyond = drawn(values(estimate=[0.0, 1.0, 0.5])).select("g.tile rect")
    assert sorted(fills) == sorted(rect["fill"] for rect in beyond)
    assert "SIMULATED DATA" in page.get_text()
    assert "SIMULATED DATA" not in drawn().get_text()


@pytest.mark.parametrize(("fill", "ink"), [("#000000", "white"), ("#ffffff", "black"), ("#ffff00", "black")])
def test_letters_stand_out(fill, ink):
    assert plots.ink(to_rgb(fill)) == ink


def test_a_country_twice_is_refused():
    with pytest.raises(ValueError, match="'Japan' twice"):
        drawn(values(country=["Japan", "Japan", "Niue"]))
