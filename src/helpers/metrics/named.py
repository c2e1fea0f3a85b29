"""Metrics as a study file names them; nothing here loads a library that measures."""

from typing import Annotated, Any, get_args

from pydantic import BeforeValidator, Field

from helpers.checking import nearest
from helpers.metrics.named_kinds import (
    AigveMacs,
    Keypoints,
    Motion,
    Own,
    Patches,
    TextVideo,
    ViClip,
    VideoScore,
    VideoScore2,
    VisibleText,
)

_AnyKind = (
    Patches
    | Keypoints
    | TextVideo
    | ViClip
    | VideoScore
    | VideoScore2
    | AigveMacs
    | Motion
    | VisibleText
    | Own
)
KINDS = tuple(get_args(one.model_fields["kind"].annotation)[0] for one in get_args(_AnyKind))


def _of_kind(value: Any) -> Any:
    """A kind alone, such as `- motion`, as the metric of that kind with its defaults."""
    value = {"kind": value} if isinstance(value, str) else value
    kind = value.get("kind") if isinstance(value, dict) else None
    if isinstance(value, dict) and kind not in KINDS:
        raise ValueError(
            f"found the kind {kind!r}{nearest(str(kind), KINDS)} (expected one of {', '.join(KINDS)})"
        )
    return value


NamedMetric = Annotated[Annotated[_AnyKind, Field(discriminator="kind")], BeforeValidator(_of_kind)]


def check_names(metrics: list[NamedMetric]) -> None:
    """Refuse metrics whose values would be called the same.

    Raises:
        ValueError: there are two; the message says how to tell them apart.
    """
    seen: dict[str, NamedMetric] = {}
    for metric in metrics:
        other = seen.setdefault(metric.part, metric)
        if other is not metric:
            key = next((key for key in ("name", "suffix") if key in type(metric).model_fields), None)
            raise ValueError(
                f"found two metrics '{metric.part}', whose values would be called the same; expected "
                + (f"one of them, or a `{key}` that tells them apart" if key else "one of them")
            )
