"""What a list of prompts holds, in counts, beside what the CultureVidBench paper says of its own.

The published list itself is not part of this project; its counts are (`data/lists`), so that the book can
show them and a list on your own machine can be held against them.
"""

import pandas as pd

from helpers.benchmarks.culturevidbench import described
from helpers.benchmarks.stems import shares_a_word
from helpers.checking import Table, one_of, whole
from helpers.geography import CULTUREVIDBENCH_COUNTRIES, countries
from helpers.paths import DATA
from helpers.published import ASPECTS, load

CATEGORIES = tuple(dict.fromkeys(ASPECTS.values()))
LISTS = DATA / "lists"
MOST = 10_000

CELLS = Table(
    columns={
        "country": one_of(CULTUREVIDBENCH_COUNTRIES),
        "aspect": one_of(tuple(ASPECTS)),
        **{
            name: whole(0, MOST)
            for name in ("prompts", "elements", "new_elements", "words", "named", "text_cues", "audio_cues")
        },
    },
    key=("country", "aspect"),
)
LENGTHS = Table(
    columns={"category": one_of(CATEGORIES), "words": whole(1, 500), "prompts": whole(1, MOST)},
    key=("category", "words"),
)


def cells(prompts: pd.DataFrame) -> pd.DataFrame:
    """What a list holds for each country and aspect.

    Args:
        prompts: CultureVidBench rows of a table `prompts`, of the benchmark's countries.

    Returns:
        Columns of `CELLS`, cells without a prompt left out: prompts; elements; new_elements, those that the
        country has under no earlier aspect (their sum counts each element of a country once); words, of all
        prompts together; named, prompts with a word of their element's name; text_cues and audio_cues. The
        last three are our reading: a list does not mark them.
    """
    named = [shares_a_word(row.text, row.element) for row in prompts.itertuples()]
    rows = described(prompts).assign(key=prompts["element"].str.casefold(), named=named)
    order = {aspect: at for at, aspect in enumerate(ASPECTS)}
    first = rows.assign(at=rows["aspect"].map(order)).sort_values("at", kind="stable")
    first = first.drop_duplicates(["country", "key"])
    counted = rows.groupby(["country", "aspect"]).agg(
        prompts=("text", "size"),
        elements=("key", "nunique"),
        words=("words", "sum"),
        named=("named", "sum"),
        text_cues=("text_cue", "sum"),
        audio_cues=("audio_cue", "sum"),
    )
    new = first.groupby(["country", "aspect"]).size().rename("new_elements")
    every = pd.MultiIndex.from_product([CULTUREVIDBENCH_COUNTRIES, ASPECTS], names=["country", "aspect"])
    table = counted.join(new).reindex(every).dropna(subset="prompts").fillna(0).reset_index()
    return CELLS.check(table, "cells of a list")


def lengths(prompts: pd.DataFrame) -> pd.DataFrame:
    """How many prompts of each category have how many words: columns of `LENGTHS`."""
    rows = described(prompts).groupby(["category", "words"]).size().rename("prompts").reset_index()
    return LENGTHS.check(rows, "lengths of a list")


def published_cells() -> pd.DataFrame:
    """The `cells` of the published list: 168 rows, 1,000 prompts.

    Raises:
        DataError: the file does not fit its schema.
    """
    return CELLS.read_csv(LISTS / "culturevidbench_cells.csv")


def published_lengths() -> pd.DataFrame:
    """The `lengths` of the published list.

    Raises:
        DataError: the file does not fit its schema.
    """
    return LENGTHS.read_csv(LISTS / "culturevidbench_lengths.csv")


def shared_elements(prompts: pd.DataFrame) -> pd.DataFrame:
    """Elements that one country has under more than one aspect; capital letters do not matter.

    Returns:
        Columns country, element, aspects (joined by ", "), prompt_ids (likewise); one row an element.
    """
    rows = prompts.assign(key=prompts["element"].str.casefold())
    groups = rows.groupby(["country", "key"])
    several = rows[groups["aspect"].transform("nunique").gt(1)]
    return (
        several.groupby(["country", "key"])
        .agg(
            element=("element", "first"),
            aspects=("aspect", lambda names: ", ".join(dict.fromkeys(names))),
            prompt_ids=("prompt_id", ", ".join),
        )
        .reset_index()[["country", "element", "aspects", "prompt_ids"]]
    )


def beside_paper(listed: pd.DataFrame) -> pd.DataFrame:
    """What a list holds beside what the paper says of its own.

    The published list has two material prompts more and two ritual ones fewer than the paper's counts. Those
    fit one prompt for each material or social element and two for each ritual (270 + 386 + 344/2 = 828
    elements); the list fits it as well (272 + 386 + 342/2 = 829) once its element under two aspects
    (`shared_elements`) is counted once. So the counts alone cannot say which is the slip. One of the paper's
    examples (Table 5, the fire at an Indian wedding) stands in the list in other words (031203).

    Args:
        listed: rows of `CELLS`, as `cells` or `published_cells` return them.

    Returns:
        Columns what, found, paper, difference (found - paper), where (the section of the paper).
    """
    claims = load("claims").query("paper == 'culturevidbench'").set_index("claim_id")
    region = listed["country"].map(countries().set_index("country")["cultural_region"])
    prompts = listed["prompts"].sum()
    sizes = listed.groupby(listed["aspect"].map(ASPECTS))["prompts"].sum()
    found = {
        "cvb-prompts": ("prompts", prompts),
        "cvb-countries": ("countries", listed["country"].nunique()),
        "cvb-regions": ("cultural regions", region.nunique()),
        "cvb-aspects": ("aspects", listed["aspect"].nunique()),
        "cvb-elements": ("elements (country and element)", listed["new_elements"].sum()),
        **{f"cvb-prompts-{name}": (f"{name} prompts", sizes.get(name, 0)) for name in CATEGORIES},
        "cvb-prompt-words": ("words a prompt, mean", listed["words"].sum() / prompts),
    }
    table = pd.DataFrame(found.values(), columns=["what", "found"]).astype({"found": float})
    table["paper"] = claims.loc[list(found), "value"].to_numpy(float)
    table["difference"] = table["found"] - table["paper"]
    return table.assign(where=claims.loc[list(found), "section"].to_numpy())
