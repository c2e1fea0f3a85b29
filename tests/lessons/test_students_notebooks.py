"""What is made from the lessons: the students' notebooks, the table, the addresses of Colab and Binder."""

import json
import re
import subprocess
import sys
import types
from urllib.parse import parse_qs, urlsplit

import nbformat
import pytest

from helpers.checking import DataError
from helpers.lessons import __main__ as command
from helpers.lessons import page, students
from helpers.lessons.answers import ANSWERS
from helpers.lessons.plain import plain
from helpers.lessons.repository import Repository
from helpers.paths import NOTEBOOKS, ROOT, shown

LESSONS = students.lessons()
KNOWN = Repository(name="somebody/world", branch="main")
EACH = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)


def cells_of(text: str) -> list[dict]:
    return json.loads(text)["cells"]


def cell(kind: str, source: str, *tags: str) -> dict:
    return {"cell_type": kind, "metadata": {"tags": list(tags)}, "source": source}


def test_what_is_committed_is_what_the_lessons_give():
    made = page.made(Repository.configured())
    stale = [shown(file) for file, text in made.items() if not file.exists() or file.read_text() != text]
    assert not stale, "run `python -m helpers.lessons`"
    assert set(students.STUDENTS.glob("*.ipynb")) <= set(made)


@EACH
class TestLesson:
    def test_has_a_goal_and_takes_20_to_40_minutes(self, lesson):
        goal, minutes, before = page._opening(lesson)
        assert goal.endswith(".")
        assert before.endswith(".")
        assert 20 <= int(minutes) <= 40

    def test_every_exercise_has_a_hidden_solution_and_a_check(self, lesson):
        cells = students.read(lesson)["cells"]
        text = "\n".join(map(students.text_of, cells))
        number = lesson.name[:2]
        asked = re.findall(r":label: ex-(\S+)", text)
        assert asked == re.findall(r'^check\("(.+?)"', text, re.M)
        assert asked == [each for each in ANSWERS if each.startswith(number)]
        solutions = [each for each in cells if "solution" in students._tags(each)]
        assert len(solutions) == len(asked)
        assert all("hide-cell" in students._tags(each) for each in solutions)

    def test_its_students_version_is_a_notebook_without_the_solutions(self, lesson):
        content = students.student_version(lesson, None)
        nbformat.validate(nbformat.reads(content, as_version=4))
        code = [students.text_of(each) for each in cells_of(content)]
        lines = {line for source in code for line in source.splitlines()}
        for each in students.read(lesson)["cells"]:
            if "solution" in students._tags(each):
                assert not lines & set(students.text_of(each).splitlines())
        assert sum(source.startswith("# Your answer\n") for source in code) == 3

    def test_its_students_version_needs_no_sphinx_and_links_to_files_that_exist(self, lesson):
        prose = "\n".join(
            students.text_of(each)
            for each in cells_of(students.student_version(lesson, None))
            if each["cell_type"] == "markdown"
        )
        assert not re.search(r"\{[a-z:]+\}`|^```", prose, re.M)
        links = re.findall(r"\]\((\S+?)\)", prose)
        assert links
        assert not [link for link in links if not (students.STUDENTS / link).exists()]


def test_the_place_of_an_answer_names_what_the_check_looks_at():
    solution = cell("code", "x = 1\ny, unused = 2, 3\nz = x + y", "solution")
    check = cell("code", 'check("91-1", y, z)', "check")
    made = students._for_students(solution, check, LESSONS[0])
    assert "".join(made["source"]) == "# Your answer\ny = ...\nz = ..."


@pytest.mark.parametrize("following", [None, cell("code", "1"), cell("code", "check('a', other)", "check")])
def test_a_solution_that_nothing_checks_is_refused(following):
    with pytest.raises(DataError, match="check"):
        students._for_students(cell("code", "x = 1", "solution"), following, LESSONS[0])


def test_a_solution_in_words_becomes_room_for_an_answer():
    made = students._for_students(cell("markdown", "Because.", "solution"), None, LESSONS[0])
    assert "Your answer" in made["source"][0]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("{cite:t}`han2026culturevidbench` asks", "Han et al. (2026) asks"),
        ("so {cite:p}`gwet2008`.", "so (Gwet, 2008)."),
        ("a {term}`margin <equivalence margin>` and {term}`power`", "a margin and power"),
        ("{doc}`the introduction <../intro>`", "the introduction"),
        ("{doc}`notebook 66 <66_study_design>`", "[notebook 66](../notebooks/66_study_design.ipynb)"),
        (
            "{doc}`66_study_design`",
            "[How many prompts, raters and countries does a claim need?](../notebooks/66_study_design.ipynb)",
        ),
        (
            "```{exercise} Why?\n:label: ex-91-2\n\nSay `k`\nwhy.\n```",
            "**Exercise 2: Why?**\n\nSay `k`\nwhy.",
        ),
        ("$\\hat p$ stays", "$\\hat p$ stays"),
    ],
)
def test_markdown_for_sphinx_becomes_plain(written, expected):
    assert plain(written, LESSONS[0]) == expected


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("{ref}`somewhere`", "the role 'ref'"),
        ("{cite:p}`nobody2020`", "no paper 'nobody2020'"),
        ("```{note}\nx\n```", "no plain form"),
        ("```{exercise} Without a label\n\nx\n```", "no plain form"),
    ],
)
def test_what_has_no_plain_form_is_refused(written, message):
    with pytest.raises(DataError, match=message):
        plain(written, LESSONS[0])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("title: x", None),
        ("repository: {url: ''}", None),
        ("repository: {url: https://github.com/somebody/world}", KNOWN),
        ("repository: {url: https://github.com/somebody/world.git, branch: main}", KNOWN),
        ("repository: {url: https://github.com/a/b/, branch: next}", Repository(name="a/b", branch="next")),
    ],
)
def test_the_address_stands_in_the_books_configuration(tmp_path, text, expected):
    (tmp_path / "_config.yml").write_text(text)
    assert Repository.configured(tmp_path / "_config.yml") == expected


