"""The CSV files of Google Landmarks v2: how many images a landmark has, which they are, what it is.

Weyand et al. 2020 (CVPR), version 2.1; the columns are those that github.com/cvdfoundation/google-landmark
describes. `train.csv` has 4,132,914 rows: of each row only three numbers are kept, to find repeated ids.
"""

from collections.abc import Collection
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pandas as pd

from helpers.benchmarks.csv_chunks import having, once, only, read_chunks, read_whole
from helpers.benchmarks.line_report import LineReport

TRAIN = ("id", "url", "landmark_id")
ATTRIBUTION = ("id", "url", "author", "license", "title")
CATEGORIES = ("landmark_id", "category")
HIERARCHY = ("landmark_id", "category", "supercategory", "hierarchical_label", "natural_or_human_made")

_IMAGE_ID = r"[0-9a-f]{16}"
# Without leading zeros: one landmark is written in one way, by which its rows are found.
_LANDMARK_ID = r"0|[1-9][0-9]{0,8}"
_A_LANDMARK = "a landmark (a whole number without leading zeros)"


def count_images(train: Path | str, report: LineReport) -> pd.Series:
    """How many images each landmark has.

    Args:
        train: `train.csv`.
        report: where bad rows are noted, which then do not count: an id that is not 16 hexadecimal digits or
            that an earlier row has, no URL, no landmark.

    Returns:
        Counts by landmark_id (whole numbers, ascending).
    """
    ids, landmarks, lines = ([np.zeros(0, kind)] for kind in (np.uint64, np.int64, np.int64))
    for chunk in read_chunks(train, TRAIN, report):
        good = _good_images(train, chunk, report)
        ids.append(np.frombuffer(bytes.fromhex("".join(good["id"].to_list())), ">u8").astype(np.uint64))
        landmarks.append(good["landmark_id"].to_numpy(np.int64))
        lines.append(good.index.to_numpy(np.int64))
    landmark, line = np.concatenate(landmarks), np.concatenate(lines)
    again = _repeated(np.concatenate(ids))
    for late, early in again:
        report.add(train, line[late], f"id: found again, expected each id once (line {line[early]} has it)")
    landmark = np.delete(landmark, [late for late, _ in again])
    names, counts = np.unique(landmark, return_counts=True)
    return pd.Series(counts, index=pd.Index(names, name="landmark_id"), name="images")


def find_images(
    train: Path | str, attribution: Path | str, landmarks: Collection[int], report: LineReport
) -> pd.DataFrame:
    """The images of a few landmarks, with who made them and under which licence.

    Args:
        train: `train.csv`.
        attribution: `train_attribution.csv`.
        landmarks: the landmark_ids wanted.
        report: where bad rows of these landmarks are noted.

    Returns:
        Columns landmark_id (whole), image_id, url, author, licence, title, by landmark and then in the file's
        order. Author, licence and title are missing where the attribution file has none.
    """
    wanted = {str(landmark) for landmark in landmarks}
    images = _good_images(train, having(train, TRAIN, "landmark_id", wanted, report), report)
    images = once(train, images, "id", report)
    credit = having(attribution, ATTRIBUTION, "id", set(images["id"]), report)
    credit = once(attribution, credit, "id", report).drop(columns="url").replace("", None)
    images = images.merge(credit, on="id", how="left").astype({"landmark_id": int})
    images = images.rename(columns={"id": "image_id", "license": "licence"})
    ordered = images.sort_values("landmark_id", kind="stable", ignore_index=True)
    return ordered[["landmark_id", "image_id", "url", "author", "licence", "title"]]


def read_labels(categories: Path | str, hierarchy: Path | str, report: LineReport) -> pd.DataFrame:
    """What each landmark is.

    Args:
        categories: `train_label_to_category.csv`.
        hierarchy: `train_label_to_hierarchical.csv`; it may know fewer landmarks.
        report: where rows without a landmark or a category, or with a repeated landmark, are noted.

    Returns:
        Index landmark_id; columns commons (the Wikimedia Commons category's name), supercategory,
        hierarchical_label and natural_or_human_made (missing where the second file has none).
    """
    commons = _by_landmark(categories, CATEGORIES, report)["category"].map(category_name).rename("commons")
    kinds = _by_landmark(hierarchy, HIERARCHY, report).drop(columns="category").replace("", None)
    return commons.to_frame().join(kinds)


def category_name(url: str) -> str:
    """The name in a Wikimedia category's address, with spaces and decoded letters.

    Args:
        url: such as "http://commons.wikimedia.org/wiki/Category:Ch%C3%A2teau_de_Chambord".

    Returns:
        "Château de Chambord".
    """
    return unquote(url.rpartition("Category:")[2]).replace("_", " ").strip()


def _good_images(path: Path | str, rows: pd.DataFrame, report: LineReport) -> pd.DataFrame:
    """The rows of `train.csv` that have an id, a URL and a landmark."""
    checks = (
        ("id", rows["id"].str.fullmatch(_IMAGE_ID), "an image id of 16 hexadecimal digits"),
        ("url", rows["url"].ne(""), "the image's address"),
        ("landmark_id", rows["landmark_id"].str.fullmatch(_LANDMARK_ID), _A_LANDMARK),
    )
    return only(path, rows, checks, report)


def _by_landmark(path: Path | str, columns: tuple[str, ...], report: LineReport) -> pd.DataFrame:
    """A label file by landmark."""
    rows = read_whole(path, columns, report)
    checks = (
        ("landmark_id", rows["landmark_id"].str.fullmatch(_LANDMARK_ID), _A_LANDMARK),
        ("category", rows["category"].ne(""), "a Wikimedia category"),
    )
    rows = only(path, rows, checks, report).astype({"landmark_id": int})
    return once(path, rows, "landmark_id", report).set_index("landmark_id")


def _repeated(ids: np.ndarray) -> list[tuple[int, int]]:
    """The place of each id that stands further up already, and where it stands there."""
    order = np.argsort(ids, kind="stable")
    same = np.flatnonzero(ids[order[1:]] == ids[order[:-1]])
    return [(int(order[place + 1]), int(order[place])) for place in same]
