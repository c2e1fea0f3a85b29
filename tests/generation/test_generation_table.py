"""The table `videos` as it is made from journals."""

from pathlib import Path

import pytest

from helpers import tables
from helpers.generation import journal


def add(study: Path, name: str, origin: journal.Origin, video_id: str) -> None:
    row = journal.Row(
        video_id=video_id, prompt_id="p", model="A", status="failed", at=journal.now(), origin=origin
    )
    with journal.writing(study, name) as log:
        log.add(row)


def test_without_clips_the_declared_parts_are_there_and_empty(tmp_path):
    parts = journal.write_table(tmp_path)
    assert [part.stem for part in parts] == ["generated", "imported"]
    assert all(part.exists() for part in parts)
    assert tables.read(tmp_path, "videos").empty


def test_a_part_whose_rows_are_the_same_is_not_touched(tmp_path):
    add(tmp_path, "generated-1-of-1", "generated", "a/p/s0")
    add(tmp_path, "hosted-b", "hosted", "b/p/s0")
    before = {part: part.stat().st_mtime_ns for part in journal.write_table(tmp_path)}
    assert [part.stem for part in before] == ["generated", "hosted", "imported"]
    add(tmp_path, "imported-x", "imported", "c/p")
    after = {part.stem: part.stat().st_mtime_ns == before[part] for part in journal.write_table(tmp_path)}
    assert after == {"generated": True, "hosted": True, "imported": False}
    assert len(tables.read(tmp_path, "videos")) == 3


@pytest.mark.parametrize("content", [b"", b"no Parquet"])
def test_a_part_that_cannot_be_read_is_written_anew(tmp_path, content):
    add(tmp_path, "generated-1-of-1", "generated", "a/p/s0")
    part = journal.write_table(tmp_path)[0]
    part.write_bytes(content)
    journal.write_table(tmp_path)
    assert tables.read(tmp_path, "videos")["video_id"].tolist() == ["a/p/s0"]
