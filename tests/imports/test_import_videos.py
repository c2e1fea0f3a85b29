import json
import os
import shutil
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from helpers.checking import DataError
from helpers.generation.catalogue import Expected
from helpers.imports.keeping import keep
from helpers.imports.layout import BY_ID, BY_TEXT
from helpers.imports.videos import import_videos
from helpers.paths import ROOT
from helpers.tables import read
from helpers.video.write import write_clip

REAL = ROOT.parent / "shared" / "data" / "videos"
EXPECTED = {
    "culturevidbench": {
        "Veo 3.1 Fast": Expected(
            benchmark="culturevidbench", width=64, height=48, frames=12, fps=8, audio=True
        )
    }
}
TEXTS = {
    "010101": "A cook folds dumplings in a kitchen in Beijing.",
    "010102": "A cook folds dumplings in a kitchen in Shanghai, steam rising from the bamboo baskets.",
    "010102_b": "Two dancers in long sleeves turn on a wooden stage.",
    "0101012": "A potter in Jingdezhen paints a vase with cobalt blue.",
}


@pytest.fixture
def prompts() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "prompt_id": list(TEXTS),
            "benchmark": "culturevidbench",
            "country": "China",
            "variant": "plain",
            "text": list(TEXTS.values()),
        }
    )


def write(
    path: Path, seed: int = 0, *, size=(64, 48), frames: int = 12, fps: float = 8, sound: bool = True
) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    generator = np.random.default_rng(seed)
    pictures = generator.integers(0, 255, (frames, size[1], size[0], 3), dtype=np.uint8)
    audio = generator.uniform(-0.1, 0.1, (1, int(16000 * frames / fps))).astype(np.float32)
    write_clip(path, pictures, fps, audio=audio if sound else None, sample_rate=16000 if sound else None)
    return path


def bring(folder: Path, prompts: pd.DataFrame, **options):
    return import_videos(folder, prompts, **{"expected": EXPECTED} | options)


def found(imported) -> set[tuple]:
    rows = imported.problems[["kind", "prompt_id", "severity"]].astype(object)
    return set(rows.where(rows.notna(), None).itertuples(index=False, name=None))


def test_the_layout_of_culturevidbench(tmp_path: Path, prompts: pd.DataFrame) -> None:
    # hanxjing/CultureVidBench: video_generate/<model>/<video_id>_<anything>.mp4
    folder = tmp_path / "video_generate"
    for number, name in enumerate(["010101_x", "010102_some text_0", "010102_b", "0101012_final"]):
        write(folder / "Veo-3.1-Fast" / f"{name}.mp4", number)
    imported = bring(folder, prompts)
    assert imported.videos.set_index("video_id")["prompt_id"].to_dict() == {
        "veo-3.1-fast/010101/x": "010101",
        "veo-3.1-fast/010102/some-text-0": "010102",
        "veo-3.1-fast/010102_b": "010102_b",
        "veo-3.1-fast/0101012/final": "0101012",
    }
    assert set(imported.videos["model"]) == {"Veo 3.1 Fast"}
    assert imported.problems.empty
    row = imported.videos.iloc[0]
    assert (row["width"], row["height"], row["frames"], row["fps"]) == (64, 48, 12, 8.0)
    assert row["audio"]
    assert Path(row["path"]).is_absolute()


