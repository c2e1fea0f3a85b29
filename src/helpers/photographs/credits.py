"""Who took a photograph, under which licence, and whether a published book shows it by default."""

import re
from dataclasses import dataclass

import pandas as pd

# What needs neither permission nor a licence notice.
PUBLIC_DOMAIN = ("public domain", "CC0-1.0")

_FIELD = re.compile(r"^(Copyright|License|Source|Comment):[ \t]*(\S.*)$", re.MULTILINE)
_FILE = re.compile(r"^(?:Files:[ \t]*)?([\w./-]+\.(?:webp|jpe?g|png|svg))[ \t]*$", re.MULTILINE)
_BASED = re.compile(r"based on an? .+? by (?P<author>.+?), license .+?, source at (?P<source>\S+)")


@dataclass(frozen=True)
class Credit:
    """One photograph's credit.

    Attributes:
        author: as the credit names it.
        licence: an SPDX identifier where the credit gives one ("CC-BY-SA-4.0"), or "public domain".
        source: where the photograph comes from, mostly an address.
    """

    author: str | None
    licence: str | None
    source: str | None


def read_credits(text: str) -> dict[str, Credit]:
    """The credits of one of GCompris's READMEs.

    Args:
        text: paragraphs of "Copyright:", "License:", "Source:" or "Comment:" and "Files:"; the files stand on
            lines of their own. A comment "based on a photo by A, license L, source at S" names the
            photographer, and the holder of the copyright is who adapted the picture.

    Returns:
        The credit by file name. A file that is listed again has its last credit.
    """
    found = {}
    for paragraph in re.split(r"\n\s*\n", text):
        fields = {name: value.strip() for name, value in _FIELD.findall(paragraph)}
        licence = fields.get("License")
        credit = Credit(
            author=fields.get("Copyright"),
            licence=licence_name(licence) if licence else None,
            source=fields.get("Source") or fields.get("Comment"),
        )
        if based := _BASED.search(credit.source or ""):
            adapted = re.sub(r"^[\d\s,-]+", "", credit.author or "unknown hands")
            credit = Credit(f"{based['author']}, adapted by {adapted}", credit.licence, based["source"])
        found.update(dict.fromkeys(_FILE.findall(paragraph), credit))
    return found


def licence_name(written: str) -> str:
    """A licence in the spelling of `Credit` ("Public Domain" is "public domain", "CC-BY-SA 4.0" SPDX's)."""
    name = written.strip()
    if name.casefold().replace("-", " ") == "public domain":
        return "public domain"
    return re.sub(r"\s+", "-", name)


def credit_line(name: str, author: str | None, licence: str | None) -> str:
    """The line that stands under a photograph, "Name. Author. Licence.", with a full stop after each part.

    Args:
        name: what it shows.
        author: missing where nobody says; the line says so.
        licence: likewise.
    """
    return ". ".join(
        [
            name.rstrip("."),
            "Author not stated" if pd.isna(author) else author.rstrip("."),
            f"{'Licence not stated' if pd.isna(licence) else licence}.",
        ]
    )


def credits_table(photographs: pd.DataFrame) -> pd.DataFrame:
    """The credits of photographs as a table to stand below them, where they can be read and copied.

    Args:
        photographs: name, author, licence and source, in the order in which they are shown.

    Returns:
        Columns number (from 1), title, author, licence and source; what is missing is "not stated".
    """
    rows = photographs[["name", "author", "licence", "source"]].rename(columns={"name": "title"})
    rows = rows.astype(object).fillna("not stated").reset_index(drop=True)
    rows.insert(0, "number", rows.index + 1)
    return rows


def licences(photographs: pd.DataFrame) -> str:
    """The licences of photographs in words: "public domain or CC0-1.0"; the most frequent one first."""
    return " or ".join(photographs["licence"].fillna("licence not stated").value_counts().index)


def shown_by_default(photographs: pd.DataFrame) -> pd.Series:
    """Which photographs a published book shows: in the public domain, with a credit that nothing contradicts.

    Args:
        photographs: columns licence and doubt (missing where there is none), as
            `helpers.photographs.collection` gives them.

    Returns:
        True or false, with the rows' index.
    """
    return photographs["licence"].isin(PUBLIC_DOMAIN) & photographs["doubt"].isna()
