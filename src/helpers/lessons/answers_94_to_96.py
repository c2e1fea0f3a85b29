"""The answers of the lessons about gaps, equivalence and design."""

import numpy as np
from scipy import stats

from helpers import published
from helpers.evidence import questions
from helpers.evidence.ratings import expected_range
from helpers.lessons.answer import KnownAnswer
from helpers.stats.design import Components, variance_of_mean
from helpers.stats.differences import welch_error
from helpers.stats.equivalence import tost_summary

COMPONENTS = Components(prompt=0.15, rater=0.08, residual=0.12)


def equal_countries() -> KnownAnswer:
    """The expected range of ten equal means."""
    right = expected_range(10)
    return KnownAnswer(
        parts=(right,),
        tolerance=0.05,
        slips={"that is the highest alone; the lowest is as far away on the other side.": (right / 2,)},
    )


def wider() -> KnownAnswer:
    """The root of a design effect."""
    effect = 1 + 8 * 0.3
    return KnownAnswer(
        parts=(effect**0.5,),
        slips={
            "that is the factor of the variance.": (effect,),
            "a question does not correlate with itself: m - 1.": ((1 + 9 * 0.3) ** 0.5,),
        },
    )


def paired() -> KnownAnswer:
    """A mean paired difference and half of its interval."""
    cells = published.load("culturescore_cells").query("model != 'Veo 3.1 Fast'")
    printed = questions.country_percentages(published.load("culturescore_countries"))
    table9 = printed.query("model == 'LTX-2' and dimension != 'overall'")
    counted = questions.counted_cells(cells, questions.question_counts(cells, table9))
    shares = questions.pooled(counted.query("variant == 'extended'"), ["model", "country", "dimension"])
    means = shares.groupby(["model", "country"])["accuracy"].mean()
    differences = (means["Wan 2.2"] - means["LTX-2"]).to_numpy()
    low, high = stats.ttest_1samp(differences, 0).confidence_interval()
    mean, half = float(differences.mean()), float(high - low) / 2
    t = stats.t.ppf(0.975, 9)
    return KnownAnswer(
        parts=(mean, half),
        tolerance=0.02,
        slips={
            "it is Wan 2.2 minus LTX-2.": (-mean, half),
            "with ten differences the factor comes from t with 9 degrees of freedom, not 1.96.": (
                mean,
                half * stats.norm.ppf(0.975) / t,
            ),
            "the standard deviation of a sample divides by n - 1 (`ddof=1`).": (mean, half * np.sqrt(0.9)),
            "the standard error divides the standard deviation by √10.": (mean, half * np.sqrt(10)),
            "that is the whole width; half of it is asked for.": (mean, 2 * half),
        },
    )


def _regions(first: str, second: str) -> tuple[float, ...]:
    """Mean, SD and n of two regions, one after the other."""
    regions = published.load("landmarks_regions").set_index("region")[["mean", "sd", "n"]]
    return (*regions.loc[first].astype(float), *regions.loc[second].astype(float))


def west_east() -> KnownAnswer:
    """The interval and verdict of two one-sided tests."""
    mean1, sd1, n1, mean2, sd2, n2 = _regions("Global West", "Global East")
    se, df = welch_error(sd1, int(n1), sd2, int(n2))
    difference = mean1 - mean2
    ends = {
        level: np.array([-1, 1]) * stats.t.ppf((1 + level) / 2, df) * se + difference for level in (0.9, 0.95)
    }
    return KnownAnswer(
        parts=(*ends[0.9].tolist(), "equivalent"),
        slips={
            "that is the 95 % interval; two one-sided tests at 5 % go with the 90 % one.": (
                *ends[0.95].tolist(),
                "undecided" if ends[0.95][1] > 0.25 else "equivalent",
            ),
            "it is West minus East.": (*(-ends[0.9][::-1]).tolist(), "equivalent"),
        },
    )


def eight_five() -> KnownAnswer:
    """The verdict about two small groups."""
    verdict = tost_summary(*_regions("Africa", "Oceania"), margin=0.5).details["verdict"]
    return KnownAnswer(
        parts=(verdict,),
        slips={
            "the interval reaches beyond the margin, so it is not shown that the difference is small.": (
                "equivalent",
            ),
            "the interval holds zero, so it is not shown that there is a difference.": ("different",),
        },
    )


def smallest_margin() -> KnownAnswer:
    """The smallest margin of equivalence."""
    result = tost_summary(*_regions("Americas", "Asia"), margin=1.0)
    return KnownAnswer(
        parts=(result.details["smallest_margin"],),
        slips={
            "that is the difference itself; its interval must fit in.": (result.estimate,),
            "that is the nearer end of the interval.": (min(abs(result.low), abs(result.high)),),
            "that is the end of the 95 % interval.": (result.details["difference_high"],),
        },
    )


def study_error() -> KnownAnswer:
    """The standard error of a study's mean."""
    naive = (COMPONENTS.prompt**2 + COMPONENTS.rater**2 + COMPONENTS.residual**2) / 42
    right = variance_of_mean(COMPONENTS, prompts=14, raters=3)
    return KnownAnswer(
        parts=(right**0.5,),
        tolerance=0.0005,
        slips={
            "that is the variance; take its square root.": (right,),
            "that takes all 42 ratings as independent.": (naive**0.5,),
        },
    )


def enough_prompts() -> KnownAnswer:
    """The fewest prompts for a standard error."""
    right = next(p for p in range(1, 1000) if variance_of_mean(COMPONENTS, prompts=p, raters=3) <= 0.055**2)
    return KnownAnswer(
        parts=(right,),
        tolerance=0,
        slips={"with one prompt fewer the error is still above 0.055.": (right - 1,)},
    )


def seeds() -> KnownAnswer:
    """More prompts against more seeds."""
    one, two = (
        variance_of_mean(Components(prompt=0.15, rater=0.0, residual=0.1), prompts=p, raters=seeds) ** 0.5
        for p, seeds in ((20, 1), (10, 2))
    )
    return KnownAnswer(
        parts=(one, two),
        tolerance=0.0005,
        slips={
            "the other way round: one seed comes first.": (two, one),
            "those are the variances; take their square roots.": (one**2, two**2),
        },
    )
