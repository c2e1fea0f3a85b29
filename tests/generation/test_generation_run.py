import errno
import json
import shutil

import numpy as np
import pandas as pd
import pytest

from helpers import tables
from helpers.checking import DataError
from helpers.generation import catalogue, journal, keep
from helpers.generation.outcomes import Clip, GuardrailError, OutOfMemoryError, as_uint8
from helpers.generation.run import generate
from helpers.video.probe import probe
from stand_in_models import StandInModel, described, grey, jobs_for

BLACK = Clip(np.zeros((3, 16, 16, 3), np.uint8))


def run(study, jobs, load=None, **options):
    return generate(study, jobs, load=load or StandInModel(), quiet=True, **options)


def files(study):
    return sorted(path.name for path in (study / "videos").rglob("*") if path.is_file())


def test_every_clip_gets_a_file_and_a_row_that_describes_it(tmp_path):
    model = described(fps=9.8, scheduler={"flow_shift": 12.0})
    summary = run(tmp_path, jobs_for(model, number=2, seeds=(0, 5)))
    assert summary.statuses == {"ok": 4}
    assert summary.exit_code == 0
    table = tables.read(tmp_path, "videos")
    assert len(table) == 4
    row = table.set_index("video_id").loc["tiny-wan/p001/s5"]
    clip = tmp_path / row["path"]
    found = probe(clip)
    assert (row["width"], row["height"], row["frames"], row["fps"]) == (16, 16, 3, 9.8)
    assert (found.frames, found.fps) == (3, pytest.approx(9.8))
    assert row["sha256"] == __import__("hashlib").sha256(clip.read_bytes()).hexdigest()
    settings = json.loads(row["settings"])
    assert settings["asked"]["call"] == model.settings[0].call
    assert settings["asked"]["seed"] == 5
    assert settings["asked"]["scheduler"] == {"flow_shift": 12.0}
    assert settings["made"]["memory"]["name"] == "as declared"
    kept = journal.read(tmp_path)["tiny-wan/p001/s5"].settings["made"]
    assert kept["seconds"] >= kept["seconds_computing"] >= 0
    assert set(kept) - set(settings["made"]) == {"seconds", "seconds_computing"}
    assert {"torch", "diffusers", "av"} <= set(settings["made"]["versions"])


def test_the_same_command_makes_nothing_twice_and_hashes_nothing(tmp_path, monkeypatch):
    jobs = jobs_for(described())
    run(tmp_path, jobs[:2])
    before = tables.read(tmp_path, "videos").set_index("video_id")
    model = StandInModel()
    summary = run(tmp_path, jobs, model)
    assert [asked[0] for asked in model.asked] == [jobs[2].prompt]
    assert summary.skipped == 2

    def refuse(*_):
        raise AssertionError("nothing is left to hash")

    monkeypatch.setattr(keep.hashlib, "file_digest", refuse)
    assert run(tmp_path, jobs, refuse).skipped == 3
    after = tables.read(tmp_path, "videos").set_index("video_id")
    pd.testing.assert_frame_equal(after.loc[before.index], before)


def test_a_clip_that_is_gone_or_cut_is_made_again(tmp_path):
    jobs = jobs_for(described())
    run(tmp_path, jobs)
    (tmp_path / jobs[0].path).unlink()
    (tmp_path / jobs[1].path).write_bytes((tmp_path / jobs[1].path).read_bytes()[:-1])
    model = StandInModel()
    run(tmp_path, jobs, model)
    assert [asked[0] for asked in model.asked] == [jobs[0].prompt, jobs[1].prompt]


def test_clips_that_were_made_otherwise_stop_the_run_and_name_the_difference(tmp_path):
    run(tmp_path, jobs_for(described()))
    with pytest.raises(DataError, match=r"was made otherwise: call\.num_inference_steps was 2, is now 3"):
        run(tmp_path, jobs_for(described(call={"num_inference_steps": 3})))
    with pytest.raises(DataError, match="dtype was 'float32', is now 'bfloat16'"):
        run(tmp_path, jobs_for(described(dtype="bfloat16")))


