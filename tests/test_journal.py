"""A file that only grows: what a crash, a full disk and a second writer do to it."""

import errno
import os

import pytest
from pydantic import BaseModel, ConfigDict

from helpers.checking import DataError
from helpers.journal import read_lines, writing


class Entry(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str
    count: int


ONE, TWO = Entry(name="one", count=1), Entry(name="two, with ü\nand a line break", count=2)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "folder" / "log.jsonl"


def add(path, *entries):
    with writing(path, Entry, "an entry") as journal:
        for entry in entries:
            journal.add(entry)


def test_what_was_added_is_read_back_in_order(path):
    assert read_lines(path, Entry, "an entry") == []
    add(path, ONE)
    add(path, TWO)
    assert read_lines(path, Entry, "an entry") == [ONE, TWO]
    with writing(path, Entry, "an entry") as journal:
        assert journal.lines == [ONE, TWO]


@pytest.mark.parametrize("kept", range(1, 12))
def test_a_line_that_was_cut_short_is_dropped_by_the_next_writer(path, kept):
    add(path, ONE)
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:kept])
    assert read_lines(path, Entry, "an entry") == [ONE]
    add(path, TWO)
    assert read_lines(path, Entry, "an entry") == [ONE, TWO]


def test_a_complete_line_of_another_form_is_refused_and_nothing_changes(path):
    add(path, ONE)
    path.write_bytes(path.read_bytes() + b'{"name": "x", "count": "many"}\n')
    before = path.read_bytes()
    with pytest.raises(DataError, match=r"log.jsonl: line 2 is not an entry \(count .*\)"):
        read_lines(path, Entry, "an entry")
    with pytest.raises(DataError, match="line 2"):
        add(path, TWO)
    assert path.read_bytes() == before


def test_a_second_writer_is_refused_while_the_first_is_open(path):
    with writing(path, Entry, "an entry"), pytest.raises(DataError, match="another run is writing to it"):
        add(path, ONE)
    add(path, ONE)


def test_a_full_disk_leaves_no_half_line(path, monkeypatch):
    add(path, ONE)
    real = os.write

    def full(file, data):
        if len(data) > 5:
            return real(file, data[:5])
        raise OSError(errno.ENOSPC, "No space left on device")

    with writing(path, Entry, "an entry") as journal:
        monkeypatch.setattr(os, "write", full)
        with pytest.raises(OSError, match="No space"):
            journal.add(ONE.model_copy(update={"name": "t"}))
        monkeypatch.undo()
        journal.add(TWO)
    assert read_lines(path, Entry, "an entry") == [ONE, TWO]


def test_a_folder_that_is_none_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="expected a file to write to"):
        add(tmp_path / "file" / "log.jsonl", ONE)
