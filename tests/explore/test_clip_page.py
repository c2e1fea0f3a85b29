import html
import shutil

import numpy as np
import pytest

from explore.explore_study import write_landmark_study
from helpers.explore import pictures
from helpers.explore.clip_page import exhibit
from helpers.explore.clips import Clips
from helpers.explore.pictures import frames
from helpers.explore.studies import found_study
from helpers.metrics import registry
from helpers.reports.judged import open_judged
from helpers.video.write import write_clip
from reports.report_study import KEY, TRAP


@pytest.fixture
def folder(tmp_path):
    return write_landmark_study(tmp_path / "pier")


@pytest.fixture
def places(folder):
    return Clips(open_judged(found_study(folder), "landmarks"))


@pytest.mark.parametrize("benchmark", ["questions", "grades"])
def test_everything_that_anyone_wrote_is_text(request, benchmark):
    clips = request.getfixturevalue(benchmark)
    page = exhibit(clips, clips.table["video_id"].iloc[0]).data
    assert TRAP not in page
    assert page.count("<script") == 0
    assert html.unescape(page).count(TRAP) > 5
    assert KEY not in page
    assert "/srv/secret" not in page


def test_a_page_has_prompt_frames_replies_metrics_and_gaps(questions):
    page = exhibit(questions, questions.table["video_id"].iloc[0]).data
    motion = registry.metric("motion")
    assert "data:image/jpeg;base64," in page
    assert f"<td>{motion.range}</td><td>{motion.direction}</td>" in page
    assert "<td>not declared</td>" in page
    assert "What is missing?" in page
    assert "motion (failed)" in page


def test_replies_stand_there_whole_each_once_and_folded_away(grades):
    page = exhibit(grades, grades.table["video_id"].iloc[0]).data
    assert "<summary>2 whole replies of judges</summary>" in page
    assert page.count("<pre") == 2


def test_a_landmark_stands_beside_its_photograph(places, folder):
    page = exhibit(places, "first").data
    assert page.count("<img") == 2
    assert "Photograph: Pier" in page
    (folder / "pier.png").unlink()
    pictures._picture.cache_clear()
    assert "No photograph: " in frames(places, "first")


def test_a_clip_that_was_not_made_or_is_gone_says_so(places, folder):
    assert "No picture: the table says that this clip is blocked" in frames(places, "gone")
    assert "No picture: the clip&#39;s file third.mp4 is not in the study&#39;s folder" in frames(
        places, "third"
    )


def test_a_broken_clip_says_so_and_a_mended_one_is_read_anew(places, folder):
    path = folder / "first.mp4"
    assert "Frames of the clip" in frames(places, "first")
    path.write_bytes(path.read_bytes()[:100])
    assert "No picture: " in frames(places, "first")
    shutil.copy(folder / "second.mp4", path)
    assert "Frames of the clip" in frames(places, "first")


def test_another_file_than_the_table_knows_is_not_shown(places, folder):
    videos = places.judged.page.tables["videos"]
    videos["sha256"] = "0" * 64
    assert "found another file" in frames(places, "first")


def test_a_clip_is_decoded_once(places, monkeypatch):
    frames(places, "second")
    monkeypatch.setattr(pictures, "frame_strip", lambda *_, **__: pytest.fail("decoded again"))
    assert "Frames of the clip" in frames(places, "second")


def test_a_clip_of_two_frames_has_a_sheet_of_two(places, folder):
    write_clip(folder / "third.mp4", np.zeros((2, 48, 64, 3), np.uint8), 2)
    assert "<img" in frames(places, "third")
