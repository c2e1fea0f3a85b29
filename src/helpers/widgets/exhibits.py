"""What a person looks at on a screen: the photograph, if there is one, and the clips or frames of them."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import pandas as pd

from helpers.checking import DataError
from helpers.judging.protocols import landmarks_protocol
from helpers.judging.stored import check_same
from helpers.paths import file_hash, shown
from helpers.widgets.media import clip_player, frame_strip, photograph_figure
from helpers.widgets.screens import Screen

Kind = Literal["missing", "damaged", "changed"]
# What people read. A path or an error's own words could tell a blinded person the country or the model.
_SAID: dict[Kind, str] = {
    "missing": "it is missing",
    "damaged": "its file is damaged",
    "changed": "its file is another one than the study recorded",
}


class _NotShownError(DataError):
    """Why something cannot be shown, and of which kind that is."""

    def __init__(self, kind: Kind, reason: str) -> None:
        super().__init__(reason)
        self.kind: Kind = kind


class Exhibits:
    """The files behind the screens, shown as each framework shows them to people.

    CultureScore's clips start muted, since they are judged by the picture alone; CultureVidBench's play with
    their sound; of landmarks' clips people see the same five frames as judges, beside the photograph.
    A clip is shown only if the table says that it is "ok" and its file is the one that the table knows by its
    SHA-256; where the table has none, the file must stay the one that was shown first.

    Args:
        screens: what will be shown.
        videos: a table `videos` with their clips.
        pictures: photographs by prompt_id.
        folder: where relative paths start.

    Attributes:
        problems: by video_id or prompt_id, why something cannot be seen, in full, for whoever runs the study:
            from the start where the table has no clip, otherwise as it was found when last shown.

    Raises:
        ValueError: a clip that is not among the videos, a landmark's prompt without photograph.
    """

    def __init__(
        self,
        screens: Sequence[Screen],
        videos: pd.DataFrame,
        pictures: Mapping[str, Path | str],
        folder: Path,
    ):
        self._clips = videos.set_index("video_id").reindex(columns=["path", "status", "sha256"])
        self._hashes: dict[str, str] = self._clips["sha256"].dropna().to_dict()
        self._pictures, self._folder = dict(pictures), Path(folder)
        self.problems: dict[str, str] = {}
        for screen in screens:
            for video_id in screen.video_ids:
                if video_id not in self._clips.index:
                    raise ValueError(f"sheet: the clip '{video_id}' is not among the videos")
                if reason := self._not_made(video_id):
                    self.problems[video_id] = reason
            if screen.framework == "landmarks" and screen.prompt_id not in self._pictures:
                raise ValueError(f"sheet: the prompt '{screen.prompt_id}' has no photograph to compare with")

    def shown(self, screen: Screen) -> str:
        """A screen's pictures and clips, as HTML."""
        pieces = []
        if screen.prompt_id in self._pictures:
            pieces.append(self._tried(screen.prompt_id, self._photograph(screen.prompt_id)))
        for number, video_id in enumerate(screen.video_ids, start=1):
            label = f"Clip {number}" if len(screen.video_ids) > 1 else "The clip"
            pieces.append(self._tried(video_id, self._clip(screen, video_id, label)))
        return "".join(pieces)

    def has_problem(self, screen: Screen) -> bool:
        """Whether something on a screen cannot be seen."""
        return bool({screen.prompt_id, *screen.video_ids} & set(self.problems))

    def _photograph(self, prompt_id: str) -> Callable[[], str]:
        path = self._folder / self._pictures[prompt_id]

        def make() -> str:
            _check_there(path)
            return photograph_figure(path, "Photograph")

        return make

    def _clip(self, screen: Screen, video_id: str, label: str) -> Callable[[], str]:
        def make() -> str:
            path = self._checked(video_id)
            if screen.framework == "landmarks":
                return frame_strip(path, landmarks_protocol().rule, label)
            return clip_player(path, label, muted=screen.framework == "culturescore")

        return make

    def _not_made(self, video_id: str) -> str:
        """Why the table has no clip to show; empty where it has one."""
        clip = self._clips.loc[video_id]
        if clip["status"] == "ok" and pd.notna(clip["path"]):
            return ""
        return (
            f"the clip '{video_id}' has status {clip['status']}, path {clip['path']}; expected ok and a file"
        )

    def _checked(self, video_id: str) -> Path:
        """A clip's file, which is the one that the table knows."""
        if reason := self._not_made(video_id):
            raise _NotShownError("missing", reason)
        path = self._folder / self._clips.loc[video_id, "path"]
        _check_there(path)
        found = file_hash(path)
        try:
            check_same(path, found, self._hashes.setdefault(video_id, found))
        except DataError as error:
            raise _NotShownError("changed", str(error)) from None
        return path

    def _tried(self, name: str, make: Callable[[], str]) -> str:
        try:
            piece = make()
        except (DataError, OSError) as error:
            self.problems[name] = str(error)
            kind = error.kind if isinstance(error, _NotShownError) else "damaged"
            return f"<p>This cannot be shown, since {_SAID[kind]}. Go on with Next.</p>"
        self.problems.pop(name, None)
        return piece


def _check_there(path: Path) -> None:
    if not path.is_file():
        raise _NotShownError("missing", f"{shown(path)}: found no file, expected one to show")


def photographs(prompts: pd.DataFrame, landmarks: pd.DataFrame) -> dict[str, str]:
    """The photographs of landmarks, by prompt_id; none for a landmark that has none."""
    there = landmarks.dropna(subset="reference_image").set_index("landmark_id")["reference_image"]
    found = prompts.set_index("prompt_id")["landmark_id"].map(there).dropna()
    return found.to_dict()
