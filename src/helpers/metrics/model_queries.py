"""The question that a fine-tuned model was trained with, read from the model's own card.

Such a model expects one wording; other words move its numbers. That wording belongs to the model's publisher
and comes with the weights: the card's example code holds it. Where it cannot be found, a question in our own
words takes its place, and whoever asks says so.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from helpers.templates import template

TEXTS = Path(__file__).parent / "texts"
OWN_WORDS = "asked in our own words, not those the model was trained with"
_CODE = re.compile(r"^```[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
# The names of the gap for the video's prompt in published code, as str.format and string.Template write it.
_GAP = re.compile(r"\{(?:text_prompt|t2v_prompt|prompt)\}|\$\{?(?:text_prompt|t2v_prompt|prompt)\b\}?")
_SHORTEST = 200


@dataclass(frozen=True)
class Query:
    """A question with a gap for the video's prompt.

    Attributes:
        before: the words before the gap.
        after: the words after it.
        source: "model card", or "own words" with the version.
    """

    before: str
    after: str
    source: str

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be noted beside values that it brings."""
        return () if self.source == "model card" else (OWN_WORDS,)

    def about(self, prompt: str) -> str:
        """The question about one video."""
        return f"{self.before}{prompt}{self.after}"


def query_of(model: str, revision: str | None, fallback: str) -> Query:
    """The question that a model expects.

    Args:
        model: an id on the Hugging Face Hub, or a folder with the model's files, its card `README.md` among
            them.
        revision: the commit, tag or branch on the Hub.
        fallback: the file in `texts` with our own words.
    """
    found = published(_card(model, revision))
    if found is not None:
        return found
    own = template(TEXTS / fallback)
    before, after = own.text.split("{prompt}")
    return Query(before, f"{after}\n", f"own words, version {own.version}")


def published(card: str) -> Query | None:
    """The question in a card's example code: its longest text with exactly one gap for a prompt.

    Args:
        card: the card, Markdown.

    Returns:
        The question, or None where no code block holds one.
    """
    found = [parts for code in _CODE.findall(card) for parts in _questions(code)]
    if not found:
        return None
    return Query(*max(found, key=lambda parts: sum(map(len, parts))), "model card")


def _card(model: str, revision: str | None) -> str:
    """A model's card; nothing where there is none or the hub cannot be reached."""
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    path = Path(model) / "README.md"
    try:
        if not Path(model).is_dir():
            path = Path(hf_hub_download(model, "README.md", revision=revision))
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError, HfHubHTTPError, LocalEntryNotFoundError):
        return ""


def _questions(code: str) -> Iterator[tuple[str, str]]:
    """Texts in Python code with one gap, split there; nothing where the code cannot be parsed."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        text = _text(node)
        gaps = list(_GAP.finditer(text))
        if len(text) >= _SHORTEST and len(gaps) == 1:
            yield text[: gaps[0].start()], text[gaps[0].end() :]


def _text(node: ast.AST) -> str:
    """What a literal says, with the gaps of f-strings spelt as `{name}`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if not isinstance(node, ast.JoinedStr):
        return ""
    parts = [
        f"{{{ast.unparse(part.value)}}}" if isinstance(part, ast.FormattedValue) else part.value
        for part in node.values
    ]
    return "".join(parts)
