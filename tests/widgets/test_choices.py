import json
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.checking import DataError
from helpers.widgets.choices import Choices, read_choices

LANDMARKS = ("gldv2-1", "gldv2-2", "gldv2-3")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "new folder" / "choices.jsonl"


def test_nothing_is_decided_and_nothing_written_at_first(path):
    assert Choices(path).picked == {}
    assert Choices(path).undo() is None
    assert not path.exists()


def test_each_choice_is_on_file_at_once(path):
    choices = Choices(path)
    choices.pick("gldv2-1", "aa")
    assert read_choices(path) == {"gldv2-1": "aa"}
    choices.pick("gldv2-2", None)
    assert read_choices(path) == {"gldv2-1": "aa", "gldv2-2": None} == choices.picked


def test_undo_takes_back_the_latest_and_the_line_stays(path):
    choices = Choices(path)
    choices.pick("gldv2-1", "aa")
    choices.pick("gldv2-2", "bb")
    assert choices.undo() == "gldv2-2"
    assert Choices(path).undo() == "gldv2-1"
    assert read_choices(path) == {}
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(line["landmark_id"], line["undone"]) for line in lines] == [
        ("gldv2-1", False),
        ("gldv2-2", False),
        ("gldv2-2", True),
        ("gldv2-1", True),
    ]


def test_a_landmark_decided_anew_counts_as_the_latest(path):
    choices = Choices(path)
    for landmark, image in [("gldv2-1", "aa"), ("gldv2-2", "bb"), ("gldv2-1", "cc")]:
        choices.pick(landmark, image)
    assert choices.picked == {"gldv2-2": "bb", "gldv2-1": "cc"}
    assert choices.undo() == "gldv2-1"


def test_two_pages_on_one_file_lose_nothing(path):
    one, other = Choices(path), Choices(path)
    one.pick("gldv2-1", "aa")
    other.pick("gldv2-2", "bb")
    one.pick("gldv2-3", "cc")
    assert read_choices(path) == one.picked == {"gldv2-1": "aa", "gldv2-2": "bb", "gldv2-3": "cc"}


# Each step picks a photograph, finds none fitting or takes the latest choice back.
@given(
    st.lists(
        st.tuples(st.sampled_from(LANDMARKS), st.sampled_from(("aa", "bb", None))) | st.just("undo"),
        max_size=12,
    )
)
def test_whoever_opens_the_file_goes_on_where_the_other_stopped(tmp_path_factory, steps):
    path = tmp_path_factory.mktemp("choices") / "choices.jsonl"
    expected: list[tuple[str, str | None]] = []
    for step in steps:
        choices = Choices(path)
        if step == "undo":
            assert choices.undo() == (expected.pop()[0] if expected else None)
        else:
            choices.pick(*step)
            expected = [pair for pair in expected if pair[0] != step[0]] + [step]
        assert list(choices.picked.items()) == expected
    assert list(read_choices(path).items()) == expected


def test_a_line_that_a_crash_cut_short_is_dropped(path):
    Choices(path).pick("gldv2-1", "aa")
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"landmark_id": "gld')
    choices = Choices(path)
    assert choices.picked == {"gldv2-1": "aa"}
    choices.pick("gldv2-2", "bb")
    assert path.read_bytes().startswith(whole)
    assert read_choices(path) == {"gldv2-1": "aa", "gldv2-2": "bb"}


@pytest.mark.parametrize("line", ["not JSON", '{"landmark_id": "x"}', "[]", ""])
def test_a_line_that_is_no_choice_is_named(path, line):
    Choices(path).pick("gldv2-1", "aa")
    with path.open("a") as file:
        file.write(line + "\n")
    with pytest.raises(DataError, match=re.escape("line 2 is not a choice")):
        Choices(path)


# A limit on the file's size makes the system write a part of the line only, as a full disk does.
FULL = """
import resource, signal, sys
from pathlib import Path
from helpers.widgets.choices import Choices
path = Path(sys.argv[1])
choices = Choices(path)
choices.pick("gldv2-1", "aa")
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
limit = path.stat().st_size + 10
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    choices.pick("gldv2-2", "bb")
except OSError as error:
    print(error)
print(choices.picked)
"""


def test_a_full_disk_is_said_and_leaves_no_part_of_a_line(path):
    done = subprocess.run([sys.executable, "-c", FULL, path], check=True, capture_output=True, text=True)
    said, picked = done.stdout.splitlines()
    assert "File too large" in said
    assert picked == "{'gldv2-1': 'aa'}"
    assert path.read_bytes().endswith(b"\n")
    assert read_choices(path) == {"gldv2-1": "aa"}
