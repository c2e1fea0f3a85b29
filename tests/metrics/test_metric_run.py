"""The run of metrics: shared decoding, statuses, resuming; the registry; cases from a study's tables."""

import gc
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from helpers.checking import DataError
from helpers.metrics import backbones, journal, motion, patches, registry, run
from helpers.metrics.cases import Case, Problem, cases_of, reference_at
from helpers.metrics.kept import Kept
from helpers.metrics.measurer import ModelError, Outcome
from helpers.metrics.registry import Metric
from helpers.paths import ROOT
from helpers.photographs.pictures import read_picture
from helpers.simulate.clips import simulate_clip
from helpers.video.cache import Cache
from helpers.video.sampling import Uniform
from helpers.video.write import write_clip

REAL = ROOT.parent / "shared" / "data" / "videos"
NEEDS = {"low": 0.0, "high": 1.0, "direction": "neither", "source": "this test", "cost": "none"}


class Brightness:
    """The mean of all pixels; it fails, cannot be read or cannot be loaded where a test wants it to."""

    def __init__(self, name="brightness", *, needs=(), rule=None, fails=(), unscored=(), broken=False):
        self.metrics = (
            Metric(name=name, title=name, needs=frozenset(needs), frames=rule or Uniform(2), **NEEDS),
        )
        self.name, self.settings = name, {"version": 1}
        self.calls, self.loads = [], 0
        self._fails, self._unscored, self._broken = fails, unscored, broken

    def load(self):
        if self._broken:
            raise ModelError("no weights")
        self.loads += 1
        return {"model": "none"}

    def measure(self, clips):
        self.calls.append([clip.video_id for clip in clips])
        bad = [clip.video_id for clip in clips if clip.video_id in self._fails]
        if bad:
            raise ValueError(f"cannot measure {bad[0]}")
        for clip in clips:
            if clip.reference:
                clip.reference.picture()
        return [
            Outcome(
                values={
                    self.metrics[0].name: None
                    if clip.video_id in self._unscored
                    else float(clip.frames.images.mean() / 255)
                },
                notes=("dark",) if clip.frames.images.mean() < 50 else (),
            )
            for clip in clips
        ]


def grey_clip(path: Path, level: int) -> Path:
    write_clip(path, np.full((8, 32, 32, 3), level, np.uint8), 8)
    return path


@pytest.fixture
def cases(tmp_path: Path) -> list[Case]:
    photograph = tmp_path / "photograph.png"
    Image.fromarray(np.full((32, 32, 3), 100, np.uint8)).save(photograph)
    paths = [grey_clip(tmp_path / f"{level}.mp4", level) for level in (20, 100, 180)]
    reference = reference_at(photograph)
    return [Case(video_id=path.stem, path=path, prompt="grey", reference=reference) for path in paths]


def by_clip(results: run.Results, column: str = "status") -> dict[str, str]:
    return dict(zip(results.about["video_id"], results.about[column], strict=True))


# Values and statuses


def test_every_clip_and_metric_has_a_row(cases, tmp_path):
    results = run.measure([Brightness("one"), Brightness("two", needs=["prompt"])], cases, tmp_path / "logs")
    assert results.table[["video_id", "metric"]].to_numpy().tolist() == [
        [case.video_id, name] for case in cases for name in ("one", "two")
    ]
    assert set(results.table["status"]) == {"ok"}
    assert results.table["value"].to_numpy() == pytest.approx(np.repeat([20, 100, 180], 2) / 255, abs=0.01)
    assert by_clip(results, "notes") == {"20": ("dark",), "100": (), "180": ()}
    assert by_clip(results, "loaded")["20"] == {"model": "none"}


