"""The three papers' printed numbers as typed tables, and the vocabulary that every table here shares.

CultureScore is Rani et al. 2026 (arXiv:2606.07311), CultureVidBench is Han et al. 2026, GAP ("landmarks")
is the attraction-centric evaluation of Sora 2. `data/README.md` explains every file and column.
"""

from pathlib import Path

import pandas as pd

from helpers.checking import Table, nearest, number, one_of, text, whole
from helpers.geography import CONTINENTS, COUNTRIES, CULTURESCORE_COUNTRIES
from helpers.paths import DATA

FRAMEWORKS = ("culturescore", "culturevidbench", "landmarks")

CATEGORIES = ("dates-of-significance", "etiquette", "family", "greetings", "religion")
DIMENSIONS = ("identity", "behavior", "context")
VARIANTS = {
    "culturescore": ("base", "extended", "no_country", "native_language"),
    "culturevidbench": ("plain",),
    "landmarks": ("short", "detailed"),
}
VIDEOSCORE_DIMENSIONS = (
    "visual_quality",
    "temporal_consistency",
    "dynamic_degree",
    "text_to_video_alignment",
    "factual_consistency",
)

# CultureVidBench's aspects in the order of its aspect codes 01 to 14, each with its category. The paper gives
# the categories' sizes only (270 material, 386 social, 344 ritual prompts); in its released prompt list the
# aspects 05 to 11 hold exactly 386, 01 to 04 hold 272 and 12 to 14 hold 342, so two prompts count elsewhere.
ASPECTS = {
    "food": "material",
    "clothing": "material",
    "architecture": "material",
    "decorations": "material",
    "greetings": "social",
    "dining": "social",
    "celebrations": "social",
    "dancing": "social",
    "games": "social",
    "sports": "social",
    "concert": "social",
    "wedding": "ritual",
    "funeral": "ritual",
    "religious-activity": "ritual",
}
# Where CultureVidBench expects sound and judges it (its section 4.1).
AUDIO_ASPECTS = ("celebrations", "dancing", "concert", "wedding", "funeral", "religious-activity")
CRITERIA = {
    "element_alignment": "cultural_faithfulness",
    "cultural_consistency": "cultural_faithfulness",
    "text_rendering": "multimodal_rendering",
    "audio_alignment": "multimodal_rendering",
    "subject_alignment": "semantic_adherence",
    "action_alignment": "semantic_adherence",
    "realism": "perceptual_quality",
    "visual_quality": "perceptual_quality",
}

MODELS = {
    "culturescore": ("LTX-2", "Wan 2.2", "Veo 3.1 Fast"),
    "culturevidbench": (
        "LTX-2.3",
        "Cosmos-Predict2.5",
        "HunyuanVideo-1.5",
        "Wan 2.2",
        "Kling 3.0",
        "Veo 3.1 Fast",
        "HappyHorse 1.0",
    ),
    "landmarks": ("Sora 2",),
}
EVALUATORS = (
    "ViCLIP",
    "Qwen3-VL-32B",
    "GPT-5.4 without target",
    "GPT-5.4",
    "Gemini-3.1-Pro without target",
    "Gemini-3.1-Pro",
    "Inter-human",
)
UNITS = (
    "coefficient",
    "constant",
    "count",
    "GBP per hour",
    "minutes",
    "percent",
    "percentage points",
    "pixels",
    "rank",
    "score 0-5",
    "score 1-4",
    "score 1-5",
    "seconds",
    "sentences",
    "share",
    "USD",
    "weight 1-10",
    "words",
    "year",
)
LANDMARK_METRICS = ("aigve_macs", "patch_clip", "keypoint_match", "vlm_judge", "human")

_SHARE = number(0, 100)
_YES_NO = one_of(("yes", "no"))
_STARS = one_of(("***", "**", "*", "none"))
_CULTURESCORE = {
    "model": one_of(MODELS["culturescore"]),
    "variant": one_of(VARIANTS["culturescore"]),
    "country": one_of(CULTURESCORE_COUNTRIES),
    "category": one_of(CATEGORIES),
    "dimension": one_of(DIMENSIONS),
}
_REGIONS = (*CONTINENTS, "Global East", "Global West", "Global South", "Global North")


def _culturescore(*names: str) -> dict:
    """The columns of these names that CultureScore's tables share."""
    return {name: _CULTURESCORE[name] for name in names}