def test_weights_of_another_commit_stop_the_run(tmp_path):
    jobs = jobs_for(described())
    run(tmp_path, jobs[:1], StandInModel(commit="abc"))
    with pytest.raises(DataError, match="commit abc, now 'main' is def"):
        run(tmp_path, jobs, StandInModel(commit="def"))


def out_of_memory_until(name):
    return lambda rung: OutOfMemoryError("CUDA out of memory") if rung.name != name else None


FAILURES = {
    "refused": (GuardrailError("the guardrail refused it"), "blocked", "guardrail refused it"),
    "broken": (RuntimeError("mat1 and mat2\nshapes"), "failed", "RuntimeError: mat1 and mat2"),
    "no message": (KeyError(), "failed", "KeyError"),
    "no memory at all": (OutOfMemoryError("CUDA"), "failed", "on the last rung, sequential-offload: CUDA"),
    "black": (BLACK, "failed", "every frame is black"),
    "no frames": (Clip(np.zeros((0, 16, 16, 3), np.uint8)), "failed", "no frames"),
}  # fmt: skip


@pytest.mark.parametrize(("does", "status", "problem"), FAILURES.values(), ids=FAILURES)
def test_what_fails_is_recorded_and_the_rest_goes_on(tmp_path, does, status, problem):
    jobs = jobs_for(described())
    summary = run(tmp_path, jobs, StandInModel({"Scene 1": does}))
    assert summary.statuses == {"ok": 2, status: 1}
    assert summary.exit_code == 1
    assert problem in str(summary)
    row = journal.read(tmp_path)[jobs[1].video_id]
    assert problem in row.settings["problem"]
    assert tables.read(tmp_path, "videos")["status"].tolist() == ["ok", status, "ok"]
    assert not [name for name in files(tmp_path) if "part" in name]


def test_failed_clips_are_tried_again_and_blocked_ones_are_not(tmp_path):
    jobs = jobs_for(described())
    run(tmp_path, jobs, StandInModel({"Scene 0": GuardrailError("no"), "Scene 1": RuntimeError("once")}))
    model = StandInModel()
    summary = run(tmp_path, jobs, model)
    assert [asked[0] for asked in model.asked] == [jobs[1].prompt]
    assert summary.exit_code == 0
    assert tables.read(tmp_path, "videos")["status"].tolist() == ["blocked", "ok", "ok"]


def test_running_out_of_memory_steps_down_the_ladder_stays_there_and_is_recorded(tmp_path):
    jobs = jobs_for(described(offload="none"))
    model = StandInModel({"Scene 1": out_of_memory_until("model-offload")})
    summary = run(tmp_path, jobs, model)
    assert summary.statuses == {"ok": 3}
    assert model.rungs == ["as declared", "as declared", "tiling", "model-offload", "model-offload"]
    assert model.freed == 2
    rungs = [row.settings["made"]["memory"] for row in journal.read(tmp_path).values()]
    assert [rung["name"] for rung in rungs] == ["as declared", "model-offload", "model-offload"]
    assert rungs[1] == {"name": "model-offload", "tiling": True, "offload": "model"}


def test_steps_that_a_model_takes_anyway_are_left_out(tmp_path):
    model = StandInModel({"Scene": OutOfMemoryError("CUDA")})
    run(tmp_path, jobs_for(described(tiling=True, offload="model"), number=1), model)
    assert model.rungs == ["as declared", "sequential-offload"]
    own = [catalogue.Rung(name="last", offload="sequential").model_dump()]
    model = StandInModel({"Scene": OutOfMemoryError("CUDA")})
    run(tmp_path, jobs_for(described(ladder=own), number=1), model)
    assert model.rungs == ["as declared", "last"]


def test_a_full_disk_is_recorded_and_leaves_no_half_clip(tmp_path, monkeypatch):
    jobs = jobs_for(described())
    real = keep.write_clip

    def full(path, *given, **options):
        if "p001" in path.name:
            path.write_bytes(b"half")
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(path, *given, **options)

    monkeypatch.setattr(keep, "write_clip", full)
    summary = run(tmp_path, jobs)
    assert summary.statuses == {"ok": 2, "failed": 1}
    assert "No space left on device" in str(summary)
    assert files(tmp_path) == ["p000_s0.mp4", "p002_s0.mp4"]


