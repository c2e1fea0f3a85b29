"""Which file shows which prompt of which model."""

import os
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
from tqdm import tqdm

from helpers.checking import nearest
from helpers.imports.files import list_videos, read_manifest
from helpers.imports.layout import Layout, Parts
from helpers.imports.names import known_model
from helpers.imports.problems import Problem
from helpers.imports.texts import Match, PromptTexts

# Of several unknown ids; the reader sees the pattern by then.
MOST_HINTS = 5
NO_MODEL = (
    "; the name does not say which model made the clip: expected a folder of that model's name around it, or "
    "the name as `model`"
)


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A file that shows a known prompt.

    Attributes:
        path: the file.
        file: the file as reports name it: seen from the folder or the manifest.
        model: the model's name.
        prompt_id: the prompt.
        seed: the seed where it is known.
        take: what tells it from other files of the same prompt; may be empty.
    """

    path: Path
    file: str
    model: str
    prompt_id: str
    seed: int | None = None
    take: str = ""


@dataclass
class Candidates:
    """The files that show a known prompt, what is wrong with the others, and how many were passed over.

    Attributes:
        found: files that show a known prompt.
        problems: what is wrong with names.
        ignored: files passed over, by what they are.
        hint: what a name that does not fit lacks or may have meant; ends a message.
    """

    found: list[Candidate] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    ignored: Counter = field(default_factory=Counter)
    hint: str = ""


class ModelNames:
    """Models by the names that files give them.

    Args:
        given: names of models by the names that files give them; goes first.
        known: the names of known models, found whatever their case, spaces and signs.
    """

    def __init__(self, given: Mapping[str, str], known: Collection[str]) -> None:
        self._given = dict(given)
        self._known = known
        self._found: dict[str, str] = {}
        self.problems: list[Problem] = []

    def find(self, name: str) -> str:
        """The model's name; a name that is not known stands for itself, with a note."""
        if name not in self._found:
            self._found[name] = self._given.get(name) or known_model(name, self._known) or self._noted(name)
        return self._found[name]

    def _noted(self, name: str) -> str:
        if self._known and name not in self._given.values():
            expected = f"a known model's name, or an entry in `models`{nearest(name, self._known)}"
            self.problems.append(Problem(kind="unknown model", model=name, found=name, expected=expected))
        return name


def candidates_of(
    source: Path,
    texts: Mapping[str, str],
    names: ModelNames,
    *,
    pattern: str,
    model: str | None,
    threshold: float = 0.9,
) -> Candidates:
    """Which clips of a folder or a manifest show which prompt; no clip is opened.

    Args:
        source: the folder or manifest.
        texts: each known prompt's text by its prompt_id.
        names: the models by their names.
        pattern: as `videos.import_videos`.
        model: as there.
        threshold: as `texts.PromptTexts`.

    Raises:
        DataError: no such folder or file, or a manifest that is none.
        ValueError: a pattern that is none, no model for a pattern without `{model}`, or two for one with it.
    """
    if source.suffix.lower() == ".csv" and not source.is_dir():
        return from_manifest(source, texts, names)
    layout = Layout(pattern, texts)
    if layout.has_model == (model is not None):
        found = "both" if model else "neither"
        raise ValueError(f"found {found} {{model}} in the pattern '{pattern}' and a `model`, expected one")
    return from_folder(source, texts, names, layout=layout, model=model, threshold=threshold)


def from_manifest(path: Path, texts: Mapping[str, str], models: ModelNames) -> Candidates:
    """The clips that a CSV manifest lists; see `files.read_manifest`."""
    result = Candidates()
    hints = Hints(texts)
    for row in read_manifest(path).itertuples():
        file = os.path.relpath(row.path, path.parent)
        model = models.find(row.model)
        if row.prompt_id not in texts:
            hint = hints.of(row.prompt_id)
            result.hint = result.hint or hint
            result.problems.append(_unknown(file, model, row.prompt_id, len(texts), hint))
            continue
        seed = None if pd.isna(row.seed) else int(row.seed)
        result.found.append(
            Candidate(path=row.path, file=file, model=model, prompt_id=row.prompt_id, seed=seed)
        )
    result.problems += models.problems
    return result


