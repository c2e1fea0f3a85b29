"""What a study is about: its prompts, questions and landmarks, or what to expect before they are written."""

from dataclasses import dataclass
from itertools import cycle

import pandas as pd

from helpers import geography, schemas, tables
from helpers.benchmarks import culturevidbench, starter
from helpers.benchmarks.culturescore import SCENARIOS
from helpers.benchmarks.landmark_captions import written_captions
from helpers.generation.selection import NOTEBOOKS
from helpers.paths import found_at
from helpers.photographs import collection
from helpers.study import Study

# Rani et al. 2026, section 3: 8,811 valid questions about 981 scenes.
QUESTIONS_A_SCENE = 9


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What clips are to show, and what is asked about them.

    Attributes:
        prompts: rows of the table prompts, those that the study chose.
        questions: rows of the table questions, as far as they matter for counting.
        landmarks: rows of the table landmarks, likewise.
        assumed: what had to be assumed, in words; empty where the study's own tables say everything.
    """

    prompts: pd.DataFrame
    questions: pd.DataFrame
    landmarks: pd.DataFrame
    assumed: tuple[str, ...]


def wanted_of(study: Study) -> Wanted:
    """The study's own tables, or what its file lets expect of those that are not written yet.

    Raises:
        DataError: as `Study.chosen_prompts`, or a file of prompts that the study names and that does not fit.
    """
    if tables.exists(study.folder, "prompts"):
        prompts = study.chosen_prompts()
        found = {name: _table(study, name) for name in ("questions", "landmarks")}
        return Wanted(prompts=prompts, **found, assumed=())
    parts = [_culturescore(study), _culturevidbench(study), _landmarks(study)]
    every = pd.concat([prompts for prompts, _, _ in parts], ignore_index=True)
    prompts = study.chosen_of(every)
    there = set(prompts["benchmark"])
    said = [said for (rows, _, said) in parts if there & set(rows["benchmark"])]
    return Wanted(
        prompts=prompts,
        questions=parts[0][1],
        landmarks=parts[2][1],
        assumed=("no prompts are written yet: " + "; ".join(said),),
    )


def _table(study: Study, name: str) -> pd.DataFrame:
    if tables.exists(study.folder, name):
        return tables.read(study.folder, name)
    return pd.DataFrame(columns=list(schemas.TABLES[name].columns))


def _parameters(study: Study, benchmark: str) -> dict:
    return study.parameters.get(NOTEBOOKS[benchmark], {})


def _culturescore(study: Study) -> tuple[pd.DataFrame, pd.DataFrame, str]:
    """A scene's three prompts in English (and one in its language, where languages are given)."""
    given = _parameters(study, "culturescore")
    if not given.get("scenes"):
        prompts = starter.prompts().query("benchmark == 'culturescore'")
        scenes = prompts["scenario_id"].nunique()
        return prompts, starter.questions(), f"the starter's {scenes} scenes of CultureScore"
    scenes = SCENARIOS.read_csv(found_at(given["scenes"]))
    variants = ["base", "extended", "no_country", *(["native_language"] if given.get("languages") else [])]
    prompts = scenes.merge(pd.DataFrame({"variant": variants}), how="cross").assign(benchmark="culturescore")
    prompts["prompt_id"] = prompts["scenario_id"] + "-" + prompts["variant"]
    asked = scenes[["scenario_id"]].merge(pd.DataFrame({"at": range(QUESTIONS_A_SCENE)}), how="cross")
    asked = asked.assign(
        question_id=asked["scenario_id"] + "-" + asked["at"].astype(str),
        text="Does the clip show what this question of usual length asks about?",
        dimension="identity",
    )
    said = (
        f"{len(scenes):,} scenes of CultureScore with {len(variants)} prompts and {QUESTIONS_A_SCENE} "
        "questions each"
    )
    prompts = prompts.rename(columns={"prompt": "text"})
    return schemas.check("prompts", prompts[_known("prompts", prompts)], "scenes"), asked, said


def _culturevidbench(study: Study) -> tuple[pd.DataFrame, None, str]:
    given = _parameters(study, "culturevidbench")
    if given.get("prompt_list"):
        prompts = culturevidbench.read_list(found_at(given["prompt_list"]))
        return prompts, None, f"{len(prompts):,} prompts of {given['prompt_list']}"
    prompts = starter.prompts().query("benchmark == 'culturevidbench'")
    return prompts, None, f"the starter's {len(prompts):,} prompts of CultureVidBench"


def _landmarks(study: Study) -> tuple[pd.DataFrame, pd.DataFrame, str]:
    """Two prompts a landmark: as many landmarks as are drawn from real files, else those with a caption."""
    given = _parameters(study, "landmarks")
    if given.get("gldv2_folder"):
        ids = [f"landmark-{number}" for number in range(given.get("size", 500))]
        # Where they will stand is not known before they are drawn; which country it is costs nothing.
        chosen = _chosen_countries(study)
        countries = dict(zip(ids, cycle(chosen or ["France"]), strict=False))
        where = ", as if all stood in a country that the study chooses" if chosen else ""
    else:
        ids = written_captions()["landmark_id"].tolist()
        countries, where = collection.countries(), ""
    rows = [
        {
            "prompt_id": f"{landmark}-{variant}",
            "benchmark": "landmarks",
            "country": countries[landmark],
            "variant": variant,
            "text": "A walk around a landmark. " * (2 if variant == "short" else 12),
            "landmark_id": landmark,
        }
        for landmark in ids
        for variant in ("short", "detailed")
    ]
    places = pd.DataFrame({"landmark_id": ids, "reference_image": [f"{one}.jpg" for one in ids]})
    return (
        schemas.check("prompts", pd.DataFrame(rows), "landmarks"),
        places,
        f"{len(ids):,} landmarks, two prompts each{where}",
    )


def _chosen_countries(study: Study) -> list[str]:
    """The countries that the study file names; without misspelt ones, which no prompt will have."""
    named = study.prompts.country if study.prompts else None
    known = geography.axes()["country"]
    return known[known.isin(named or [])].tolist()


def _known(table: str, frame: pd.DataFrame) -> list[str]:
    return [column for column in schemas.TABLES[table].columns if column in frame]