def test_no_clip_is_computed_for_a_disk_that_is_almost_full(tmp_path, monkeypatch):
    usage = shutil.disk_usage(tmp_path)._replace(free=keep.LEAST_ROOM - 1)
    monkeypatch.setattr(keep.shutil, "disk_usage", lambda path: usage)
    model = StandInModel()
    summary = run(tmp_path, jobs_for(described()), model)
    assert summary.statuses == {"failed": 3}
    assert "MiB are free" in str(summary)
    assert model.asked == []


def test_a_folder_that_cannot_be_written_is_recorded_before_anything_is_computed(tmp_path):
    (tmp_path / "videos").mkdir()
    (tmp_path / "videos" / "one").write_text("a file where a folder should be")
    model = StandInModel()
    summary = run(tmp_path, jobs_for(described(name="one"), described(name="two")), model)
    assert summary.statuses == {"failed": 3, "ok": 3}
    assert len(model.asked) == 3
    kept = "".join(tables.read(tmp_path, "videos")["settings"])
    assert "'videos/one" in kept
    assert str(tmp_path) not in kept


def test_a_journal_that_cannot_be_written_stops_the_run(tmp_path, monkeypatch):
    def full(file, data):
        raise OSError(errno.ENOSPC, "No space left on device")

    (tmp_path / "logs").write_text("a file where a folder should be")
    with pytest.raises(DataError, match="expected a file to write to"):
        run(tmp_path, jobs_for(described()))
    (tmp_path / "logs").unlink()
    monkeypatch.setattr(journal.os, "write", full)
    with pytest.raises(DataError, match="No space left on device; nothing can be recorded"):
        run(tmp_path, jobs_for(described()))


def test_a_model_that_cannot_be_loaded_does_not_hinder_the_others(tmp_path):
    def load(model):
        if model.name == "one":
            raise ImportError("cosmos_guardrail is not installed")
        return StandInModel()

    summary = run(tmp_path, jobs_for(described(name="one"), described(name="two")), load)
    assert summary.statuses == {"failed": 3, "ok": 3}
    assert "cannot be loaded: ImportError: cosmos_guardrail is not installed" in str(summary)
    assert len(tables.read(tmp_path, "videos")) == 6


def test_shards_write_apart_and_the_table_holds_all(tmp_path):
    jobs = jobs_for(described(), number=5)
    run(tmp_path, jobs[0::2], name="generated-1-of-2")
    run(tmp_path, jobs[1::2], name="generated-2-of-2")
    assert len(tables.read(tmp_path, "videos")) == 5
    # Another division of the work finds what is done.
    assert run(tmp_path, jobs, name="generated-1-of-1").skipped == 5


def test_a_second_run_of_the_same_shard_is_refused(tmp_path):
    with (
        journal.writing(tmp_path, "generated-1-of-1"),
        pytest.raises(DataError, match="another run is writing"),
    ):
        run(tmp_path, jobs_for(described()))


def test_a_row_that_was_cut_short_is_dropped_and_a_damaged_one_is_named(tmp_path):
    jobs = jobs_for(described())
    run(tmp_path, jobs)
    path = tmp_path / "logs" / "videos" / "generated-1-of-1.jsonl"
    content = path.read_bytes()
    path.write_bytes(content[:-5])
    model = StandInModel()
    run(tmp_path, jobs, model)
    assert len(model.asked) == 1
    path.write_bytes(b'{"video_id": 1}\n' + content)
    with pytest.raises(DataError, match="line 1 is not a clip's row"):
        run(tmp_path, jobs)


def test_an_interrupt_leaves_the_table_of_what_is_done(tmp_path):
    jobs = jobs_for(described())
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, jobs, StandInModel({"Scene 2": lambda rung: (_ for _ in ()).throw(KeyboardInterrupt)}))
    assert len(tables.read(tmp_path, "videos")) == 2


def test_flags_of_a_clip_are_kept_and_shown(tmp_path):
    odd = Clip(grey(90).frames, flags=["guardrail altered 2 frames"])
    summary = run(tmp_path, jobs_for(described(), number=1), StandInModel({"Scene": odd}))
    assert summary.exit_code == 0
    assert "guardrail altered 2 frames" in str(summary)


