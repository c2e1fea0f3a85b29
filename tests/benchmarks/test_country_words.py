"""The country check against country_converter, CLDR (through Babel) and the CIA World Factbook."""

import babel
import country_converter
import pandas as pd
import pytest

from helpers import geography
from helpers.benchmarks.country_words import country_words, listed_countries, names_no_country
from helpers.paths import DATA, ROOT

PROMPTS = ROOT.parent / "shared" / "data" / "index_elements_prompts.txt"
LISTED = listed_countries()
LOOKALIKES = pd.read_csv(DATA / "geography" / "lookalikes.csv", dtype=str, keep_default_na=False)
# country_converter's own file, read independently of the helper.
KNOWN = pd.read_csv(
    country_converter.country_converter.COUNTRY_DATA_FILE, sep="\t", dtype=str, keep_default_na=False
).query("obsolete == '' and name_short != 'Antarctica'")


def means(text: str, country: str) -> bool:
    return any(country in found.countries for found in country_words(text))


def test_every_country_of_country_converter_is_listed_once():
    assert LISTED["country"].is_unique
    assert set(LISTED["country"]) == set(KNOWN["name_short"])


@pytest.mark.parametrize("column", ["name_short", "name_official"])
def test_every_name_in_country_converter_is_found(column):
    missed = [
        name
        for name, country in zip(KNOWN[column], KNOWN["name_short"], strict=True)
        if not means(f"Children play in a street in {name}.", country)
    ]
    assert missed == []


def test_every_english_name_in_cldr_is_found():
    territories = babel.Locale("en").territories
    missed = [
        territories[row.ISO2]
        for row in KNOWN.itertuples()
        if row.ISO2 in territories
        and not means(f"Children play in a street in {territories[row.ISO2]}.", row.name_short)
    ]
    assert missed == []


def test_every_listed_word_is_found_in_small_letters_or_has_a_stated_other_meaning():
    others = set(LOOKALIKES.query("lower_case == 'yes' or needs != ''")["word"])
    for row in LISTED.fillna("").itertuples():
        words = {row.country, *row.other_names.split(";"), *row.demonyms.split(";")} - {""}
        for word in words:
            if word.replace("-", " ").replace("St.", "Saint") in others:
                continue
            assert means(f"one {word} street", row.country), word
            if not word.isupper():
                assert means(f"one {word.lower()} street", row.country), word


def test_the_demonyms_of_the_benchmarks_countries_are_all_listed():
    demonyms = LISTED.set_index("country")["demonyms"].str.split(";")
    for row in geography.countries().itertuples():
        assert set(row.demonyms.split(";")) <= {*demonyms[row.country], row.country}


# CIA World Factbook, "Nationality", noun or adjective: forms that no rule derives from the name.
@pytest.mark.parametrize(
    ("demonym", "country"),
    [
        ("Motswana", "Botswana"),
        ("Batswana", "Botswana"),
        ("Basotho", "Lesotho"),
        ("Burkinabe", "Burkina Faso"),
        ("Emirati", "United Arab Emirates"),
        ("Filipino", "Philippines"),
        ("I-Kiribati", "Kiribati"),
        ("Ivoirian", "Côte d'Ivoire"),
        ("Malagasy", "Madagascar"),
        ("Manx", "Isle of Man"),
        ("Monegasque", "Monaco"),
        ("Ni-Vanuatu", "Vanuatu"),
        ("Nigerien", "Niger"),
        ("Nigerian", "Nigeria"),
        ("Seychellois", "Seychelles"),
        ("Swiss", "Switzerland"),
        ("Dutch", "Netherlands"),
        ("British", "United Kingdom"),
    ],
)
def test_irregular_nationalities_of_the_world_factbook(demonym, country):
    assert means(f"A {demonym} family cooks together.", country)
    assert means(f"{demonym.upper()} COOKING", country)


@pytest.mark.parametrize(
    ("text", "word", "countries"),
    [
        ("Two Brazilians dance in Recife.", "Brazilians", ("Brazil",)),
        ("China's new year", "China", ("China",)),
        ("A Korean wedding", "Korean", ("North Korea", "South Korea")),
        ("A village in Papua New Guinea", "Papua New Guinea", ("Papua New Guinea",)),
        ("An Afro-Brazilian rhythm", "Brazilian", ("Brazil",)),
        ("A café in Cote d’Ivoire", "Cote d’Ivoire", ("Côte d'Ivoire",)),
        ("A beach on Saint  Lucia", "Saint  Lucia", ("St. Lucia",)),
        ("Breakfast in the U.S. and beyond", "U.S.", ("United States",)),
        ("Breakfast in the US", "US", ("United States",)),
        ("An english breakfast", "english", ("United Kingdom",)),
        ("The Soviet Union's parade", "Soviet Union", ("Russia",)),
    ],
)
def test_what_is_found_and_what_it_means(text, word, countries):
    assert [(found.word, found.countries) for found in country_words(text)] == [(word, countries)]


