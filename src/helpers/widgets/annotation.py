"""The page on which a person judges clips: CultureScore's three tiers, CultureVidBench's and GAP's grades."""

import html
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path

import ipywidgets
import pandas as pd
from IPython.display import Javascript, display

from helpers import tables
from helpers.checking import DataError
from helpers.people.instructions import instructions
from helpers.widgets.exhibits import Exhibits, photographs
from helpers.widgets.media import paragraphs
from helpers.widgets.option_rows import OptionRow
from helpers.widgets.replies import Person, Replies
from helpers.widgets.screens import BLANK, Screen, blanked, screens

KEYS = Path(__file__).with_name("keys.js")
_STYLE = """<style>
.annotation { padding: 8px; }
.annotation:focus { outline: none; }
.annotation-media > .widget-html-content { display: flex; flex-wrap: wrap; }
.annotation-row { padding: 2px 6px; border-left: 4px solid transparent; }
.annotation-current { border-left-color: #0072b2; }
.annotation p { line-height: 1.4; margin: 4px 0; }
</style>"""
_SHORTCUTS = (
    "Keys: digits, y and n press the options of the marked row; the right arrow or Enter on Next goes on, "
    "the left arrow goes back, u takes the latest reply back, p plays. They work after a click into the page."
)


class Annotation:
    """One screen after the other, every reply saved at once.

    A page that finds a journal goes on at the screen of its latest reply. Going on is refused while something
    on a screen is open, unless something on it cannot be seen; then it takes no reply.

    Args:
        person: who judges. Where they are blinded, blanks stand for countries' names in all texts.
        sheet: what is shown to them, rows of a table `assignments` of one rater; the name there may be the
            sheet's, the tables get the person's.
        study: the tables prompts, questions and videos, and landmarks where the sheet has some.
        folder: the study's, where relative paths of clips and photographs start.
        path: the journal.
        references: a picture of a prompt's cultural element, by prompt_id, shown beside the clip.

    Attributes:
        replies: what has been replied.
        exhibits: what is looked at, with what cannot be.

    Raises:
        ValueError: as `screens.screens` and `Exhibits`.
        DataError: as `Replies`.
    """

    def __init__(
        self,
        person: Person,
        sheet: pd.DataFrame,
        study: Mapping[str, pd.DataFrame],
        folder: Path,
        path: Path,
        references: Mapping[str, Path | str] | None = None,
    ):
        self._videos = study["videos"]
        worded = blanked if person.blinded else str
        asked = screens(sheet, study["prompts"], study["questions"], country=person.told, worded=worded)
        known = photographs(study["prompts"], study["landmarks"]) if "landmarks" in study else {}
        self.exhibits = Exhibits(asked, self._videos, known | dict(references or {}), folder)
        self.replies = Replies(person, asked, path)
        latest = self.replies.latest
        self._told = _instructions(asked, person, opened=latest is None)
        self._number = 0 if latest is None else latest[0]

    @cached_property
    def box(self) -> ipywidgets.Box:
        """The page without its keyboard shortcuts; a page as the last expression of a cell has them.

        Until it is asked for, nothing is decoded, so that a script can fill a sheet quickly.
        """
        box = self._build()
        self._show_exhibits()
        self._refresh()
        return box

    @property
    def screen(self) -> Screen | None:
        """What is asked now; None when all is done."""
        return self.replies.screens[self._number] if self._number < len(self.replies.screens) else None

    def show(self, number: int) -> None:
        """Show a screen by its number from 0; the number after the last says that all is done."""
        self._number = number
        if self._is_built:
            self._show_exhibits()
            self._refresh()
            self._next.focus()

    def press(self, about: str, row: int, reply: str) -> None:
        """Press an option of the screen, as its button does.

        Args:
            about: the criterion, or "" where one thing is asked.
            row: the row's number from 0; only rankings have several.
            reply: what the option stands for.

        Raises:
            ValueError: there is no such option.
            DataError: something on the screen cannot be seen.
            OSError: the reply could not be saved.
        """
        if self.screen is not None and self.exhibits.has_problem(self.screen):
            raise DataError("something here cannot be shown, so it takes no reply")
        self.replies.press(self._number, about, row, reply)
        if self._is_built:
            self._refresh()

    def next(self) -> None:
        """Go on to the next screen with something open, from the first on after the last; or to the end."""
        if self.screen is None:
            return
        if not self.replies.is_complete(self._number) and not self.exhibits.has_problem(self.screen):
            if self._is_built:
                self._refresh("Something here is still open.")
            return
        order = range(len(self.replies.screens))
        later = [*order[self._number + 1 :], *order[: self._number]]
        still = (number for number in later if not self._is_done(number))
        self.show(next(still, len(order)))

    def back(self) -> None:
        """Go back to the screen before this one."""
        self.show(max(0, self._number - 1))

    def undo(self) -> None:
        """Take back the latest reply and show its screen."""
        number = self.replies.undo()
        if number is not None:
            self.show(number)

    def to_tables(self) -> dict[str, pd.DataFrame]:
        """The rows that the replies make; see `Replies.tables`."""
        return self.replies.tables(self._videos)

    def write(self, study: Path, part: str) -> list[Path]:
        """Write the rows as a part of the study's tables.

        Args:
            study: the study's folder.
            part: what the part is called, one for each person; an earlier one of that name is replaced.

        Returns:
            The files; a table without rows is not written.

        Raises:
            DataError: as `tables.write`.
        """
        made = self.to_tables()
        return [tables.write(study, name, rows, part=part) for name, rows in made.items() if len(rows)]

    def _ipython_display_(self) -> None:
        display(self.box, Javascript(KEYS.read_text(encoding="utf-8")))

    def _is_done(self, number: int) -> bool:
        """Whether nothing more can be done on a screen."""
        return self.replies.is_complete(number) or self.exhibits.has_problem(self.replies.screens[number])

    def _saved(self, act: Callable[..., None]) -> Callable[..., None]:
        """An action that says on the page when it cannot be saved; nobody sees a button's errors."""

        def tried(*args: object) -> None:
            try:
                act(*args)
            except (OSError, DataError) as error:
                self._refresh(f"This was NOT saved: {error}")

        return tried

    @property
    def _is_built(self) -> bool:
        return "box" in vars(self)

    def _show_exhibits(self) -> None:
        self._media.value = "" if self.screen is None else self.exhibits.shown(self.screen)

    def _build(self) -> ipywidgets.Box:
        asked = [list(screen.questions.values()) for screen in self.replies.screens]
        rows = max(sum(len(question.rows) for question in questions) for questions in asked)
        most = max(len(question.options) for questions in asked for question in questions)
        self._rows = [OptionRow(most, self._saved(self.press)) for _ in range(rows)]
        self._heading, self._media, self._status = (ipywidgets.HTML() for _ in range(3))
        self._media.add_class("annotation-media")
        back, undo, self._next = (ipywidgets.Button(description=name) for name in ("Back", "Undo", "Next"))
        for button, act in ((back, self.back), (undo, self._saved(self.undo)), (self._next, self.next)):
            button.on_click(lambda _, act=act: act())
            button.add_class(f"annotation-{button.description.lower()}")
        rows = [row.box for row in self._rows]
        buttons = ipywidgets.HBox([back, undo, self._next])
        head = [ipywidgets.HTML(_STYLE + self._told), self._heading, self._media]
        return ipywidgets.VBox([*head, *rows, buttons, self._status]).add_class("annotation")

    def _refresh(self, said: str = "") -> None:
        """Fill the widgets anew."""
        screen, total = self.screen, len(self.replies.screens)
        self._heading.value = _headed(screen, self._number + 1, total)
        takes_none = screen is None or self.exhibits.has_problem(screen)
        asked = [] if takes_none else list(screen.questions.items())
        entries = [
            (about, question, row, self.replies.given(self._number, about))
            for about, question in asked
            for row in range(len(question.rows))
        ]
        unlit = [not any(question.lit(reply, row)) for _, question, row, reply in entries]
        current = unlit.index(True) if any(unlit) else 0 if len(entries) == 1 else None
        for number, (place, entry) in enumerate(zip(self._rows, entries, strict=False)):
            place.fill(*entry, current=number == current)
        for place in self._rows[len(entries) :]:
            place.clear()
        done = sum(map(self.replies.is_complete, range(total)))
        if others := len(self.replies.problems):
            said = f"Replies given earlier to another wording do not count: {others}. {said}"
        self._status.value = f"<b>{done} of {total}</b> answered; every reply is saved. {html.escape(said)}"


def _headed(screen: Screen | None, number: int, total: int) -> str:
    if screen is None:
        return "<h3>That was all. Thank you.</h3><p>Back and Undo still work.</p>"
    told = {"What it should show": screen.element, "Description": screen.description}
    lines = [f"<p><b>{name}:</b> {html.escape(text)}</p>" for name, text in told.items() if text]
    return f"<h3>{number} of {total}</h3>{''.join(lines)}"


def _instructions(asked: list[Screen], person: Person, *, opened: bool) -> str:
    """What the person is told, once for each framework, and the keys; to be folded away and opened again."""
    worded = blanked if person.blinded else str
    frameworks = dict.fromkeys(screen.framework for screen in asked if screen.framework)
    texts = [worded(instructions(name, country=person.told).text) for name in frameworks]
    if person.blinded:
        texts.append(f"The country is hidden on purpose; {BLANK} stands for its name.")
    inside = "".join(map(paragraphs, [*texts, _SHORTCUTS]))
    return f"<details{' open' * opened}><summary>Instructions</summary>{inside}</details>"
