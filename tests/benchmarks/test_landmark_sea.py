"""The sea check with places as they are."""

import re

import numpy as np
import pytest

from helpers.benchmarks.landmarks import gather
from helpers.benchmarks.line_report import BadLinesError
from helpers.land import is_land, land_picture

# Coordinates (latitude, longitude) to two or more digits as Wikipedia's articles give them.
ON_LAND = {
    "Uluru": (-25.345, 131.036),
    "Eiffel Tower": (48.858, 2.294),
    "Machu Picchu": (-13.163, -72.545),
    "Lake Victoria, counted as land": (-1.0, 33.0),
    "Amundsen-Scott Station, the South Pole": (-90.0, 0.0),
}
AT_THE_EDGE = {
    "Brighton Palace Pier": (50.8153, -0.1372),
    "Santa Monica Pier": (34.0086, -118.4986),
    "Cape of Good Hope": (-34.3572, 18.4744),
    "Statue of Liberty": (40.6892, -74.0445),
    "Mont-Saint-Michel": (48.636, -1.5114),
    "Sydney Opera House": (-33.8572, 151.2153),
    "Taveuni, beside the date line": (-16.85, -179.97),
    "Cape Reinga": (-34.4255, 172.6774),
}
AT_SEA = {
    "mid-Atlantic": (30.0, -40.0),
    "Point Nemo": (-48.8767, -123.3933),
    "Gulf of Guinea": (1.5, 2.5),
    "North Pole": (90.0, 0.0),
    "Pacific, on the date line": (0.0, 180.0),
}


def sources_with(make_sources, lat, lon):
    header, chambord = (
        "id,category_name,name,lat,lon,city,state,country",
        "7,x,Chambord,47.62,1.52,c,s,France",
    )
    return make_sources(places=[header, chambord, f"203093,x,Place,{lat},{lon},c,s,France"])


@pytest.mark.parametrize("where", [*ON_LAND, *AT_THE_EDGE])
def test_places_on_land_piers_and_capes_pass(make_sources, where):
    lat, lon = (ON_LAND | AT_THE_EDGE)[where]
    assert len(gather(sources_with(make_sources, lat, lon)).landmarks) == 2


@pytest.mark.parametrize("where", AT_SEA)
def test_a_place_in_the_open_sea_is_named(make_sources, where):
    lat, lon = AT_SEA[where]
    message = f"line 3: place: found '{lat}, {lon}', expected one on land, not in the open sea"
    with pytest.raises(BadLinesError, match=re.escape(message)):
        gather(sources_with(make_sources, lat, lon))


def test_the_mask_alone_knows_land_and_sea_and_takes_arrays():
    for places, expected in ((ON_LAND, True), (AT_SEA, False)):
        lat, lon = np.array(list(places.values())).T
        assert (is_land(lat, lon) == expected).all()
    assert is_land(np.zeros((2, 3)), np.full((2, 3), 33.0)).shape == (2, 3)


@pytest.mark.parametrize("place", [(91, 0), (0, -181), (np.nan, 0), (0, np.inf)])
def test_a_point_on_no_map_is_refused(place):
    with pytest.raises(ValueError, match=re.escape("expected -90 to 90 and -180 to 180")):
        is_land(*map(np.array, place))


# 29 % of the Earth's surface is land (CIA World Factbook: 29.1 %).
def test_the_picture_of_the_earth_has_its_share_of_land_and_is_the_right_way_up():
    land = land_picture(1)
    assert land.shape == (180, 360)
    weight = np.cos(np.radians(89.5 - np.arange(180)))[:, None]
    assert (land * weight).sum() / (360 * weight.sum()) == pytest.approx(0.291, abs=0.005)
    assert land[-1].all()
    assert not land[0].any()
    assert land[90 + 25, 180 + 131]


@pytest.mark.slow
def test_the_packages_own_function_agrees():
    from global_land_mask import globe

    rng = np.random.default_rng(0)
    lat, lon = rng.uniform(-90, 90, 10**6), rng.uniform(-180, 180, 10**6)
    assert (is_land(lat, lon) == globe.is_land(lat, lon)).all()
