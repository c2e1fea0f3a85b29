"""A study file with every model of the papers, tiny and random in the published ones' place, by command line.

Only the ids differ from a real study's file: each model goes through the code that loads the published one.
"""

import kornia
import pytest
import torch

from helpers import study as studies
from helpers import tables
from helpers.metrics import __main__ as command
from helpers.metrics.aigve import AigveMacs
from helpers.metrics.registry import declared
from helpers.metrics.videoscore2 import VideoScore2
from helpers.simulate.checkpoints.aigve import build_aigve
from helpers.simulate.checkpoints.clip import build_clip
from helpers.simulate.checkpoints.dinov2 import build_dinov2
from helpers.simulate.checkpoints.efficient_loftr import build_efficient_loftr
from helpers.simulate.checkpoints.grounding_dino import build_grounding_dino
from helpers.simulate.checkpoints.sam import build_sam
from helpers.simulate.checkpoints.videoscore import build_videoscore

METRICS = """
  - {{kind: patches, backbone: {dinov2}, name: patch_clip, device: cpu}}
  - {{kind: patches, backbone: {dinov2}, mode: whole, name: patch_whole, device: cpu}}
  - kind: keypoints
    matcher: loftr
    weights: {loftr}
    regions: grounded_sam
    detector: {grounding_dino}
    segmenter: {sam}
    device: cpu
  - {{kind: keypoints, matcher: efficient_loftr, model: {efficient_loftr}, regions: whole, device: cpu}}
  - {{kind: text_video, model: 'local-dir:{clip}', name: clip_text, device: cpu}}
  - {{kind: videoscore, model: {videoscore}, device: cpu}}
  - {{kind: videoscore2, model: {aigve}, device: cpu}}
  - {{kind: aigve_macs, model: {aigve}, device: cpu}}
"""


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory):
    folder = tmp_path_factory.mktemp("checkpoints")
    torch.manual_seed(0)
    loftr = kornia.feature.LoFTR(pretrained=None).state_dict()
    # As drawn, it is not certain enough of anything to match even a picture with itself.
    loftr["loftr_coarse.layers.7.norm2.weight"] *= 100
    torch.save({"state_dict": loftr}, folder / "loftr.ckpt")
    return {
        "dinov2": build_dinov2(folder / "dinov2"),
        "loftr": folder / "loftr.ckpt",
        "grounding_dino": build_grounding_dino(folder / "grounding-dino"),
        "sam": build_sam(folder / "sam"),
        "efficient_loftr": build_efficient_loftr(folder / "efficient-loftr"),
        "clip": build_clip(folder / "clip"),
        "videoscore": build_videoscore(folder / "videoscore"),
        "aigve": build_aigve(folder / "aigve"),
    }


@pytest.mark.slow
def test_every_metric_of_the_papers_goes_into_the_table(landmark_study, checkpoints, monkeypatch, capsys):
    monkeypatch.setattr(studies, "STUDIES", landmark_study.parent)
    for measurer in (AigveMacs, VideoScore2):
        monkeypatch.setattr(measurer, "most_tokens", 8)
    file = landmark_study.parent / "study.yaml"
    file.write_text(f"name: study\nseed: 1\nmetrics:{METRICS.format(**checkpoints)}", encoding="utf-8")
    assert command.main([str(file)]) < 2
    failed = [line for line in capsys.readouterr().out.splitlines() if " failed: " in line]
    # Random matchers and masks leave some photograph without a match in any region.
    assert all("no region with detail in which it matches itself" in line for line in failed), failed
    table = tables.read(landmark_study, "metric_values")
    known = declared()
    parts = ("alignment", "density", "geometry")
    extra = [*(f"keypoint_{part}" for part in parts), "homography_inliers", "fundamental_inliers"]
    extra = {f"{name}_efficient_loftr_whole" for name in extra}
    assert set(table["metric"]) - known.keys() == extra
    for name, rows in table.groupby("metric"):
        about = known.get(name)
        needs_photograph = about is None or "reference" in about.needs
        assert len(rows) == (6 if needs_photograph else 8), name
        # Random weights write nothing that can be read as a score.
        wanted = "unscored" if name.startswith(("aigve", "videoscore2")) else "ok"
        assert wanted in set(rows["status"]) <= {wanted, "failed"}, name
        if about and wanted == "ok":
            assert rows["value"].dropna().between(about.low, about.high).all()
