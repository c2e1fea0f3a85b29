"""A simulated CultureScore study: yes/no answers by judges, and the three tiers of the human study."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from helpers import published
from helpers.published import DIMENSIONS, MODELS
from helpers.simulate.latent import mixed, shifted, stream, yes
from helpers.simulate.raters import Rater, check_names, effect_of, rater_tables
from helpers.simulate.study import TEXT, Simulation, checked, crossed, joined, sees, taken
from helpers.simulate.triplets import triplet_tables
from helpers.stats.proportions import smallest_common_n

CELL = ["country", "category"]
VARIANTS = ("base", "extended")
# With one decimal, percentages fit nearly every n that is large enough, so that a fit says nothing.
_LARGEST_PLAUSIBLE_N = 150


def published_scenarios(questions: int = 3) -> pd.Series:
    """How many scenarios stand behind each published cell, counted from its printed percentages.

    A cell's n is the smallest that gives all four percentages of LTX-2 and Wan 2.2 (base and extended), the
    median of its three dimensions. Where no plausible n fits (India's family cells: the two runs differ
    there), the category's median stands in.

    Args:
        questions: questions of each dimension in a scenario; 8,811 questions on 981 scenarios make three.

    Returns:
        Whole numbers, indexed by country and category.
    """
    cells = published.load("culturescore_cells")
    cells = cells[cells["model"].ne("Veo 3.1 Fast")]
    n = cells.groupby([*CELL, "dimension"])["accuracy"].agg(
        lambda percents: smallest_common_n(list(percents), at_most=_LARGEST_PLAUSIBLE_N)
    )
    median = n.astype(float).groupby(CELL).median()
    filled = median.fillna(median.groupby("category").transform("median"))
    return (filled / questions).round().clip(lower=1).astype(int)


def culturescore_study(
    *,
    seed: int,
    judges: Sequence[Rater] = (Rater(rater_id="simulated-judge"),),
    people: Sequence[Rater] = (),
    scenarios: int | None = None,
    questions: int = 3,
    effects: Mapping[str, float] | None = None,
    scenario_share: float = 0.1,
    question_share: float = 0.3,
) -> Simulation:
    """Simulate CultureScore with the published cells as true rates.

    The true answer to a question about a clip is yes with the rate of its cell (Tables 11-16: model, variant,
    country, category, dimension). Answers share a part of their variance within a scenario (over dimensions,
    models and variants) and a part within a question (over models and variants); this clusters them and
    leaves every rate as it is. People get the paper's sheets (4.2, B.3): nine triplets of extended clips;
    they judge a question (relevant? true of which clips?) and rank the clips by their share of true yes.

    Args:
        seed: the same seed gives the same study; changing one dial leaves all other draws as they were.
        judges: raters who answer every question about every clip (of their country, if they have one).
        people: raters of the human study, each with a country.
        scenarios: scenarios in each cell; as many as `published_scenarios` counts where left out.
        questions: questions of each dimension in a scenario.
        effects: log-odds added to the true rates, by country, category, dimension, model or variant.
        scenario_share: share of the variance (before rounding to yes and no) that a scenario's answers share.
        question_share: share of the variance that a question's answers share beyond that.

    Returns:
        Tables prompts, questions, videos, raters, answers, and with people assignments, relevance and
        rankings. Truth: `cells` (model, variant, country, category, dimension, rate, n), `answers` (video_id,
        question_id, answer), `videos` (video_id, quality: share of true yes), `questions` (question_id,
        relevant) and `raters` (all dials).

    Raises:
        ValueError: effects or biases under unknown names, shares that do not sum to at most 1, people without
            a country or with too few scenarios for their sheets.
    """
    rates = _published_rates()
    names = {name for level in rates.index.levels for name in level}
    check_names(effects or {}, names, "effects")
    for rater in (*judges, *people):
        check_names(rater.bias, names, f"bias of {rater.rater_id}")
    raters, dials = rater_tables([*judges, *people])
    about = _scenarios(scenarios)
    asked = _questions(about, questions)
    clips = _clips(about)
    pairs, scenario, question = _pairs(asked, clips)
    rate = shifted(_rate(rates, pairs), effect_of(effects or {}, pairs[rates.index.names]))
    z = mixed(
        (scenario_share, stream(seed, "scenario").standard_normal(len(about))[scenario]),
        (question_share, stream(seed, "question").standard_normal(len(asked))[question]),
        (1 - scenario_share - question_share, stream(seed, "clip").standard_normal(len(pairs))),
    )
    pairs["answer"] = yes(rate, z)
    tables = checked(
        {
            "prompts": clips.drop_duplicates("prompt_id")
            .drop(columns=["video_id", "model"])
            .assign(benchmark="culturescore", text=TEXT),
            "questions": asked.drop(columns=CELL).assign(text=TEXT, verified=True),
            "videos": clips[["video_id", "prompt_id", "model"]].assign(status="ok"),
            "raters": raters,
        }
    )
    answers = [_answers(judge, pairs, seed) for judge in judges]
    quality = pairs.groupby("video_id", observed=True)["answer"].mean().rename("quality")
    known = {
        "answers": pairs[["video_id", "question_id", "answer"]],
        "videos": quality.reset_index(),
        "raters": dials,
    }
    if people:
        human, known["questions"] = triplet_tables(people, tables, pairs, quality, seed)
        answers.append(human.pop("answers"))
        tables |= checked(human)
    tables |= checked({"answers": pd.concat(answers, ignore_index=True)})
    cells = pairs[rates.index.names].assign(rate=rate).groupby(rates.index.names, observed=True)["rate"]
    known["cells"] = cells.agg(rate="mean", n="size").reset_index()
    return Simulation(tables, known)


def _published_rates() -> pd.Series:
    cells = published.load("culturescore_cells")
    return cells.set_index(["model", "variant", *CELL, "dimension"])["accuracy"] / 100


def _rate(rates: pd.Series, pairs: pd.DataFrame) -> np.ndarray:
    """Each pair's published rate."""
    categories = [pairs[name].cat.categories for name in rates.index.names]
    dense = rates.reindex(pd.MultiIndex.from_product(categories)).to_numpy()
    return dense.reshape([len(each) for each in categories])[
        tuple(pairs[name].cat.codes.to_numpy() for name in rates.index.names)
    ]


