"""The right answers of the lessons' exercises, and the slips that are easily made.

Wherever there is another way to an answer than the one that the lesson's solution takes, it is taken here: a
library's function for what is done by hand, a closed form for what is simulated. So solution and answer check
each other each time the lessons run.
"""

from collections.abc import Callable

from helpers.lessons import answers_91_to_93 as first
from helpers.lessons import answers_94_to_96 as second
from helpers.lessons.answer import KnownAnswer

ANSWERS: dict[str, Callable[[], KnownAnswer]] = {
    f"{lesson}-{number}": answer
    for lesson, answers in {
        91: (first.common_questions, first.zero_of_six, first.effective_questions),
        92: (first.kappa, first.ac1, first.sets),
        93: (first.crossings, first.four_models, first.ceiling),
        94: (second.equal_countries, second.wider, second.paired),
        95: (second.west_east, second.eight_five, second.smallest_margin),
        96: (second.study_error, second.enough_prompts, second.seeds),
    }.items()
    for number, answer in enumerate(answers, start=1)
}
