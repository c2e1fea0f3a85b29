"""Countries against country_converter, CLDR (through Babel), UNCTAD's rule and the papers' counts."""

import re

import babel
import babel.core
import babel.languages
import country_converter
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from helpers import geography
from helpers.paths import ROOT

PROMPTS = ROOT.parent / "shared" / "data" / "index_elements_prompts.txt"

COUNTRIES = geography.countries()
# country_converter's own file, read independently of the helper.
KNOWN = pd.read_csv(
    country_converter.country_converter.COUNTRY_DATA_FILE, sep="\t", dtype=str, keep_default_na=False
).query("obsolete == ''")


def test_the_file_covers_both_benchmarks():
    named = {*geography.CULTURESCORE_COUNTRIES, *geography.CULTUREVIDBENCH_COUNTRIES}
    assert set(COUNTRIES["country"]) == named
    assert list(COUNTRIES["country"]) == sorted(named)
    # CultureScore, Table 1, and CultureVidBench, section 3.1.
    assert len(geography.CULTURESCORE_COUNTRIES) == 10
    assert len(geography.CULTUREVIDBENCH_COUNTRIES) == 12


@pytest.mark.parametrize("row", list(COUNTRIES.itertuples()), ids=COUNTRIES["country"])
class TestEachCountry:
    def test_names_codes_and_continent_as_in_country_converter(self, row):
        known = KNOWN.set_index("name_short").loc[row.country]
        assert row.iso3 == known["ISO3"] == geography.iso3(row.country)
        assert row.continent == known["continent"].replace("America", "Americas")
        assert row.continent == geography.continent(row.country)

    def test_development_status_follows_unctad_rule(self, row):
        # UNCTADstat: developed are Northern America, Europe, Israel, Japan, the Republic of Korea, Australia
        # and New Zealand; the subregions are country_converter's.
        subregion = KNOWN.set_index("name_short").loc[row.country, "UNregion"]
        developed = (
            subregion == "Northern America"
            or subregion.endswith("Europe")
            or row.country in ("Israel", "Japan", "South Korea", "Australia", "New Zealand")
        )
        assert row.global_north_south == ("Global North" if developed else "Global South")

    def test_west_and_east_follow_the_stated_convention(self, row):
        western = ("Catholic Europe", "Protestant Europe", "English-speaking", "Latin America")
        assert row.global_west_east == ("Global West" if row.cultural_region in western else "Global East")

    def test_language_and_script_as_in_cldr(self, row):
        english, (language, script) = babel.Locale("en"), row.language_code.split("-")
        assert english.languages[language] == row.official_language
        assert english.scripts[script] in row.script
        territory = KNOWN.set_index("name_short").loc[row.country, "ISO2"]
        assert language in babel.languages.get_official_languages(territory, de_facto=True)
        likely = babel.core.get_global("likely_subtags")
        usual = likely.get(f"{language}_{territory}", likely[language])
        assert usual.split("_")[1] == script


def test_culturevidbench_spans_eight_regions_and_six_continents_as_the_paper_says():
    chosen = COUNTRIES[COUNTRIES["country"].isin(geography.CULTUREVIDBENCH_COUNTRIES)]
    assert set(chosen["cultural_region"]) == set(geography.CULTURAL_REGIONS)
    # The paper counts North and South America apart, as country_converter's "Continent_7" does.
    assert KNOWN.set_index("name_short").loc[chosen["country"], "Continent_7"].nunique() == 6


def test_culturevidbench_prompts_name_the_country_or_its_demonym():
    if not PROMPTS.is_file():
        pytest.skip(f"needs CultureVidBench's prompt list at {PROMPTS}")
    demonyms = COUNTRIES.set_index("country")["demonyms"].str.split(";")
    lines = [line.split("\t") for line in PROMPTS.read_text(encoding="utf-8").splitlines() if line]
    for code, country in enumerate(geography.CULTUREVIDBENCH_COUNTRIES, start=1):
        texts = [text for identifier, _, text in lines if identifier.startswith(f"{code:02d}")]
        named = [any(word in text for word in (country, *demonyms[country])) for text in texts]
        assert sum(named) / len(named) > 0.95, country


@pytest.mark.parametrize(
    ("name", "standard"),
    [
        ("USA", "United States"),
        ("US", "United States"),
        ("United States of America", "United States"),
        (" south africa ", "South Africa"),
        ("ZAF", "South Africa"),
        ("Russian Federation", "Russia"),
        ("The Netherlands", "Netherlands"),
        ("Iran (Islamic Republic of)", "Iran"),
        ("Viet Nam", "Vietnam"),
        ("Turkey", "Türkiye"),
        ("NA", "Namibia"),
        ("Niger", "Niger"),
        ("Nigeria", "Nigeria"),
        ("Guinea", "Guinea"),
        ("Papua New Guinea", "Papua New Guinea"),
    ],
)
def test_usual_spellings_give_the_standard_name(name, standard):
    assert geography.standard_name(name) == standard


