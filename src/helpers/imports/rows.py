"""Rows of a study's table of videos for imported clips."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from helpers.generation.journal import Row, now
from helpers.imports.copies import copy_clips
from helpers.imports.names import clip_id, loses_signs
from helpers.imports.problems import Problem
from helpers.imports.review import EMPTY, Clip


def clip_rows(
    clips: Sequence[Clip],
    problems: Iterable[Problem],
    source: str,
    *,
    copy_to: Path | str | None,
    study: Path | str | None,
) -> list[Row]:
    """A row for each clip.

    Args:
        clips: the clips, each file once.
        problems: what is wrong with them; the kinds are kept in each row's settings as `flags`.
        source: where they were imported from.
        copy_to: as `videos.import_videos`.
        study: as `videos.import_videos`.
    """
    flags = defaultdict(set)
    for problem in problems:
        flags[problem.file].add(problem.kind)
    named = _named(clips)
    places = copy_clips(named, Path(copy_to)) if copy_to else {}
    return [
        Row(
            video_id=name,
            model=clip.model,
            prompt_id=clip.prompt_id,
            seed=clip.seed,
            path=recorded(places.get(name, clip.path), study),
            sha256=clip.sha256,
            status=clip.status,
            settings=_settings(source, clip, sorted(flags[clip.file])),
            at=now(),
            origin="imported",
            **_content(clip),
        )
        for name, clip in named.items()
    ]


def missing_row(model: str, prompt_id: str, source: str) -> Row:
    """The row of a prompt without a clip."""
    return Row(
        video_id=clip_id(model, prompt_id),
        model=model,
        prompt_id=prompt_id,
        status="missing",
        settings={"imported_from": source},
        at=now(),
        origin="imported",
    )


def _named(clips: Sequence[Clip]) -> dict[str, Clip]:
    """The clips by their video_id.

    A clip whose take lost signs on the way into its id always gets a bit of its hash, so that its id is the
    same whether or not there is another clip whose take looks alike; so do clips that nothing tells apart.
    """
    ids = [clip_id(clip.model, clip.prompt_id, clip.seed, clip.take) for clip in clips]
    count = Counter(ids)
    named = {
        f"{name}/{_bit(clip)}" if count[name] > 1 or loses_signs(clip.take) else name: clip
        for name, clip in zip(ids, clips, strict=True)
    }
    if len(named) < len(clips):
        raise AssertionError(f"{len(clips)} clips have {len(named)} different ids")
    return named


def _bit(clip: Clip) -> str:
    """A bit of the hash of a clip's bytes; of its name where there are none."""
    if clip.sha256 in (None, EMPTY):
        return hashlib.sha256(clip.file.encode()).hexdigest()[:8]
    return clip.sha256[:8]


def recorded(place: Path, study: Path | str | None) -> str:
    """A path relative to the study's folder where it lies inside it, else an absolute one."""
    path = place.absolute()
    if study is not None and path.is_relative_to(Path(study).absolute()):
        path = path.relative_to(Path(study).absolute())
    return path.as_posix()


def _content(clip: Clip) -> dict[str, Any]:
    probe = clip.probe
    if not probe.width:
        return {}
    about = {"width": probe.width, "height": probe.height, "frames": probe.frames, "fps": probe.fps}
    return about | {"audio": probe.audio, "bytes": clip.path.stat().st_size}


def _settings(source: str, clip: Clip, flags: list[str]) -> dict[str, Any]:
    """Where a clip came from, and what is wrong with it."""
    settings: dict[str, Any] = {"imported_from": source, "file": clip.file}
    if clip.status != "ok":
        settings["problem"] = f"{clip.probe.status}: {clip.probe.problem}"
    return settings | ({"flags": flags} if flags else {})
