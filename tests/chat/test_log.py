import asyncio
import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.chat.log import Record, read_log, writing
from helpers.checking import DataError

AT = "2026-11-30T12:00:00+00:00"


def record(key: str, **about) -> Record:
    return Record(key=key, at=AT, **({"outcome": "replied"} | about))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "logs" / "judge.jsonl"


def write(path, *records):
    with writing(path) as log:
        for one in records:
            asyncio.run(log.add(one))


def test_keeps_records_over_runs_and_the_latest_of_each_key(path):
    write(path, record("a", text="1"), record("b", outcome="failed", reason="500"))
    write(path, record("b", text="2"))
    assert {key: one.text for key, one in read_log(path).items()} == {"a": "1", "b": "2"}
    assert len(path.read_text().splitlines()) == 3


def test_a_file_that_is_not_there_yet_holds_nothing(path):
    assert read_log(path) == {}
    assert not path.exists()


@given(text=st.text(st.characters(blacklist_categories=["Cs"])))
def test_any_text_comes_back_as_it_was(text, tmp_path_factory):
    path = tmp_path_factory.mktemp("log") / "log.jsonl"
    write(path, record("a", text=text), record("b"))
    assert path.read_bytes().count(b"\n") == 2
    assert read_log(path)["a"].text == text


def test_a_last_line_torn_anywhere_is_dropped_and_written_anew(path):
    write(path, record("a", text="é"), record("b", text="日本"))
    whole = path.read_bytes()
    start = whole.index(b"\n") + 1
    for size in range(start, len(whole)):
        path.write_bytes(whole[:size])
        assert list(read_log(path)) == ["a"]
        write(path, record("b", text="日本"))
        assert path.read_bytes() == whole


@pytest.mark.parametrize("line", ["{}", "not JSON", '{"key": "a"', "", "\0\0"])
def test_a_complete_line_that_is_no_record_is_an_error_that_names_it(path, line):
    write(path, record("a"))
    with path.open("a") as file:
        file.write(line + "\n")
    before = path.read_bytes()
    for read in (read_log, write):
        with pytest.raises(DataError, match=r"judge.jsonl: line 2 is not a call's record"):
            read(path)
    assert path.read_bytes() == before


def test_one_run_at_a_time_and_a_dead_one_holds_nothing(path):
    imports = "from pathlib import Path\nfrom helpers.chat.log import writing\n"
    code = imports + f"with writing(Path({str(path)!r})): {{}}"
    with writing(path), pytest.raises(DataError, match="another run is writing"), writing(path):
        pass
    with writing(path):
        there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert "another run is writing" in there.stderr
    subprocess.run([sys.executable, "-c", code.replace("{}", "import os; os._exit(9)")])
    write(path, record("a"))


def test_a_record_is_on_the_disk_before_it_counts(path, monkeypatch):
    synced = []
    with writing(path) as log:
        monkeypatch.setattr("os.fsync", lambda _: synced.append(json.loads(path.read_text())["key"]))
        asyncio.run(log.add(record("a")))
    assert synced == ["a"]


def test_a_full_disk_leaves_a_line_that_the_next_run_drops(path, monkeypatch):
    write(path, record("a"))
    with writing(path) as log:
        monkeypatch.setattr("os.write", fails_after(7))
        with pytest.raises(OSError, match="No space left"):
            asyncio.run(log.add(record("b")))
        assert "b" not in log.records
    assert list(read_log(path)) == ["a"]


def fails_after(size: int):
    import os

    write, left = os.write, [size]

    def limited(file, content):
        if not left[0]:
            raise OSError(28, "No space left on device")
        written = write(file, bytes(content[: left[0]]))
        left[0] -= written
        return written

    return limited
