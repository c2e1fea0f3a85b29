"""The students' notebooks, made from the lessons.

A lesson is a notebook whose solutions stand in cells tagged `solution`: code, which runs with the book and is
thereby tested, or text. In the student's version a code cell's place is taken by `name = ...` for each name
that the next cell, tagged `check`, looks at.
"""

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from helpers.checking import DataError
from helpers.lessons.plain import plain
from helpers.lessons.repository import Repository
from helpers.paths import NOTEBOOKS, ROOT, shown

STUDENTS = ROOT / "lessons"
PATTERN = "9*_*.ipynb"
BADGES = {
    "Colab": "https://colab.research.google.com/assets/colab-badge.svg",
    "Binder": "https://mybinder.org/badge_logo.svg",
}
# Colab brings its own Python with most of what the lessons need, so nothing is pinned there.
COLAB = """\
# For Google Colab only: fetches the project and the packages that Colab lacks.
import subprocess
import sys
from pathlib import Path

if "google.colab" in sys.modules:
    repository = "{url}"{hint}
    if not Path("project").exists():
        subprocess.run(["git", "clone", "--depth=1", "--branch={branch}", repository, "project"], check=True)
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", "country-converter", "pandera"], check=True)
    sys.path.insert(0, "project/src")"""


def lessons() -> list[Path]:
    """The lessons' notebooks in their order."""
    return sorted(NOTEBOOKS.glob(PATTERN))


def student_version(lesson: Path, repository: Repository | None) -> str:
    """A lesson without its solutions, as the text of a notebook file.

    Args:
        lesson: the notebook.
        repository: for the badges and for Colab; without it there are no badges, and in Colab the address
            has to be typed in.

    Raises:
        DataError: a solution in code that no check follows, a check that looks at nothing of it, or a role
            or directive that only Sphinx can read and that has no plain form here.
    """
    content = read(lesson)
    cells = [_for_students(cell, following, lesson) for cell, following in _with_next(content["cells"])]
    cells[0]["source"] = _lines(text_of(cells[0]) + "\n\n" + _invitation(lesson, repository))
    address = {"url": "", "hint": '  # such as "https://github.com/OWNER/NAME"', "branch": "main"}
    if repository:
        address = {"url": repository.url, "hint": "", "branch": repository.branch}
    fetch = {"cell_type": "code", "id": "colab", "metadata": {}, "execution_count": None, "outputs": []}
    cells.insert(1, fetch | {"source": _lines(COLAB.format(**address))})
    metadata = {key: content["metadata"][key] for key in ("kernelspec", "language_info")}
    whole = content | {"cells": cells, "metadata": metadata}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _for_students(cell: dict[str, Any], following: dict[str, Any] | None, lesson: Path) -> dict[str, Any]:
    """A cell of the student's version."""
    tags, text = _tags(cell), text_of(cell)
    solution = "solution" in tags
    if cell["cell_type"] == "markdown":
        source = "*Your answer (double-click here):*" if solution else plain(text, lesson)
    elif solution:
        source = "\n".join(["# Your answer", *(f"{name} = ..." for name in _asked(text, following, lesson))])
    else:
        source = text
    metadata = {"tags": ["parameters"]} if "parameters" in tags else {}
    return cell | {"metadata": metadata, "source": _lines(source)}


def _asked(solution: str, following: dict[str, Any] | None, lesson: Path) -> list[str]:
    """The names that a solution gives and the check behind it looks at, in the solution's order."""
    if following is None or "check" not in _tags(following):
        raise DataError(f"{shown(lesson)}: expected a cell tagged 'check' after the solution\n{solution}")
    looked_at = {node.id for node in ast.walk(ast.parse(text_of(following))) if isinstance(node, ast.Name)}
    given = [
        node.id
        for statement in ast.parse(solution).body
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    names = [name for name in dict.fromkeys(given) if name in looked_at]
    if not names:
        raise DataError(f"{shown(lesson)}: the check looks at no name of the solution\n{solution}")
    return names


def _invitation(lesson: Path, repository: Repository | None) -> str:
    """The end of the opening: badges, and where the solutions are."""
    badges = ""
    if repository:
        launchers = repository.launchers(f"{STUDENTS.name}/{lesson.name}")
        badges = " ".join(f"[![Open in {name}]({BADGES[name]})]({url})" for name, url in launchers.items())
        badges += "\n\n"
    return (
        f"{badges}This is the notebook to work in. Put your answers in place of the dots, then run the check "
        "below each. The solutions stand in the book, and in "
        f"[the notebook that this one is made from](../notebooks/{lesson.name})."
    )


def read(notebook: Path) -> dict[str, Any]:
    """A notebook file's content."""
    return json.loads(notebook.read_text(encoding="utf-8"))


def _tags(cell: dict[str, Any]) -> list[str]:
    return cell["metadata"].get("tags", [])


def text_of(cell: dict[str, Any]) -> str:
    """A cell's text."""
    return "".join(cell["source"])


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _with_next(cells: list[dict]) -> Iterator[tuple[dict, dict | None]]:
    return zip(cells, [*cells[1:], None], strict=True)
