"""A simulated study through the command lines of a real one: clips, judges, people; and the same again."""

import shutil
import signal
import subprocess
import sys
import time

import av
import numpy as np
import pandas as pd
import pytest
from PIL import Image

from helpers import schemas, tables
from helpers import study as studies
from helpers.checking import DataError
from helpers.generation import __main__ as generation
from helpers.generation import journal
from helpers.judging import __main__ as judging
from helpers.scores.culturescore import asked_questions
from helpers.scores.culturevidbench import graded_clips
from helpers.scores.landmarks import compared_clips
from helpers.simulate import people
from helpers.simulate.dials import PEOPLE_PART

STUDY = """\
name: {name}
seed: 5
simulated: true
simulated_models:
  - {{name: Simulated good, faithfulness: 0.9, sound: true}}
  - {{name: Simulated poor, faithfulness: 0.3, error: detail_loss}}
judges:
  - name: Simulated ears
    kind: simulated
    whole: true
    hears: true
    dials: {{sensitivity: 0.95, spread: 0.3}}
  - name: Simulated doubter
    kind: simulated
    dials: {{sensitivity: 0.6, specificity: 0.8, refusals: 0.02}}
simulated_people: {{raters: 2}}
"""
OUTCOMES = ("videos", "raters", "answers", "ratings", "relevance", "rankings", "assignments")


def _prompts() -> pd.DataFrame:
    scenes = [
        {"prompt_id": f"{country.lower()}-{number}-{variant}", "benchmark": "culturescore",
         "country": country, "category": "family", "variant": variant, "scenario_id": f"{country}-{number}",
         "text": f"Scene {number} in {country}, {variant}."}
        for country in ("Japan", "Chile") for number in range(3) for variant in ("base", "extended")
    ]  # fmt: skip
    vidbench = [
        {"prompt_id": f"{country.lower()}-{aspect}", "benchmark": "culturevidbench", "country": country,
         "aspect": aspect, "variant": "plain", "element": "an element", "text_cue": aspect == "food",
         "text": f"{aspect} in {country}."}
        for country in ("Japan", "Italy") for aspect in ("food", "concert")
    ]  # fmt: skip
    places = [
        {"prompt_id": f"{place}-{variant}", "benchmark": "landmarks", "country": "Egypt", "variant": variant,
         "landmark_id": place, "text": f"{place}, {variant}."}
        for place in ("pyramid", "temple") for variant in ("short", "detailed")
    ]  # fmt: skip
    return pd.DataFrame([*scenes, *vidbench, *places])


def _questions() -> pd.DataFrame:
    return pd.DataFrame(
        {"question_id": f"{scene}-{dimension}-{n}", "scenario_id": scene, "dimension": dimension,
         "text": f"Is there {dimension} {n} in {scene}?", "verified": True}
        for scene in (f"{country}-{number}" for country in ("Japan", "Chile") for number in range(3))
        for dimension in ("identity", "behavior", "context") for n in range(2)
    )  # fmt: skip


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return tmp_path_factory.mktemp("whole")


@pytest.fixture(autouse=True)
def in_root(monkeypatch, root):
    monkeypatch.setattr(studies, "STUDIES", root)


def _new(root, name: str) -> str:
    """A study with its prompts, and its file's path."""
    picture = np.random.default_rng(0).integers(0, 256, (24, 32, 3), dtype=np.uint8)
    (root / name).mkdir()
    Image.fromarray(picture).resize((320, 240)).save(root / name / "pyramid.png")
    places = {"landmark_id": ["pyramid", "temple"], "name": ["P", "T"], "country": "Egypt"}
    places = pd.DataFrame(places).assign(reference_image=["pyramid.png", "gone.png"])
    for table, rows in {"prompts": _prompts(), "questions": _questions(), "landmarks": places}.items():
        tables.write(root / name, table, rows, part="small")
    file = root / f"{name}.yaml"
    file.write_text(STUDY.format(name=name), encoding="utf-8")
    return str(file)


def _judge_and_ask(file: str) -> None:
    assert judging.main([file]) == 1  # nobody has a photograph of the temple
    assert people.main([file]) == 0


