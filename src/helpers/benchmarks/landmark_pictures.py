"""Candidate photographs of landmarks: fetched from where they are published, opened with care, credited."""

import re
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

import pandas as pd
from PIL import Image
from tqdm import tqdm

from helpers.benchmarks.polite import NoAnswerError, PoliteClient, UnusableError
from helpers.checking import DataError
from helpers.photographs.pictures import read_picture

# So many failures one after the other are the network's, not the photographs'.
MOST_FAILURES = 5
_SAFE = re.compile(r"\w[\w.-]*", re.ASCII)
_ENDING = re.compile(r"\.(?:jpe?g|png|webp|gif|tiff?)", re.IGNORECASE)


def download_candidates(
    client: PoliteClient, candidates: pd.DataFrame, folder: Path, *, most: int = 8
) -> pd.DataFrame:
    """Fetch the photographs from which a person picks a landmark's reference.

    Args:
        client: it asks one at a time. What is in the folder already is not fetched again, so that a run that
            was stopped continues.
        candidates: landmark_id, image_id and url, as `landmarks.candidate_images` gives them.
        folder: where they go, as `<landmark_id>/<image_id>.jpg` or another ending.
        most: how many to fetch for each landmark, from its first on. In Google Landmarks v2 their order
            means nothing.

    Returns:
        The candidates that were asked for, with path, status (ok; missing where there is no such file any
        more; failed where it did not come or does not decode) and reason. A file that does not decode is not
        kept, so that the next run asks for it again.

    Raises:
        ValueError: an id that cannot name a file.
        NoAnswerError: five photographs in a row did not come.
    """
    names = pd.concat([candidates["landmark_id"], candidates["image_id"]])
    bad = names[~names.str.fullmatch(_SAFE)]
    if len(bad):
        raise ValueError(f"found the id '{bad.iloc[0]}', expected letters, digits, '.', '_' and '-'")
    asked = candidates.groupby("landmark_id", sort=False).head(most).reset_index(drop=True)
    outcomes, failures = [], 0
    for row in tqdm(asked.itertuples(), total=len(asked), desc="photographs", disable=None):
        path = folder / row.landmark_id / f"{row.image_id}{_ending(row.url)}"
        status, reason, came = _fetch(client, row.url, path)
        failures = 0 if came else failures + 1
        if failures == MOST_FAILURES:
            raise NoAnswerError(
                f"{failures} photographs in a row did not come, last {row.url} ({reason}); "
                "what arrived before is kept, run again to continue"
            )
        outcomes.append([str(path) if path.exists() else None, status, reason])
    return asked.join(pd.DataFrame(outcomes, columns=["path", "status", "reason"], dtype=object))


def photograph(path: Path | str, side: int) -> Image.Image:
    """A photograph, upright and small.

    Args:
        path: a file of any format that Pillow reads.
        side: the most pixels that its longer side may have; a smaller photograph keeps its size.

    Raises:
        DataError: as `helpers.photographs.pictures.read_picture`.
    """
    whole = Image.fromarray(read_picture(path))
    whole.thumbnail((side, side))
    return whole


def with_references(
    landmarks: pd.DataFrame, candidates: pd.DataFrame, picked: dict[str, str | None]
) -> pd.DataFrame:
    """Landmarks with the photographs that a person picked.

    Args:
        landmarks: rows with landmark_id.
        candidates: image_id, path, author and licence of each landmark_id.
        picked: the image_id for each landmark that was decided, None for "none fits", as
            `helpers.widgets.choices.read_choices` gives them.

    Returns:
        All landmarks with reference_image (a path), author and licence; missing where none was picked.

    Raises:
        ValueError: a picked photograph that is not among the candidates.
    """
    known = candidates.set_index(["landmark_id", "image_id"])[["path", "author", "licence"]]
    pairs = [(landmark, image) for landmark, image in picked.items() if image is not None]
    unknown = [pair for pair in pairs if pair not in known.index]
    if unknown:
        raise ValueError("{}: found '{}' picked, which is not among its candidates".format(*unknown[0]))
    chosen = known.loc[pairs].droplevel("image_id").rename(columns={"path": "reference_image"})
    own = landmarks.drop(columns=list(chosen), errors="ignore")
    return own.join(chosen, on="landmark_id")


def _fetch(client: PoliteClient, url: str, path: Path) -> tuple[str, str | None, bool]:
    """A photograph's status, the reason where it is not ok, and whether the network did its part."""
    if not url.startswith(("http://", "https://")):
        return "failed", f"found the address '{url}', expected http:// or https://", True
    try:
        if not client.download(url, path):
            return "missing", "no such file any more (404)", True
    except NoAnswerError as error:
        return "failed", str(error), isinstance(error, UnusableError)
    try:
        read_picture(path)
    except DataError as error:
        path.unlink()
        return "failed", str(error), True
    return "ok", None, True


def _ending(url: str) -> str:
    """How the file is called at the end, where that is a picture's ending."""
    try:
        ending = PurePosixPath(urlsplit(url).path).suffix
    except ValueError:  # no address, which the client refuses in words
        return ".jpg"
    return ending.lower() if _ENDING.fullmatch(ending) else ".jpg"
