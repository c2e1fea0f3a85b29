"""The pages "Add your own": each example is carried out, and prints what the page says."""

import socket

import pytest

from helpers.paths import ROOT
from page_examples import carry_out, example_of, is_as_said
from small_project import SmallProject

PAGES = ROOT / "book" / "add"
# The port that the page about judges uses; a test takes a free one.
PORT = "8765"
ALONE = {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
PAGE = """
```{code-block} text
:caption: own/words.txt

one two
```

```bash
cat own/words.txt
ls nowhere 2> errors.txt || echo "exit status $?"
```

```text
one
…
```

```bash
rm errors.txt
```
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> SmallProject:
    return SmallProject(tmp_path_factory.mktemp("add") / "project", "")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["model", "judge", "metric", "benchmark", "survey"])
def test_the_example_of_a_page_prints_what_the_page_says(project, name):
    page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as free:
        page = page.replace(PORT, str(free.getsockname()[1]))
    example = example_of(page)
    assert len(example.files) >= 2
    assert len(example.steps) >= 4
    printed = carry_out(example, project.root, project.environment | ALONE)
    for step, found in zip(example.steps, printed, strict=True):
        assert step.said is None or is_as_said(found, step.said), f"{step.commands}\n{found}"


def test_a_pages_files_are_written_and_its_commands_run(tmp_path):
    example = example_of(PAGE)
    assert [step.said for step in example.steps] == ["one\n…\n", None]
    assert carry_out(example, tmp_path, {}) == ["one two\nexit status 2\n", ""]
    assert [path.name for path in tmp_path.iterdir()] == ["own"]


def test_a_command_that_fails_ends_the_example(tmp_path):
    with pytest.raises(AssertionError, match="nowhere"):
        carry_out(example_of(PAGE.replace(" 2> errors.txt ||", ";")), tmp_path, {})


@pytest.mark.parametrize(
    ("printed", "said", "same"),
    [
        ("a b c\n", "a b\nc\n", True),
        ("100%\na b\n", "…\na b\n", True),
        ("a 12 b\n", "a … b\n", True),
        ("a b c\n", "a b\n", False),
        ("0 a\n", "a\n", False),
        ("a+ (b)\n", "a+ (b)\n", True),
        ("aa b\n", "a+ b\n", False),
    ],
)
def test_what_is_printed_is_held_against_the_page(printed, said, same):
    assert is_as_said(printed, said) is same