def test_sound_is_written_with_the_pictures(tmp_path):
    sound = np.sin(np.linspace(0, 400, 16_000, dtype=np.float32))[None].repeat(2, 0)
    clip = Clip(grey(90, frames=9).frames, sound, 16_000)
    jobs = jobs_for(described(), number=1)
    run(tmp_path, jobs, StandInModel({"Scene": clip}))
    found = probe(tmp_path / jobs[0].path)
    assert (found.audio, found.channels, found.sample_rate) == (True, 2, 16_000)
    assert tables.read(tmp_path, "videos")["audio"].tolist() == [True]


def test_pictures_become_whole_numbers_by_rounding():
    values = np.array([[[[0.0, 1.0, 0.5]], [[1.2, -0.1, 0.00197]]]], np.float32)
    assert as_uint8(values).tolist() == [[[[0, 255, 128]], [[255, 0, 1]]]]


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_values_that_are_no_numbers_are_refused(bad):
    frames = np.zeros((2, 2, 2, 3), np.float32)
    frames[1, 0, 0] = bad
    with pytest.raises(ValueError, match=r"12\.5% of the pixels are not finite"):
        as_uint8(frames)


def test_a_model_that_does_not_describe_itself_does_not_hinder_the_others(tmp_path):
    class Silent(StandInModel):
        def describe(self, settings):
            raise RuntimeError("no such attribute")

    def load(model):
        return Silent() if model.name == "one" else StandInModel()

    summary = run(tmp_path, jobs_for(described(name="one"), described(name="two")), load)
    assert summary.statuses == {"failed": 3, "ok": 3}


@pytest.mark.parametrize("first", [True, False])
def test_of_two_shards_that_tried_the_same_clip_the_one_that_made_it_counts(tmp_path, first):
    jobs = jobs_for(described(), number=1)
    shards = [StandInModel(), StandInModel({"Scene 0": RuntimeError("the file is in use")})]
    names = ["generated-1-of-1", "generated-1-of-2"]
    for number in (0, 1) if first else (1, 0):
        if number == 1 and first:  # as if both had begun together
            row = journal.read(tmp_path)[jobs[0].video_id]
            late = row.model_copy(update={"status": "failed", "path": None, "at": journal.now()})
            with journal.writing(tmp_path, names[1]) as log:
                log.add(late)
        else:
            run(tmp_path, jobs, shards[number], name=names[number])
    assert journal.read(tmp_path)[jobs[0].video_id].status == "ok"


def test_a_clip_that_is_gone_and_cannot_be_made_again_is_no_longer_ok(tmp_path):
    jobs = jobs_for(described(), number=1)
    broken = StandInModel({"Scene 0": RuntimeError("no memory")})
    run(tmp_path, jobs, StandInModel())
    (tmp_path / jobs[0].path).unlink()
    assert run(tmp_path, jobs, broken, name="generated-1-of-2").statuses == {"failed": 1}
    assert journal.read(tmp_path)[jobs[0].video_id].status == "failed"
    assert run(tmp_path, jobs, StandInModel()).statuses == {"ok": 1}
    assert journal.read(tmp_path)[jobs[0].video_id].status == "ok"


@pytest.mark.parametrize("name", ["Tiny wan", "tiny_wan"])
def test_a_clip_or_model_that_is_there_from_elsewhere_stops_the_run_before_anything_is_made(tmp_path, name):
    jobs = jobs_for(described(), number=1)
    row = journal.Row(
        video_id=jobs[0].video_id, prompt_id="p000", model=name, status="ok", at=journal.now(),
        origin="imported",
    )  # fmt: skip
    with journal.writing(tmp_path, "imported-x") as log:
        log.add(row)
    model = StandInModel()
    with pytest.raises(DataError, match=r"expected another name for the model|would both be kept as"):
        run(tmp_path, jobs, model)
    assert not model.asked


def test_what_a_killed_run_left_of_a_clip_goes_once_the_clip_is_there(tmp_path):
    jobs = jobs_for(described(), number=1)
    place = tmp_path / jobs[0].path
    place.parent.mkdir(parents=True)
    # Linux (proc(5), pid_max): no process has this number.
    place.with_name(f".{place.stem}.{2**22 + 1}.part.mp4").write_bytes(b"half")
    run(tmp_path, jobs)
    assert files(tmp_path) == [place.name]
