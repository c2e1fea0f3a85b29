"""Texts about countries, one for each country and category, from a folder or a list of files.

Reference texts such as the Cultural Atlas's are not shipped: whoever has them puts them into a folder.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from helpers.benchmarks.country_words import country_words
from helpers.checking import DataError, Table, nearest, text
from helpers.geography import standard_name
from helpers.paths import shown
from helpers.published import CATEGORIES

SOURCES = Table(
    columns={"country": text(), "category": text(), "file": text(), "url": text(nullable=True)},
    key=("country", "category"),
)


class _Source(NamedTuple):
    country: str
    category: str
    path: Path
    url: str | None


def read_documents(path: Path | str) -> pd.DataFrame:
    """Read texts about countries.

    Args:
        path: a folder with a text a file, `<country>/<category>.txt`, or a CSV file with the columns country,
            category, file (relative to the CSV file) and url, as `cultural_atlas.fetch` writes it. Countries
            by any of their names, categories as in `published.CATEGORIES`, with spaces or underscores too.
            Hidden files and files beside the countries' folders are not read.

    Returns:
        Columns country, category, text, words (their number), file and url (missing for a folder); one row a
        document, by country and category.

    Raises:
        DataError: nothing to read, a country or category that is not known (the nearest is offered), an empty
            file, one that is not UTF-8 text or not there, the same country and category twice; every file
            with a problem is named in one message.
    """
    path = Path(path)
    sources = _listed(path) if path.is_file() else _found(path)
    rows, problems, seen = [], [], {}
    for source in sources:
        try:
            row = _row(source)
        except ValueError as error:
            problems.append(f"{shown(source.path)}: {error}")
            continue
        place = row["country"], row["category"]
        if place in seen:
            problems.append(
                f"{row['file']}: a second text on {', '.join(place)}; expected one, {seen[place]}"
            )
        seen[place] = row["file"]
        rows.append(row)
    if not rows and not problems:
        raise DataError(f"{shown(path)}: found no text, expected files such as Brazil/greetings.txt")
    if problems:
        raise DataError("\n".join([f"{shown(path)}: {len(problems)} unusable", *problems]))
    return pd.DataFrame(rows).sort_values(["country", "category"], ignore_index=True)


def without_country_words(text: str) -> str:
    """A text with the names and demonyms of countries taken out, and nothing put in their place.

    What is left need not be grammatical, and cities, languages and customs still give countries away.

    Args:
        text: English text; see `benchmarks.country_words` for which words are found.
    """
    words = {re.escape(found.word) for found in country_words(text)}
    if not words:
        return text
    longest_first = "|".join(sorted(words, key=len, reverse=True))
    return re.sub(rf"(?<!\w)(?:{longest_first})(?!\w) ?", "", text)


def _found(folder: Path) -> Iterator[_Source]:
    if not folder.is_dir():
        raise DataError(f"{shown(folder)}: no such folder or file; expected texts about countries")
    for place in sorted(each for each in folder.iterdir() if each.is_dir() and each.name[0] != "."):
        for file in sorted(each for each in place.iterdir() if each.name[0] != "."):
            yield _Source(place.name, file.stem, file, None)


def _listed(manifest: Path) -> Iterator[_Source]:
    for row in SOURCES.read_csv(manifest).itertuples():
        yield _Source(row.country, row.category, manifest.parent / row.file, row.url)


def _row(source: _Source) -> dict[str, object]:
    if source.path.suffix != ".txt":
        raise ValueError("expected a text file, <category>.txt")
    name = standard_name(source.country.replace("-", " ").replace("_", " "))
    category = source.category.strip().casefold().replace(" ", "-").replace("_", "-")
    if category not in CATEGORIES:
        raise ValueError(
            f"found the category '{source.category}', expected one of {', '.join(CATEGORIES)}"
            f"{nearest(category, CATEGORIES)}"
        )
    content = _content(source.path)
    return {
        "country": name,
        "category": category,
        "text": content,
        "words": len(content.split()),
        "file": shown(source.path),
        "url": source.url,
    }


def _content(path: Path) -> str:
    try:
        content = path.read_text(encoding="utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start} is not UTF-8; expected UTF-8 text") from None
    except OSError as error:
        raise ValueError(f"cannot be read ({error.strerror}); expected UTF-8 text") from None
    if not content:
        raise ValueError("found nothing, expected a text")
    if "\0" in content:
        raise ValueError("found a NUL character, expected text")
    return content
