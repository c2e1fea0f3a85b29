"""What one person has replied: saved at once, taken back one by one, told as rows of the study's tables."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
from pydantic import BaseModel, ConfigDict

from helpers.checking import DataError
from helpers.journal import OpenJournal, read_lines, writing
from helpers.paths import shown
from helpers.schemas import TABLES, check
from helpers.widgets.asking import NOT_APPLICABLE, Question
from helpers.widgets.screens import AGREEMENT, Screen


@dataclass(frozen=True, kw_only=True)
class Person:
    """Who sits before the page; nothing that tells who it is.

    Attributes:
        rater_id: the name in every table.
        country: the country whose clips are judged; None where they are from several.
        native: whether it is the person's own.
        language: the person's first language, by its English name.
        blinded: whether the country is hidden.
        kind: human, or simulated for a script.
    """

    rater_id: str
    country: str | None = None
    native: bool | None = None
    language: str | None = None
    blinded: bool = False
    kind: str = "human"

    @property
    def told(self) -> str:
        """The country as texts name it."""
        return self.country or "one of several countries"


class Line(BaseModel):
    """One reply, with what it is about.

    Attributes:
        rater_id, step, tier, position: as in the table assignments; the position is the first clip's.
        shown: the clips by video_id, in their order.
        question_id: what was asked, if it was one of a scenario's questions.
        about: the criterion; empty where a screen asks one thing.
        asked: a hash of the words that were asked; empty in journals from before it was kept.
        reply: the reply in full (helpers.widgets.asking).
        undone: it takes back the latest reply that stands; `reply` says nothing then.
        at: when (UTC, ISO 8601).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    rater_id: str
    step: int
    tier: str
    position: int
    shown: tuple[str, ...]
    question_id: str | None
    about: str
    asked: str = ""
    reply: str
    undone: bool
    at: str


Place = tuple[int, str]
_WHAT = "a reply"


class Replies:
    """A person's replies to some screens.

    Several pages may be open on one journal: each reply builds on all that was saved before it. A reply to
    other words than those that are asked now stays in the journal and does not count.

    Args:
        person: who replies.
        screens: what is asked.
        path: the journal; it is made, with its folder, by the first reply.

    Attributes:
        problems: one text for each line of the journal that does not count.

    Raises:
        DataError: the journal cannot be read, or holds a reply of another person or to other screens.
    """

    def __init__(self, person: Person, screens: Sequence[Screen], path: Path):
        self.person, self.screens = person, list(screens)
        self._path = path
        self._places = {
            self._about(screen, about): (number, about)
            for number, screen in enumerate(self.screens)
            for about in screen.questions
        }
        self._words = {
            (number, about): _wording(screen, question)
            for number, screen in enumerate(self.screens)
            for about, question in screen.questions.items()
        }
        self.problems: list[str] = []
        self._history = self._standing(read_lines(path, Line, _WHAT))

    @property
    def latest(self) -> Place | None:
        """The screen (its number from 0) and the question of the latest reply that stands."""
        return self._history[-1][0] if self._history else None

    def given(self, screen: int, about: str) -> str:
        """The reply to a question, empty where there is none."""
        return next((reply for place, reply in reversed(self._history) if place == (screen, about)), "")

    def is_complete(self, screen: int) -> bool:
        """Whether nothing on a screen is left open."""
        questions = self.screens[screen].questions
        return all(question.is_complete(self.given(screen, about)) for about, question in questions.items())

    def press(self, screen: int, about: str, row: int, pressed: str) -> None:
        """Press one of a question's options; the reply that results is saved.

        Raises:
            ValueError: there is no such option.
            OSError: it could not be saved; nothing of it is kept.
        """
        question = self.screens[screen].questions[about]
        options = [option.reply for option in question.options]
        if pressed not in options:
            raise ValueError(f"found the reply '{pressed}', expected one of {', '.join(options)}")
        with self._writing() as journal:
            reply = question.press(self.given(screen, about), row, pressed)
            journal.add(self._line((screen, about), reply, undone=False))

    def undo(self) -> int | None:
        """Take back the latest reply that stands, so that the one before it holds; its screen, or None."""
        if not self._path.exists():
            return None
        with self._writing() as journal:
            place = self.latest
            if place is None:
                return None
            journal.add(self._line(place, "", undone=True))
        return place[0]

    def tables(self, videos: pd.DataFrame) -> dict[str, pd.DataFrame]:
        """The rows that the replies make, each table checked.

        What was asked and not replied has status "missing" in answers and ratings, and no row in relevance
        and rankings, which have no status. A ranking with an open rank counts as none.

        Args:
            videos: a table `videos` that has the clips of the screens.

        Returns:
            The tables raters (one row), assignments, relevance, answers, ratings and rankings; those that
            were not asked for are empty.

        Raises:
            DataError: rows that do not fit the tables, as when the same question is asked twice.
        """
        rater, path, models = self.person.rater_id, self._path, videos.set_index("video_id")["model"]
        rows = {name: [] for name in ("assignments", "relevance", "answers", "ratings", "rankings")}
        for number, screen in enumerate(self.screens):
            rows["assignments"] += _assignments(screen)
            for about, question in screen.questions.items():
                reply = self.given(number, about)
                if not question.is_complete(reply):
                    reply = ""
                table, made = _rows(screen, about, reply, models)
                rows[table] += made
        rows["raters"] = [asdict(self.person) | {"attention": self._attention()}]
        return {
            name: check(
                name, pd.DataFrame(found, columns=list(TABLES[name].columns)).assign(rater_id=rater), path
            )
            for name, found in rows.items()
        }

    def _attention(self) -> bool | None:
        """Whether all attention checks were passed; None where there were none or one is still open."""
        checks = [
            self.given(number, "") for number, screen in enumerate(self.screens) if screen.tier == "attention"
        ]
        if any(reply not in ("", AGREEMENT[0]) for reply in checks):
            return False
        return None if not checks or "" in checks else True

    def _about(self, screen: Screen, about: str) -> tuple:
        """What a reply is about, as the journal has it."""
        place = (self.person.rater_id, screen.step, screen.tier, screen.position)
        return (*place, screen.video_ids, screen.question_id, about)

    @contextmanager
    def _writing(self) -> Iterator[OpenJournal[Line]]:
        """The journal, with what other pages have saved meanwhile, kept from them until a line is added."""
        with writing(self._path, Line, _WHAT, wait=True) as journal:
            self._history = self._standing(journal.lines)
            yield journal
            self._history = self._standing(journal.lines)

    def _line(self, place: Place, reply: str, *, undone: bool) -> Line:
        about = self._about(self.screens[place[0]], place[1])
        names = ("rater_id", "step", "tier", "position", "shown", "question_id", "about")
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        told = dict(zip(names, about, strict=True))
        return Line(**told, asked=self._words[place], reply=reply, undone=undone, at=now)

    def _standing(self, lines: Sequence[Line]) -> list[tuple[Place, str]]:
        """The replies that stand after all lines, earlier ones to the same question among them."""
        history: list[tuple[Place, str]] = []
        self.problems = []
        for number, line in enumerate(lines, start=1):
            *about, asked, reply, undone, _ = line.model_dump().values()
            place = self._places.get(tuple(about))
            if place is not None and asked != self._words[place]:
                self.problems.append(
                    f"{shown(self._path)}: line {number}: found a reply to another wording (hash "
                    f"{asked or 'not kept'}), expected {self._words[place]}; it does not count"
                )
                continue
            if place is None or not self.screens[place[0]].questions[place[1]].is_valid(reply):
                raise DataError(
                    f"{shown(self._path)}: line {number}: found {line.rater_id}'s reply '{reply}' at step "
                    f"{line.step}, {line.tier}, about {line.about or line.question_id or 'it'}; expected "
                    f"{self.person.rater_id}'s replies to this sheet"
                )
            if undone:
                latest = max((at for at, (given, _) in enumerate(history) if given == place), default=None)
                history = [entry for at, entry in enumerate(history) if at != latest]
            else:
                history.append((place, reply))
        return history


