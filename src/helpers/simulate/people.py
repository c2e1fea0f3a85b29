"""Draw what people say of a study's simulated clips: `python -m helpers.simulate.people STUDY.yaml`.

The study's key `simulated_people` says how many there are and how they err. They see the same clips as the
judges and the truth through other eyes, so that people and judges agree in part. Each country's people get
CultureScore's triplets (an extended clip by each model, with one question) and grade the clips of one
CultureVidBench prompt an aspect; others, of no country, compare all landmarks. The part `simulated-people` of
the tables raters, assignments, relevance, answers, ratings and rankings is written anew each time, the same
from the same tables. The exit status is 0, or 2 where the study does not fit.
"""

import argparse
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from helpers import schemas, tables
from helpers import study as studies
from helpers.checking import DataError
from helpers.commands import leave, status_of
from helpers.geography import COUNTRIES, countries
from helpers.judging.study import study_tables
from helpers.paths import shown
from helpers.published import AUDIO_ASPECTS
from helpers.simulate.dials import PEOPLE_PART, SimulatedPeople
from helpers.simulate.latent import stream
from helpers.simulate.raters import Rater, rater_tables
from helpers.simulate.study_truth import true_answers, true_grades
from helpers.simulate.triplets import triplet_tables

PERSON = "simulated-person-"  # begins each one's rater_id
WRITTEN = ("raters", "assignments", "relevance", "answers", "ratings", "rankings")
# CultureScore shows nine triplets to a person (4.2); a country with fewer prompts, as many as it has.
TRIPLETS = 9


def main(arguments: list[str] | None = None) -> int:
    """The command line; see the module's first lines."""
    parser = argparse.ArgumentParser(
        prog="python -m helpers.simulate.people", description="Draw what people say of simulated clips."
    )
    parser.add_argument("study", type=Path, help="the study's YAML file")
    options = parser.parse_args(arguments)
    return status_of(lambda: _run(options.study))


def _run(file: Path) -> int:
    written = write_people(studies.load(file))
    print(", ".join(f"{len(frame):,} {name}" for name, frame in written.items()))
    return 0


def write_people(study: studies.Study) -> dict[str, pd.DataFrame]:
    """Write what simulated people say of a study's simulated clips.

    Returns:
        The parts written, by the table's name; a table that they say nothing for is written empty.

    Raises:
        DataError: no `simulated_people` or no clips of simulated models, a table that is absent, or real
            people in the study, or others' rows in the parts to be written.
    """
    if study.simulated_people is None:
        raise DataError(f"the study '{study.name}' has no simulated people; expected `simulated_people`")
    _refuse_real_people(study.folder)
    _refuse_to_replace_others(study.folder)
    said = _said(study, study.simulated_people)
    for name in WRITTEN:
        frame = said.get(name, _none(name)).sort_values(list(schemas.TABLES[name].key), ignore_index=True)
        said[name] = schemas.check(name, frame, PEOPLE_PART)
        tables.write(study.folder, name, said[name], part=PEOPLE_PART)
    return {name: said[name] for name in WRITTEN}


def _said(study: studies.Study, people: SimulatedPeople) -> dict[str, pd.DataFrame]:
    found = study_tables(study.folder)
    models = study.simulated_models
    made = found["videos"]["model"].isin([model.name for model in models]) & found["videos"]["status"].eq(
        "ok"
    )
    if not made.any():
        raise DataError(
            f"{shown(study.folder)}: found no clip of a simulated model; expected some, as "
            "`python -m helpers.generation` makes them for `simulated_models`"
        )
    found["videos"] = found["videos"][made].sort_values("video_id", ignore_index=True)
    about = found["prompts"][found["prompts"]["prompt_id"].isin(found["videos"]["prompt_id"])]
    found["prompts"] = about.sort_values("prompt_id", ignore_index=True)
    at_home = about.loc[about["benchmark"].ne("landmarks"), "country"]
    raters = [
        person for country in sorted(at_home.unique()) for person in _people(people, country, study.seed)
    ]
    travellers = _people(people, None, study.seed) if about["benchmark"].eq("landmarks").any() else []
    said = _triplets(raters, found, true_answers(found, models, study.seed), study.seed)
    said["ratings"] = _ratings(raters, travellers, found, true_grades(found, models, study.seed), study.seed)
    said["raters"] = rater_tables([*raters, *travellers])[0]
    return said


def _people(dials: SimulatedPeople, country: str | None, seed: int) -> list[Rater]:
    """The people of a country, or those of none."""
    language = countries().set_index("country")["official_language"]
    names = [
        f"{PERSON}{country or 'anywhere'}-{number}".replace(" ", "-") for number in range(1, dials.raters + 1)
    ]
    return [
        Rater(
            rater_id=name,
            kind="human",
            country=country,
            native=None if country is None else True,
            language=language[country] if country in COUNTRIES else None,
            blinded=False,
            attention=True,
            sensitivity=dials.sensitivity,
            specificity=dials.specificity,
            reliability=dials.reliability,
            leniency=dials.leniency_spread * float(stream(seed, "leniency", name).standard_normal()),
            missing=dials.missing,
        )
        for name in names
    ]