TABLES = {
    "culturescore_facets": Table(
        columns=_culturescore("dimension", "country", "category") | {"unique_facets": whole(0, 50)},
        key=("dimension", "country", "category"),
        rows=150,
    ),
    "culturescore_videoscore": Table(
        columns={"table": one_of(range(2, 9))}
        | _culturescore("model", "variant", "country", "category")
        | {"videoscore_dimension": one_of(VIDEOSCORE_DIMENSIONS), "score": number(1, 4)},
        key=("table", "country", "category", "videoscore_dimension"),
        rows=7 * 245,
    ),
    "culturescore_cells": Table(
        columns={"table": one_of(range(11, 17))}
        | _culturescore("model", "variant", "country", "category", "dimension")
        | {"accuracy": _SHARE},
        key=("table", "country", "category", "dimension"),
        rows=6 * 147,
    ),
    "culturescore_overall_rows": Table(
        columns={"table": one_of(range(11, 17))}
        | _culturescore("model", "variant", "dimension")
        | {"accuracy": _SHARE},
        key=("table", "dimension"),
        rows=18,
    ),
    "culturescore_countries": Table(
        columns={
            "table": one_of((9, 10)),
            "model": _CULTURESCORE["model"],
            "level": one_of(("country", "average")),
            "country": one_of(CULTURESCORE_COUNTRIES, nullable=True),
            "dimension": one_of((*DIMENSIONS, "overall")),
            "base": _SHARE,
            "extended": _SHARE,
            "gain": number(-100, 100),
        },
        key=("table", "level", "country", "dimension"),
        rows=88,
    ),
    "culturevidbench_scores": Table(
        columns={
            "evaluator": one_of(("human", "Gemini-3.1-Pro")),
            "model": one_of(MODELS["culturevidbench"]),
            "access": one_of(("open", "proprietary")),
            "criterion": one_of(tuple(CRITERIA)),
            "score": number(0, 1, nullable=True),
        },
        key=("evaluator", "model", "criterion"),
        rows=112,
    ),
    "culturevidbench_correlations": Table(
        columns={
            "evaluator": one_of(EVALUATORS),
            "criterion": one_of(tuple(CRITERIA)),
            "statistic": one_of(("tau", "rho")),
            "value": number(-1, 1, nullable=True),
        },
        key=("evaluator", "criterion", "statistic"),
        rows=112,
    ),
    "culturevidbench_generation": Table(
        columns={
            "model": one_of(MODELS["culturevidbench"]),
            "width": whole(1, 8192),
            "height": whole(1, 8192),
            "frames": whole(1, 1000),
            "audio": _YES_NO,
            "duration": number(1, 60),
        },
        key=("model",),
        rows=7,
    ),
    "culturevidbench_benchmarks": Table(
        columns={
            "benchmark": text(),
            "task": one_of(("T2I", "T2V")),
            "countries": whole(1, 250),
            "aspects": whole(1, 100, nullable=True),
            "prompts": whole(1, 100_000),
            "cultural_faithfulness": _YES_NO,
            "cultural_stereotype": _YES_NO,
            "perceptual_quality": _YES_NO,
            "semantic_alignment": _YES_NO,
            "multimodal_rendering": _YES_NO,
        },
        key=("benchmark",),
        rows=8,
    ),
    "landmarks_popularity": Table(
        columns={
            "metric": one_of(LANDMARK_METRICS),
            "srcc": number(-1, 1),
            "srcc_p": number(0, 1),
            "srcc_stars": _STARS,
            "slope": number(-1, 1),
            "slope_stars": _STARS,
        },
        key=("metric",),
        rows=5,
    ),
    "landmarks_regions": Table(
        columns={
            "grouping": one_of(("continent", "west_east", "north_south")),
            "region": one_of(_REGIONS),
            "n": whole(1, 500),
            "mean": number(0, 5),
            "sd": number(0, 5),
        },
        key=("region",),
        rows=9,
    ),
    "landmarks_equivalence": Table(
        columns={
            "first": one_of(_REGIONS),
            "second": one_of(_REGIONS),
            "mean_difference": number(-5, 5),
            "low": number(-5, 5),
            "high": number(-5, 5),
            "equivalent": _YES_NO,
        },
        key=("first", "second"),
        rows=5,
    ),
    "landmarks_specificity": Table(
        columns={
            "metric": one_of(LANDMARK_METRICS),
            "mean_short": number(0, 5),
            "mean_detailed": number(0, 5),
            "p": number(0, 1),
            "p_stars": _STARS,
            "d": number(-10, 10),
        },
        key=("metric",),
        rows=3,
    ),
    "claims": Table(
        columns={
            "paper": one_of(FRAMEWORKS),
            "section": text(),
            "claim_id": text(),
            "quantity": text(),
            "model": one_of(sorted({model for models in MODELS.values() for model in models}), nullable=True),
            "variant": one_of(
                [variant for variants in VARIANTS.values() for variant in variants], nullable=True
            ),
            "country": one_of(COUNTRIES, nullable=True),
            "category": one_of(CATEGORIES, nullable=True),
            "dimension": one_of([*DIMENSIONS, *CRITERIA], nullable=True),
            "value": number(-10_000, 10_000),
            "unit": one_of(UNITS),
            "n": whole(1, 10_000, nullable=True),
            "context": text(),
        },
        key=("claim_id",),
        rows=206,
    ),
}


def names() -> list[str]:
    """The names that `load` takes, framework by framework."""
    return list(TABLES)


def table_path(name: str) -> Path:
    """The CSV file behind a published table.

    Raises:
        ValueError: no table has this name; the message offers the nearest.
    """
    if name not in TABLES:
        raise ValueError(f"no published table '{name}'{nearest(name, TABLES)}; expected one of {names()}")
    return DATA / "published" / f"{name}.csv"


def load(name: str) -> pd.DataFrame:
    """One published table, its columns typed and every value checked.

    Args:
        name: one of `names()`, such as "culturescore_cells".

    Returns:
        The rows in the file's order: words as strings, counts as `Int64`, measurements as floats; cells that
        the paper leaves empty are missing values.

    Raises:
        ValueError: no table has this name.
        DataError: the file does not fit its declaration (types, ranges, keys, number of rows).
    """
    path = table_path(name)
    return TABLES[name].read_csv(path)
