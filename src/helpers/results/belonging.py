"""Which rows of a study's tables belong to which benchmark, and which to none."""

from collections.abc import Collection, Mapping

import pandas as pd

# The tables whose rows are about clips, prompts or questions; one of a clip that is gone shows nowhere.
_ABOUT_PROMPTS = ("videos", "answers", "ratings", "metric_values", "rankings", "relevance")


def benchmark_rows(tables: Mapping[str, pd.DataFrame], benchmark: str) -> dict[str, pd.DataFrame]:
    """The rows that belong to a benchmark's prompts, and the raters who said anything about them.

    Args:
        tables: all of `helpers.schemas.TABLES`.
        benchmark: as in the table prompts.
    """
    prompts = tables["prompts"]
    return _about(prompts[prompts["benchmark"].eq(benchmark)].reset_index(drop=True), tables)


def strays(tables: Mapping[str, pd.DataFrame]) -> dict[str, int]:
    """How many rows belong to no benchmark, since what they are about is in none of the tables.

    Such are clips of prompts that were replaced since, and answers about clips that are no longer there.

    Args:
        tables: all of `helpers.schemas.TABLES`.

    Returns:
        The number by table; tables without such rows are left out.
    """
    known = _about(tables["prompts"], tables)
    counts = {name: len(tables[name]) - len(known[name]) for name in _ABOUT_PROMPTS}
    return {name: count for name, count in counts.items() if count}


def _about(prompts: pd.DataFrame, tables: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """The rows that belong to some prompts."""
    kept = dict(tables) | {"prompts": prompts}
    for names, key, parent in (
        (("questions",), "scenario_id", "prompts"),
        (("landmarks",), "landmark_id", "prompts"),
        (("videos", "rankings"), "prompt_id", "prompts"),
        (("answers", "ratings", "metric_values"), "video_id", "videos"),
        (("relevance",), "question_id", "questions"),
    ):
        for name in names:
            kept[name] = _among(kept[name], key, kept[parent][key])
    shown = kept["assignments"]["video_id"]
    kept["assignments"] = kept["assignments"][shown.isna() | shown.isin(kept["videos"]["video_id"])]
    said = pd.concat([kept[name]["rater_id"] for name in ("answers", "ratings", "rankings", "relevance")])
    kept["raters"] = _among(kept["raters"], "rater_id", said)
    return kept


def _among(table: pd.DataFrame, key: str, known: Collection[str]) -> pd.DataFrame:
    return table[table[key].isin(set(known))].reset_index(drop=True)