def _wording(screen: Screen, question: Question) -> str:
    """A short hash of all the words that a person reads before they reply."""
    options = [(option.reply, option.label) for option in question.options]
    words = [screen.description, screen.element, question.heading, question.help, question.details, options]
    return hashlib.sha256(json.dumps(words).encode()).hexdigest()[:16]


def _assignments(screen: Screen) -> list[dict]:
    about = {"step": screen.step, "tier": screen.tier, "prompt_id": screen.prompt_id}
    about |= {"question_id": screen.question_id}
    clips = screen.video_ids or (None,)
    return [
        about | {"position": position, "video_id": clip}
        for position, clip in enumerate(clips, start=screen.position)
    ]


def _rows(screen: Screen, about: str, reply: str, models: pd.Series) -> tuple[str, list[dict]]:
    """The table that a question's replies belong to, and the rows of one reply."""
    status = {"status": "ok" if reply else "missing", "raw": reply or None}
    if screen.tier == "relevance":
        return "relevance", [{"question_id": screen.question_id, "relevant": reply == "yes"}] * bool(reply)
    if screen.tier == "accuracy":
        ticked = reply.split(",")
        asked = {"question_id": screen.question_id} | status
        return "answers", [
            asked | {"video_id": clip, "answer": str(position) in ticked if reply else None}
            for position, clip in enumerate(screen.video_ids, start=1)
        ]
    if screen.tier == "ranking":
        ranks = reply.split(",") if reply else []
        ranked = zip(screen.video_ids, ranks, strict=False)
        about_prompt = {"prompt_id": screen.prompt_id}
        return "rankings", [
            about_prompt | {"model": models[clip], "rank": int(rank)} for clip, rank in ranked
        ]
    if screen.tier == "rating":
        score = None if reply in ("", NOT_APPLICABLE) else int(reply)
        (clip,) = screen.video_ids
        return "ratings", [{"video_id": clip, "criterion": about, "score": score} | status]
    return "assignments", []
