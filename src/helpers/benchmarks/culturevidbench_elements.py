"""Cultural elements with their sources, and the three templates that turn one into a prompt.

CultureVidBench (section 3.1) collects elements from Cultural Atlas and Wikipedia: things and practices by
name, rituals with the ordered activities that they consist of. Its section 3.2 gives each category a sentence
pattern.
"""

from pathlib import Path

import pandas as pd

from helpers.benchmarks.line_report import LineReport
from helpers.checking import Table, nearest, one_of, text, whole
from helpers.published import ASPECTS
from helpers.schemas import country
from helpers.templates import template

TEMPLATES = Path(__file__).parent / "templates"
FEWEST_ACTIVITIES = 2

# One row an element, for rituals one row an activity. `source` names the publication, `url` its page.
ELEMENTS = Table(
    columns={
        "country": country(),
        "aspect": one_of(tuple(ASPECTS)),
        "element": text(),
        "step": whole(1, 50, nullable=True),
        "activity": text(nullable=True),
        "source": text(),
        "url": text(nullable=True),
    },
    key=("country", "aspect", "element", "step"),
)


def sentence(category: str, **words: str) -> str:
    """A prompt from its parts, in the order that the category's template gives them.

    Every prompt has a `subject` (who is seen, in general words or by their part in it, never how they look)
    and a `context` (the place or occasion, with the country's name). Between them stand

    - material: `action`, what they visibly do within five seconds, and the `element` itself;
    - social: the `practice`, with the movement that sets it apart from similar ones elsewhere;
    - ritual: `first_activity` and `second_activity`, two steps in the order of the source.

    Args:
        category: material, social or ritual.
        words: the parts.

    Returns:
        One sentence, with a capital letter at the start and a full stop at the end.

    Raises:
        ValueError: no such category, or a part that is missing, empty or unknown.
    """
    known = tuple(dict.fromkeys(ASPECTS.values()))
    if category not in known:
        raise ValueError(f"no template '{category}'{nearest(category, known)}; expected {', '.join(known)}")
    pattern = template(TEMPLATES / f"culturevidbench_{category}.txt")
    filled = pattern.fill(**{name: part.strip() for name, part in words.items()})
    return filled[0].upper() + filled[1:].rstrip(".") + "."


def read_elements(path: Path | str) -> pd.DataFrame:
    """Read a collection of elements: one row an element, for rituals one row an activity.

    Args:
        path: a CSV file with the columns of `ELEMENTS`. `step` (1, 2, …) and `activity` are filled for
            weddings, funerals and religious activities, in the order in which things happen, and only there.

    Raises:
        DataError: the file does not fit the schema; all such problems in one message.
        BadLinesError: rituals with fewer than two activities or a gap in their steps, other elements with
            activities; all of them in one message.
    """
    rows = ELEMENTS.read_csv(path)
    report = LineReport()
    ritual = rows["aspect"].map(ASPECTS).eq("ritual")
    for row in rows[~ritual & (rows["step"].notna() | rows["activity"].notna())].itertuples():
        report.add(path, row.Index + 2, f"'{row.element}' ({row.aspect}) has activities; expected none")
    for (_, aspect, element), steps in rows[ritual].groupby(["country", "aspect", "element"], sort=False):
        name = f"'{element}' ({aspect})"
        numbers = steps["step"].dropna().sort_values().tolist()
        if steps["activity"].isna().any() or len(numbers) < FEWEST_ACTIVITIES:
            report.add(
                path,
                steps.index[0] + 2,
                f"{name}: expected {FEWEST_ACTIVITIES} activities or more, each named",
            )
        elif numbers != list(range(1, len(steps) + 1)):
            report.add(path, steps.index[0] + 2, f"{name}: found the steps {numbers}, expected 1, 2, 3, …")
    report.refuse()
    return rows


def elements_of(prompts: pd.DataFrame) -> pd.DataFrame:
    """The elements that prompts were written for.

    Args:
        prompts: CultureVidBench rows of a table `prompts`.

    Returns:
        Columns country, aspect, element, prompts (how many), in the order of the prompts.
    """
    groups = prompts.groupby(["country", "aspect", "element"], sort=False)
    return groups.size().rename("prompts").reset_index()
