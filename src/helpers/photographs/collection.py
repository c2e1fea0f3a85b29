"""The photographs that this machine can show: landmarks from GCompris, or what installed packages bring.

`load` gives both in one form, so that whoever measures or simulates with photographs need not know which.
"""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pandas as pd

from helpers import schemas
from helpers.checking import Table, number, text
from helpers.paths import DATA
from helpers.photographs.duplicates import COPIES, related_pairs
from helpers.photographs.gcompris import (
    CACHE,
    CREDITS,
    MIXED,
    PACKAGE,
    UnavailableError,
    fill_cache,
    without_suffix,
)
from helpers.photographs.pictures import read_picture

MONUMENTS = DATA / "photographs" / "monuments.csv"
BUNDLED = DATA / "photographs" / "bundled.csv"

_PLACE = {
    "city": text(nullable=True),
    "country": schemas.country(nullable=True),
    "lat": number(-90, 90, nullable=True),
    "lon": number(-180, 180, nullable=True),
    "category": text(nullable=True),
}
_MONUMENTS = Table(
    columns={
        "landmark_id": text(),
        "name": text(),
        **_PLACE,
        "files": text(),
        "left_out": text(nullable=True),
    },
    key=("landmark_id",),
)
_CREDIT = {"author": text(nullable=True), "licence": text(nullable=True), "source": text(nullable=True)}
_CREDITS = Table(columns={"file": text(), **_CREDIT}, key=("file",))
_BUNDLED = Table(
    columns={
        "file": text(),
        "scene": text(),
        "name": text(),
        **_CREDIT,
        "doubt": text(nullable=True),
        "landmark_id": text(nullable=True),
        **_PLACE,
    },
    key=("file",),
)
_COLUMNS = ["photograph_id", "scene", "landmark_id", "name", "path", "author", "licence", "source", "doubt"]


@dataclass(frozen=True)
class Collection:
    """Photographs and what they show.

    Attributes:
        landmarks: a table `landmarks`, one row a place; its reference image is a photograph whose credit is
            not in doubt where there is one, and otherwise the first.
        photographs: one row a photograph: photograph_id, scene (photographs of one scene share it; for a
            landmark its landmark_id), landmark_id (missing for scenes that are no landmark), name, path,
            author, licence, source, doubt (why the credit may be wrong; missing where nothing speaks against
            it).
        pairs: photographs that are not independent: first, second (photograph_ids), same_place, bits,
            correlation and relation, as `duplicates.related_pairs` gives them.
        source: which photographs these are, and why not others, in a sentence.
        problems: what was left out or is missing, a sentence each.
    """

    landmarks: pd.DataFrame
    photographs: pd.DataFrame
    pairs: pd.DataFrame
    source: str
    problems: tuple[str, ...]

    def others(self) -> dict[str, str]:
        """Another photograph of a landmark than its reference image, by landmark_id, where there is one.

        Copies and crops of the reference image do not count.
        """
        reference = set(self.landmarks["reference_image"])
        path = self.photographs.set_index("photograph_id")["path"]
        copies = self.pairs[self.pairs["relation"].isin(COPIES)]
        both_ways = zip(
            [*copies["first"], *copies["second"]], [*copies["second"], *copies["first"]], strict=True
        )
        copied = {path[one] for one, other in both_ways if path[other] in reference}
        rows = self.photographs.dropna(subset="landmark_id")
        rows = rows[~rows["path"].isin(reference | copied)].drop_duplicates("landmark_id")
        return dict(zip(rows["landmark_id"], rows["path"], strict=True))


def available(cache: Path = CACHE) -> bool:
    """Whether the photographs of monuments are here, so that `load` needs no download."""
    return (cache / CREDITS).exists()


def load(package: Path | str | None = None, *, download: bool = True, cache: Path = CACHE) -> Collection:
    """The photographs of GCompris where they can be had, those that installed packages bring otherwise.

    A printed line says which. The first call downloads 44 MB where Debian's `apt-get` is there.

    Args:
        package: a .deb or .rcc file of GCompris that is there already; not read where the cache is filled.
        download: whether the package may be fetched; a filled cache needs no download.
        cache: the folder that the photographs are unpacked into.

    Raises:
        DataError: a given package, or a cached photograph, that is damaged.
    """
    try:
        if package is None and not download and not available(cache):
            raise UnavailableError("it is not in the cache, and a download was not asked for")
        found = monuments(fill_cache(package, cache))
    except UnavailableError as reason:
        found = bundled(f"{PACKAGE} is missing: {reason}")
    print(found.source)
    return found


def countries() -> pd.Series:
    """The country of each landmark in this project's lists of photographs, by its landmark_id."""
    listed = pd.concat([_MONUMENTS.read_csv(MONUMENTS), _BUNDLED.read_csv(BUNDLED)])
    known = listed.dropna(subset=["landmark_id", "country"]).drop_duplicates("landmark_id")
    return known.set_index("landmark_id")["country"]