@pytest.fixture(scope="module")
def whole(root):
    """A study that was made, judged and looked at."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(studies, "STUDIES", root)
        file = _new(root, "whole")
        assert generation.main([file]) == 0
        _judge_and_ask(file)
    return root / "whole"


@pytest.fixture(scope="module")
def found(whole):
    return {name: tables.read(whole, name) for name in schemas.TABLES if tables.exists(whole, name)}


def _bytes(study) -> dict[str, bytes]:
    return {
        str(path.relative_to(study)): path.read_bytes()
        for name in OUTCOMES
        for path in tables.files(study, name)
    }


def test_every_table_that_a_real_study_fills_is_filled(found):
    assert all(len(found[name]) for name in OUTCOMES)
    assert found["videos"]["status"].eq("ok").all()
    assert len(found["videos"]) == 2 * len(found["prompts"])


def test_one_shard_three_shards_and_another_day_give_the_same_bytes(root, whole):
    file = _new(root, "sharded")
    for number in (3, 1, 2):
        assert generation.main([file, "--shard", f"{number}/3"]) == 0
    _judge_and_ask(file)
    assert _bytes(root / "sharded") == _bytes(whole)


def test_rows_are_in_order_and_hold_neither_times_nor_the_machines_paths(whole, found):
    assert found["videos"]["video_id"].is_monotonic_increasing
    for name in set(OUTCOMES) - {"videos", "assignments"}:
        keys = pd.read_parquet(tables.table_path(whole, name, PEOPLE_PART))[list(schemas.TABLES[name].key)]
        assert keys.equals(keys.sort_values(list(keys), ignore_index=True)), name
    for name in OUTCOMES:
        text = found[name].to_csv()
        assert str(whole.parent) not in text
        assert "seconds" not in text


@pytest.mark.slow
def test_kill_9_in_the_middle_and_the_same_command_gives_the_same_table(root, whole):
    file, study = _new(root, "killed"), root / "killed"
    script = (
        "import sys; from pathlib import Path; from helpers import study; study.STUDIES = Path(sys.argv[1]); "
        "from helpers.generation.__main__ import main; sys.exit(main([sys.argv[2]]))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(root), file], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    log = study / "logs" / "videos" / "generated-1-of-1.jsonl"
    while process.poll() is None and not (log.exists() and log.read_bytes().count(b"\n") >= 5):
        time.sleep(0.002)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    done = journal.read(study)
    assert 5 <= len(done) < len(_prompts()) * 2
    assert generation.main([file]) == 0
    assert {name: row.at for name, row in journal.read(study).items() if name in done} == {
        name: row.at for name, row in done.items()
    }
    made = tables.table_path("", "videos", "generated")
    assert (study / made).read_bytes() == (whole / made).read_bytes()


def test_every_clip_says_that_it_is_simulated_and_one_model_can_be_heard(whole, found):
    videos = found["videos"].merge(found["prompts"], on="prompt_id")
    for row in videos.itertuples():
        with av.open(str(whole / row.path)) as clip:
            assert clip.metadata["title"].startswith("simulated: ")
    heard = videos[videos["audio"]]
    assert set(heard["model"]) == {"Simulated good"}
    assert set(heard["aspect"]) == {"concert"}
    assert videos["settings"].str.contains('"simulated": true').all()
    how = videos.set_index("prompt_id")["settings"].str.contains('"how": "filmed photograph"')
    assert set(how[how].index) == {"pyramid-short", "pyramid-detailed"}, "a photograph that is gone is drawn"


def test_judges_and_people_are_told_apart_from_real_ones_by_name(found):
    raters = found["raters"]
    assert raters["rater_id"].str.contains("simulated", case=False).all()
    assert raters["kind"].value_counts().to_dict() == {"human": 2 * 3 + 2, "judge": 2}


@pytest.mark.parametrize("who", ["Simulated ears", "human"])
def test_the_better_model_scores_higher(found, who):
    """The dials say so: faithfulness 0.9 against 0.3. People answer too few questions here to be asked."""
    scores = {"culturevidbench": graded_clips, "landmarks": compared_clips}
    scores |= {"culturescore": asked_questions} if who != "human" else {}
    for name, cases in scores.items():
        means = cases(found, who).groupby("model", observed=True)["value"].mean()
        assert means["Simulated good"] > means["Simulated poor"] + 0.1, name


def test_sound_is_graded_by_whom_can_hear_it(found):
    sound = found["ratings"][found["ratings"]["criterion"].eq("audio_alignment")]
    clips = found["videos"].set_index("video_id")["prompt_id"]
    assert set(sound["video_id"].map(clips)) == {"japan-concert", "italy-concert"}
    judges = sound.loc[sound["rater_id"].isin(["Simulated ears", "Simulated doubter"]), "rater_id"]
    assert set(judges) == {"Simulated ears"}
    text = graded_clips(found, "Simulated ears").query("criterion == 'text_rendering'")
    assert set(text.loc[text["outcome"].eq("not_applicable"), "aspect"]) == {"concert"}


def test_another_judge_model_or_clip_changes_no_earlier_clip_and_no_truth(root, whole):
    """What a clip shows follows from its own name: more models beside it change nothing."""
    file = _new(root, "more")
    text = STUDY.format(name="more").replace(
        "judges:", "  - {name: Simulated third, faithfulness: 0.5}\njudges:"
    )
    (root / "more.yaml").write_text(text, encoding="utf-8")
    assert generation.main([file, "--model", "Simulated poor", "--model", "Simulated third"]) == 0
    assert judging.main([file, "--judge", "Simulated ears"]) == 1
    keys = {name: list(schemas.TABLES[name].key) for name in ("videos", "answers", "ratings")}
    for name, key in keys.items():
        now, before = (tables.read(study, name).set_index(key) for study in (root / "more", whole))
        both = now.index.intersection(before.index)
        assert len(both)
        pd.testing.assert_frame_equal(now.loc[both], before.loc[both])


def test_a_dry_run_makes_nothing(root, capsys):
    file = _new(root, "dry")
    assert generation.main([file, "--dry-run", "--shard", "1/2"]) == 0
    assert "Simulated good: 10 of 10 clips left" in capsys.readouterr().out
    assert not (root / "dry" / "videos").exists()


REAL = "kind: local\n    model: m"
BAD = {
    "a model that hides": ("Simulated good", "Fine model", "expected a name with the word 'simulated' in it"),
    "a judge that hides": ("Simulated ears", "Ears", "expected one with the word 'simulated' in it"),
    "an unknown dial": ("sensitivity: 0.6", "sensitvity: 0.6", "found the dial 'sensitvity' of"),
    "a dial out of range": ("sensitivity: 0.6", "sensitivity: 6", "expected a number from 0 to 1"),
    "a simulated judge with a model": (
        "kind: simulated\n",
        "kind: simulated\n    model: m\n",
        "expected none",
    ),
    "a real judge with dials": ("kind: simulated\n    dials", f"{REAL}\n    dials", "only a simulated judge"),
    "two models of one name": ("Simulated poor", "Simulated good", "two models are described as 'Simul"),
    "a perfect model": ("faithfulness: 0.9", "faithfulness: 1", "faithfulness"),
}


@pytest.mark.parametrize(("old", "new", "message"), BAD.values(), ids=BAD)
def test_a_study_that_hides_or_contradicts_itself_is_refused(tmp_path, old, new, message):
    text = STUDY.format(name="bad")
    assert old in text
    (tmp_path / "bad.yaml").write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(DataError) as error:
        studies.load(tmp_path / "bad.yaml")
    assert message in str(error.value)


def test_people_are_not_drawn_beside_real_ones_nor_without_clips(root, whole, capsys):
    file = _new(root, "mixed")
    shutil.copytree(whole / "tables" / "videos", root / "mixed" / "tables" / "videos")
    (root / "nobody.yaml").write_text("name: mixed\nseed: 5\n", encoding="utf-8")
    assert people.main([str(root / "nobody.yaml")]) == 2
    assert "has no simulated people" in capsys.readouterr().err
    text = STUDY.format(name="mixed").replace("Simulated good", "Simulated x").replace("poor", "y")
    (root / "unmade.yaml").write_text(text, encoding="utf-8")
    assert people.main([str(root / "unmade.yaml")]) == 2
    assert "found no clip of a simulated model" in capsys.readouterr().err
    real = pd.DataFrame({"rater_id": ["p7"], "kind": ["human"], "country": ["Japan"]})
    tables.write(root / "mixed", "raters", real, part="survey")
    assert people.main([file]) == 2
    assert "found real people ('p7')" in capsys.readouterr().err
    assert not tables.exists(root / "mixed", "answers")


def test_simulated_people_replace_neither_a_judges_rows_nor_a_damaged_file(root, whole, capsys):
    file, study = _new(root, "shared"), root / "shared"
    shutil.copytree(whole / "tables" / "videos", study / "tables" / "videos")
    judge = pd.DataFrame({"rater_id": ["Simulated people"], "kind": ["judge"]})
    path = tables.write(study, "raters", judge, part=PEOPLE_PART)
    assert people.main([file]) == 2
    assert "found rows of 'Simulated people', expected those of simulated" in capsys.readouterr().err
    pd.testing.assert_series_equal(tables.read(study, "raters")["rater_id"], judge["rater_id"])
    path.write_bytes(path.read_bytes()[:100])
    assert people.main([file]) == 2
    assert "not a readable Parquet file" in capsys.readouterr().err
    path.unlink()
    assert people.main([file]) == people.main([file]) == 0


def test_a_study_of_one_benchmark_needs_no_other_table(root):
    file, study = _new(root, "single"), root / "single"
    shutil.rmtree(study / "tables")
    prompts = _prompts()
    tables.write(study, "prompts", prompts[prompts["benchmark"].eq("culturevidbench")], part="small")
    assert generation.main([file]) == 0
    assert judging.main([file, "--judge", "Simulated doubter"]) == 0
    assert people.main([file]) == 0
    assert tables.read(study, "rankings").empty
    assert len(tables.read(study, "ratings"))
