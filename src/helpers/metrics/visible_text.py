"""Visible text in a clip, read by OCR: how often there is any, and whether it is what the prompt quotes."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from helpers.metrics.measurer import Clip, ModelError, Outcome
from helpers.metrics.quoted_text import UNSPACED, character_error_rate, quoted, without_false_spaces
from helpers.metrics.registry import Metric
from helpers.metrics.scripts import country_scripts, letters_by_script
from helpers.metrics.tesseract import (
    LAYOUT,
    LEAST_CONFIDENCE,
    LEAST_HEIGHT,
    language_of,
    obstacle,
    read_words,
    version,
)
from helpers.video.sampling import Uniform

# Textures and windows pass for single letters; a single Chinese character is a word.
LEAST_LETTERS = 2
_ABOUT = {
    "low": 0,
    "high": 1,
    "needs": frozenset({"prompt"}),
    "frames": Uniform(5),
    "cost": "one to two seconds a frame on one core",
}
FRAMES = Metric(
    name="visible_text_frames",
    title="Frames with visible text",
    direction="neither",
    source="of our own, by Tesseract",
    **_ABOUT,
)
ERRORS = Metric(
    name="visible_text_error_rate",
    title="Quoted text: character error rate",
    direction="lower is better",
    source="of our own, by Tesseract; edit distance to the best part, Sellers 1980",
    **_ABOUT,
)
METRICS = (FRAMES, ERRORS)


class VisibleText:
    """Reads a clip's frames with Tesseract, which is optional: ask `tesseract.obstacle` first, and skip.

    `visible_text_frames` is the share of frames with a word in them: two letters or digits at least, or one
    Chinese character. `visible_text_error_rate` is the share
    of wrong characters in what the prompt quotes, upper and lower case alike; where it quotes nothing, there
    is no row. The texts, and their letters by script, stand in the details.

    Known limits. Tesseract reads print: hand-written, slanted, curved or ornate text, and text smaller than
    about 2% of the frame's height, stays unread, so that no text found does not mean no text shown. It finds
    the scripts of its languages alone, and takes others for those: name the country's language. Textures
    pass for short words now and then, and so do stray characters of a script without spaces that are read one
    after the other. Quoted speech counts as quoted text. Letters that look like letters but are none, as
    generated clips show them, are read as the nearest or not at all.
    """

    name = "visible-text"
    metrics = METRICS

    def __init__(self, languages: Sequence[str] = ("eng",)) -> None:
        """Choose languages.

        Args:
            languages: by Tesseract's names, as `tesseract.language_of` gives them; fewer read better.
        """
        self.languages = tuple(languages)
        self.settings: Mapping[str, Any] = {
            "languages": list(self.languages),
            "layout": LAYOUT,
            "least_confidence": LEAST_CONFIDENCE,
            "least_height": LEAST_HEIGHT,
            "least_letters": LEAST_LETTERS,
            "unspaced": list(UNSPACED),
        }

    def load(self) -> Mapping[str, Any]:
        """Look for the program and its languages; see `Measurer`."""
        problem = obstacle(self.languages)
        if problem:
            raise ModelError(problem)
        return {"program": version()}

    def measure(self, clips: Sequence[Clip]) -> list[Outcome]:
        """Measure clips; see `Measurer`."""
        return [self._outcome(clip) for clip in clips]

    def _outcome(self, clip: Clip) -> Outcome:
        found = [read_words(image, self.languages) for image in clip.frames.images]
        texts = [without_false_spaces(" ".join(word.text for word in words)) for words in found]
        wanted = quoted(clip.prompt)
        scripts = sum((Counter(letters_by_script(text)) for text in texts), Counter())
        errors = {ERRORS.name: character_error_rate(wanted, texts)} if wanted else {}
        return Outcome(
            values={FRAMES.name: sum(map(holds_text, texts)) / len(texts), **errors},
            details={"texts": texts, "quoted": wanted, "letters": dict(scripts)},
        )


def holds_text(words: str) -> bool:
    """Whether what was read in a picture, words with spaces between them, is more than stray letters."""
    return any(
        sum(map(str.isalnum, word)) >= LEAST_LETTERS or "Han" in letters_by_script(word)
        for word in words.split()
    )


def script_shares(about: pd.DataFrame, countries: Mapping[str, str]) -> pd.DataFrame:
    """How much of the text in each clip is written in the script of the clip's country.

    It needs what was read, which a run's journal keeps and a study's table `metric_values` does not. Notebook
    44 shows it on drawn signs; no step of a study calls it.

    Args:
        about: a run's `Results.about` with this measurer's rows.
        countries: the country of each clip, by video_id.

    Returns:
        One row a clip: video_id, country, scripts (the country's), found (the scripts of what was read, the
        most frequent first), letters (how many were read), share (of them in the country's scripts, 0 to 1)
        and status: ok, missing (not read, or no text there) or unscored (the country's language was not
        looked for, so that its script could not be found).

    Raises:
        ValueError: a country that is none of the benchmarks'.
    """
    rows = []
    for row in about[about["metric"] == FRAMES.name].itertuples():
        country = countries[row.video_id]
        scripts = country_scripts(country)
        letters = Counter(row.details.get("letters", {}))
        found = ", ".join(name for name, _ in letters.most_common())
        count = letters.total()
        sought = language_of(country) in row.settings["languages"]
        status = "missing" if not count else "ok" if sought else "unscored"
        share = sum(letters[name] for name in scripts) / count if status == "ok" else None
        rows.append((row.video_id, country, ", ".join(scripts), found, count, share, status))
    columns = ["video_id", "country", "scripts", "found", "letters", "share", "status"]
    return pd.DataFrame(rows, columns=columns).astype({"share": float})