def test_every_problem_is_a_row(tmp_path: Path, prompts: pd.DataFrame) -> None:
    folder = tmp_path / "Veo 3.1 Fast"
    write(folder / "010101.mp4", 1, size=(48, 64))
    write(folder / "010102.mp4", 2, sound=False, fps=4)
    clip = write(folder / "0101012.mp4", 3, frames=40)
    clip.write_bytes(clip.read_bytes()[: clip.stat().st_size * 2 // 3])
    write(folder / "999999_unknown.mp4", 4)
    imported = bring(tmp_path, prompts)
    assert {
        ("wrong size", "010101", "warning"),
        ("no sound", "010102", "warning"),
        ("wrong fps", "010102", "warning"),
        ("missing", "010102_b", "error"),
        ("unknown prompt", None, "error"),
    } <= found(imported)
    broken = imported.problems[imported.problems["prompt_id"] == "0101012"].iloc[0]
    assert broken["severity"] == "error"
    assert broken["kind"] in ("truncated", "unreadable")
    status = imported.videos.set_index("prompt_id")["status"].to_dict()
    assert status == {"010101": "ok", "010102": "ok", "010102_b": "missing", "0101012": "failed"}
    size = imported.problems.query("kind == 'wrong size'").iloc[0]
    assert (size["found"], size["expected"]) == ("48x64", "64x48 (its setting in culturevidbench)")
    assert list(imported.problems["severity"]) == sorted(
        imported.problems["severity"], key=["error", "warning", "note"].index
    )


@pytest.mark.parametrize(("frames", "kind"), [(11, None), (13, None), (9, "too short"), (15, "too long")])
def test_length(tmp_path: Path, prompts: pd.DataFrame, frames: int, kind: str | None) -> None:
    write(tmp_path / "Veo 3.1 Fast" / "010101.mp4", frames=frames)
    kinds = set(bring(tmp_path, prompts.head(1)).problems["kind"])
    assert kinds == ({kind} if kind else set())


def test_where_nothing_is_stated_the_models_other_clips_speak(tmp_path: Path, prompts: pd.DataFrame) -> None:
    for number, prompt_id in enumerate(TEXTS):
        size = (32, 32) if prompt_id == "010102" else (64, 48)
        write(tmp_path / "Mine" / f"{prompt_id}.mp4", number, size=size, sound=prompt_id != "010102_b")
    imported = bring(tmp_path, prompts)
    assert found(imported) == {
        ("wrong size", "010102", "warning"),
        ("no sound", "010102_b", "warning"),
        ("unknown model", None, "note"),
    }
    assert "as most of this model's 4 clips" in imported.problems.iloc[0]["expected"]


def test_equal_files(tmp_path: Path, prompts: pd.DataFrame) -> None:
    first = write(tmp_path / "Veo 3.1 Fast" / "010101_a.mp4")
    shutil.copy(first, first.with_name("010101_b.mp4"))
    shutil.copy(first, first.with_name("010102.mp4"))
    shutil.copy(first, first.with_name("010102_again.mp4"))
    imported = bring(tmp_path, prompts.head(2))
    assert found(imported) == {
        ("same file", "010102", "error"),
        ("repeated file", "010101", "warning"),
        ("repeated file", "010102", "warning"),
    }
    assert sorted(imported.videos["video_id"]) == ["veo-3.1-fast/010101/a", "veo-3.1-fast/010102"]


def test_takes_and_seeds_are_kept_apart(tmp_path: Path, prompts: pd.DataFrame) -> None:
    for seed in (0, 1, 7):
        write(tmp_path / "Veo 3.1 Fast" / f"010101-{seed}.mp4", seed)
    imported = bring(tmp_path, prompts.head(1), pattern="{model}/{prompt_id}-{seed}")
    assert list(imported.videos["seed"]) == [0, 1, 7]
    assert found(imported) == {("takes", None, "note")}
    assert list(bring(tmp_path, prompts.head(1)).videos["video_id"]) == [
        f"veo-3.1-fast/010101/{seed}" for seed in (0, 1, 7)
    ]


def test_takes_that_no_name_tells_apart_get_ids_by_content(tmp_path: Path, prompts: pd.DataFrame) -> None:
    write(tmp_path / "Veo 3.1 Fast" / "a" / "010101.mp4", 1)
    write(tmp_path / "Veo 3.1 Fast" / "b" / "010101.MOV", 2)
    videos = bring(tmp_path, prompts.head(1)).videos
    expected = {f"veo-3.1-fast/010101/{sha[:8]}" for sha in videos["sha256"]}
    assert set(videos["video_id"]) == expected
    assert len(expected) == 2


def test_odd_files_and_folders(tmp_path: Path, prompts: pd.DataFrame) -> None:
    folder = tmp_path / "clips"
    real = write(tmp_path / "elsewhere" / "clip.mp4")
    model = folder / "veo 3.1 fast" / "batch 2"
    model.mkdir(parents=True)
    (model / "010101_link.MP4").symlink_to(real)
    (model / "010102.mp4").symlink_to(tmp_path / "gone.mp4")
    (model / "loop").symlink_to(folder)
    (model / ".hidden.mp4").write_bytes(b"x")
    (model / ".DS_Store").write_bytes(b"x")
    (model / "notes.txt").write_text("x")
    (model / "010102.mp4.part").write_bytes(b"x")
    imported = bring(folder, prompts.head(2))
    assert imported.ignored == {"hidden": 2, ".txt": 1, ".part": 1}
    assert "passed over: 2 hidden" in str(imported)
    assert imported.videos.set_index("prompt_id")["status"].to_dict() == {"010101": "ok", "010102": "missing"}
    assert found(imported) == {("missing", "010102", "error"), ("unusual", None, "note")}
    assert str(folder) in imported.problems.query("kind == 'unusual'").iloc[0]["found"]


@pytest.mark.parametrize("content", [b"", b"not a video", bytes(5000)])
def test_files_that_are_no_clips(tmp_path: Path, prompts: pd.DataFrame, content: bytes) -> None:
    (tmp_path / "Veo 3.1 Fast").mkdir()
    (tmp_path / "Veo 3.1 Fast" / "010101.mp4").write_bytes(content)
    imported = bring(tmp_path, prompts.head(1))
    assert found(imported) == {("unreadable", "010101", "error")}
    assert list(imported.videos["status"]) == ["failed"]


def test_a_wrong_extension(tmp_path: Path, prompts: pd.DataFrame) -> None:
    write(tmp_path / "Veo 3.1 Fast" / "010101.mp4").rename(tmp_path / "Veo 3.1 Fast" / "010101.webm")
    assert found(bring(tmp_path, prompts.head(1))) == {("wrong extension", "010101", "warning")}


def test_names_made_from_prompts(tmp_path: Path, prompts: pd.DataFrame) -> None:
    names = {
        "a-cook-folds-dumplings-in-a-kitchen-in-beijing": "010101",
        "A cook folds dumplings in a kitchen in Shanghai, steam ri": "010102",  # cut short
        "Two dancrs in long sleves turn on a wooden stage (2)": "010102_b",
        "A cook folds dumplings in a kitc": None,
        "Something else altogether": None,
    }
    for number, name in enumerate(names):
        write(tmp_path / f"{name}.mp4", number)
    imported = bring(tmp_path, prompts, pattern="{text}", model="Veo 3.1 Fast")
    status = imported.videos.set_index("prompt_id")["status"].to_dict()
    assert status == {"010101": "ok", "010102": "ok", "010102_b": "ok", "0101012": "missing"}
    assert {("near name", "010102_b", "warning"), ("ambiguous", None, "error")} <= found(imported)
    unknown = imported.problems[imported.problems["kind"] == "unknown prompt"]
    assert [Path(file).stem for file in unknown["file"]] == ["Something else altogether"]


def test_vbench_names_with_a_number(tmp_path: Path, prompts: pd.DataFrame) -> None:
    # Vchitect/VBench names its samples "{prompt}-{index}.mp4".
    write(tmp_path / "Veo 3.1 Fast" / f"{TEXTS['010101']}-0.mp4")
    write(tmp_path / "Veo 3.1 Fast" / f"{TEXTS['010101']}-1.mp4", 1)
    assert list(bring(tmp_path, prompts.head(1), pattern=BY_TEXT + "-{seed}").videos["seed"]) == [0, 1]
    ids = list(bring(tmp_path, prompts.head(1), pattern=BY_TEXT).videos["video_id"])
    assert ids == ["veo-3.1-fast/010101/0", "veo-3.1-fast/010101/1"]


def test_a_manifest(tmp_path: Path, prompts: pd.DataFrame) -> None:
    write(tmp_path / "clips" / "one.mp4")
    manifest = tmp_path / "clips.csv"
    manifest.write_text(
        "path,model,prompt_id,seed\n"
        "clips/one.mp4,veo-3.1-fast,010101,5\n"
        "clips/gone.mp4,Veo 3.1 Fast,010102,\n"
        "clips/two.mp4,Veo 3.1 Fast,010103,\n"
    )
    imported = bring(manifest, prompts.head(2))
    rows = imported.videos.set_index("video_id")
    assert rows["status"].to_dict() == {"veo-3.1-fast/010101/s5": "ok", "veo-3.1-fast/010102": "missing"}
    assert found(imported) == {("missing", "010102", "error"), ("unknown prompt", None, "error")}
    manifest.write_text("path,model,prompt_id\nclips/one.mp4,Veo 3.1 Fast,010101\n")
    assert list(bring(manifest, prompts.head(1)).videos["video_id"]) == ["veo-3.1-fast/010101"]
    manifest.write_text("path,prompt\nclips/one.mp4,010101\n")
    with pytest.raises(DataError, match="column 'prompt_id' is missing"):
        bring(manifest, prompts)


def test_models_by_other_names(tmp_path: Path, prompts: pd.DataFrame) -> None:
    write(tmp_path / "veo-fast-final" / "010101.mp4")
    named = bring(tmp_path, prompts.head(1), models={"veo-fast-final": "Veo 3.1 Fast"})
    assert list(named.videos["model"]) == ["Veo 3.1 Fast"]
    assert named.problems.empty
    unnamed = bring(tmp_path, prompts.head(1))
    assert list(unnamed.videos["model"]) == ["veo-fast-final"]
    assert ("unknown model", None, "note") in found(unnamed)


def test_only_benchmarks_with_clips_can_miss_any(tmp_path: Path, prompts: pd.DataFrame) -> None:
    write(tmp_path / "Veo 3.1 Fast" / "010101.mp4")
    prompts.loc[1:, "benchmark"] = "landmarks"
    assert len(bring(tmp_path, prompts).videos) == 1


def test_an_empty_folder(tmp_path: Path, prompts: pd.DataFrame) -> None:
    (tmp_path / "notes.txt").write_text("no clip")
    with pytest.raises(DataError) as error:
        bring(tmp_path, prompts)
    assert "found 0 video files, passed over 1 .txt, and no clip of a known prompt" in str(error.value)
    assert f"expected names like '{BY_ID}' with one of {len(prompts)} prompts" in str(error.value)


@pytest.mark.parametrize(
    ("file", "hint"),
    [
        ("Veo 3.1 Fast/999999.mp4", "'010101')"),
        ("Veo 3.1 Fast/01O1012_4f.mp4", "; did you mean '0101012'?"),
        ("Veo 3.1 Fast/some/01O102_b.mp4", "; did you mean '010102_b'?"),
        ("010101.mp4", "expected a folder of that model's name around it, or the name as `model`"),
    ],
)
def test_no_file_that_fits(tmp_path: Path, prompts: pd.DataFrame, file: str, hint: str) -> None:
    write(tmp_path / file)
    with pytest.raises(DataError) as error:
        bring(tmp_path, prompts)
    assert f"found 1 video files such as '{file}', and no clip of a known prompt" in str(error.value)
    assert "(the first id is '010101')" in str(error.value)
    assert str(error.value).endswith(hint)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pattern": "{modle}/{prompt_id}"}, "found '{modle}'"),
        ({"pattern": "{model}/{prompt_id}/{prompt_id}"}, "each once"),
        ({"pattern": "{model}/*"}, "either {prompt_id} or {text}"),
        ({"pattern": "{prompt_id}"}, "neither {model}"),
        ({"model": "Veo"}, "both {model}"),
        ({"pattern": BY_TEXT, "threshold": 0}, "threshold: found 0"),
    ],
)
def test_refusals(tmp_path: Path, prompts: pd.DataFrame, options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message.replace("{", r"\{").replace("*", r"\*")):
        bring(tmp_path, prompts, **options)


