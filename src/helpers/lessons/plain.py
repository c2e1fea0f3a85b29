"""Markdown that only Sphinx can read, as plain Markdown that reads well in any notebook."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from helpers.checking import DataError
from helpers.paths import NOTEBOOKS, ROOT, shown

REFERENCES = ROOT / "book" / "references.bib"


def plain(text: str, lesson: Path) -> str:
    """A cell's Markdown for Sphinx as plain Markdown.

    Args:
        text: the cell's; exercises, and references to pages (`doc`), terms and papers (`cite:t`, `cite:p`).
        lesson: the notebook that it stands in.

    Raises:
        DataError: another role or directive, or a paper that is not in the book's references.
    """
    text = re.sub(
        r"^```\{exercise\} (.+)\n:label: ex-\d+-(\d+)\n\n(.*?)\n```$",
        r"**Exercise \2: \1**\n\n\3",
        text,
        flags=re.M | re.S,
    )
    text = re.sub(r"\{([\w:]+)\}`([^`]+)`", lambda found: _role(found[1], found[2], lesson), text)
    if left := re.search(r"^\s*(```|:::)\{.*|\{[\w:-]+\}`", text, flags=re.M):
        raise DataError(f"{shown(lesson)}: found '{left[0].strip()}', which has no plain form")
    return text


def _role(role: str, content: str, lesson: Path) -> str:
    """A reference in plain Markdown."""
    titled = re.fullmatch(r"(.*?)\s*<(.+)>", content, flags=re.S)
    title, target = titled.groups() if titled else ("", content)
    if role == "term":
        return title or target
    if role in ("cite:t", "cite:p"):
        authors, year = _cited(target, lesson)
        return f"{authors} ({year})" if role == "cite:t" else f"({authors}, {year})"
    if role == "doc":
        notebook = NOTEBOOKS / f"{Path(target).name}.ipynb"
        if not notebook.exists():
            return title or Path(target).name.replace("_", " ")
        return f"[{title or heading(notebook)}](../{NOTEBOOKS.name}/{notebook.name})"
    raise DataError(f"{shown(lesson)}: found the role '{role}', expected doc, term, cite:t or cite:p")


def heading(notebook: Path) -> str:
    """A notebook's first heading, as Sphinx calls it where a reference has no title; each has one."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    lines = [line for cell in cells if cell["cell_type"] == "markdown" for line in cell["source"]]
    return next(line[2:].strip() for line in lines if line.startswith("# "))


def _cited(key: str, lesson: Path) -> tuple[str, str]:
    """A paper's authors, shortened, and its year."""
    if key not in _papers():
        raise DataError(f"{shown(lesson)}: no paper '{key}' in {shown(REFERENCES)}")
    paper = _papers()[key]
    people = [" ".join(person.prelast_names + person.last_names) for person in paper.persons["author"]]
    authors = f"{people[0]} et al." if len(people) > 2 else " and ".join(people)
    return authors.replace("{", "").replace("}", ""), paper.fields["year"]


@cache
def _papers() -> Any:
    # Only here: whoever works on the lessons need not have it.
    from pybtex.database import parse_file

    return parse_file(REFERENCES).entries