def test_whatever_is_wrong_is_a_status_with_a_reason_and_the_run_goes_on(cases, tmp_path):
    torn = tmp_path / "torn.mp4"
    torn.write_bytes((tmp_path / "20.mp4").read_bytes()[:40])
    bad_photograph = tmp_path / "bad.jpg"
    bad_photograph.write_bytes(b"\xff\xd8\xff\xe0 no picture")
    tiny = tmp_path / "tiny.png"
    Image.new("RGB", (10, 10)).save(tiny)
    good = cases[1]
    odd = [
        replace(good, video_id="not made", path=Problem("missing", "the clip's status is blocked")),
        replace(good, video_id="vanished", path=tmp_path / "nowhere.mp4"),
        replace(good, video_id="vanished later", path=tmp_path / "nowhere.mp4", sha256="0" * 64),
        replace(good, video_id="changed", sha256="0" * 64),
        replace(good, video_id="torn", path=torn),
        replace(good, video_id="a folder", path=tmp_path),
        replace(good, video_id="no photograph", reference=reference_at(tmp_path / "none.jpg")),
        replace(good, video_id="bad photograph", reference=reference_at(bad_photograph)),
        replace(good, video_id="10 pixels", reference=reference_at(tiny)),
        replace(good, video_id="fails"),
        replace(good, video_id="unscored"),
    ]
    measurer = Brightness(needs=["reference"], fails=["fails"], unscored=["unscored"])
    results = run.measure([measurer], [*odd, *cases], tmp_path / "logs", batch=3)
    assert by_clip(results) == {
        "not made": "missing", "vanished": "missing", "vanished later": "missing", "changed": "failed",
        "torn": "failed", "a folder": "failed", "no photograph": "missing", "bad photograph": "failed",
        "10 pixels": "failed", "fails": "failed", "unscored": "unscored",
        "20": "ok", "100": "ok", "180": "ok",
    }  # fmt: skip
    reasons = by_clip(results, "reason")
    assert "10 x 10 pixels" in reasons["10 pixels"]
    assert "another file" in reasons["changed"]
    assert reasons["fails"] == "cannot measure fails"
    assert all(reasons[name] for name in reasons if by_clip(results)[name] in ("missing", "failed"))
    summary = results.summary().set_index("status")
    assert summary.loc["ok", "clips"] == 3
    assert summary.loc["unscored", "clips"] == 1
    assert summary["clips"].sum() == 14
    lacking = results.lacking()
    assert len(lacking) == 6
    assert sum(clips for _, _, clips in lacking) == 11
    # Ten different reasons, of which the vanished clips share one.
    assert lacking[-1][1] == "5 other reasons"


def test_a_metric_without_need_of_the_photograph_has_its_value_all_the_same(cases, tmp_path):
    bare = [replace(case, reference=Problem("missing", "none")) for case in cases]
    results = run.measure(
        [Brightness("one"), Brightness("two", needs=["reference"])], bare, tmp_path / "logs"
    )
    assert results.table.groupby("metric")["status"].unique().map(list).to_dict() == {
        "one": ["ok"],
        "two": ["missing"],
    }


def test_a_number_that_is_none_is_unscored(cases, tmp_path):
    class NotANumber(Brightness):
        def measure(self, clips):
            return [Outcome(values={"brightness": float("nan")}) for _ in clips]

    results = run.measure([NotANumber()], cases, tmp_path / "logs")
    assert set(results.table["status"]) == {"unscored"}


def test_a_metric_that_has_no_meaning_for_a_clip_has_no_row(cases, tmp_path):
    class OfLightClips(Brightness):
        def measure(self, clips):
            found = super().measure(clips)
            return [Outcome(values={}) if one.notes == ("dark",) else one for one in found]

    results = run.measure([OfLightClips()], cases, tmp_path / "logs")
    assert by_clip(results) == {"100": "ok", "180": "ok"}
    again = OfLightClips()
    assert by_clip(run.measure([again], cases, tmp_path / "logs")) == {"100": "ok", "180": "ok"}
    assert again.calls == []


def test_a_value_that_was_not_declared_is_an_error(cases, tmp_path):
    class Misspelt(Brightness):
        def measure(self, clips):
            return [Outcome(values={"brightnes": 1.0}) for _ in clips]

    with pytest.raises(ValueError, match="found the value 'brightnes'"):
        run.measure([Misspelt()], cases, tmp_path / "logs")


def test_a_model_that_cannot_be_loaded_ends_the_run(cases, tmp_path):
    with pytest.raises(ModelError, match="no weights"):
        run.measure([Brightness(broken=True)], cases, tmp_path / "logs")


def test_nothing_to_do_loads_no_model(cases, tmp_path):
    bare = [replace(case, path=Problem("missing", "not made")) for case in cases]
    results = run.measure([Brightness(broken=True)], bare, tmp_path / "logs")
    assert set(results.table["status"]) == {"missing"}


