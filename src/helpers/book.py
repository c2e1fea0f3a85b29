"""Build a study's book: `python -m helpers.book --study FILE`.

The pages of `book/`, the study's executed notebooks and the students' notebooks (to download) are staged side
by side under `studies/<name>/book/`, then jupyter-book renders them there, warnings being errors.
"""

import argparse
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from helpers import study as studies
from helpers.commands import leave
from helpers.lessons.students import STUDENTS
from helpers.paths import NOTEBOOKS, ROOT, shown
from helpers.study import Study

PAGES = ROOT / "book"


def stage(study: Study) -> Path:
    """Bring `studies/<name>/book/` up to date and return it.

    Unchanged files keep their time stamps, so that Sphinx rebuilds only what changed; pages that no longer
    exist are removed.
    """
    staged = study.folder / "book"
    wanted = dict(_sources(study, staged))
    for target, source in wanted.items():
        if not target.exists() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
    for file in staged.rglob("*"):
        if file.is_file() and "_build" not in file.relative_to(staged).parts and file not in wanted:
            file.unlink()
    return staged


def _sources(study: Study, staged: Path) -> Iterator[tuple[Path, Path]]:
    """Each staged file with the file that it copies."""
    for page in PAGES.rglob("*"):
        if page.is_file():
            yield staged / page.relative_to(PAGES), page
    for notebook in STUDENTS.glob("*.ipynb"):
        yield staged / STUDENTS.name / notebook.name, notebook
    for notebook in study.notebooks.glob("*.ipynb"):
        if (NOTEBOOKS / notebook.name).exists():
            yield staged / "notebooks" / notebook.name, notebook


def build(study: Study) -> Path:
    """Render the staged book and return its front page.

    Raises:
        subprocess.CalledProcessError: jupyter-book found an error or a warning.
    """
    staged = stage(study)
    command = [str(Path(sys.executable).with_name("jupyter-book")), "build", str(staged)]
    command += [
        "--path-output",
        str(staged),
        "--config",
        str(ROOT / "_config.yml"),
        "--toc",
        str(PAGES / "_toc.yml"),
    ]
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
