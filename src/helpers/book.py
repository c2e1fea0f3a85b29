"""Build a study's book: `python -m helpers.book --study FILE`.

The pages of `book/`, the study's executed notebooks and the students' notebooks (to download) are staged side
by side under `studies/<name>/book/`, then jupyter-book renders them there, warnings being errors. Where the
study's `outputs` leave notebooks out, they are not in the table of contents, and links to them are words.
"""

import argparse
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from helpers import study as studies
from helpers.book_outputs import CONTENTS, left_out, shortened
from helpers.commands import leave
from helpers.lessons.students import STUDENTS
from helpers.paths import NOTEBOOKS, ROOT, shown
from helpers.study import Study

PAGES = ROOT / "book"


def stage(study: Study) -> Path:
    """Bring `studies/<name>/book/` up to date and return it.

    Unchanged files keep their time stamps, so that Sphinx rebuilds only what changed; pages that no longer
    exist are removed. Every page shows the table of contents: where this is another one, all are built anew.
    """
    staged = study.folder / "book"
    wanted = set()
    for target, content in _contents(study, staged):
        wanted.add(target)
        if not target.exists() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            if target.name == CONTENTS:
                shutil.rmtree(staged / "_build" / "html", ignore_errors=True)
    for file in staged.rglob("*"):
        if file.is_file() and "_build" not in file.relative_to(staged).parts and file not in wanted:
            file.unlink()
    return staged


def _contents(study: Study, staged: Path) -> Iterator[tuple[Path, bytes]]:
    """Each staged file with what it holds."""
    titles = left_out(study, NOTEBOOKS.glob("*.ipynb"))
    for page in PAGES.rglob("*"):
        if page.is_file():
            yield staged / page.relative_to(PAGES), shortened(page, titles)
    for notebook in STUDENTS.glob("*.ipynb"):
        yield staged / STUDENTS.name / notebook.name, notebook.read_bytes()
    for notebook in study.notebooks.glob("*.ipynb"):
        if (NOTEBOOKS / notebook.name).exists() and notebook.stem not in titles:
            yield staged / "notebooks" / notebook.name, shortened(notebook, titles)


def build(study: Study) -> Path:
    """Render the staged book and return its front page.

    Raises:
        subprocess.CalledProcessError: jupyter-book found an error or a warning.
    """
    staged = stage(study)
    command = [str(Path(sys.executable).with_name("jupyter-book")), "build", str(staged)]
    command += ["--path-output", str(staged), "--config", str(ROOT / "_config.yml")]
    command += ["--toc", str(staged / CONTENTS)]
    subprocess.run([*command, "-W", "-n", "--keep-going", "-q"], check=True)
    return staged / "_build" / "html" / "index.html"


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns 0 after success and 1 where jupyter-book reported a problem."""
    parser = argparse.ArgumentParser(prog="python -m helpers.book", description="Build a study's book.")
    parser.add_argument("--study", type=Path, required=True, help="the study's YAML file")
    options = parser.parse_args(arguments)
    try:
        page = build(studies.load(options.study))
    except subprocess.CalledProcessError:
        print("the book was not built; jupyter-book's messages are above", file=sys.stderr)
        return 1
    print(f"The book is built: open {shown(page)}")
    return 0


if __name__ == "__main__":
    leave(main)