def test_no_such_folder(tmp_path: Path, prompts: pd.DataFrame) -> None:
    with pytest.raises(DataError, match="no such folder; expected a folder of clips"):
        bring(tmp_path / "nowhere", prompts)


def test_the_cache_spares_a_second_look(tmp_path: Path, prompts: pd.DataFrame, monkeypatch) -> None:
    clip = write(tmp_path / "clips" / "Veo 3.1 Fast" / "010101.mp4")
    cache = tmp_path / "logs" / "probes.jsonl"
    first = bring(tmp_path / "clips", prompts.head(2), cache=cache)
    with cache.open("a") as file:
        file.write('{"file": "cut by a cra')
    monkeypatch.setattr("helpers.imports.probes.probe", pytest.fail)
    again = bring(tmp_path / "clips", prompts.head(2), cache=cache)
    pd.testing.assert_frame_equal(again.videos, first.videos)
    monkeypatch.undo()
    write(clip, 5, frames=13)
    changed = bring(tmp_path / "clips", prompts.head(2), cache=cache)
    assert changed.videos["frames"].iloc[0] == 13
    assert len(cache.read_text().splitlines()) == 3


def test_copies_are_made_only_when_asked_for(tmp_path: Path, prompts: pd.DataFrame) -> None:
    clip = write(tmp_path / "clips" / "Veo 3.1 Fast" / "010101_x.MP4")
    study = tmp_path / "study"
    before = sorted(tmp_path.rglob("*"))
    bring(tmp_path / "clips", prompts.head(1), study=study)
    assert sorted(tmp_path.rglob("*")) == before
    copied = bring(tmp_path / "clips", prompts.head(1), study=study, copy_to=study / "videos")
    assert list(copied.videos["path"]) == ["videos/veo-3.1-fast/010101/x.mp4"]
    place = study / copied.videos["path"].iloc[0]
    assert place.read_bytes() == clip.read_bytes()
    at = place.stat().st_mtime_ns
    bring(tmp_path / "clips", prompts.head(1), study=study, copy_to=study / "videos")
    assert place.stat().st_mtime_ns == at
    assert not list(study.rglob("*.tmp"))


