"""Google Landmarks v2 in chunks, beside reading its files whole with pandas.

The files are generated in the published shape: 4,132,914 images of 203,094 landmarks, as many credits, and
35,070 places. Reading them is measured in a process of its own, so that nothing else counts.
"""

import tempfile
import time
from pathlib import Path

import numpy as np
from benchmarks.harness import Row, at_most, peak_megabytes

IMAGES, LANDMARKS, PLACES, SAMPLED = 4_132_914, 203_094, 35_070, 500
COUNTRIES = ("France", "India", "Brazil", "Kenya", "Australia", "Japan", "Peru", "Norway")

SOURCES = """
from pathlib import Path
from helpers.benchmarks.landmarks import Sources, candidate_images, gather
from helpers.benchmarks.line_report import LineReport
folder = Path({folder!r})
names = ("train", "attribution", "categories", "hierarchy", "places")
sources = Sources(**{{name: folder / f"{{name}}.csv" for name in names}})
"""
GATHER = SOURCES + "gathered = gather(sources)\nassert gathered.counts['kept'] == {places}\n"
PICK = (
    SOURCES
    + "images = candidate_images(sources, [f'gldv2-{{n}}' for n in range({sampled})], LineReport())\n"
    + "assert images['author'].notna().all()\n"
)
WHOLE = """
import pandas as pd
train = pd.read_csv({folder!r} + "/train.csv")
images = train.groupby("landmark_id").size()
"""
WHOLE_CREDITS = WHOLE + 'credit = pd.read_csv({folder!r} + "/attribution.csv")\n'


def write(folder: Path) -> None:
    """The five files; ids follow a permutation, so that they are as mixed as the real ones."""
    rng = np.random.default_rng(0)
    landmark = np.minimum(rng.geometric(1 / 40_000, IMAGES) - 1, LANDMARKS - 1)
    landmark[:LANDMARKS] = np.arange(LANDMARKS)
    # An odd factor permutes the numbers of 64 bits.
    ids = np.arange(1, IMAGES + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    with (folder / "train.csv").open("w") as train, (folder / "attribution.csv").open("w") as attribution:
        train.write("id,url,landmark_id\n")
        attribution.write("id,url,author,license,title\n")
        for number, (name, which) in enumerate(zip(ids.tolist(), landmark.tolist(), strict=True)):
            file = f"Some_landmark_seen_from_the_street_{number}.jpg"
            train.write(f"{name:016x},https://upload.wikimedia.org/wikipedia/commons/a/ab/{file},{which}\n")
            attribution.write(
                f"{name:016x},https://commons.wikimedia.org/wiki/File:{file},"
                f'"Doe, Jané",https://creativecommons.org/licenses/by/3.0,File:{file}\n'
            )
    category = "http://commons.wikimedia.org/wiki/Category:Landmark_number_"
    with (folder / "categories.csv").open("w") as file:
        file.write("landmark_id,category\n")
        file.writelines(f"{n},{category}{n}\n" for n in range(LANDMARKS))
    with (folder / "hierarchy.csv").open("w") as file:
        file.write("landmark_id,category,supercategory,hierarchical_label,natural_or_human_made\n")
        file.writelines(f"{n},{category}{n},church,church / cathedral,human-made\n" for n in range(LANDMARKS))
    with (folder / "places.csv").open("w") as file:
        file.write("id,category_name,name,lat,lon,city,state,country\n")
        for n in range(PLACES):
            where = COUNTRIES[n % len(COUNTRIES)]
            # In the middle of France, whatever the country: the sea check has work and nothing to refuse.
            lat, lon = 46 + n % 200 / 100, 1 + n % 390 / 100
            file.write(f"{n},Landmark,Landmark {n},{lat},{lon},City,State,{where}\n")


def measured(code: str) -> tuple[float, float]:
    """The peak memory (MB) of a fresh process and the seconds that it takes, its start included."""
    start = time.perf_counter()
    return peak_megabytes(code), time.perf_counter() - start


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder)
        size = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
        filled = {"folder": name, "places": PLACES, "sampled": SAMPLED}
        gather, pick, whole, both = (
            measured(code.format(**filled)) for code in (GATHER, PICK, WHOLE, WHOLE_CREDITS)
        )
    found = f"images and credits of {SAMPLED} landmarks"
    return [
        Row(what="size of the generated files", value=size, unit="MB"),
        at_most("gather: peak memory", gather[0], 1000, "MB"),
        at_most(f"{found}: peak memory", pick[0], 1000, "MB"),
        Row(what="pandas, train.csv whole: peak memory", value=whole[0], unit="MB"),
        Row(what="pandas, train.csv and attribution.csv whole: peak memory", value=both[0], unit="MB"),
        Row(what="gather: every row checked, the sea check included", value=gather[1], unit="s"),
        Row(what=found, value=pick[1], unit="s"),
        Row(what="pandas, train.csv whole, nothing checked", value=whole[1], unit="s"),
        Row(what="pandas, train.csv and attribution.csv whole", value=both[1], unit="s"),
    ]
