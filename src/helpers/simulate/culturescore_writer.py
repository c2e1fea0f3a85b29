"""The starter's own texts as the replies of a writer, so that CultureScore's steps run without a model.

The starter's facets, descriptions, verdicts and questions lie in files. Given as replies, they go through the
checks that a model's replies go through; faults can be planted to see them caught.
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from helpers.benchmarks import culturescore as steps
from helpers.benchmarks import starter
from helpers.benchmarks.culturescore_questions import question_requests
from helpers.benchmarks.model_steps import Writer
from helpers.published import DIMENSIONS
from helpers.simulate.scripted import Scripted, script

# A planted reply by step and scenario_id: what `scripted.script` takes for one request.
Faults = Mapping[tuple[str, str], Any]


def starter_writer(scenes: pd.DataFrame, writer: Writer, faults: Faults | None = None) -> Scripted:
    """A stand-in that answers the steps of a scene, with questions from the base prompt.

    Args:
        scenes: rows of `culturescore.SCENARIOS` with the starter's ids; `prompt` may lack the country.
        writer: as in the requests that will be made.
        faults: replies to give instead, by (step, scenario_id); steps are decompose, extend, remove_country,
            uniqueness and questions.

    Raises:
        ValueError: an id that is not the starter's, or a fault for an unknown step or scene.
    """
    rows = scenes.merge(starter.load("culturescore_scenarios"), on=["scenario_id", "country", "category"])
    if len(rows) != len(scenes):
        raise ValueError(f"scenes: found {len(rows)} of {len(scenes)} in the starter, expected all")
    done = {f"{step.name}_status": "ok" for step in (steps.DECOMPOSE, steps.EXTEND, steps.REMOVE_COUNTRY)}
    ready = rows.assign(**done)
    asked = starter.load("culturescore_questions")
    requests = {
        "decompose": steps.decompose_requests(scenes, writer),
        "extend": steps.extend_requests(ready, writer),
        "remove_country": steps.remove_country_requests(ready, writer),
        "uniqueness": steps.uniqueness_requests(ready, writer),
        "questions": question_requests(ready, writer, asked_from="base"),
    }
    replies = {
        "decompose": [{"prompt": row.base} | _facets(row) for row in rows.itertuples()],
        "extend": [_facets(row, "_detail") for row in rows.itertuples()],
        "remove_country": [{"text": text} for text in rows["no_country"]],
        "uniqueness": [{"reason": row.unique_reason, "unique": row.unique} for row in rows.itertuples()],
        "questions": [_questions(asked[asked["scenario_id"].eq(name)]) for name in rows["scenario_id"]],
    }
    planted = dict(faults or {})
    written: dict[str, list[str]] = {}
    for step in requests:
        given = [
            planted.pop((step, name), reply)
            for name, reply in zip(rows["scenario_id"], replies[step], strict=True)
        ]
        written |= script(requests[step], given)
    if planted:
        raise ValueError(f"faults: no step and scene {next(iter(planted))}")
    return Scripted(written)


def _facets(row: Any, ending: str = "") -> dict[str, str]:
    return {dimension: getattr(row, f"{dimension}{ending}") for dimension in DIMENSIONS}


def _questions(asked: pd.DataFrame) -> dict[str, list[dict[str, Any]]]:
    return {
        dimension: [
            {"text": row.text, "explicit": row.explicit == "yes", "weight": int(row.weight)}
            for row in asked[asked["dimension"].eq(dimension)].itertuples()
        ]
        for dimension in DIMENSIONS
    }