@pytest.mark.parametrize("what", ["measurer", "clip"])
def test_names_that_occur_twice_are_refused(cases, tmp_path, what):
    measurers = [Brightness()] * (2 if what == "measurer" else 1)
    with pytest.raises(ValueError, match=f"found the {what} '.*' 2 times"):
        run.measure(measurers, cases + cases[:1] if what == "clip" else cases, tmp_path / "logs")


# Sharing and resuming


def test_a_clip_is_decoded_once_for_all_metrics(cases, tmp_path, monkeypatch):
    decoded = []
    real = run.sample_all
    monkeypatch.setattr(run, "sample_all", lambda path, *rest: decoded.append(path.stem) or real(path, *rest))
    measurers = [Brightness("one"), Brightness("two", rule=Uniform(5)), motion.Motion()]
    run.measure(measurers, cases, tmp_path / "logs")
    assert sorted(decoded) == ["100", "180", "20"]


def test_clips_of_one_photograph_stand_side_by_side(cases, tmp_path):
    other = tmp_path / "other.png"
    Image.fromarray(np.zeros((32, 32, 3), np.uint8)).save(other)
    mixed = [
        replace(cases[i % 3], video_id=str(i), reference=reference_at(other) if i % 2 else cases[0].reference)
        for i in range(8)
    ]
    measurer = Brightness(needs=["reference"])
    run.measure([measurer], mixed, tmp_path / "logs", batch=4)
    assert sorted(map(sorted, measurer.calls)) == [["0", "2", "4", "6"], ["1", "3", "5", "7"]]


def test_a_second_run_measures_nothing_again(cases, tmp_path):
    first, second = Brightness(), Brightness(broken=True)
    one = run.measure([first], cases, tmp_path / "logs")
    # Not even the clips are needed, once their hashes are on record.
    hashed = run.hashed(cases)
    for case in cases:
        case.path.unlink()
    other = run.measure([second], hashed, tmp_path / "logs")
    pd.testing.assert_frame_equal(one.about, other.about)
    assert second.calls == []


def test_what_failed_is_tried_again(cases, tmp_path):
    run.measure([Brightness(fails=["100"])], cases, tmp_path / "logs")
    again = Brightness()
    results = run.measure([again], cases, tmp_path / "logs")
    assert again.calls == [["100"]]
    assert set(results.table["status"]) == {"ok"}


@pytest.mark.parametrize("what", ["settings", "photograph", "category", "prompt", "clip"])
def test_what_a_value_depends_on_makes_it_due_again(cases, tmp_path, what):
    needs = ["reference", "prompt"]
    run.measure([Brightness(needs=needs)], cases[:1], tmp_path / "logs")
    again, (case,) = Brightness(needs=needs), cases[:1]
    if what == "settings":
        again.settings = {"version": 2}
    elif what == "photograph":
        Image.fromarray(np.full((32, 32, 3), 9, np.uint8)).save(case.reference.path)
        case = replace(case, reference=reference_at(case.reference.path))
    elif what == "category":
        case = replace(case, reference=replace(case.reference, category="church"))
    elif what == "prompt":
        case = replace(case, prompt="darker")
    else:
        grey_clip(case.path, 60)
    run.measure([again], [case], tmp_path / "logs")
    assert again.calls == [[case.video_id]]


def test_what_any_shard_measured_counts_and_a_value_before_a_failure(cases, tmp_path):
    logs = tmp_path / "logs"
    run.measure([Brightness(fails=["20"])], cases, logs, name="1-of-2")
    run.measure([Brightness()], cases[:1], logs, name="2-of-2")
    again = Brightness()
    assert set(run.measure([again], cases, logs, name="1-of-2").table["status"]) == {"ok"}
    assert again.calls == []


def test_what_was_not_measured_yet_is_open_and_has_no_row(cases, tmp_path):
    logs, measurer = tmp_path / "logs", Brightness(broken=True)
    run.measure([Brightness()], cases[:1], logs)
    assert [case.video_id for case in run.still_open(measurer, cases, logs)] == ["100", "180"]
    assert by_clip(run.collected([measurer], cases, logs)) == {"20": "ok"}