def test_keeping_an_import(tmp_path: Path, prompts: pd.DataFrame) -> None:
    folder, study = tmp_path / "clips", tmp_path / "study"
    write(folder / "Veo 3.1 Fast" / "010101_x.mp4")
    keep(bring(folder, prompts.head(2), study=study), study)
    assert sorted(read(study, "videos")["status"]) == ["missing", "ok"]
    write(folder / "Veo 3.1 Fast" / "010102_x.mp4", 1)
    (folder / "Veo 3.1 Fast" / "010101_x.mp4").unlink()
    keep(bring(folder, prompts.head(2), study=study), study)
    table = read(study, "videos").set_index("prompt_id")
    assert table["status"].to_dict() == {"010101": "missing", "010102": "ok"}
    settings = json.loads(table.loc["010102", "settings"])
    assert settings["imported_from"] == str(folder)
    problems = pd.read_csv(study / "logs" / "import_problems.csv", dtype=str)
    assert list(problems["kind"]) == ["missing"]
    # What a second folder brings is missing no more; nothing of the first is lost.
    write(tmp_path / "more" / "Veo 3.1 Fast" / "010101.mp4", 2)
    keep(bring(tmp_path / "more", prompts.head(2), study=study), study)
    table = read(study, "videos").set_index("prompt_id")
    assert table["status"].to_dict() == {"010101": "ok", "010102": "ok"}
    write(tmp_path / "third" / "Veo 3.1 Fast" / "010101.mp4", 3)
    with pytest.raises(DataError, match="1 clips such as 'veo-3"):
        keep(bring(tmp_path / "third", prompts.head(2), study=study), study)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_clip_that_may_not_be_read(tmp_path: Path, prompts: pd.DataFrame) -> None:
    write(tmp_path / "Veo 3.1 Fast" / "010101.mp4").chmod(0)
    assert found(bring(tmp_path, prompts.head(1))) == {("unreadable", "010101", "error")}


