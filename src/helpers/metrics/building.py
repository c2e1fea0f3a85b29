"""Measurers as a study file names them; a kind's libraries are imported only where it is wanted."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from helpers.metrics import named_kinds as kinds
from helpers.metrics.matchers import LoFTRMatcher, Matcher, XFeatMatcher
from helpers.metrics.measurer import Measurer
from helpers.metrics.named import NamedMetric
from helpers.metrics.regions import Grid, RegionSource, Superpixels, WholeImage


def measurer_of(metric: NamedMetric, kept: Path) -> Measurer:
    """The measurer of a metric; no model is loaded yet.

    Args:
        metric: as the study file names it.
        kept: a folder for what is computed from reference photographs alone.

    Raises:
        ValueError: settings that do not fit each other.
    """
    return _BUILDERS[metric.kind](metric, kept)


def _patches(metric: kinds.Patches, kept: Path) -> Measurer:
    from helpers.metrics.backbones import backbone
    from helpers.metrics.patches import METRICS, PATCH_CLIP, PatchSimilarity

    tokens = backbone(
        metric.backbone,
        metric.used_mode,
        size=metric.size,
        revision=metric.revision,
        device=metric.device,
        dtype=metric.dtype,
    )
    known = {one.name: one for one in METRICS}
    title = f"Patch similarity ({metric.backbone}, {metric.used_mode})"
    other = replace(PATCH_CLIP, name=metric.metric, title=title, cost="5 pictures through the backbone")
    return PatchSimilarity(tokens, known.get(metric.metric, other), kept=kept)


def _keypoints(metric: kinds.Keypoints, kept: Path) -> Measurer:
    from helpers.metrics.keypoints import PAPER, XFEAT, KeypointAlignment, declare
    from helpers.metrics.loading import best_device

    device = str(best_device(metric.device))
    parts = f"{metric.matcher}, {metric.regions}".replace("_", " ")
    metrics = {"": PAPER, "_xfeat": XFEAT}.get(metric.ending) or declare(
        metric.ending, parts, f"5 pairs through {metric.matcher}"
    )
    matcher, regions = _matcher(metric, device), _regions(metric, device)
    return KeypointAlignment(matcher, regions, folder=kept, metrics=metrics)


def _matcher(metric: kinds.Keypoints, device: str) -> Matcher:
    if metric.matcher == "loftr":
        return LoFTRMatcher(metric.weights, device)
    if metric.matcher == "efficient_loftr":
        from helpers.metrics.efficient_loftr import EfficientLoFTRMatcher

        return EfficientLoFTRMatcher(metric.model, metric.revision, device)
    return XFeatMatcher(device=device)


def _regions(metric: kinds.Keypoints, device: str) -> RegionSource:
    if metric.regions == "grounded_sam":
        from helpers.metrics.grounded_sam import GroundedSam

        return GroundedSam(
            metric.detector,
            metric.segmenter,
            detector_revision=metric.detector_revision,
            segmenter_revision=metric.segmenter_revision,
            device=device,
        )
    return {"superpixels": Superpixels, "grid": Grid, "whole": WholeImage}[metric.regions]()


def _text_video(metric: kinds.TextVideo, kept: Path) -> Measurer:
    from helpers.metrics.text_video import CLIP_TEXT, ClipText

    title = f"Text-video similarity, averaged over frames ({metric.model})"
    own = (
        CLIP_TEXT if metric.metric == CLIP_TEXT.name else replace(CLIP_TEXT, name=metric.metric, title=title)
    )
    return ClipText(metric.model, own, device=metric.device, dtype=metric.dtype)


def _viclip(metric: kinds.ViClip, kept: Path) -> Measurer:
    from helpers.metrics.text_video import ViClip

    return ViClip(
        metric.model,
        trust_remote_code=metric.trust_remote_code,
        revision=metric.revision,
        device=metric.device,
    )


def _videoscore(metric: kinds.VideoScore, kept: Path) -> Measurer:
    from helpers.metrics.videoscore import V1, V1_1, VideoScore

    return VideoScore(V1 if metric.version == "1" else V1_1, **_source(metric))


def _videoscore2(metric: kinds.VideoScore2, kept: Path) -> Measurer:
    from helpers.metrics.videoscore2 import VideoScore2

    return VideoScore2(**_source(metric))


def _aigve_macs(metric: kinds.AigveMacs, kept: Path) -> Measurer:
    from helpers.metrics.aigve import AigveMacs

    return AigveMacs(**_source(metric))


def _motion(metric: kinds.Motion, kept: Path) -> Measurer:
    from helpers.metrics.motion import Motion

    return Motion()


def _visible_text(metric: kinds.VisibleText, kept: Path) -> Measurer:
    from helpers.metrics.visible_text import VisibleText

    return VisibleText(metric.languages)


def _own(metric: kinds.Own, kept: Path) -> Measurer:
    from helpers.metrics.own import own_measurer

    return own_measurer(metric)


def _source(metric: Any) -> dict[str, Any]:
    """Which weights, where and in what."""
    return metric.model_dump(include={"model", "revision", "device", "dtype"})


_BUILDERS: dict[str, Callable[[Any, Path], Measurer]] = {
    "patches": _patches,
    "keypoints": _keypoints,
    "text_video": _text_video,
    "viclip": _viclip,
    "videoscore": _videoscore,
    "videoscore2": _videoscore2,
    "aigve_macs": _aigve_macs,
    "motion": _motion,
    "visible_text": _visible_text,
    "own": _own,
}