def test_a_line_that_a_crash_cut_short_is_measured_again(cases, tmp_path):
    logs = tmp_path / "logs"
    run.measure([Brightness()], cases, logs)
    path = logs / "brightness" / "1-of-1.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    again = Brightness()
    run.measure([again], cases, logs)
    assert again.calls == [["180"]]
    assert len(journal.read(path.parent)) == 3


def test_a_journal_that_is_none_is_named(cases, tmp_path):
    (tmp_path / "brightness").mkdir()
    (tmp_path / "brightness" / "1-of-4.jsonl").write_text('{"a": 1}\n', encoding="utf-8")
    with pytest.raises(DataError, match=r"brightness/1-of-4\.jsonl: line 1 is not a measurement"):
        run.measure([Brightness()], cases, tmp_path)


def test_two_runs_do_not_write_one_journal(tmp_path):
    with (
        journal.writing(tmp_path, "a"),
        pytest.raises(DataError, match="another run"),
        journal.writing(tmp_path, "a"),
    ):
        pass


def test_a_killed_run_loses_only_what_was_being_measured(cases, tmp_path):
    code = """
import os, sys
from pathlib import Path
from helpers.metrics import motion, run
from helpers.metrics.cases import Case
class Dying(motion.Motion):
    def measure(self, clips):
        if clips[0].video_id == "180":
            os._exit(9)
        return super().measure(clips)
folder = Path(sys.argv[1])
cases = [Case(video_id=name, path=folder / f"{name}.mp4") for name in ("20", "100", "180")]
run.measure([Dying()], cases, folder / "logs", batch=1)
"""
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)
    assert done.returncode == 9
    assert [row.video_id for row in journal.read(tmp_path / "logs" / "motion").values()] == [
        "20",
        "100",
    ]
    results = run.measure([motion.Motion()], cases, tmp_path / "logs")
    assert set(results.table["status"]) == {"ok"}


# Real clips and photographs, through everything


def test_scores_fall_as_a_simulated_clip_shows_less_of_its_photograph(tmp_path):
    # The dial of the simulated clips is the truth here.
    collection = pytest.importorskip("skimage.data")
    path, other = tmp_path / "a.png", read_picture(Path(collection.__file__).parent / "rocket.jpg")
    Image.fromarray(collection.astronaut()).save(path)
    strengths = (0.0, 0.4, 0.8)
    for strength in strengths:
        clip = simulate_clip(
            read_picture(path), "other_landmark", strength, other=other, frames=8, seed=1, size=(128, 128)
        )
        write_clip(tmp_path / f"{strength}.mp4", clip, 8)
    cases = [
        Case(video_id=str(one), path=tmp_path / f"{one}.mp4", reference=reference_at(path))
        for one in strengths
    ]
    measurer = patches.PatchSimilarity(backbones.backbone("hog", "whole"), patches.PATCH_HOG)
    values = run.measure([measurer], cases, tmp_path / "logs").table["value"].to_numpy()
    assert values[0] > values[1] + 0.005
    assert values[1] > values[2] + 0.005


def test_generated_clips_of_aigve_bench(tmp_path):
    if not REAL.exists():
        pytest.skip("the clips of AIGVE-Bench are not here")
    paths = sorted(REAL.glob("*.mp4"))
    from av import open as opened

    with opened(str(paths[0])) as container:
        first = next(container.decode(video=0)).to_ndarray(format="rgb24")
    Image.fromarray(first).save(tmp_path / "first.png")
    reference = reference_at(tmp_path / "first.png")
    cases = [Case(video_id=path.stem, path=path, reference=reference) for path in paths]
    measurers = [
        patches.PatchSimilarity(backbones.backbone("hog", "whole"), patches.PATCH_HOG),
        motion.Motion(),
    ]
    cache = Cache(tmp_path / "frames")
    results = run.measure(measurers, cases, tmp_path / "logs", cache=cache)
    assert set(results.table["status"]) == {"ok"}
    wide = results.table.pivot_table(index="video_id", columns="metric", values="value")
    assert wide["patch_hog"].idxmax() == paths[0].stem
    assert (wide["motion"] > 0.01).all()
    assert (wide["flicker"] < 0.01).all()


# Cases from tables


