"""The page that lists the lessons, and every file that is made from them."""

import re
from pathlib import Path

from helpers.checking import DataError
from helpers.lessons.repository import Repository
from helpers.lessons.students import STUDENTS, lessons, read, student_version, text_of
from helpers.paths import NOTEBOOKS, ROOT, shown

PAGE = ROOT / "book" / "lessons.md"
MARKS = ("% The table is made by `python -m helpers.lessons`.", "% The table ends.")
UNKNOWN = (
    "This copy does not know where on GitHub it lies, so there are no buttons for Colab and Binder. Write\n"
    "`repository: {url: https://github.com/OWNER/NAME, branch: main}` into `_config.yml` and run\n"
    "`python -m helpers.lessons`: they appear here and in the students' notebooks."
)


def table(repository: Repository | None) -> str:
    """The lessons as a table in MyST: goal, minutes, what one needs before, and where to work on them.

    Raises:
        DataError: a lesson whose opening lacks its goal, its minutes or what comes before.
    """
    rows = ["| Lesson | Goal | Before | Work on it |", "| --- | --- | --- | --- |"]
    for lesson in lessons():
        goal, minutes, before = _opening(lesson)
        path = f"{STUDENTS.name}/{lesson.name}"
        ways = [f"{{download}}`Notebook <{path}>`"]
        if repository:
            launchers = repository.launchers(path)
            ways += [f"{{bdg-link-primary}}`{name} <{address}>`" for name, address in launchers.items()]
        page = f"{{doc}}`{NOTEBOOKS.name}/{lesson.stem}`"
        rows.append(f"| {page} ({minutes} minutes) | {goal} | {before} | {' '.join(ways)} |")
    return "\n".join(rows) + ("" if repository else f"\n\n{UNKNOWN}")


def made(repository: Repository | None) -> dict[Path, str]:
    """Every file that is made from the lessons, with its text.

    Raises:
        DataError: as `student_version` and `table`, or a page without the marks around its table.
    """
    page = PAGE.read_text(encoding="utf-8")
    try:
        before, rest = page.split(MARKS[0])
        _, after = rest.split(MARKS[1])
    except ValueError:
        raise DataError(
            f"{shown(PAGE)}: expected the lines '{MARKS[0]}' and '{MARKS[1]}', once each"
        ) from None
    files = {PAGE: f"{before}{MARKS[0]}\n\n{table(repository)}\n\n{MARKS[1]}{after}"}
    return files | {STUDENTS / lesson.name: student_version(lesson, repository) for lesson in lessons()}


def _opening(lesson: Path) -> tuple[str, str, str]:
    """Goal, minutes and what comes before, from the list that opens a lesson."""
    opening = text_of(read(lesson)["cells"][0])
    found = [
        re.search(rf"^- \*\*{word}\*\* {rest}", opening, flags=re.M)
        for word, rest in (("Goal", "(.+)"), ("Takes about", r"(\d+) minutes"), ("Before", "(.+)"))
    ]
    if not all(found):
        raise DataError(
            f"{shown(lesson)}: expected the lines '- **Goal** …', '- **Takes about** N minutes …' and "
            "'- **Before** …' in its first cell"
        )
    # The page lies one folder higher than the notebooks.
    before = found[2][1].replace("<9", f"<{NOTEBOOKS.name}/9")
    return found[0][1], found[1][1], before