def test_real_clips() -> None:
    # Their README: 1360x768, 81 frames, 16 fps, no sound; each name ends with its annotation's number.
    if not REAL.exists():
        pytest.skip("the CogVideoX clips are not here")
    rows = json.loads((REAL / "annotations.json").read_text())["data_list"]
    ids = {0, 9, 12, 2}
    prompts = pd.DataFrame(
        {"prompt_id": str(row["id"]), "benchmark": "culturevidbench", "text": row["prompt_gt"]}
        for row in rows
        if row["id"] in ids
    )
    imported = import_videos(REAL, prompts, pattern="{model}_{prompt_id}", expected={})
    ok = imported.videos[imported.videos["status"] == "ok"]
    assert set(ok["prompt_id"]) == {"0", "9", "12"}
    about = ok[["model", "width", "height", "frames", "fps", "audio"]].drop_duplicates()
    assert about.to_numpy().tolist() == [["cogvideox", 1360, 768, 81, 16.0, False]]
    assert found(imported) == {("missing", "2", "error")}


def test_hints_are_given_for_the_first_few_unknown_ids_only(tmp_path: Path, prompts: pd.DataFrame) -> None:
    write(tmp_path / "a.mp4")
    lines = ["path,model,prompt_id", "a.mp4,Mine,010101", *(f"{n}.mp4,Mine,01010{n}x" for n in range(100))]
    (tmp_path / "list.csv").write_text("\n".join(lines) + "\n")
    expected = bring(tmp_path / "list.csv", prompts).problems.query("kind == 'unknown prompt'")["expected"]
    assert len(expected) == 100
    assert 0 < expected.str.contains("did you mean").sum() <= 5


