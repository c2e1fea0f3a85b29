import pandas as pd

from helpers.benchmarks.landmarks import Sources, candidate_images, gather
from helpers.benchmarks.line_report import LineReport
from helpers.paths import DATA
from helpers.simulate.gldv2 import write_gldv2

PLACES = pd.read_csv(DATA / "photographs" / "monuments.csv").query("left_out.isna()")


def test_the_files_hold_the_places_and_the_planted_faults_and_no_other(tmp_path):
    sources = Sources.in_folder(write_gldv2(tmp_path / "new", PLACES, seed=1))
    found = gather(sources, bad_rows="set_aside")
    assert found.landmarks["name"].tolist() == PLACES["name"].tolist()[:-1]
    assert found.landmarks["category"].tolist() == PLACES["category"].tolist()[:-1]
    assert found.counts["without_place"] == 1
    problems = found.problems.assign(file=found.problems["file"].str.rpartition("/")[2])
    assert problems["file"].value_counts().to_dict() == {
        "places.csv": 3,
        "train.csv": 2,
        "train_label_to_category.csv": 1,
    }
    for part in ("open sea", "latitude 0, longitude 0", "Ruritania", "again", "Wikimedia"):
        assert problems["problem"].str.contains(part).sum() == 1, part


def test_every_image_has_a_credit(tmp_path):
    sources = Sources.in_folder(write_gldv2(tmp_path, PLACES, seed=1))
    report = LineReport()
    images = candidate_images(sources, ["gldv2-0", "gldv2-5"], report)
    assert len(images) == gather(sources, bad_rows="set_aside").landmarks["images"].iloc[[0, 5]].sum()
    assert images["licence"].notna().all()


def test_the_same_seed_writes_the_same_files(tmp_path):
    one, two, other = (
        write_gldv2(tmp_path / name, PLACES, seed=seed) for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )
    assert (one / "train.csv").read_bytes() == (two / "train.csv").read_bytes()
    assert (one / "train.csv").read_bytes() != (other / "train.csv").read_bytes()