@pytest.mark.parametrize("url", ["git@github.com:a/b.git", "https://example.org/a/b", "https://github.com/a"])
def test_another_address_is_refused(tmp_path, url):
    (tmp_path / "_config.yml").write_text(f"repository: {{url: '{url}'}}")
    with pytest.raises(DataError, match=re.escape(f"found the url '{url}'")):
        Repository.configured(tmp_path / "_config.yml")


def test_with_an_address_there_are_badges_that_open_files_which_exist():
    for lesson in LESSONS:
        path = f"lessons/{lesson.name}"
        badges = re.findall(
            r"\[!\[Open in (\w+)\]\(\S+?\)\]\((\S+?)\)", students.student_version(lesson, KNOWN)
        )
        colab, binder = (urlsplit(url) for _, url in badges)
        assert [name for name, _ in badges] == ["Colab", "Binder"]
        assert (colab.netloc, binder.netloc) == ("colab.research.google.com", "mybinder.org")
        # Colab's own notebook colab-github-demo.ipynb: /github/OWNER/NAME/blob/BRANCH/PATH
        assert colab.path == f"/github/somebody/world/blob/main/{path}"
        # mybinder.readthedocs.io: /v2/gh/OWNER/NAME/BRANCH, urlpath=lab/tree/PATH
        assert binder.path == "/v2/gh/somebody/world/main"
        assert parse_qs(binder.query) == {"urlpath": [f"lab/tree/{path}"]}
        assert (ROOT / path).exists()


def test_the_table_has_buttons_with_an_address_and_says_why_not_without():
    assert page.table(KNOWN).count("{bdg-link-primary}") == 2 * len(LESSONS)
    assert page.UNKNOWN not in page.table(KNOWN)
    assert "bdg-link" not in page.table(None)
    assert page.UNKNOWN in page.table(None)
    assert "Open in" not in students.student_version(LESSONS[0], None)


@pytest.fixture
def first_cell(monkeypatch, tmp_path):
    """The cell for Colab, which records the commands that it would run."""
    ran = []
    monkeypatch.setattr(subprocess, "run", lambda command, check: ran.append(command))
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)
    made = cells_of(students.student_version(LESSONS[0], KNOWN))
    source = next(students.text_of(each) for each in made if each["cell_type"] == "code")

    def run():
        exec(compile(source, "colab", "exec"), {})
        return ran

    return run


def test_in_colab_the_first_cell_fetches_the_project(first_cell, monkeypatch):
    monkeypatch.setitem(sys.modules, "google.colab", types.ModuleType("google.colab"))
    clone, install = first_cell()
    assert clone == [
        "git",
        "clone",
        "--depth=1",
        "--branch=main",
        "https://github.com/somebody/world",
        "project",
    ]
    assert install[1:4] == ["-m", "pip", "install"]
    assert sys.path[0] == "project/src"


def test_elsewhere_the_first_cell_does_nothing(first_cell):
    assert first_cell() == []


def test_the_command_writes_everything_and_removes_what_is_gone(monkeypatch, tmp_path, capsys):
    where, text = tmp_path / "lessons", page.PAGE.read_text()
    for module in (students, page, command):
        monkeypatch.setattr(module, "STUDENTS", where)
    for module in (page, command):
        monkeypatch.setattr(module, "PAGE", tmp_path / "lessons.md")
    start, end = (text.index(mark) for mark in page.MARKS)
    page.PAGE.write_text(text[: start + len(page.MARKS[0])] + "\nold\n" + text[end:])
    where.mkdir()
    (where / "90_gone.ipynb").write_text("{}")
    assert command.main([]) == 0
    assert sorted(file.name for file in where.iterdir()) == [lesson.name for lesson in LESSONS]
    assert "\nold\n" not in page.PAGE.read_text()
    assert page.PAGE.read_text().count(page.MARKS[1]) == 1
    page.PAGE.write_text("no marks")
    assert command.main([]) == 2
    assert "expected the lines" in capsys.readouterr().err


def test_the_lessons_are_notebooks_of_the_book():
    assert [lesson.parent for lesson in LESSONS] == [NOTEBOOKS] * 6
