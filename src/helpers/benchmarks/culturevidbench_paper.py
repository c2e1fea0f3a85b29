"""What a list of prompts holds beside what the CultureVidBench paper says of its own."""

import pandas as pd

from helpers.benchmarks.culturevidbench import described
from helpers.published import ASPECTS, load

CATEGORIES = tuple(dict.fromkeys(ASPECTS.values()))


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


def beside_paper(prompts: pd.DataFrame) -> pd.DataFrame:
    """What a list holds beside what the paper says of its own.

    The published list has two material prompts more and two ritual ones fewer than the paper's counts. Those
    fit one prompt for each material or social element and two for each ritual (270 + 386 + 344/2 = 828
    elements); the list fits it as well (272 + 386 + 342/2 = 829) once its element under two aspects
    (`shared_elements`) is counted once. So the counts alone cannot say which is the slip. One of the paper's
    examples (Table 5, the fire at an Indian wedding) stands in the list in other words (031203).

    Args:
        prompts: rows of a table `prompts`.

    Returns:
        Columns what, found, paper, difference (found - paper), where (the section of the paper).
    """
    claims = load("claims").query("paper == 'culturevidbench'").set_index("claim_id")
    rows = described(prompts)
    sizes = rows["category"].value_counts()
    pairs = rows.assign(element=rows["element"].str.casefold())[["country", "element"]]
    found = {
        "cvb-prompts": ("prompts", len(rows)),
        "cvb-countries": ("countries", rows["country"].nunique()),
        "cvb-regions": ("cultural regions", rows["region"].nunique()),
        "cvb-aspects": ("aspects", rows["aspect"].nunique()),
        "cvb-elements": ("elements (country and element)", len(pairs.drop_duplicates())),
        **{f"cvb-prompts-{name}": (f"{name} prompts", sizes.get(name, 0)) for name in CATEGORIES},
        "cvb-prompt-words": ("words a prompt, mean", rows["words"].mean()),
    }
    table = pd.DataFrame(found.values(), columns=["what", "found"]).astype({"found": float})
    table["paper"] = claims.loc[list(found), "value"].to_numpy(float)
    table["difference"] = table["found"] - table["paper"]
    return table.assign(where=claims.loc[list(found), "section"].to_numpy())