def test_a_pipe_among_the_clips_is_a_problem(tmp_path: Path, prompts: pd.DataFrame) -> None:
    write(tmp_path / "Veo 3.1 Fast" / "010102.mp4")
    os.mkfifo(tmp_path / "Veo 3.1 Fast" / "010101.mp4")
    # A reader of a pipe waits for a writer; this one comes when the import has hung for some seconds.
    writer = threading.Timer(5, lambda: os.close(os.open(tmp_path / "Veo 3.1 Fast/010101.mp4", os.O_RDWR)))
    writer.start()
    imported = bring(tmp_path, prompts.head(2))
    assert writer.is_alive(), "the import waited for the pipe"
    writer.cancel()
    assert found(imported) == {("unreadable", "010101", "error")}
    assert "not a regular file" in imported.problems.iloc[0]["found"]


def test_a_name_that_is_not_utf8_is_set_aside(tmp_path: Path, prompts: pd.DataFrame) -> None:
    clip = write(tmp_path / "Veo 3.1 Fast" / "010101.mp4")
    shutil.copy(clip, os.fsdecode(os.fsencode(clip.parent) + b"/010102_\xff.mp4"))
    imported = bring(tmp_path, prompts.head(2))
    assert found(imported) == {("unreadable", None, "error"), ("missing", "010102", "error")}
    unreadable = imported.problems.query("kind == 'unreadable'").iloc[0]
    assert unreadable["file"] == "Veo 3.1 Fast/010102_\\xff.mp4"
    keep(imported, tmp_path / "study_of_it")


def test_every_missing_file_of_a_manifest_has_its_row(tmp_path: Path, prompts: pd.DataFrame) -> None:
    lines = ["path,model,prompt_id", *(f"clips/long/{n}.mp4,Mine,010101" for n in range(3))]
    (tmp_path / "list.csv").write_text("\n".join(lines) + "\n")
    assert len(bring(tmp_path / "list.csv", prompts.head(1)).videos) == 3