def test_cases_of_a_studys_tables(tmp_path):
    Image.new("RGB", (20, 20)).save(tmp_path / "a.png")
    tables = {
        "videos": pd.DataFrame(
            {
                "video_id": ["v1", "v2", "v3", "v4"],
                "prompt_id": ["p1", "p2", "p3", "p1"],
                "status": ["ok", "ok", "ok", "blocked"],
                "path": ["a.mp4", "/else/b.mp4", "c.mp4", None],
                "sha256": ["0" * 64, None, None, None],
            }
        ),
        "prompts": pd.DataFrame(
            {"prompt_id": ["p1", "p2"], "text": ["one", "two"], "landmark_id": ["l1", None]}
        ),
        "landmarks": pd.DataFrame(
            {"landmark_id": ["l1", "l2"], "reference_image": ["a.png", None], "category": ["church", None]}
        ),
    }
    one, two, three, four = cases_of(tables, tmp_path)
    assert (one.path, one.sha256, one.prompt) == (tmp_path / "a.mp4", "0" * 64, "one")
    assert (one.reference.path, one.reference.category) == (tmp_path / "a.png", "church")
    assert (two.path, two.sha256, two.prompt) == (Path("/else/b.mp4"), None, "two")
    assert two.reference == Problem("missing", "the clip's prompt names no landmark")
    assert three.prompt == Problem("missing", "found no prompt 'p3'")
    assert four.path.status == "missing"
    assert four.problem(frozenset()).reason.startswith("the clip's status is blocked")


# What is kept of photographs


def test_kept_arrays_survive_and_damage_is_made_good(tmp_path):
    made = []

    def make():
        made.append(1)
        return {"a": np.arange(3), "words": np.array(["x"])}

    for _ in range(2):
        found = Kept(tmp_path).get({"photograph": "1"}, make)
        assert found["a"].tolist() == [0, 1, 2]
        assert found["words"].tolist() == ["x"]
    assert len(made) == 1
    (kept,) = tmp_path.glob("*.npz")
    whole = kept.read_bytes()
    for times, torn in enumerate((b"", b"PK torn", b"torn", whole[:4], whole[:-30], whole[:60]), start=2):
        kept.write_bytes(torn)
        # A file that was left open would be a warning, and so an error.
        assert Kept(tmp_path).get({"photograph": "1"}, make)["a"].tolist() == [0, 1, 2]
        gc.collect()
        assert len(made) == times


def test_kept_in_memory_are_the_latest_alone():
    made, kept = [], Kept(most=2)
    for photograph in "abcabc":
        kept.get({"photograph": photograph}, lambda: made.append(1) or {})
    assert len(made) == 6
    kept.get({"photograph": "c"}, lambda: made.append(1) or {})
    assert len(made) == 6


# Declarations


def test_every_declared_metric_says_what_it_is():
    table = registry.table()
    assert set(table["metric"]) == set(registry.declared())
    assert {"patch_clip", "clip_text", "motion", "flicker"} <= set(table["metric"])
    assert table.notna().all(axis=None)
    assert table["metric"].str.fullmatch(r"[a-z][a-z0-9_]*").all()


def test_a_metric_stands_beside_one_that_every_measured_clip_has():
    known = registry.declared()
    beside = {one.name: known[one.beside] for one in known.values() if one.beside}
    assert set(beside) == {"aigve_macs_action_presentence", "aigve_macs_action_quality"}
    for name, other in beside.items():
        assert other.beside is None
        assert other.source == known[name].source


def test_an_unknown_metric_is_offered_the_nearest():
    with pytest.raises(ValueError, match="did you mean 'patch_clip'"):
        registry.metric("patch_clips")


def test_declarations_load_no_model_library():
    code = "import sys; from helpers.metrics import registry; registry.declared(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert {"torch", "transformers", "open_clip"}.isdisjoint(done.stdout.split())


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [(-1.0, 1.0, "-1 to 1"), (0.0, np.inf, "0 and above"), (-np.inf, 5.0, "5 and below"),
     (-np.inf, np.inf, "any number")],
)  # fmt: skip
def test_ranges_in_words(low, high, words):
    about = NEEDS | {"low": low, "high": high}
    assert Metric(name="a", title="a", frames=Uniform(1), **about).range == words


def test_a_range_without_width_is_refused():
    with pytest.raises(ValueError, match="expected low < high"):
        Metric(name="a", title="a", frames=Uniform(1), **(NEEDS | {"low": 1.0}))
