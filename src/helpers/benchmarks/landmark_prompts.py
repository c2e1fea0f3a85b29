"""A landmark's two captions as prompts: one sentence, or three to six (GAP, section 3.1)."""

import re

import pandas as pd

from helpers.checking import DataError
from helpers.published import VARIANTS
from helpers.schemas import check

# The fewest and most sentences of each caption (GAP, section 3.1).
SENTENCES = {"short": (1, 1), "detailed": (3, 6)}

# A full stop behind these does not end a sentence: "St. Peter's", "Mt. Fuji", "J. S. Bach".
_SHORTENED = re.compile(r"\b(?:[A-Z]|St|Sts|Ste|Mt|Ft|Dr|Mr|Mrs|Ms|No|c|ca|cf|vs|approx)\.(?=\s)")
_END = re.compile(r"[.!?…]+[\"'”’)]*(?=\s|$)")


def caption_prompts(landmarks: pd.DataFrame, captions: pd.DataFrame) -> pd.DataFrame:
    """Captions as rows of a study's table `prompts`, two for each landmark, tied by scenario_id.

    Args:
        landmarks: rows of a table `landmarks`.
        captions: columns landmark_id, short (one sentence) and detailed (three to six); one row a landmark.

    Returns:
        Two rows a landmark, short then detailed, in the order of `captions`.

    Raises:
        DataError: landmarks without captions, unknown or repeated ones, captions that are missing or of
            another length; all of them in one message.
    """
    known = landmarks.set_index("landmark_id")["country"]
    problems = [f"{name}: no captions" for name in known.index.difference(captions["landmark_id"])]
    for row, again in zip(captions.itertuples(), captions["landmark_id"].duplicated(), strict=True):
        if again or row.landmark_id not in known.index:
            problems.append(f"{row.landmark_id}: {'is there twice' if again else 'no such landmark'}")
        problems += [
            f"{row.landmark_id}, {variant}: {problem}"
            for variant in VARIANTS["landmarks"]
            if (problem := length_problem(getattr(row, variant), *SENTENCES[variant]))
        ]
    if problems:
        raise DataError("\n".join([f"captions: {len(problems)} problems", *(f"  - {p}" for p in problems)]))
    rows = captions.melt(
        id_vars="landmark_id", value_vars=list(VARIANTS["landmarks"]), var_name="variant", value_name="text"
    )
    place = pd.Series(range(len(captions)), index=captions["landmark_id"])
    ordered = rows.sort_values("landmark_id", key=lambda names: names.map(place), kind="stable")
    return check(
        "prompts",
        ordered.assign(
            prompt_id=ordered["landmark_id"] + "-" + ordered["variant"],
            benchmark="landmarks",
            country=ordered["landmark_id"].map(known),
            scenario_id=ordered["landmark_id"],
        ),
        "captions",
    )


def sentences(text: str) -> int:
    """How many sentences a text has; common shortened words and initials end none."""
    return len(_END.findall(_SHORTENED.sub("x", text.strip()))) or int(bool(text.strip()))


def length_problem(text: str | None, fewest: int, most: int) -> str | None:
    """What is wrong with a caption's number of sentences, or with a caption that is not there; else None."""
    if pd.isna(text) or not text.strip():
        return "missing"
    found = sentences(text)
    if fewest <= found <= most:
        return None
    expected = f"{fewest} to {most} sentences" if most > fewest else "one sentence"
    return f"found {found} sentence{'s' * (found != 1)}, expected {expected}"
