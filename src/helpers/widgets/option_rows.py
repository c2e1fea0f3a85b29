"""One row of options on a page: what is asked, what is chosen, and a button for each option."""

import html
from collections.abc import Callable

import ipywidgets

from helpers.widgets.asking import Question
from helpers.widgets.media import paragraphs

Press = Callable[[str, int, str], None]


class OptionRow:
    """A place for a question's row. It is made once and filled anew, so that the keyboard's focus is kept.

    Args:
        most: buttons that may be needed.
        press: called with what the row is about, its number within the question and the option's reply.

    Attributes:
        box: the widget.
    """

    def __init__(self, most: int, press: Press):
        self._text, self._chosen = ipywidgets.HTML(), ipywidgets.HTML()
        self._buttons = [ipywidgets.Button(layout={"width": "auto"}) for _ in range(most)]
        self._pressed: list[Callable[[], None]] = []
        for number, button in enumerate(self._buttons):
            button.on_click(lambda _, number=number: self._pressed[number]())
        line = ipywidgets.HBox([*self._buttons, self._chosen], layout={"flex_flow": "row wrap"})
        self.box = ipywidgets.VBox([self._text, line])
        self.box.add_class("annotation-row")
        self._press = press

    def clear(self) -> None:
        """Show nothing."""
        self.box.layout.display = "none"

    def fill(self, about: str, question: Question, row: int, reply: str, *, current: bool) -> None:
        """Show a question's row, and what of it is chosen.

        Args:
            about: what is asked about.
            question: the question.
            row: which of its rows, from 0; only the first bears the question's words.
            reply: the reply to it.
            current: whether keys go to this row.
        """
        self.box.layout.display = None
        (self.box.add_class if current else self.box.remove_class)("annotation-current")
        self._text.value = _worded(question, row)
        lit = question.lit(reply, row)
        chosen = [option.label for option in question.options if option.reply in lit]
        self._chosen.value = f"<i>{html.escape(', '.join(chosen)) or 'open'}</i>"
        self._pressed = [
            lambda reply=option.reply: self._press(about, row, reply) for option in question.options
        ]
        for button in self._buttons[len(question.options) :]:
            button.layout.display = "none"
        for button, option in zip(self._buttons, question.options, strict=False):
            button.layout.display = None
            button.description = option.label
            # The page's script finds buttons by this.
            button.tooltip = f"Key {option.key}"
            button.button_style = "primary" if option.reply in lit else ""


def _worded(question: Question, row: int) -> str:
    name = f"<b>{html.escape(question.rows[row])}</b>"
    if row:
        return name
    details = f"<details><summary>scores</summary>{paragraphs(question.details)}</details>"
    said = [f"<b>{html.escape(question.heading)}</b>", paragraphs(question.help)]
    return "".join([*said, details if question.details else "", name])
