"""The page on which a person picks each landmark's most canonical photograph (GAP, section 3.1)."""

import base64
import html
import io
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ipywidgets
import pandas as pd
from PIL import Image

from helpers.benchmarks.landmark_pictures import photograph
from helpers.checking import DataError
from helpers.paths import shown
from helpers.widgets.choices import Choices

# Pixels of a photograph's longer side on the page, and of a card's width.
SIDE, WIDTH = 480, 260
# Seconds in which a new landmark takes no choice: the second half of a double click is none.
STILL = 0.3
_QUESTION = (
    "Which one shows the landmark as people know it? Choose the photograph that shows all of it, from its "
    "usual side, with little in front of it. Tab and Enter work as well as the mouse."
)


class PickingPage:
    """One landmark after the other, with its candidate photographs side by side.

    Every choice is saved at once. Landmarks that are decided already are not shown again, except after Undo.

    Args:
        landmarks: landmark_id (each once), name, city and country, in the order in which they are shown; a
            landmark without a name is shown by its id.
        candidates: landmark_id, image_id, path, title, author and licence, as
            `landmark_pictures.download_candidates` gives them; rows without a path are not shown. For a
            landmark without any, "None fits" is left.
        path: the file of choices; a page that finds one goes on where it ends.

    Attributes:
        box: the page; the last expression of a cell shows it.
        problems: landmark_id, image_id and problem of the photographs shown so far that do not decode.

    Where the photograph that was chosen is gone, its landmark is asked about again, and the page says so.

    Raises:
        ValueError: a landmark_id that is there twice.
        DataError: as `Choices`, or the file holds a choice about another landmark or photograph.
    """

    def __init__(self, landmarks: pd.DataFrame, candidates: pd.DataFrame, path: Path):
        twice = landmarks.loc[landmarks["landmark_id"].duplicated(), "landmark_id"]
        if len(twice):
            raise ValueError(f"found the landmark {twice.iloc[0]} twice, expected each once")
        there = candidates[candidates["path"].notna()]
        self._landmarks = landmarks.set_index("landmark_id")
        self._candidates = {name: there[there["landmark_id"].eq(name)] for name in self._landmarks.index}
        self._choices = Choices(path)
        nothing = [(name, None) for name in self._landmarks.index]
        present = there[[Path(file).is_file() for file in there["path"]]]
        self._there = {*zip(present["landmark_id"], present["image_id"], strict=True), *nothing}
        known = {*zip(candidates["landmark_id"], candidates["image_id"], strict=True), *nothing}
        foreign = [
            (name, image)
            for name, image in self._choices.picked.items()
            if name not in self._landmarks.index or (name, image) not in known
        ]
        if foreign:
            raise DataError(
                f"{shown(path)}: found the choice {foreign[0]}, expected these landmarks and photographs"
            )
        self._problems: dict[tuple[str, str], str] = {}
        self._build(max(map(len, self._candidates.values()), default=0))
        self._show(self._next())

    @property
    def problems(self) -> pd.DataFrame:
        """The photographs shown so far that do not decode."""
        rows = [(*key, problem) for key, problem in self._problems.items()]
        return pd.DataFrame(rows, columns=["landmark_id", "image_id", "problem"])

    def _build(self, most: int) -> None:
        """The widgets. Cards are made once and filled anew, so that the keyboard's focus is not lost."""
        self._heading, self._status = ipywidgets.HTML(), ipywidgets.HTML()
        self._cards = [_Card(number, self._choose) for number in range(1, most + 1)]
        self._none = ipywidgets.Button(description="None fits")
        self._undo = ipywidgets.Button(description="Undo")
        self._none.on_click(lambda _: self._choose(None))
        self._undo.on_click(lambda _: self._take_back())
        wrapped = ipywidgets.Layout(flex_flow="row wrap")
        cards = ipywidgets.Box([card.box for card in self._cards], layout=wrapped)
        buttons = ipywidgets.HBox([self._none, self._undo])
        self.box = ipywidgets.VBox([self._heading, cards, buttons, self._status])

    def _next(self) -> str | None:
        return next((name for name in self._landmarks.index if name not in self._decided), None)

    @property
    def _decided(self) -> dict[str, str | None]:
        """The choices that stand and whose photograph is there."""
        return {name: image for name, image in self._choices.picked.items() if (name, image) in self._there}

    def _show(self, landmark_id: str | None) -> None:
        self._current = landmark_id
        rows = [] if landmark_id is None else list(self._candidates[landmark_id].itertuples())
        for card, row in zip(self._cards, [*rows, *[None] * (len(self._cards) - len(rows))], strict=True):
            problem = card.fill(row)
            if problem:
                self._problems[row.landmark_id, row.image_id] = problem
        self._none.disabled = landmark_id is None
        self._undo.disabled = not self._choices.picked
        self._heading.value = self._headed(landmark_id)
        self._status.value = self._said()
        able = [card for card in self._cards if not card.button.disabled]
        (able[0].button if able else self._none).focus()
        self._since = time.monotonic()

    def _headed(self, landmark_id: str | None) -> str:
        if landmark_id is None:
            return "<h2>All landmarks are decided</h2><p>Undo takes the latest choice back.</p>"
        row = self._landmarks.loc[landmark_id]
        place = ", ".join(html.escape(str(part)) for part in (row["city"], row["country"]) if pd.notna(part))
        name = row["name"] if pd.notna(row["name"]) else landmark_id
        return f"<h2>{html.escape(str(name))}</h2><p>{place}</p><p>{_QUESTION}</p>"

    def _said(self) -> str:
        picked, total = self._decided, len(self._landmarks)
        gone = len(self._choices.picked) - len(picked)
        said = [f"<b>{len(picked)} of {total}</b> decided, {sum(v is None for v in picked.values())} without"]
        if self._problems:
            said.append(f"photographs that do not decode: {len(self._problems)}")
        if gone:
            said.append(f"chosen photographs that are gone, to be chosen anew: {gone}")
        return " · ".join(said)

    def _choose(self, image_id: str | None) -> None:
        if self._current is not None and time.monotonic() - self._since >= STILL:
            self._choices.pick(self._current, image_id)
            self._show(self._next())

    def _take_back(self) -> None:
        landmark_id = self._choices.undo()
        if landmark_id is not None:
            self._show(landmark_id)


