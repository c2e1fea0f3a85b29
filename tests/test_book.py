import pytest

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
    (staged / "_build").mkdir()
    (staged / "_build" / "kept.html").write_text("")
    before = (staged / "intro.md").stat().st_mtime_ns
    (book.PAGES / "frameworks" / "a.md").write_text("# B")
    (study.notebooks / "01_a.ipynb").unlink()
    book.stage(study)
    assert (staged / "intro.md").stat().st_mtime_ns == before
    assert (staged / "frameworks" / "a.md").read_text() == "# B"
    assert not (staged / "notebooks" / "01_a.ipynb").exists()
    assert (staged / "_build" / "kept.html").exists()
