"""Countries and what they are grouped by: cultural region, continent, North/South, West/East, language.

Names and codes come from country_converter. What no library carries stands in `data/geography`, each with its
source: the two axes of every country in `axes.csv`; cultural region, the language and script to write in and
demonyms of the benchmarks' countries in `countries.csv`.
"""

import re
from collections.abc import Iterable
from functools import cache

import country_converter
import pandas as pd

from helpers.checking import Table, nearest, one_of, text
from helpers.paths import DATA

CULTURESCORE_COUNTRIES = (
    "Brazil",
    "Canada",
    "Chile",
    "China",
    "Germany",
    "India",
    "Iran",
    "Japan",
    "Poland",
    "South Africa",
)
# In the order of the benchmark's own country codes 01 to 12.
CULTUREVIDBENCH_COUNTRIES = (
    "China",
    "Japan",
    "India",
    "Malaysia",
    "Nigeria",
    "Ethiopia",
    "Russia",
    "Italy",
    "Netherlands",
    "United States",
    "New Zealand",
    "Brazil",
)
COUNTRIES = tuple(sorted({*CULTURESCORE_COUNTRIES, *CULTUREVIDBENCH_COUNTRIES}))

# The eight regions of the World Values Survey's cultural map that CultureVidBench names (its section 3.1).
CULTURAL_REGIONS = (
    "Confucian",
    "West and South Asian",
    "African-Islamic",
    "Orthodox Europe",
    "Catholic Europe",
    "Protestant Europe",
    "English-speaking",
    "Latin America",
)
# GAP, Table 2.
CONTINENTS = ("Africa", "Americas", "Asia", "Europe", "Oceania")
AXES = {
    "global_north_south": ("Global North", "Global South"),
    "global_west_east": ("Global West", "Global East"),
}

_COUNTRIES = Table(
    columns={
        "country": one_of(COUNTRIES),
        "iso3": text(unique=True),
        "cultural_region": one_of(CULTURAL_REGIONS),
        "cultural_region_source": text(),
        "continent": one_of(CONTINENTS),
        "continent_source": text(),
        "global_north_south": one_of(AXES["global_north_south"]),
        "global_north_south_source": text(),
        "global_west_east": one_of(AXES["global_west_east"]),
        "global_west_east_source": text(),
        "official_language": text(),
        "language_code": text(),
        "script": text(),
        "language_source": text(),
        "demonyms": text(),
    },
    key=("country",),
    rows=len(COUNTRIES),
)
_AXES = Table(
    columns={
        "country": text(),
        "iso3": text(unique=True),
        "global_north_south": one_of(AXES["global_north_south"], nullable=True),
        "global_north_south_source": text(),
        "global_west_east": one_of(AXES["global_west_east"], nullable=True),
        "global_west_east_source": text(),
    },
    key=("country",),
)


def countries() -> pd.DataFrame:
    """The countries of CultureScore and CultureVidBench, one row each, in alphabetical order.

    Returns:
        The 18 rows of `data/geography/countries.csv`; `data/README.md` explains its columns. Several demonyms
        of one country are separated by ";".

    Raises:
        DataError: the file does not fit its schema.
    """
    return _COUNTRIES.read_csv(DATA / "geography" / "countries.csv")


def axes() -> pd.DataFrame:
    """Both axes of every country and territory that country_converter lists, in alphabetical order.

    North/South is UNCTAD's rule, West/East a convention of this project (`data/README.md` states both): a
    country is West where every cultural region that could hold it is Catholic Europe, Protestant Europe,
    English-speaking or Latin America, East where every one is another.

    Returns:
        The rows of `data/geography/axes.csv`: country (short English name), iso3, and for each axis of `AXES`
        its side and the rule behind it. A side is missing where the rules do not give one.

    Raises:
        DataError: the file does not fit its schema.
    """
    return _AXES.read_csv(DATA / "geography" / "axes.csv")


@cache
def standard_name(name: str) -> str:
    """The short English name of a country, as every table here writes it.

    Args:
        name: a country's name or ISO 3166-1 code ("USA", "Republic of South Africa", "Viet Nam", "DEU").

    Returns:
        country_converter's short name ("United States", "South Africa", "Vietnam", "Germany").

    Raises:
        ValueError: no country or more than one is meant, or the name only resembles one ("Indiana",
            "Brazilian"); the message offers the nearest name, and nothing is guessed.
    """
    wanted, spellings = name.strip(), _spellings()
    for spelling in (wanted, wanted.casefold()):
        if spelling in spellings:
            return spellings[spelling]
    meant = [short for short, pattern in _known()["regex"].items() if _fits(pattern, wanted)]
    if not meant:
        raise ValueError(f"'{name}' is no known country{nearest(wanted, _known().index)}")
    if len(meant) > 1:
        raise ValueError(f"'{name}' could mean {', '.join(meant)}; expected the name of one country")
    return meant[0]


def nearest_country(name: str, known: Iterable[str] | None = None) -> str:
    """A hint that ends a message, as `checking.nearest`: the country that a name means or else resembles.

    Args:
        name: as somebody wrote it ("USA", "Brasil").
        known: the short names that are allowed; every country's where it is left out.

    Returns:
        "; did you mean 'United States'?", or the empty string where none comes near.
    """
    allowed = list(_known().index if known is None else known)
    try:
        meant = standard_name(name)
    except ValueError:
        meant = name.strip()
    return nearest(meant, allowed)


def iso3(name: str) -> str:
    """The three-letter ISO 3166-1 code of a country.

    Args:
        name: as `standard_name` takes it.

    Raises:
        ValueError: as `standard_name`.
    """
    return _known().loc[standard_name(name), "ISO3"]


def continent(name: str) -> str:
    """The continent of a country, one of GAP's five (`CONTINENTS`).

    Args:
        name: as `standard_name` takes it; any country, not only those of `countries`.

    Raises:
        ValueError: as `standard_name`, or a place on none of the five (Antarctica).
    """
    found = _known().loc[standard_name(name), "continent"].replace("America", "Americas")
    if found not in CONTINENTS:
        raise ValueError(f"'{name}' lies in {found}; expected a country in one of {', '.join(CONTINENTS)}")
    return found


@cache
def _known() -> pd.DataFrame:
    """country_converter's present-day countries by short name, every value a string.

    Its own reader fails under pandas 3, where "NA", the code of Namibia, is read as a missing value.
    """
    known = pd.read_csv(
        country_converter.country_converter.COUNTRY_DATA_FILE, sep="\t", dtype=str, keep_default_na=False
    )
    return known[known["obsolete"] == ""].set_index("name_short")


@cache
def _spellings() -> dict[str, str]:
    """The short name behind each code and, in lower case, each short and official name."""
    spellings = {}
    for country in _known().itertuples():
        for name in (country.Index, country.name_official):
            spellings[name.casefold()] = country.Index
        for code in (country.ISO2, country.ISO3):
            spellings[code] = country.Index
    return spellings


def _fits(pattern: str, name: str) -> bool:
    """Whether a pattern is found in a name and does not stop inside a word ("Indiana" is not India)."""
    found = re.search(pattern, name, re.IGNORECASE)
    return found is not None and not name[found.end() : found.end() + 1].isalpha()