class _Card:
    """A place for one candidate photograph, its credit and its button."""

    def __init__(self, number: int, choose: Callable[[str | None], None]):
        self.number = number
        self.picture = ipywidgets.HTML()
        self.button = ipywidgets.Button(description=f"Choose {number}", layout={"width": "auto"})
        self.button.on_click(lambda _: choose(self.image_id))
        layout = {"width": f"{WIDTH}px", "margin": "4px"}
        self.box = ipywidgets.VBox([self.picture, self.button], layout=layout)

    def fill(self, row: Any) -> str | None:
        """Show a candidate, or nothing; what is wrong with its file, if it does not decode."""
        self.image_id = None if row is None else row.image_id
        self.box.layout.display = "none" if row is None else None
        self.button.disabled = True
        if row is None:
            return None
        given = [str(part) for part in (row.title, row.author, row.licence) if pd.notna(part)]
        credit = html.escape(" · ".join(given))
        try:
            picture, problem = self._drawn(photograph(row.path, SIDE)), None
            self.button.disabled = False
        except DataError as error:
            problem = str(error)
            picture = f"<p>This photograph cannot be shown: {html.escape(problem)}</p>"
        self.picture.value = f"<figure>{picture}<figcaption>{credit}</figcaption></figure>"
        return problem

    def _drawn(self, image: Image.Image) -> str:
        file = io.BytesIO()
        image.save(file, "JPEG", quality=85)
        data = base64.b64encode(file.getvalue()).decode()
        about = f'alt="Photograph {self.number}" style="max-width: 100%"'
        return f'<img src="data:image/jpeg;base64,{data}" {about}>'
