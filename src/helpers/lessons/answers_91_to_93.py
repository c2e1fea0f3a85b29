"""The answers of the lessons about percentages, agreement and rank correlation."""

import numpy as np
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from helpers import published
from helpers.evidence.ratings import rater_ceilings
from helpers.lessons.answer import KnownAnswer
from helpers.stats.agreement import jaccard
from helpers.stats.association import kendall, spearman
from helpers.stats.chance_corrected import conger_kappa, gwet_ac, percent_agreement
from helpers.stats.proportions import smallest_common_n

NORMAL = float(stats.norm.ppf(0.975))


def common_questions() -> KnownAnswer:
    """How many questions give four percentages."""
    right = smallest_common_n([9.3, 14.8, 11.1, 13.0])
    return KnownAnswer(
        parts=(right,),
        tolerance=0,
        slips={
            f"with {k} × as many they all fit too, but a smaller number does.": (k * right,) for k in (2, 3)
        },
    )


def zero_of_six() -> KnownAnswer:
    """The upper end of an interval without a success."""
    # With no success Wilson's upper end is z² / (n + z²).
    right = NORMAL**2 / (6 + NORMAL**2)
    return KnownAnswer(
        parts=(100 * right,),
        tolerance=0.2,
        slips={
            "that is what the simple formula gives: ± 0, however few answers there are. Use wilson.": (0.0,),
            "expected per cent.": (right,),
        },
    )


def effective_questions() -> KnownAnswer:
    """What questions about the same clips are worth."""

    def width(n: int) -> float:
        low, high = proportion_confint(0.361 * n, n, method="wilson")
        return 100 * (high - low)

    return KnownAnswer(
        parts=(18.0, width(18)),
        tolerance=0.5,
        slips={
            "12 is right for r = 1, where only clips count.": (12.0, width(12)),
            "36 is right for r = 0, where nothing is lost.": (36.0, width(36)),
            "the first is right; the second is half of the width.": (18.0, width(18) / 2),
        },
    )


def _two_raters() -> tuple[np.ndarray, list[int]]:
    return np.repeat([(1, 1), (1, 0), (0, 1), (0, 0)], [85, 5, 7, 3], axis=0), [0, 1]


def kappa() -> KnownAnswer:
    """Percent agreement and Cohen's kappa."""
    table = _two_raters()
    agreed, ac1 = percent_agreement(*table).estimate, gwet_ac(*table).estimate
    return KnownAnswer(
        parts=(agreed, conger_kappa(*table).estimate),
        slips={
            "the second is AC1, the next exercise; for κ each rater has a chance of his or her own.": (
                agreed,
                ac1,
            ),
            "the chance agreement must count both 'no' as well as both 'yes'.": (
                agreed,
                (agreed - 0.9 * 0.92) / (1 - 0.9 * 0.92),
            ),
        },
    )


def ac1() -> KnownAnswer:
    """Gwet's AC1 of the same table."""
    table = _two_raters()
    return KnownAnswer(
        parts=(gwet_ac(*table).estimate,),
        slips={"that is κ: AC1 has another chance agreement.": (conger_kappa(*table).estimate,)},
    )


def sets() -> KnownAnswer:
    """Mean Jaccard similarity under both rules for two empty sets."""
    answers = [["AB", "A"], ["C", "C"], ["ABC", "BC"], ["", "A"], ["", ""]]
    table = np.empty((len(answers), 2), dtype=object)
    for row, column in np.ndindex(table.shape):
        table[row, column] = set(answers[row][column])
    left_out, counted = (jaccard(table, "ABC", both_empty=rule).estimate for rule in ("skip", "one"))
    return KnownAnswer(
        parts=(left_out, counted),
        slips={
            "the other way round: the pair left out comes first.": (counted, left_out),
            "nothing against {A} is a pair like any other, with similarity 0: only 0/0 is in doubt.": (
                left_out * 4 / 3,
                (left_out * 4 + 1) / 4,
            ),
        },
    )


def crossings() -> KnownAnswer:
    """Pairs ordered differently, and Kendall's tau."""
    scores = published.load("culturevidbench_scores").query("criterion == 'text_rendering'")
    people, judge = (
        scores[scores["evaluator"].eq(name)].sort_values("model")["score"]
        for name in ("human", "Gemini-3.1-Pro")
    )
    tau = kendall(people, judge).estimate
    crossings = round(21 * (1 - tau) / 2)
    return KnownAnswer(
        parts=(crossings, tau),
        slips={
            "τ is the share ordered alike *minus* the share ordered differently.": (
                crossings,
                1 - crossings / 21,
            )
        },
    )


def four_models() -> KnownAnswer:
    """The smallest p of four models."""
    return KnownAnswer(
        parts=(spearman(range(4), range(4)).p,),
        slips={"the full reverse would be as surprising: count it too.": (1 / 24,)},
    )


def ceiling() -> KnownAnswer:
    """What an error-free judge reaches."""
    table = published.load("culturevidbench_correlations").set_index(["evaluator", "criterion", "statistic"])[
        "value"
    ]
    single = table["Inter-human", "action_alignment", "rho"]
    right = float(rater_ceilings([single], 3)["perfect"].iloc[0])
    return KnownAnswer(
        parts=(right,),
        slips={
            "that is the reliability of the mean; a correlation with it goes with its square root.": (
                right**2,
            ),
            "that is the ceiling for a single person's scores; there are three.": (single**0.5,),
        },
    )
