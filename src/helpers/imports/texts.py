"""Find the prompt that a file's name was made from. An uncertain name is reported, never guessed."""

import difflib
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

# Programs cut long names; a shorter beginning than this could be anyone's.
SHORTEST_BEGINNING = 20
# Comparing two texts letter by letter takes a millisecond, so that names of several words are only compared
# with the texts that share most of them.
FEW_WORDS = 4
MOST_LIKELY = 20
_NUMBER = re.compile(r" (\d+)$")


@dataclass(frozen=True)
class Match:
    """What a name was matched to.

    Attributes:
        prompt_id: the prompt, or None where there is no or no single one.
        how: "exact", "beginning" (the name was cut), "near", "ambiguous" or "none".
        take: a number that ends the name and not the prompt, such as the 2 of "a wedding (2)"; may be empty.
        candidates: the prompts between which an ambiguous name leaves the choice, or the nearest one.
        similarity: of a near match, from 0 to 1.
    """

    prompt_id: str | None
    how: str
    take: str = ""
    candidates: tuple[str, ...] = ()
    similarity: float = 1.0


def normalised(text: str) -> str:
    """A text as it survives in file names: lower case, no accents, words apart by one space."""
    text = unicodedata.normalize("NFKD", text).casefold()
    kept = [
        character if character.isalnum() or unicodedata.category(character)[0] == "M" else " "
        for character in text
        if not unicodedata.combining(character)
    ]
    return " ".join("".join(kept).split())


class PromptTexts:
    """The texts of prompts, ready to be looked up.

    Args:
        texts: each prompt's text by its prompt_id.
        threshold: the least similarity of a near match (difflib's ratio: twice the characters in common over
            all characters), above 0 and up to 1.

    Raises:
        ValueError: a threshold out of its range.
    """

    def __init__(self, texts: Mapping[str, str], threshold: float = 0.9) -> None:
        if not 0 < threshold <= 1:
            raise ValueError(f"threshold: found {threshold:g}, expected a number above 0 and up to 1")
        self._threshold = threshold
        self._ids = defaultdict(list)
        for prompt_id, text in texts.items():
            self._ids[normalised(text)].append(prompt_id)
        self._with_word = defaultdict(list)
        for text in self._ids:
            for word in set(text.split()):
                self._with_word[word].append(text)

    def find(self, name: str) -> Match:
        """The prompt whose text a name is, begins, or nearly is.

        Exact beats beginning beats near, and at each step a number at the name's end may be left out. Near
        means that exactly one prompt reaches the threshold.
        """
        name = normalised(name)
        number = _NUMBER.search(name)
        for asked, take in [(name, "")] + ([(name[: number.start()], number[1])] if number else []):
            for how, ids in (("exact", self._ids.get(asked, [])), ("beginning", self._beginning(asked))):
                if len(ids) == 1:
                    return Match(ids[0], how, take)
                if ids:
                    return Match(None, "ambiguous", take, tuple(sorted(ids)))
        return self._near(name)

    def _beginning(self, name: str) -> list[str]:
        if len(name) < SHORTEST_BEGINNING:
            return []
        return [prompt for text, ids in self._ids.items() if text.startswith(name) for prompt in ids]

    def _likely(self, name: str) -> list[str]:
        """The texts that share the most words with a name; all texts for a name of few words, or of none."""
        words = set(name.split())
        shared = Counter(text for word in words for text in self._with_word.get(word, ()))
        if len(words) < FEW_WORDS or not shared:
            return list(self._ids)
        return [text for text, _ in shared.most_common(MOST_LIKELY)]

    def _near(self, name: str) -> Match:
        matcher = difflib.SequenceMatcher(None, b=name, autojunk=False)
        reached, nearest, best = [], "", 0.0
        for text in self._likely(name):
            ids = self._ids[text]
            matcher.set_seq1(text[: len(name)] if len(name) >= 2 * SHORTEST_BEGINNING else text)
            least = min(self._threshold, max(best, 0.5))
            if matcher.real_quick_ratio() < least or matcher.quick_ratio() < least:
                continue
            ratio = matcher.ratio()
            if ratio > best:
                nearest, best = ids[0], ratio
            if ratio >= self._threshold:
                reached += ids
        if len(reached) == 1:
            return Match(reached[0], "near", similarity=best)
        if reached:
            return Match(None, "ambiguous", candidates=tuple(sorted(reached)))
        return Match(None, "none", candidates=(nearest,) if nearest else (), similarity=best)
