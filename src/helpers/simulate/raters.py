"""Simulated raters, people and judges alike: what they answer, given the truth and their dials."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Literal

import numpy as np
import pandas as pd

from helpers.checking import nearest
from helpers.geography import COUNTRIES
from helpers.schemas import MAY_BE_NA, SCALES, check
from helpers.simulate.latent import grade, mixed, shifted, stream

_SHARES = ("sensitivity", "specificity", "reliability", "missing", "not_applicable")


@dataclass(frozen=True, kw_only=True)
class Rater:
    """A rater and their dials; left alone, one who always sees the truth.

    Attributes:
        rater_id: the name in every table.
        kind: whose part is played, "human" or "judge".
        country: the cohort; a rater with a country sees only its clips, one without sees all.
        native, language, blinded, attention: as in the table `raters`. A blinded rater does not know the
            country, so a bias for a country does not act.
        sensitivity: probability of a yes where the truth is yes.
        specificity: probability of a no where the truth is no.
        reliability: share of a grade's variance (before rounding) that is the clip's and not the rater's.
        leniency: log-odds added towards yes and higher grades.
        bias: further log-odds for the clips of a country or a model, or under a criterion or dimension.
        missing: probability that an answer is not given.
        not_applicable: probability of "not applicable" where the criterion allows it, although it applies.
    """

    rater_id: str
    kind: Literal["human", "judge"] = "judge"
    country: str | None = None
    native: bool | None = None
    language: str | None = None
    blinded: bool | None = None
    attention: bool | None = None
    sensitivity: float = 1.0
    specificity: float = 1.0
    reliability: float = 1.0
    leniency: float = 0.0
    bias: Mapping[str, float] = field(default_factory=dict)
    missing: float = 0.0
    not_applicable: float = 0.0

    def __post_init__(self) -> None:
        for name in _SHARES:
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(
                    f"{self.rater_id}: {name} is {getattr(self, name)}, expected a number from 0 to 1"
                )

    def answers(
        self, truth: np.ndarray, about: pd.DataFrame, seed: int, purpose: str = "answers"
    ) -> pd.DataFrame:
        """Yes/no answers.

        Args:
            truth: the true answers, booleans of shape (n,).
            about: for each answer the columns by which `bias` may act, n rows.
            seed: the study's seed; it, the purpose, the rater's name and n fix the draws, the dials do not.
            purpose: what is answered, so that different things are answered independently.

        Returns:
            Columns answer (nullable boolean) and status ("ok" or "missing"), n rows.
        """
        rng = stream(seed, purpose, self.rater_id)
        honest = np.where(truth, self.sensitivity, 1 - self.specificity)
        said = rng.random(truth.size) < shifted(honest, self._log_odds(about))
        missing = rng.random(truth.size) < self.missing
        return _outcome("answer", pd.array(said, dtype="boolean"), missing)

    def scores(
        self, rate: np.ndarray, z: np.ndarray, about: pd.DataFrame, applies: np.ndarray, seed: int
    ) -> pd.DataFrame:
        """Grades on each criterion's own scale.

        Args:
            rate: the true mean of the grade, from 0 (lowest) to 1 (highest), shape (n,).
            z: the clip's standard normal score under the criterion, shape (n,).
            about: n rows with the column criterion and those by which `bias` may act.
            applies: whether the clip shows what the criterion grades, shape (n,).
            seed: as in `answers`.

        Returns:
            Columns score (Int64, missing where "not applicable" or missing) and status, n rows.
        """
        rng = stream(seed, "scores", self.rater_id)
        own = rng.standard_normal(rate.size)
        seen = mixed((self.reliability, z), (1 - self.reliability, own))
        moved = shifted(rate, self._log_odds(about))
        score = np.zeros(rate.size, dtype=np.int64)
        for criterion, rows in about.groupby("criterion", observed=True).indices.items():
            score[rows] = grade(moved[rows], seen[rows], *SCALES[criterion])
        missing = rng.random(rate.size) < self.missing
        allowed = about["criterion"].isin(MAY_BE_NA).to_numpy()
        silent = allowed & (~applies | (rng.random(rate.size) < self.not_applicable))
        return _outcome("score", pd.array(score, dtype="Int64"), missing, silent)

    def ranks(self, quality: np.ndarray, about: pd.DataFrame, seed: int) -> np.ndarray:
        """Perceived quality, to be ranked within each prompt.

        Args:
            quality: the clips' true quality, standardised, shape (n,).
            about: n rows with the columns by which `bias` may act.
            seed: as in `answers`.

        Returns:
            Scores of shape (n,); more is better, ties have probability 0 unless the reliability is 1.
        """
        own = stream(seed, "ranks", self.rater_id).standard_normal(quality.size)
        return mixed((self.reliability, quality), (1 - self.reliability, own)) + self._log_odds(about)

    def _log_odds(self, about: pd.DataFrame) -> np.ndarray:
        """Leniency and the biases that act on each row."""
        biases = {name: size for name, size in self.bias.items() if not (self.blinded and name in COUNTRIES)}
        return self.leniency + effect_of(biases, about)


def cohort(countries: Iterable[str], size: int, like: Rater) -> list[Rater]:
    """The same rater several times for each country, named "<rater_id>-<country>-<number>".

    Args:
        countries: the cohorts.
        size: raters a country.
        like: whose dials they have.
    """
    return [
        replace(like, rater_id=f"{like.rater_id}-{country}-{number}", country=country)
        for country in countries
        for number in range(1, size + 1)
    ]


def effect_of(effects: Mapping[str, float], about: pd.DataFrame) -> np.ndarray:
    """The sum of the effects whose names stand in a row.

    Args:
        effects: sizes by name; a name is a value of any column.
        about: n rows of named things (country, model, criterion, …), no name in two columns.

    Returns:
        Shape (n,), 0 where no name fits.
    """
    total = np.zeros(len(about))
    if effects:
        for column in about:
            total += about[column].map(effects).astype(float).fillna(0).to_numpy()
    return total


def check_names(effects: Mapping[str, float], known: Iterable[str], what: str) -> None:
    """Refuse effects under names that nothing in the study bears.

    Raises:
        ValueError: names the unknown one and the nearest known.
    """
    known = list(known)
    for name in effects:
        if name not in known:
            raise ValueError(f"{what}: nothing here is called '{name}'{nearest(name, known)}")


def rater_tables(raters: Sequence[Rater]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The table `raters`, and the dials of each as truth.

    Raises:
        ValueError: two raters of one name, or none.
    """
    if not raters:
        raise ValueError("raters: found none, expected at least one judge or person")
    dials = pd.DataFrame([asdict(rater) for rater in raters])
    background = ["rater_id", "kind", "country", "native", "language", "blinded", "attention"]
    return check("raters", dials[background], "raters"), dials


def _outcome(
    name: str, values: pd.api.extensions.ExtensionArray, missing: np.ndarray, silent: np.ndarray | None = None
) -> pd.DataFrame:
    """Values with their status; those missing or not applicable are taken away."""
    values[missing if silent is None else missing | silent] = pd.NA
    return pd.DataFrame({name: values, "status": np.where(missing, "missing", "ok")})
