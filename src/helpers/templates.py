"""Texts that lie as files beside the code that uses them: prompts, instructions, notes.

The first line says the version and what the text is for (`version 2 · asks for three facets`); everything
after it is the text. A placeholder is a lower-case name in braces, `{country}`. Other braces are left alone,
so that a prompt can show JSON.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from helpers.checking import DataError, nearest
from helpers.paths import shown

_FIRST_LINE = re.compile(r"version (?P<version>[1-9]\d*) · (?P<about>\S.*)")
_PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_ALMOST = re.compile(r"\{\s*\w+\s*\}")


@dataclass(frozen=True)
class Template:
    """A text with named gaps.

    Attributes:
        path: its file.
        version: raised whenever the wording changes.
        about: the rest of the first line.
        text: the text, without the first line and without blank lines around it.
    """

    path: Path
    version: int
    about: str
    text: str

    @property
    def placeholders(self) -> tuple[str, ...]:
        """The names that `fill` wants, in the order of their first use."""
        return tuple(dict.fromkeys(_PLACEHOLDER.findall(self.text)))

    def fill(self, **values: str) -> str:
        """The text with every placeholder replaced; braces inside a value are left as they are.

        Raises:
            ValueError: a placeholder without a value, a value without a placeholder, or a value that is not
                text or blank. The message names the file and the placeholder.
        """
        for name in values:
            if name not in self.placeholders:
                hint = (
                    nearest(name, self.placeholders) or f"; it has {', '.join(self.placeholders) or 'none'}"
                )
                raise ValueError(f"{shown(self.path)}: there is no placeholder {{{name}}}{hint}")
        for name in self.placeholders:
            value = values.get(name)
            if not isinstance(value, str) or not value.strip():
                found = f"found {value!r}" if name in values else "it has no value"
                raise ValueError(f"{shown(self.path)}: placeholder {{{name}}}: {found}; expected some text")
        return _PLACEHOLDER.sub(lambda match: values[match[1]], self.text)


@cache
def template(path: Path) -> Template:
    """Read and check a template.

    Raises:
        DataError: no such file, no UTF-8, another first line, no text after it, or a placeholder that is not
            a lower-case name.
    """
    try:
        content = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        there = ", ".join(sorted(file.name for file in path.parent.glob("*.txt"))) or "none"
        raise DataError(f"{shown(path)}: no such file; the templates there are {there}") from None
    except UnicodeDecodeError as error:
        raise DataError(f"{shown(path)}: byte {error.start} is not UTF-8; expected a text file") from None
    first, _, text = content.partition("\n")
    about = _FIRST_LINE.fullmatch(first)
    if about is None:
        raise DataError(
            f"{shown(path)}: found the first line '{first}', expected 'version 1 · what it is for'"
        )
    if not text.strip():
        raise DataError(f"{shown(path)}: found nothing after the first line, expected the text")
    for almost in _ALMOST.findall(text):
        if not _PLACEHOLDER.fullmatch(almost):
            raise DataError(f"{shown(path)}: found {almost}, expected a lower-case name as in {{country}}")
    return Template(path, int(about["version"]), about["about"], text.strip())