def test_a_clips_id_stays_when_another_file_comes(tmp_path: Path, prompts: pd.DataFrame) -> None:
    write(tmp_path / "Mine" / "010101_a+.mp4", 1)
    before = set(bring(tmp_path, prompts.head(1)).videos["video_id"])
    write(tmp_path / "Mine" / "010101_a!.mp4", 2)
    after = set(bring(tmp_path, prompts.head(1)).videos["video_id"])
    assert before < after
    assert len(after) == 2


@pytest.mark.parametrize("other", ["010101_take_a.mp4", "010101_TAKE A.mp4"])
def test_a_clip_whose_id_changes_with_a_name_that_looks_alike_is_told(
    tmp_path: Path, prompts: pd.DataFrame, capsys: pytest.CaptureFixture, other: str
) -> None:
    study = tmp_path / "study"
    clips = tmp_path / "clips"
    write(clips / "Mine" / "010101_take a.mp4", 1)
    for _ in range(2):
        keep(bring(clips, prompts.head(1)), study)
    assert "another id" not in capsys.readouterr().out
    write(clips / "Mine" / other, 2)
    imported = bring(clips, prompts.head(1))
    assert len(set(imported.videos["video_id"])) == 2
    keep(imported, study)
    said = capsys.readouterr().out
    assert (
        "1 of the clips of the last import went or have another id now, such as 'mine/010101/take-a'" in said
    )


def test_a_link_between_models_leaves_the_clips_with_the_real_folder(
    tmp_path: Path, prompts: pd.DataFrame
) -> None:
    write(tmp_path / "Real" / "010101.mp4")
    write(tmp_path / "Real" / ".cache" / "010102.mp4")
    (tmp_path / "A link").symlink_to("Real")
    imported = bring(tmp_path, prompts.head(1))
    assert list(imported.videos["model"]) == ["Real"]
    assert imported.ignored == {"hidden": 1}
    skipped = imported.problems.query("kind == 'unusual'").iloc[0]
    assert skipped["file"] == "A link"
    assert str(tmp_path / "Real") in skipped["found"]


def test_empty_files_are_broken_and_no_copies_of_one_another(tmp_path: Path, prompts: pd.DataFrame) -> None:
    (tmp_path / "Mine").mkdir()
    for name in ("010101", "010102", "010102_again"):
        (tmp_path / "Mine" / f"{name}.mp4").touch()
    imported = bring(tmp_path, prompts.head(2))
    assert set(imported.problems["kind"]) == {"unreadable", "unknown model", "takes"}
    assert len(imported.videos) == 3


def test_equal_clips_of_different_seeds_are_both_kept_and_reported(
    tmp_path: Path, prompts: pd.DataFrame
) -> None:
    clip = write(tmp_path / "Veo 3.1 Fast" / "010101_s1.mp4")
    shutil.copy(clip, clip.with_name("010101_s2.mp4"))
    imported = bring(tmp_path, prompts.head(1), pattern="{model}/{prompt_id}_s{seed}")
    assert sorted(imported.videos["seed"]) == [1, 2]
    assert "same file" in set(imported.problems["kind"])


def test_two_models_that_would_share_a_folder_are_refused(tmp_path: Path, prompts: pd.DataFrame) -> None:
    write(tmp_path / "Model A" / "010101.mp4", 1)
    write(tmp_path / "Model_A" / "010101.mp4", 2)
    with pytest.raises(DataError, match="'Model A' and 'Model_A' would both be kept as 'model-a'"):
        bring(tmp_path, prompts.head(1))


def test_a_journal_with_a_torn_line_and_odd_separators_is_read(tmp_path: Path, prompts: pd.DataFrame) -> None:
    study = tmp_path / "study"
    write(tmp_path / "clips" / "Other" / "010102_\u2028x.mp4", 1)
    keep(bring(tmp_path / "clips", prompts.head(2)), study)
    with (study / "logs" / "videos" / "generated-1-of-1.jsonl").open("w") as file:
        file.write('{"video_id": "torn')
    write(tmp_path / "more" / "Mine" / "010101.mp4", 2)
    keep(bring(tmp_path / "more", prompts.head(1)), study)
    assert set(read(study, "videos")["model"]) == {"Other", "Mine"}
