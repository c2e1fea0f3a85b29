"""Metrics as a study file names them, and the measurers that they stand for."""

import subprocess
import sys

import pytest

from helpers import study as studies
from helpers.checking import DataError
from helpers.metrics.building import measurer_of


@pytest.fixture
def study_file(tmp_path):
    def write(metrics: str) -> str:
        path = tmp_path / "study.yaml"
        path.write_text(f"name: study\nseed: 1\nmetrics: {metrics}\n", encoding="utf-8")
        return str(path)

    return write


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("{kind: patches, bckbone: hog}", "line 4: unknown key .*did you mean 'backbone'"),
        ("{kind: patchs}", "line 4: .*'patchs'; did you mean 'patches'"),
        ("patchs", "line 4: .*did you mean 'patches'"),
        ("{backbone: hog}", "line 4: .*found the kind None"),
        ("{kind: keypoints, matcher: loft}", "line 4: .*did you mean 'loftr'"),
        ("{kind: keypoints, weights: a.ckpt}", "weights: only loftr has it"),
        ("{kind: keypoints, detector: a}", "detector: only grounded_sam has it"),
        ("{kind: patches, name: Patch}", "line 4: .*'Patch'"),
        ("{kind: patches, name: motion}", "line 4: .*'motion'"),
        ("{kind: viclip}", "trust_remote_code"),
        ("{kind: viclip, trust_remote_code: false}", "trust_remote_code"),
        ("{kind: motion, device: cpu}", "unknown key"),
        ("{kind: patches}\n  - {kind: patches, revision: main}", "two metrics 'patch-clip'.*`name`"),
        ("{kind: videoscore2}\n  - {kind: videoscore2, model: b}", "two metrics 'videoscore2'"),
    ],
)
def test_a_metric_that_cannot_be_is_refused_with_its_line(study_file, metric, message):
    with pytest.raises(DataError, match=f"(?s){message}"):
        studies.load(study_file(f"\n  - {metric}"))


@pytest.mark.parametrize(
    ("metric", "part", "first"),
    [
        ("patches", "patch-clip", "patch_clip"),
        ("{kind: patches, mode: whole}", "patch-whole", "patch_whole"),
        ("{kind: patches, backbone: hog}", "patch-hog", "patch_hog"),
        ("{kind: patches, backbone: hog, size: 448}", "patch-hog-448", "patch_hog_448"),
        ("{kind: patches, backbone: facebook/dinov2-small}", "patch-dinov2-small-paper", None),
        ("{kind: patches, backbone: /data/dinov2-large, name: patch_clip}", "patch-clip", "patch_clip"),
        ("{kind: patches, backbone: 'open_clip:ViT-L-14/openai'}", "patch-vit-l-14-openai-paper", None),
        ("keypoints", "keypoint-alignment-xfeat", "keypoint_alignment_xfeat"),
        ("{kind: keypoints, matcher: loftr, regions: grounded_sam}", "keypoint-alignment", None),
        ("{kind: keypoints, regions: grid}", "keypoint-alignment-xfeat-grid", None),
        ("{kind: keypoints, suffix: mine}", "keypoint-alignment-mine", "keypoint_alignment_mine"),
        (
            "{kind: keypoints, matcher: efficient_loftr}",
            "keypoint-alignment-efficient-loftr-superpixels",
            None,
        ),
        ("text_video", "clip-text", "clip_text"),
        ("{kind: text_video, model: ViT-B-32/openai}", "clip-text-vit-b-32-openai", None),
        ("{kind: viclip, trust_remote_code: true}", "viclip", "viclip"),
        ("videoscore", "videoscore", "videoscore_visual_quality"),
        ("{kind: videoscore, version: '1.1'}", "videoscore-1-1", "videoscore_1_1_visual_quality"),
        ("videoscore2", "videoscore2", "videoscore2_visual_quality"),
        ("aigve_macs", "aigve-macs", "aigve_macs_technical_quality"),
        ("motion", "motion", "motion"),
        ("visible_text", "visible-text", "visible_text_frames"),
    ],
)
def test_a_metrics_measurer_is_called_as_its_part_of_the_table(study_file, tmp_path, metric, part, first):
    (named,) = studies.load(study_file(f"[{metric}]")).metrics
    measurer = measurer_of(named, tmp_path)
    assert named.part == measurer.name == part
    assert measurer.metrics[0].name == first or first is None


def test_defaults_are_the_papers_models(study_file, tmp_path):
    # The ids: GAP, sections 3.2 and 4; the cards of VideoScore, VideoScore2 and AIGVE-MACS.
    paper = "{kind: keypoints, matcher: loftr, regions: grounded_sam}"
    file = study_file(f"[patches, {paper}, videoscore, videoscore2, aigve_macs]")
    settings = [measurer_of(metric, tmp_path).settings for metric in studies.load(file).metrics]
    assert settings[0]["backbone"] == "facebook/dinov2-large"
    assert (settings[1]["matcher"], settings[1]["regions"]) == ("LoFTR", "Grounded SAM")
    assert [one["model"] for one in settings[2:]] == [
        "TIGER-Lab/VideoScore",
        "TIGER-Lab/VideoScore2",
        "xiaoliux/AIGVE-MACS",
    ]


def test_reading_a_study_file_loads_no_library_that_measures():
    code = "import sys; import helpers.study; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert {"torch", "transformers", "open_clip", "av", "cv2", "kornia"}.isdisjoint(done.stdout.split())
