"""What a person looks at on a screen: the photograph, if there is one, and the clips or frames of them."""

import html
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pandas as pd

from helpers.checking import DataError
from helpers.judging.protocols import landmarks_protocol
from helpers.widgets.media import clip_player, frame_strip, photograph_figure
from helpers.widgets.screens import Screen


class Exhibits:
    """The files behind the screens, shown as each framework shows them to people.

    CultureScore's clips start muted, since they are judged by the picture alone; CultureVidBench's play with
    their sound; of landmarks' clips people see the same five frames as judges, beside the photograph.

    Args:
        screens: what will be shown.
        videos: a table `videos` with their clips.
        pictures: photographs by prompt_id.
        folder: where relative paths start.

    Attributes:
        problems: by video_id or prompt_id, why something that was shown so far cannot be seen.

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
        self._files = videos.set_index("video_id")["path"]
        self._pictures, self._folder = dict(pictures), Path(folder)
        self.problems: dict[str, str] = {}
        for screen in screens:
            for video_id in screen.video_ids:
                if video_id not in self._files.index:
                    raise ValueError(f"sheet: the clip '{video_id}' is not among the videos")
            if screen.framework == "landmarks" and screen.prompt_id not in self._pictures:
                raise ValueError(f"sheet: the prompt '{screen.prompt_id}' has no photograph to compare with")

    def shown(self, screen: Screen) -> str:
        """A screen's pictures and clips, as HTML."""
        pieces = []
        if screen.prompt_id in self._pictures:
            path = self._folder / self._pictures[screen.prompt_id]
            pieces.append(self._tried(screen.prompt_id, lambda: photograph_figure(path, "Photograph")))
        for number, video_id in enumerate(screen.video_ids, start=1):
            label = f"Clip {number}" if len(screen.video_ids) > 1 else "The clip"
            pieces.append(self._tried(video_id, self._clip(screen, video_id, label)))
        return "".join(pieces)

    def has_problem(self, screen: Screen) -> bool:
        """Whether something on a screen cannot be seen."""
        return bool({screen.prompt_id, *screen.video_ids} & set(self.problems))

    def _clip(self, screen: Screen, video_id: str, label: str) -> Callable[[], str]:
        file = self._files[video_id]
        path = self._folder / ("" if pd.isna(file) else file)
        if screen.framework == "landmarks":
            return lambda: frame_strip(path, landmarks_protocol().rule, label)
        return lambda: clip_player(path, label, muted=screen.framework == "culturescore")

    def _tried(self, name: str, make: Callable[[], str]) -> str:
        try:
            return make()
        except DataError as error:
            self.problems[name] = str(error)
            return f"<p>This cannot be shown, go on with Next: {html.escape(str(error))}</p>"


def photographs(prompts: pd.DataFrame, landmarks: pd.DataFrame) -> dict[str, str]:
    """The photographs of landmarks, by prompt_id; none for a landmark that has none."""
    there = landmarks.dropna(subset="reference_image").set_index("landmark_id")["reference_image"]
    found = prompts.set_index("prompt_id")["landmark_id"].map(there).dropna()
    return found.to_dict()
