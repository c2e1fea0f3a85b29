import json

import pytest
import yaml

from helpers import book
from helpers.study import Study


@pytest.fixture
def study(monkeypatch, tmp_path):
    pages = tmp_path / "book"
    (pages / "frameworks").mkdir(parents=True)
    (pages / "intro.md").write_text("# One")
    (pages / "frameworks" / "a.md").write_text("# A")
    monkeypatch.setattr(book, "PAGES", pages)
    monkeypatch.setattr("helpers.study.STUDIES", tmp_path / "studies")
    monkeypatch.setattr(book, "NOTEBOOKS", tmp_path / "notebooks")
    book.NOTEBOOKS.mkdir()
    monkeypatch.setattr(book, "STUDENTS", tmp_path / "lessons")
    book.STUDENTS.mkdir()
    (book.STUDENTS / "91_a.ipynb").write_text("{}")
    (book.NOTEBOOKS / "01_a.ipynb").write_text("{}")
    study = Study(name="small", seed=1)
    study.notebooks.mkdir(parents=True)
    for name in ("01_a.ipynb", "01_a.failed.ipynb", ".01_a.7.running.ipynb", "02_deleted.ipynb"):
        (study.notebooks / name).write_text("{}")
    return study


def test_stages_pages_and_finished_notebooks_only(study):
    staged = book.stage(study)
    found = {file.relative_to(staged).as_posix() for file in staged.rglob("*") if file.is_file()}
    assert found == {"intro.md", "frameworks/a.md", "notebooks/01_a.ipynb", "lessons/91_a.ipynb"}


def test_staging_again_touches_only_what_changed_and_removes_what_is_gone(study):
    staged = book.stage(study)
    built = staged / "_build" / "html"
    built.mkdir(parents=True)
    (built / "intro.html").write_text("")
    before = (staged / "intro.md").stat().st_mtime_ns
    (book.PAGES / "frameworks" / "a.md").write_text("# B")
    (study.notebooks / "01_a.ipynb").unlink()
    book.stage(study)
    assert (staged / "intro.md").stat().st_mtime_ns == before
    assert (staged / "frameworks" / "a.md").read_text() == "# B"
    assert not (staged / "notebooks" / "01_a.ipynb").exists()
    assert (built / "intro.html").exists()


def test_another_table_of_contents_calls_for_every_page_anew(study):
    (book.PAGES / "_toc.yml").write_text(CONTENTS)
    built = book.stage(study) / "_build" / "html" / "intro.html"
    built.parent.mkdir(parents=True)
    built.touch()
    book.stage(study)
    assert built.exists()
    (book.PAGES / "_toc.yml").write_text(CONTENTS.replace("Kept", "Renamed"))
    book.stage(study)
    assert not built.exists()


PAGE = """# One
{doc}`Notebook 01 <notebooks/01_a>` and {doc}`two
words <notebooks/02_b>`, {doc}`../notebooks/02_b`, {doc}`A page <frameworks/a>`,
{doc}`a < b <notebooks/02_b>`, {doc}`frameworks/102_b`.
"""
CONTENTS = """format: jb-book
root: intro
parts:
- caption: Kept
  chapters:
  - file: frameworks/a
    sections:
    - file: notebooks/02_b
  - file: notebooks/01_a
- caption: Empty
  chapters:
  - file: notebooks/02_b
"""


@pytest.fixture
def short(study):
    """The study, whose outputs leave notebook 02 out."""
    for folder in (book.NOTEBOOKS, study.notebooks):
        cells = [("markdown", ["# The second\n", "{doc}`01_a` and {doc}`02_b`"]), ("code", ["'{doc}`02_b`'"])]
        text = json.dumps({"cells": [{"cell_type": kind, "source": source} for kind, source in cells]})
        for name in ("01_a.ipynb", "02_b.ipynb"):
            (folder / name).write_text(text)
    (book.PAGES / "intro.md").write_text(PAGE)
    (book.PAGES / "_toc.yml").write_text(CONTENTS)
    return Study.model_construct(**dict(study) | {"outputs": ["01*"]})


def test_what_outputs_leave_out_is_neither_staged_nor_listed(short):
    staged = book.stage(short)
    assert [file.name for file in staged.glob("notebooks/*")] == ["01_a.ipynb"]
    assert yaml.safe_load((staged / "_toc.yml").read_text()) == {
        "format": "jb-book",
        "root": "intro",
        "parts": [{"caption": "Kept", "chapters": [{"file": "frameworks/a"}, {"file": "notebooks/01_a"}]}],
    }


def test_links_to_what_is_left_out_are_words(short):
    staged = book.stage(short)
    assert (staged / "intro.md").read_text().splitlines()[1:] == [
        "{doc}`Notebook 01 <notebooks/01_a>` and two",
        "words, The second, {doc}`A page <frameworks/a>`,",
        "a < b, {doc}`frameworks/102_b`.",
    ]
    cells = json.loads((staged / "notebooks" / "01_a.ipynb").read_text())["cells"]
    assert ["".join(cell["source"]) for cell in cells] == [
        "# The second\n{doc}`01_a` and The second",
        "'{doc}`02_b`'",
    ]


def test_without_outputs_every_file_is_staged_as_it_is(short):
    staged = book.stage(short.model_copy(update={"outputs": []}))
    for name in ("intro.md", "_toc.yml"):
        assert (staged / name).read_bytes() == (book.PAGES / name).read_bytes()
    assert (staged / "notebooks" / "02_b.ipynb").read_bytes() == (short.notebooks / "02_b.ipynb").read_bytes()
