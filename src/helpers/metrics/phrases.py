"""What a detector is asked to find in a landmark's photograph: phrases by the landmark's category."""

import hashlib
import re
from functools import cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from helpers.configuration import read_yaml

FILE = Path(__file__).with_name("landmark_phrases.yaml")


class Phrases(BaseModel):
    """The list.

    Attributes:
        version: raised with any change.
        default: for a landmark whose category is not listed, or unknown.
        categories: phrases by category.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    version: int
    default: tuple[str, ...] = Field(min_length=1)
    categories: dict[str, tuple[str, ...]]

    @property
    def digest(self) -> str:
        """Stands for the content where it matters that it is the same."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:12]

    def of(self, category: str | None) -> tuple[str, ...]:
        """The phrases for a category ("church", "opera house"): those of the first listed word in it."""
        for word in re.findall(r"\w+", (category or "").casefold()):
            for name in (word, word.removesuffix("s")):
                if name in self.categories:
                    return self.categories[name]
        return self.default


@cache
def landmark_phrases(path: Path = FILE) -> Phrases:
    """The list that the book comes with, or another file of its form.

    Raises:
        DataError: the file does not fit.
    """
    return read_yaml(path, Phrases, what="a list of phrases")