def _scenarios(each: int | None) -> pd.DataFrame:
    """One row a scenario: country, category, scenario_id."""
    sizes = published_scenarios()
    if each is not None:
        sizes = pd.Series(each, sizes.index)
    cells = sizes.index.to_frame(index=False).astype("category")
    about = taken(cells, np.repeat(np.arange(len(cells)), sizes))
    number = pd.Series(np.concatenate([np.arange(1, size + 1) for size in sizes]))
    return about.assign(scenario_id=joined(about["country"], about["category"], number))


def _questions(about: pd.DataFrame, each: int) -> pd.DataFrame:
    """One row a question: country, category, scenario_id, dimension, question_id."""
    kinds = crossed(dimension=DIMENSIONS, number=[str(number) for number in range(1, each + 1)])
    rows = taken(about, np.repeat(np.arange(len(about)), len(kinds)))
    kinds = taken(kinds, np.tile(np.arange(len(kinds)), len(about)))
    return rows.assign(
        dimension=kinds["dimension"],
        question_id=joined(rows["scenario_id"], kinds["dimension"], kinds["number"]),
    )


def _clips(about: pd.DataFrame) -> pd.DataFrame:
    """One row a clip: country, category, scenario_id, variant, model, prompt_id, video_id."""
    kinds = crossed(variant=VARIANTS, model=MODELS["culturescore"])
    rows = taken(about, np.repeat(np.arange(len(about)), len(kinds)))
    rows = rows.assign(**taken(kinds, np.tile(np.arange(len(kinds)), len(about))))
    prompt = joined(rows["scenario_id"], rows["variant"])
    return rows.assign(prompt_id=prompt, video_id=joined(prompt, rows["model"]))


def _pairs(asked: pd.DataFrame, clips: pd.DataFrame) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """One row a question about a clip of its scenario, and the numbers of its scenario and its question."""
    scenario_of_question = pd.factorize(asked["scenario_id"])[0]
    per_scenario = len(VARIANTS) * len(MODELS["culturescore"])
    question = np.repeat(np.arange(len(asked)), per_scenario)
    scenario = scenario_of_question[question]
    clip = scenario * per_scenario + np.tile(np.arange(per_scenario), len(asked))
    pairs = taken(asked[[*CELL, "dimension", "question_id"]], question)
    return (
        pairs.assign(**taken(clips[["variant", "model", "prompt_id", "video_id"]], clip)),
        scenario,
        question,
    )


def _answers(judge: Rater, pairs: pd.DataFrame, seed: int) -> pd.DataFrame:
    """A judge's rows of the table `answers`."""
    pairs = pairs[sees(judge, pairs)].reset_index(drop=True)
    said = judge.answers(pairs["answer"].to_numpy(), pairs[[*CELL, "dimension", "variant", "model"]], seed)
    return pairs[["video_id", "question_id"]].join(said).assign(rater_id=judge.rater_id)
