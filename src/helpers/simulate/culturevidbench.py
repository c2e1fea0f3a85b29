"""A simulated CultureVidBench study: eight criteria by judges and people, with matched sets of prompts."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from helpers import published
from helpers.geography import CULTUREVIDBENCH_COUNTRIES
from helpers.people.assignment import culturevidbench_sheets
from helpers.published import ASPECTS, AUDIO_ASPECTS, CRITERIA
from helpers.simulate.latent import calibrated, mixed, shifted, stream
from helpers.simulate.raters import Rater, check_names, effect_of, rater_tables
from helpers.simulate.study import TEXT, Simulation, checked, cohorts, crossed, joined, sees, taken

CULTURAL = [
    name for name, group in CRITERIA.items() if group in ("cultural_faithfulness", "multimodal_rendering")
]
_GRID = ["country", "aspect"]
_BIASED = ["country", "aspect", "model", "criterion"]


def published_rates(evaluator: str = "human") -> pd.Series:
    """The published mean scores (Table 1), 0 to 1, by model and criterion; silent models have none for sound.

    Args:
        evaluator: "human" or "Gemini-3.1-Pro".
    """
    scores = published.load("culturevidbench_scores")
    return scores[scores["evaluator"].eq(evaluator)].set_index(["model", "criterion"])["score"].dropna()


def culturevidbench_study(
    *,
    seed: int,
    judges: Sequence[Rater] = (Rater(rater_id="simulated-judge"),),
    people: Sequence[Rater] = (),
    prompts_per_aspect: int = 1,
    matched_sets: int = 0,
    rates: pd.Series | None = None,
    effects: Mapping[str, float] | None = None,
    difficulty: Mapping[str, float] | None = None,
    text_share: float = 0.6,
    prompt_share: float = 0.2,
    clip_share: float = 0.3,
) -> Simulation:
    """Simulate CultureVidBench with the published human means as true rates.

    A clip's true rate under a criterion is the mean of (score − 1)/4 over raters without bias. Over countries
    and aspects its mean is the published one of the model and criterion; `effects` and `difficulty` spread it
    around that. Grades share a part of their variance within a prompt (over models and criteria) and a part
    within a clip (over criteria). Text is graded where the clip shows any, sound where the aspect calls for
    it and the model makes it (4.1); elsewhere sound is not asked about, and text is "not applicable".

    Args:
        seed: the same seed gives the same study; changing one dial leaves all other draws as they were.
        judges: raters who see every clip (of their country, if they have one).
        people: raters of the human study, each with a country: one prompt an aspect, as on the paper's sheets
            (4.3), and the matched sets.
        prompts_per_aspect: ordinary prompts for each country and aspect.
        matched_sets: sets of prompts that differ only in the country's name; the aspects take turns.
        rates: true means by model and criterion; `published_rates()` where left out.
        effects: what a culture costs: log-odds on the four cultural criteria, by country or aspect.
        difficulty: what hard prompts cost: log-odds on all eight criteria of ordinary prompts, by country or
            aspect. Matched sets are equally hard everywhere.
        text_share: share of the prompts whose clips show text.
        prompt_share: share of the variance (before rounding to grades) that a prompt's grades share.
        clip_share: share of the variance that a clip's grades share beyond that.

    Returns:
        Tables prompts, videos, raters, ratings, and with people assignments. Truth: `cells` (model,
        criterion, country, aspect, matched, rate), `countries` (country, criterion, matched, rate: means over
        models and aspects) and `raters` (all dials).

    Raises:
        ValueError: effects, difficulty or biases under unknown names, shares that do not sum to at most 1,
            people without a country.
    """
    effects, difficulty = effects or {}, difficulty or {}
    rates = published_rates() if rates is None else rates
    for name, given in (("effects", effects), ("difficulty", difficulty)):
        check_names(given, (*CULTUREVIDBENCH_COUNTRIES, *ASPECTS), name)
    known = (*CULTUREVIDBENCH_COUNTRIES, *ASPECTS, *CRITERIA, *rates.index.unique("model"))
    for rater in (*judges, *people):
        check_names(rater.bias, known, f"bias of {rater.rater_id}")
    raters, dials = rater_tables([*judges, *people])
    prompts = _prompts(prompts_per_aspect, matched_sets, text_share, seed)
    clips = _clips(prompts, list(rates.index.unique("model")))
    cells = _cells(rates, effects, difficulty)
    graded, z = _graded(clips, cells, prompt_share, clip_share, seed)
    tables = checked(
        {
            "prompts": prompts,
            "videos": clips[["video_id", "prompt_id", "model", "audio"]].assign(status="ok"),
            "raters": raters,
        }
    )
    asked = [(judge, sees(judge, graded)) for judge in judges]
    if people:
        tables["assignments"] = _sheets(people, tables, seed)
        shown = tables["assignments"].groupby("rater_id")["video_id"]
        for person in people:
            on_sheet = graded["video_id"].isin(shown.get_group(person.rater_id))
            asked.append((person, (on_sheet | graded["matched"]).to_numpy() & sees(person, graded)))
    ratings = [_ratings(rater, graded[seen].reset_index(drop=True), z[seen], seed) for rater, seen in asked]
    tables |= checked({"ratings": pd.concat(ratings, ignore_index=True)})
    by_country = (
        cells.groupby(["country", "criterion", "matched"], observed=True)["rate"].mean().reset_index()
    )
    return Simulation(tables, {"cells": cells, "countries": by_country, "raters": dials})


def _prompts(per_aspect: int, matched_sets: int, text_share: float, seed: int) -> pd.DataFrame:
    """Ordinary prompts, then the matched sets: one prompt a country in each."""
    numbers = [str(number) for number in range(1, per_aspect + 1)]
    ordinary = crossed(country=CULTUREVIDBENCH_COUNTRIES, aspect=list(ASPECTS), number=numbers)
    ordinary = ordinary.assign(prompt_id=joined(ordinary["country"], ordinary["aspect"], ordinary["number"]))
    sets = [f"matched-{number}" for number in range(1, matched_sets + 1)]
    matched = crossed(matched_set=sets, country=CULTUREVIDBENCH_COUNTRIES)
    turns = np.repeat(np.resize(list(ASPECTS), matched_sets), len(CULTUREVIDBENCH_COUNTRIES))
    matched = matched.assign(aspect=turns, prompt_id=joined(matched["matched_set"], matched["country"]))
    prompts = pd.concat([ordinary, matched], ignore_index=True).drop(columns="number")
    # The prompts of a set share whether they show text.
    shows_text = stream(seed, "text").random(len(ordinary) + matched_sets) < text_share
    each = np.repeat(shows_text[len(ordinary) :], len(CULTUREVIDBENCH_COUNTRIES))
    return prompts.assign(
        benchmark="culturevidbench",
        variant="plain",
        text=TEXT,
        text_cue=np.concatenate([shows_text[: len(ordinary)], each]),
        audio_cue=prompts["aspect"].isin(AUDIO_ASPECTS),
    )


def _clips(prompts: pd.DataFrame, models: list[str]) -> pd.DataFrame:
    """One row a clip, the models of a prompt together."""
    sound = published.load("culturevidbench_generation").set_index("model")["audio"].eq("yes")
    model = pd.Series(np.tile(models, len(prompts)), dtype=pd.CategoricalDtype(models))
    rows = taken(prompts, np.repeat(np.arange(len(prompts)), len(models)))
    audio = model.astype(str).map(sound)
    return rows.assign(model=model, audio=audio, video_id=joined(rows["prompt_id"], model))


def _cells(rates: pd.Series, effects: Mapping[str, float], difficulty: Mapping[str, float]) -> pd.DataFrame:
    """The true rate of every model, criterion, country and aspect, in ordinary prompts and matched sets."""
    grids = {
        name: crossed(country=CULTUREVIDBENCH_COUNTRIES, aspect=list(aspects))
        for name, aspects in (("audio_alignment", AUDIO_ASPECTS), ("others", ASPECTS))
    }
    cells = []
    for (model, criterion), mean in rates.items():
        grid = grids.get(criterion, grids["others"])
        acting, hardness = effect_of(effects, grid) * (criterion in CULTURAL), effect_of(difficulty, grid)
        ordinary = calibrated(mean, acting + hardness)
        # Equally hard everywhere: as hard as ordinary prompts are on average.
        matched = shifted(ordinary, hardness.mean() - hardness)
        cells += [
            grid.assign(model=model, criterion=criterion, matched=kind, rate=rate)
            for kind, rate in ((False, ordinary), (True, matched))
        ]
    return pd.concat(cells, ignore_index=True).astype({"aspect": str})


def _graded(
    clips: pd.DataFrame, cells: pd.DataFrame, prompt_share: float, clip_share: float, seed: int
) -> tuple[pd.DataFrame, np.ndarray]:
    """One row a clip and criterion that is asked about, with its rate; and its standard normal score."""
    criteria = list(CRITERIA)
    clip = np.repeat(np.arange(len(clips)), len(criteria))
    # Prompts that differ only in the country's name are one prompt here: equally hard.
    prompt, prompts = pd.factorize(clips["matched_set"].astype(str).fillna(clips["prompt_id"]))
    z = mixed(
        (prompt_share, stream(seed, "prompt").standard_normal(len(prompts))[prompt[clip]]),
        (clip_share, stream(seed, "clip").standard_normal(len(clips))[clip]),
        (1 - prompt_share - clip_share, stream(seed, "criterion").standard_normal(clip.size)),
    )
    graded = taken(clips[["video_id", *_GRID, "model", "matched_set", "text_cue"]], clip)
    graded = graded.assign(criterion=np.tile(criteria, len(clips)), matched=graded["matched_set"].notna())
    graded = graded.merge(cells, on=[*_GRID, "model", "criterion", "matched"], how="left")
    asked = graded["rate"].notna().to_numpy()
    return graded[asked].astype(dict.fromkeys(_BIASED, "category")), z[asked]


def _sheets(people: Sequence[Rater], tables: dict[str, pd.DataFrame], seed: int) -> pd.DataFrame:
    """The paper's sheets of ordinary prompts, for each country's people."""
    sheets = []
    for country, names in cohorts(people).items():
        prompts = tables["prompts"]
        prompts = prompts[prompts["country"].eq(country) & prompts["matched_set"].isna()]
        videos = tables["videos"][tables["videos"]["prompt_id"].isin(prompts["prompt_id"])]
        own = int(stream(seed, "sheets", country).integers(2**32))
        sheet = culturevidbench_sheets(prompts, videos, seed=own, raters=len(names))
        sheets.append(sheet.assign(rater_id=sheet["rater_id"].map(names)))
    return pd.concat(sheets, ignore_index=True)


def _ratings(rater: Rater, graded: pd.DataFrame, z: np.ndarray, seed: int) -> pd.DataFrame:
    """A rater's rows of the table `ratings`."""
    applies = (graded["criterion"].ne("text_rendering") | graded["text_cue"]).to_numpy()
    said = rater.scores(graded["rate"].to_numpy(), z, graded[_BIASED], applies, seed)
    return graded[["video_id", "criterion"]].join(said).assign(rater_id=rater.rater_id)