def _triplets(
    raters: list[Rater], found: Mapping[str, pd.DataFrame], truth: pd.DataFrame, seed: int
) -> dict[str, pd.DataFrame]:
    """What people say about CultureScore's clips, country by country."""
    prompts, videos = found["prompts"], found["videos"]
    shown_to = prompts[prompts["benchmark"].eq("culturescore") & prompts["variant"].eq("extended")]
    columns = ["prompt_id", "category", "variant"]
    pairs = truth.merge(videos[["video_id", "prompt_id", "model"]], on="video_id").merge(
        prompts[columns], on="prompt_id"
    )
    pairs = pairs[pairs["prompt_id"].isin(shown_to["prompt_id"])]
    said: dict[str, list[pd.DataFrame]] = {}
    for country, own in pairs.groupby("country"):
        people = [person for person in raters if person.country == country]
        chosen = {
            "prompts": shown_to[shown_to["country"].eq(country)],
            "questions": found["questions"],
            "videos": videos[videos["prompt_id"].isin(own["prompt_id"])],
        }
        quality = own.groupby("video_id")["answer"].mean()
        number = min(TRIPLETS, _complete(chosen["videos"]))
        if number < 3:  # attention checks come after two of the triplets and never after the last
            continue
        answered, _ = triplet_tables(people, chosen, own, quality, seed, triplets=number)
        for name, rows in answered.items():
            said.setdefault(name, []).append(rows)
    return {name: pd.concat(rows, ignore_index=True) for name, rows in said.items()}


def _complete(videos: pd.DataFrame) -> int:
    """How many prompts have a clip by every model."""
    return int(videos.groupby("prompt_id")["model"].nunique().eq(videos["model"].nunique()).sum())


def _ratings(
    raters: list[Rater],
    travellers: list[Rater],
    found: Mapping[str, pd.DataFrame],
    grades: pd.DataFrame,
    seed: int,
) -> pd.DataFrame:
    """Everybody's grades: a country's people one prompt an aspect, travellers all landmarks."""
    prompts = found["prompts"]
    places = prompts.loc[prompts["benchmark"].eq("landmarks"), "prompt_id"]
    ours = prompts[prompts["benchmark"].eq("culturevidbench")]
    ours = ours.sort_values("matched_set", na_position="first", kind="stable")
    on_sheets = ours.drop_duplicates(["country", "aspect"])["prompt_id"]
    # Nobody is asked about the sound of a silent clip, or of an aspect that has none.
    heard = grades["applies"] & grades["prompt_id"].isin(
        ours.loc[ours["aspect"].isin(AUDIO_ASPECTS), "prompt_id"]
    )
    grades = grades[grades["criterion"].ne("audio_alignment") | heard]
    sheet = grades[grades["prompt_id"].isin(on_sheets)]
    asked = [(person, sheet[sheet["country"].eq(person.country)]) for person in raters]
    asked += [(person, grades[grades["prompt_id"].isin(places)]) for person in travellers]
    said = [_grades(person, rows, seed) for person, rows in asked if len(rows)]
    return pd.concat(said, ignore_index=True) if said else _none("ratings")


def _grades(person: Rater, rows: pd.DataFrame, seed: int) -> pd.DataFrame:
    rows = rows.reset_index(drop=True)
    rate, z, applies = (rows[name].to_numpy() for name in ("rate", "z", "applies"))
    said = person.scores(rate.astype(float), z.astype(float), rows[["criterion"]], applies.astype(bool), seed)
    return rows[["video_id", "criterion"]].join(said).assign(rater_id=person.rater_id)


def _none(name: str) -> pd.DataFrame:
    """A table without rows."""
    return schemas.check(name, pd.DataFrame(columns=list(schemas.TABLES[name].columns)), PEOPLE_PART)


def _refuse_real_people(study: Path) -> None:
    own = tables.table_path(study, "raters", PEOPLE_PART)
    for path in tables.files(study, "raters"):
        rows = tables.read_part(path, ["rater_id", "kind"])
        people = rows.loc[rows["kind"].eq("human"), "rater_id"]
        if path != own and len(people):
            raise DataError(
                f"{shown(path)}: found real people ('{people.iloc[0]}'); expected none in a study with "
                "simulated ones, who would be counted among them"
            )


def _refuse_to_replace_others(study: Path) -> None:
    for name in WRITTEN:
        own = tables.table_path(study, name, PEOPLE_PART)
        raters = tables.read_part(own, ["rater_id"])["rater_id"] if own.exists() else pd.Series(dtype=str)
        others = raters[~raters.str.startswith(PERSON)]
        if len(others):
            raise DataError(
                f"{shown(own)}: found rows of '{others.iloc[0]}', expected those of simulated people alone; "
                "give the other one another name, or move the file away"
            )


if __name__ == "__main__":
    leave(main)