def monuments(folder: Path) -> Collection:
    """The photographs of monuments in a folder that `gcompris.unpack` has filled.

    Countries come from `data/photographs/monuments.csv` alone: a picture whose place is disputed, in doubt or
    not listed is left out and said, and nothing is guessed.

    Raises:
        DataError: a photograph that does not decode, or a file that does not fit its schema.
    """
    listed = _MONUMENTS.read_csv(MONUMENTS)
    files = listed.assign(stem=listed["files"].str.split(";")).explode("stem", ignore_index=True)
    number = files.groupby("landmark_id").cumcount() + 1
    credit = _CREDITS.read_csv(folder / CREDITS)
    credit = credit.assign(stem=credit["file"].map(without_suffix))
    files = files.assign(
        photograph_id=files["landmark_id"] + "-" + number.astype(str), scene=files["landmark_id"]
    ).merge(credit, on="stem", how="left")
    there, left_out = files["file"].notna(), files["left_out"].notna()
    unlisted = credit.loc[~credit["stem"].isin(files["stem"]) & ~credit["stem"].str.startswith(MIXED), "stem"]
    problems = [
        *(
            f"{row.name} is left out: {row.left_out}."
            for row in files[there & left_out].itertuples(index=False)
        ),
        *(f"{stem} is not in the package." for stem in files.loc[~there & ~left_out, "stem"]),
        *(f"{stem} is left out: nobody has listed what it shows." for stem in unlisted),
    ]
    kept = files[there & ~left_out]
    kept = kept.assign(
        path=[str(folder / file) for file in kept["file"]],
        doubt=kept["licence"].isna().map({True: "no credit of its own", False: None}),
    )
    source = f"{len(kept)} photographs of monuments from Debian's {PACKAGE} (GCompris)"
    return _collection(kept, listed, source, problems)


def bundled(reason: str = "") -> Collection:
    """The photographs that scikit-image and scikit-learn bring in their wheels, without a download.

    Few show a landmark: they serve to calibrate metrics, not to compare countries.

    Args:
        reason: why these and no others, for `Collection.source`.
    """
    listed = _BUNDLED.read_csv(BUNDLED)
    paths = [_in_package(file) for file in listed["file"]]
    listed = listed.assign(photograph_id=[path.stem for path in paths], path=[str(path) for path in paths])
    there = pd.Series([path.exists() for path in paths])
    problems = [f"{file} is not in the installed package." for file in listed.loc[~there, "file"]]
    source = f"{there.sum()} photographs that scikit-image and scikit-learn bring, few of them landmarks"
    return _collection(listed[there], listed, f"{source} ({reason})" if reason else source, problems)


def _in_package(file: str) -> Path:
    """Where a file of an installed package lies ("skimage/data/rocket.jpg"); the package is not imported."""
    package, _, inside = file.partition("/")
    return Path(find_spec(package).submodule_search_locations[0]) / inside


def _collection(
    photographs: pd.DataFrame, places: pd.DataFrame, source: str, problems: list[str]
) -> Collection:
    photographs = photographs[_COLUMNS].reset_index(drop=True)
    pictures = [read_picture(path) for path in photographs["path"]]
    pairs = related_pairs(pictures, photographs["scene"].tolist())
    photographs = _with_contradictions(photographs, pairs)
    problems = [*problems, *_said(photographs, pairs)]
    names = photographs["photograph_id"].to_numpy()
    pairs = pairs.assign(first=names[pairs["first"]], second=names[pairs["second"]])
    return Collection(_landmarks(photographs, places), photographs, pairs, f"{source}.", tuple(problems))


def _landmarks(photographs: pd.DataFrame, places: pd.DataFrame) -> pd.DataFrame:
    """The table `landmarks`, each with its reference photograph."""
    best_first = photographs.sort_values("doubt", key=pd.Series.notna, kind="stable")
    chosen = best_first.dropna(subset="landmark_id").drop_duplicates("landmark_id").set_index("landmark_id")
    chosen = chosen[["path", "author", "licence"]].rename(columns={"path": "reference_image"})
    named = places.dropna(subset="landmark_id")[["landmark_id", "name", *_PLACE]]
    rows = named.join(chosen, on="landmark_id", how="inner")
    return schemas.check("landmarks", rows, "photographs")


def _with_contradictions(photographs: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """The photographs, with doubt where a copy of one has another credit."""
    doubt = photographs["doubt"].astype(object).to_numpy(copy=True)
    credit, names = photographs[["author", "licence"]].fillna(""), photographs["photograph_id"].to_numpy()
    for pair in pairs[pairs["relation"].isin(COPIES)].itertuples():
        if not credit.iloc[pair.first].equals(credit.iloc[pair.second]):
            for one, other in ((pair.first, pair.second), (pair.second, pair.first)):
                doubt[one] = f"{names[other]} is the same picture with another credit"
    return photographs.assign(doubt=doubt)


def _said(photographs: pd.DataFrame, pairs: pd.DataFrame) -> list[str]:
    """A sentence for each copy and each doubtful credit."""
    names = photographs["photograph_id"].to_numpy()
    copies = pairs[pairs["relation"].isin(COPIES)]
    sentences = [
        f"{names[row.second]} is a {row.relation} of {names[row.first]} ({row.bits} of 63 bits differ)."
        for row in copies.itertuples()
    ]
    doubted = photographs[photographs["doubt"].notna()]
    return sentences + [f"{row.photograph_id}: {row.doubt}." for row in doubted.itertuples()]
