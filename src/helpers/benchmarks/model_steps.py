"""Steps in which a language model writes or judges one thing for each row of a table.

A step takes the rows whose earlier step went well, makes one request of each, and writes what came back
beside them. No row is ever dropped: every row has the step's status and, where that is not ok, the reason.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
from pydantic import AfterValidator

from helpers.chat.forms import Form
from helpers.chat.messages import user
from helpers.chat.request import Request, Sampling
from helpers.chat.results import Result
from helpers.templates import template

TEMPLATES = Path(__file__).parent / "templates"


class RuleError(ValueError):
    """A reply that fits its form but breaks a rule of its step; the message says which."""


def _filled(written: str) -> str:
    if not written.strip():
        raise ValueError("expected some text")
    return " ".join(written.split())


# Blank text is refused here rather than in the JSON Schema: servers differ in how they read a pattern there.
Filled = Annotated[str, AfterValidator(_filled)]


@dataclass(frozen=True, kw_only=True)
class Writer:
    """The model that does the steps.

    Attributes:
        model: its name, as the server knows it.
        sampling: how its replies are drawn.
        extra: fields of the request's body that only some servers know, as in `Request`.
    """

    model: str
    sampling: Sampling = field(default_factory=lambda: Sampling(max_tokens=4096))
    extra: Mapping[str, Any] = field(default_factory=dict)

    def request(self, name: str, form: type[Form], **values: str) -> Request:
        """A request from a template.

        Args:
            name: the file in `TEMPLATES`, without its ending.
            form: what the reply must fit.
            values: the text for each of the template's placeholders.
        """
        text = template(TEMPLATES / f"{name}.txt").fill(**values)
        return Request(
            model=self.model, messages=(user(text),), schema=form, sampling=self.sampling, extra=self.extra
        )


@dataclass(frozen=True)
class Step:
    """One step over a table.

    Attributes:
        name: begins the names of its columns `<name>_status`, `<name>_reason` and `<name>_raw`.
        after: the step that must have gone well before, or None for a first step.
        gives: the columns that it fills where it goes well.
    """

    name: str
    after: str | None
    gives: tuple[str, ...]

    def due(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The rows to ask about: those whose earlier step has the status ok.

        Raises:
            ValueError: the earlier step has not been taken.
        """
        return frame[_went_well(frame, self.name, self.after)]

    def requests(self, frame: pd.DataFrame, ask: Callable[[Any], Request]) -> list[Request]:
        """One request for each row that is due; `ask` makes it from the row, as `itertuples` gives it."""
        return [ask(row) for row in self.due(frame).itertuples()]

    def rows(
        self, frame: pd.DataFrame, results: Sequence[Result], read: Callable[[Any, Any], Sequence[Any]]
    ) -> pd.DataFrame:
        """The frame with what the step gives.

        Args:
            frame: the frame that the requests were made from.
            results: what came of the requests, in their order.
            read: takes a row and its reply's value and returns the values of `gives`; raises `RuleError` for
                a reply that breaks a rule, whose row is then `unscored`.

        Returns:
            All rows. Those that were not due have the status `missing`.

        Raises:
            ValueError: another number of results than rows that are due.
        """
        ready = _went_well(frame, self.name, self.after)
        if len(results) != ready.sum():
            raise ValueError(
                f"{self.name}: found {len(results)} results, expected {ready.sum()}, "
                "one for each row that is due"
            )
        waiting = iter(results)
        outcomes = [
            self._outcome(row, next(waiting), read) if is_due else self._not_due(row)
            for row, is_due in zip(frame.itertuples(), ready, strict=True)
        ]
        columns = [f"{self.name}_{about}" for about in ("status", "reason", "raw")] + list(self.gives)
        given = pd.DataFrame(outcomes, columns=columns, index=frame.index, dtype=object)
        return pd.concat([frame.drop(columns=columns, errors="ignore"), given], axis=1)

    def _outcome(self, row: Any, result: Result, read: Callable[[Any, Any], Sequence[Any]]) -> list[Any]:
        raw = result.raw if result.repair is None else result.repair
        nothing = [None] * len(self.gives)
        if result.status != "ok":
            return [result.status, result.reason, raw, *nothing]
        try:
            return ["ok", None, raw, *read(row, result.value)]
        except RuleError as problem:
            return ["unscored", str(problem), raw, *nothing]

    def _not_due(self, row: Any) -> list[Any]:
        status = getattr(row, f"{self.after}_status")
        return ["missing", f"the step {self.after} is {status}", None, *[None] * len(self.gives)]


def _went_well(frame: pd.DataFrame, name: str, after: str | None) -> pd.Series:
    if after is None:
        return pd.Series(True, index=frame.index)
    if f"{after}_status" not in frame:
        raise ValueError(f"{name}: found no column '{after}_status'; expected the step {after} to come first")
    return frame[f"{after}_status"].eq("ok")
