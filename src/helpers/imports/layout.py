"""File layouts written as patterns, such as CultureVidBench's `{model}/**/{prompt_id}*`."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

BY_ID = "{model}/**/{prompt_id}*"
BY_TEXT = "{model}/**/{text}"
FIELDS = ("model", "prompt_id", "text", "seed")
_TOKENS = re.compile(r"\{(\w*)\}|(\*\*/)|(\*)|([^{*]+)|(.)")


@dataclass(frozen=True)
class Parts:
    """What a path says about a clip.

    Attributes:
        model: the folder or word in the model's place, or None where the pattern has none.
        prompt_id: the prompt's id, or None where the pattern has the prompt's text.
        text: the prompt's text as the name has it, or None where the pattern has the id.
        seed: the seed, or None where the pattern has none.
        rest: what stands in the place of stars in the file's name.
    """

    model: str | None
    prompt_id: str | None
    text: str | None
    seed: int | None
    rest: str


class Layout:
    """A pattern for the paths of clips, relative to their folder and without extension.

    `{model}`, `{prompt_id}`, `{text}` (the prompt's text) and `{seed}` (digits) each stand for themselves,
    `*` for anything within a name, `**/` for any folders. Of several prompt ids that fit, the longest is
    taken, and no id ends within a word or number: "0101012_a" does not show the prompt "010101".

    Args:
        pattern: the pattern, with exactly one of `{prompt_id}` and `{text}`.
        prompt_ids: the ids that are known.

    Raises:
        ValueError: a pattern that has an unknown or repeated placeholder, or no place for the prompt.
    """

    def __init__(self, pattern: str, prompt_ids: Iterable[str]) -> None:
        self.pattern = pattern
        expression, fields = "", []
        for token in _TOKENS.finditer(pattern):
            field, folders, star, literal, stray = token.groups()
            if stray or (field is not None and (field not in FIELDS or field in fields)):
                places = ", ".join(f"{{{name}}}" for name in FIELDS)
                raise ValueError(
                    f"pattern '{pattern}': found '{token[0]}', "
                    f"expected {places} (each once), *, **/ and plain text"
                )
            if field:
                fields.append(field)
                expression += _group(field, prompt_ids)
            elif folders:
                expression += r"(?:[^/]+/)*"
            elif star:
                expression += rf"(?P<rest{token.start()}>[^/]*)"
            else:
                expression += re.escape(literal)
        if ("prompt_id" in fields) == ("text" in fields):
            raise ValueError(f"pattern '{pattern}': expected either {{prompt_id}} or {{text}} in it")
        self.has_model = "model" in fields
        self.by_text = "text" in fields
        self._expression = re.compile(expression)

    def read(self, name: str) -> Parts | None:
        """What a path (with "/" between folders, without extension) says; None where it does not fit."""
        found = self._expression.fullmatch(name)
        if not found:
            return None
        groups = found.groupdict()
        rest = [value for name, value in groups.items() if name.startswith("rest") and value]
        return Parts(
            model=groups.get("model"),
            prompt_id=groups.get("prompt_id"),
            text=groups.get("text"),
            seed=int(groups["seed"]) if groups.get("seed") else None,
            rest=" ".join(rest),
        )


def _group(field: str, prompt_ids: Iterable[str]) -> str:
    if field == "seed":
        return r"(?P<seed>\d{1,18})"
    if field == "text":
        return r"(?P<text>[^/]+?)"
    if field == "model":
        return r"(?P<model>[^/]+?)"
    longest_first = map(re.escape, sorted(prompt_ids, key=len, reverse=True))
    return rf"(?<![^\W_])(?P<prompt_id>{'|'.join(longest_first) or '(?!)'})(?![^\W_])"