def from_folder(
    folder: Path,
    texts: Mapping[str, str],
    models: ModelNames,
    *,
    layout: Layout,
    model: str | None,
    threshold: float,
) -> Candidates:
    """The clips in a folder whose names a layout reads.

    Args:
        folder: the folder.
        texts: each known prompt's text by its prompt_id.
        models: the models by their names.
        layout: how the names are made.
        model: the model of all clips, for a layout without `{model}`.
        threshold: as `texts.PromptTexts`.
    """
    listing = list_videos(folder)
    by_text = PromptTexts(texts, threshold) if layout.by_text else None
    result = Candidates(ignored=listing.ignored)
    result.problems += [_skipped(link, target, folder) for link, target in listing.skipped]
    hints = NameHints(layout, texts)
    for path in tqdm(listing.videos, unit="file", desc="reading names", disable=None):
        file = path.relative_to(folder).as_posix()
        if not _is_text(file):
            result.problems.append(_no_text(file))
            continue
        name = file.removesuffix(path.suffix)
        parts = layout.read(name)
        if parts is None:
            hint = hints.of(name)
            if hint == NO_MODEL or not result.hint:
                result.hint = hint
            result.problems.append(_unfit(file, name, layout, len(texts), hint))
            continue
        named = models.find(parts.model) if parts.model else str(model)
        prompt_id, take = parts.prompt_id, parts.rest
        if by_text:
            match = by_text.find(parts.text)
            prompt_id, take = match.prompt_id, match.take or parts.rest
            result.problems += _doubts(match, file, named, parts, texts)
        if prompt_id is not None:
            result.found.append(
                Candidate(path=path, file=file, model=named, prompt_id=prompt_id, seed=parts.seed, take=take)
            )
    result.problems += models.problems
    return result


def _skipped(link: Path, target: Path, folder: Path) -> Problem:
    return Problem(
        kind="unusual",
        file=_readable(link.relative_to(folder).as_posix()),
        found=f"a link to {_readable(str(target))}, which is looked through by itself",
        expected="each folder once; the link is skipped",
    )


def _is_text(name: str) -> bool:
    """Whether a name is UTF-8; where it is not, Python stands in for its bytes with what no file can hold."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _readable(name: str) -> str:
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _no_text(file: str) -> Problem:
    return Problem(
        kind="unreadable",
        file=_readable(file),
        found="a name that is not UTF-8",
        expected="a name in UTF-8; rename the file",
    )


class Hints:
    """The nearest known prompt_id, for the first few that are not known: each takes long to find."""

    def __init__(self, known: Collection[str]) -> None:
        self._known = known
        self._left = MOST_HINTS

    def of(self, prompt_id: str) -> str:
        """As `checking.nearest`, or nothing once there were enough."""
        self._left -= 1
        return nearest(prompt_id, self._known) if self._left >= 0 else ""


class NameHints:
    """What may be meant by the name of a file that a layout does not read."""

    def __init__(self, layout: Layout, known: Collection[str]) -> None:
        below = layout.pattern.removeprefix("{model}/")
        self._without_model = Layout(below, known) if below != layout.pattern else None
        self._hints = None if layout.by_text else Hints(known)

    def of(self, name: str) -> str:
        """A hint that ends a message: that only the model is missing, or the nearest known prompt_id."""
        if self._without_model and self._without_model.read(name):
            return NO_MODEL
        file = name.rsplit("/", 1)[-1]
        # What follows an underscore is often no part of an id, though ids may have some.
        words = dict.fromkeys((file, file.split("_")[0]))
        return next(filter(None, map(self._hints.of, words)), "") if self._hints else ""


def _unknown(file: str, model: str, prompt_id: str, prompts: int, hint: str) -> Problem:
    expected = f"the id of one of {prompts:,} prompts{hint}"
    return Problem(kind="unknown prompt", file=file, model=model, found=prompt_id, expected=expected)


def _unfit(file: str, name: str, layout: Layout, prompts: int, hint: str) -> Problem:
    expected = f"a name like '{layout.pattern}'"
    if not layout.by_text:
        expected += f" with the id of one of {prompts:,} prompts"
    return Problem(kind="unknown prompt", file=file, found=name, expected=expected + hint)


def _doubts(match: Match, file: str, model: str, parts: Parts, texts: Mapping[str, str]) -> Iterator[Problem]:
    if match.how == "near":
        yield Problem(
            kind="near name",
            file=file,
            prompt_id=match.prompt_id,
            model=model,
            found=f"{parts.text} (similarity {match.similarity:.2f})",
            expected=texts[match.prompt_id],
        )
    elif match.how == "ambiguous":
        several = ", ".join(match.candidates[:5]) + (" and more" if len(match.candidates) > 5 else "")
        yield Problem(
            kind="ambiguous",
            file=file,
            model=model,
            found=f"{parts.text} (fits {several})",
            expected="the text of a single prompt",
        )
    elif match.how == "none":
        close = ""
        if match.candidates:
            close = f"; the nearest is {match.candidates[0]} (similarity {match.similarity:.2f})"
        yield Problem(
            kind="unknown prompt",
            file=file,
            model=model,
            found=str(parts.text),
            expected=f"the text of one of {len(texts):,} prompts{close}",
        )