def test_words_come_in_the_order_of_the_text_and_as_often_as_they_stand():
    found = country_words("Japanese guests bring Polish flowers; the Japanese host bows.")
    assert [each.word for each in found] == ["Japanese", "Polish", "Japanese"]


@pytest.mark.parametrize(
    "text",
    [
        "Fishermen haul nets from the Indian Ocean.",
        "She pours tea into fine china cups and a blue and white china bowl.",
        "China cups stand on the shelf.",
        "Polish the silver until it shines, then polish it again.",
        "He carves the turkey and spoons gravy on the plates.",
        "Roast Turkey and Turkey sandwiches are on the menu.",
        "A boy pulls a rugby jersey over his head in New Jersey.",
        "Neighbours chat on a porch in Savannah, Georgia.",
        "Grandmother grinds chile peppers; Chile Relleno is on the board.",
        "A child feeds a guinea pig beside two Guinea fowl.",
        "Kiwi slices and a kiwi bird",
        "Let us eat.",
        "LET us eat.",
        "A family reunion in the garden: the New Year's Eve reunion dinner",
        "Lanterns for Saint Martin and his horse",
        "Brazil nuts, French fries, Swiss cheese and Danish pastries",
        "Girls jump Double Dutch.",
        "A Great Dane and a German Shepherd run along the North Pole Road.",
        "A march through Mexico City, Kuwait City and Benin City",
        "Boats on Lake Malawi, the Gulf of Guinea and the South China Sea",
        "South American and Latin American dances of the Americas",
        "Dominican friars sing.",
        "A Panama hat, Bermuda shorts and a jersey",
        "The nomads of romanticism, a Roman arch, an omanhene",
        "",
    ],
)
def test_words_that_only_look_like_countries(text):
    assert names_no_country(text), country_words(text)


@pytest.mark.parametrize(
    ("text", "country"),
    [
        ("A family on the coast of India by the Indian Ocean", "India"),
        ("An Indian family", "India"),
        ("A tea house in China", "China"),
        ("Polish dancers", "Poland"),
        ("A market in Turkey", "Türkiye"),
        ("A street in Jersey", "Jersey"),
        ("A supra table in Georgia", "Georgia"),
        ("A cueca in Chile", "Chile"),
        ("A street in Guinea", "Guinea"),
        ("Kiwi farmers", "New Zealand"),
        ("A street in Réunion", "Réunion"),
        ("A beach in St Martin", "Saint-Martin"),
        ("The British Indian Ocean Territory", "British Indian Ocean Territory"),
        ("A Pole and a Swede", "Poland"),
        ("Music of the Dominican Republic", "Dominican Republic"),
        ("American football", "United States"),
    ],
)
def test_the_same_words_where_they_mean_the_country(text, country):
    assert means(text, country)


@pytest.mark.parametrize(
    "text",
    [
        "A Muslim family shares a halal feast in Lisbon.",
        "Zulu dancers, a Māori haka, a Sikh langar and a Cantonese opera",
        "A tea ceremony with matcha on tatami in Kyoto",
        "Villagers in Bavaria, Kerala, Hokkaido and Quebec",
        "Carnival, Nowruz, Diwali and Wigilia in the Andes and the Sahara",
    ],
)
def test_cities_regions_and_words_of_culture_and_religion_stay(text):
    assert names_no_country(text)


def test_every_lookalike_is_a_listed_word_with_a_rule_and_a_meaning():
    words = LISTED.fillna("").agg(";".join, axis=1).str.split(";").explode()
    assert set(LOOKALIKES["word"]) <= {*words, *words.str.replace("St. ", "Saint ")}
    ruled = LOOKALIKES["lower_case"].eq("yes") | LOOKALIKES[["before", "after", "needs"]].ne("").any(axis=1)
    assert ruled.all()


def test_nearly_all_published_culturevidbench_prompts_name_their_country():
    if not PROMPTS.is_file():
        pytest.skip(f"needs CultureVidBench's prompt list at {PROMPTS}")
    lines = [line.split("\t") for line in PROMPTS.read_text(encoding="utf-8").splitlines() if line]
    countries = geography.CULTUREVIDBENCH_COUNTRIES
    named = [means(text, countries[int(identifier[:2]) - 1]) for identifier, _, text in lines]
    assert sum(named) / len(named) > 0.95