def test_every_name_and_code_of_country_converter_gives_its_own_country():
    for column in ("name_short", "name_official", "ISO2", "ISO3"):
        for name, standard in zip(KNOWN[column], KNOWN["name_short"], strict=True):
            assert geography.standard_name(name) == standard


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Brasil", "'Brasil' is no known country; did you mean 'Brazil'?"),
        ("Indiana", "'Indiana' is no known country; did you mean 'India'?"),
        ("Brazilian", "'Brazilian' is no known country; did you mean 'Brazil'?"),
        ("Atlantis", "'Atlantis' is no known country"),
        ("", "'' is no known country"),
        ("Japan and China", "'Japan and China' could mean China, Japan; expected the name of one country"),
    ],
)
def test_nothing_is_guessed(name, message):
    with pytest.raises(ValueError, match="country") as error:
        geography.standard_name(name)
    assert str(error.value).startswith(message)


@given(name=st.text(max_size=12))
def test_any_other_text_is_refused_in_the_same_words(name):
    assume(not any(re.search(pattern, name, re.IGNORECASE) for pattern in KNOWN["regex"]))
    assume(name.strip() not in {*KNOWN["ISO2"], *KNOWN["ISO3"]})
    with pytest.raises(ValueError, match=re.escape(f"'{name}' is no known country")):
        geography.standard_name(name)


def test_a_place_on_none_of_the_five_continents_is_refused():
    with pytest.raises(
        ValueError, match="'Antarctica' lies in Antarctica; expected a country in one of Africa"
    ):
        geography.continent("Antarctica")


AXIS_ROWS = geography.axes().set_index("country")


def test_both_axes_name_every_country_of_country_converter():
    assert list(AXIS_ROWS.index) == sorted(KNOWN["name_short"])
    assert AXIS_ROWS["iso3"].to_dict() == KNOWN.set_index("name_short")["ISO3"].to_dict()


def test_both_axes_agree_with_the_benchmarks_countries():
    own = COUNTRIES.set_index("country")
    for axis in geography.AXES:
        assert AXIS_ROWS.loc[own.index, axis].to_dict() == own[axis].to_dict()


# UNCTADstat: developed are Northern America, Europe, Israel, Japan, the Republic of Korea, Australia and New
# Zealand; the subregions are country_converter's. UNCTAD counts Cyprus with Europe, M49 with Western Asia.
def test_north_and_south_follow_unctad_rule_wherever_people_live():
    known = KNOWN.set_index("name_short")["UNregion"]
    developed = (
        known.eq("Northern America") | known.str.endswith("Europe") | known.str.startswith("Australia")
    )
    developed |= known.index.isin(["Israel", "Japan", "South Korea", "Cyprus"])
    sides = AXIS_ROWS["global_north_south"].dropna()
    assert sides.to_dict() == {
        name: "Global North" if developed[name] else "Global South" for name in sides.index
    }
    assert len(AXIS_ROWS) - len(sides) == 7
    assert not {"BVT", "ATA"} - set(AXIS_ROWS.loc[~AXIS_ROWS.index.isin(sides.index), "iso3"])


@pytest.mark.parametrize(
    ("country", "side"),
    [
        ("Ireland", "Global West"),
        ("Jamaica", "Global West"),
        ("Hungary", "Global West"),
        ("Greece", "Global East"),
        ("Egypt", "Global East"),
        ("Singapore", "Global East"),
        ("Israel", None),
        ("Philippines", None),
        ("Fiji", None),
    ],
)
def test_west_and_east_are_the_sides_that_the_convention_states(country, side):
    found = AXIS_ROWS.loc[country, "global_west_east"]
    assert found == side or (side is None and pd.isna(found))


def test_a_side_is_missing_exactly_where_its_source_says_unassigned():
    for axis in geography.AXES:
        unassigned = AXIS_ROWS[f"{axis}_source"].str.startswith("unassigned: ")
        assert unassigned.equals(AXIS_ROWS[axis].isna())


@pytest.mark.parametrize(
    ("name", "known", "hint"),
    [
        ("USA", None, "; did you mean 'United States'?"),
        ("Brasil", None, "; did you mean 'Brazil'?"),
        ("SOUTH AFRCA", None, "; did you mean 'South Africa'?"),
        ("xyz", None, ""),
        ("Holland", ["Poland", "Netherlands"], "; did you mean 'Poland'?"),
        ("USA", ["Japan", "China"], ""),
    ],
)
def test_a_hint_is_the_country_that_a_name_means_or_resembles(name, known, hint):
    assert geography.nearest_country(name, known) == hint
