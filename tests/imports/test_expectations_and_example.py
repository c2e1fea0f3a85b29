from pathlib import Path

import pandas as pd
import pytest

from helpers.benchmarks import starter
from helpers.imports import example, plots
from helpers.imports.expectations import read_expected, stated_clips, usual
from helpers.imports.videos import import_videos
from helpers.video.probe import Probe

# CultureVidBench, Table 3: resolution, frames, audio, seconds.
TABLE_3 = {
    "LTX-2.3": (1920, 1088, 121, True, 5),
    "Cosmos-Predict2.5": (1280, 704, 93, False, 6),
    "HunyuanVideo-1.5": (1280, 720, 121, False, 5),
    "Wan 2.2": (1280, 720, 81, False, 5),
    "Kling 3.0": (1280, 720, 121, True, 5),
    "Veo 3.1 Fast": (1280, 720, 144, True, 6),
    "HappyHorse 1.0": (1280, 720, 121, True, 5),
}


@pytest.mark.parametrize("model", TABLE_3)
def test_culturevidbench_table_3(model):
    found = read_expected("culturevidbench")[model]
    assert (found.width, found.height, found.frames, found.audio) == TABLE_3[model][:4]
    assert round(found.seconds) == TABLE_3[model][4]


def test_gap_section_4_and_culturescore_d1():
    # GAP, 4: Sora 2, portrait, 4 s. CultureScore, D.1: Wan, 1280 x 720, 49 frames; 4.1: Veo, 4 s.
    sora = read_expected("landmarks")["Sora 2"]
    assert (sora.orientation, sora.seconds, sora.width, sora.frames) == ("portrait", 4, None, None)
    culturescore = read_expected("culturescore")
    wan = culturescore["Wan 2.2"]
    assert (wan.width, wan.height, wan.frames, wan.fps) == (1280, 720, 49, None)
    assert culturescore["Veo 3.1 Fast"].seconds == 4


def test_what_no_paper_states_is_not_expected():
    # LTX-2 in CultureScore: the paper names files, but neither size nor frames.
    found = read_expected("culturescore")["LTX-2"]
    assert (found.width, found.frames, found.seconds, found.orientation) == (None, None, None, None)


def test_stated_clips_for_readers():
    stated = stated_clips().set_index(["benchmark", "model"])
    assert stated.loc[("culturescore", "Wan 2.2"), "fps"] == 9.8
    assert stated.loc[("culturevidbench", "Veo 3.1 Fast"), "fps"] == 24
    assert pd.isna(stated.loc[("landmarks", "Sora 2"), "fps"])


def clip(**about) -> Probe:
    return Probe(path=Path("x"), status="ok", **{"width": 64, "height": 48, "frames": 9, "fps": 8.0} | about)


def test_a_majority_needs_more_than_half_of_three():
    assert usual([clip(), clip()], "landmarks").frames is None
    found = usual([clip(), clip(), clip(frames=5, audio=True), clip(frames=4, audio=True)], "landmarks")
    assert (found.width, found.height, found.frames, found.audio) == (64, 48, None, None)
    assert usual([clip(fps=7.999), clip(fps=8.001), clip()], "landmarks").fps == 8.0


@pytest.fixture(scope="module")
def brought(tmp_path_factory):
    prompts = starter.prompts().query("benchmark == 'culturevidbench'").head(12)
    folder = tmp_path_factory.mktemp("example")
    planted = example.write_example(folder, prompts)
    expected = {"culturevidbench": {example.MODEL: example.expected("culturevidbench")}}
    return planted, import_videos(folder, prompts, expected=expected)


def test_the_examples_faults_are_found_and_nothing_else(brought):
    planted, imported = brought
    kinds = imported.problems[["kind", "prompt_id"]]
    found = set(kinds.fillna("").itertuples(index=False, name=None))
    wanted = {
        (kind, "" if kind == "takes" else prompt_id)  # takes are noted once a model
        for kind, prompt_id in planted.fillna("").itertuples(index=False, name=None)
    }
    assert found == wanted


def test_states_of_prompts(brought):
    planted, imported = brought
    states = plots.states(imported.videos, imported.problems)[example.MODEL]
    by_kind = planted.set_index("kind")["prompt_id"]
    wanted = {
        "truncated": "error",
        "unreadable": "error",
        "same file": "error",
        "missing": "missing",
        "wrong size": "warning",
        "no sound": "warning",
        "too short": "warning",
        "takes": "ok",
    }
    assert {kind: states[by_kind[kind]] for kind in wanted} == wanted
    assert states.value_counts()["ok"] == 5
    plots.state_grid(plots.states(imported.videos, imported.problems))
    plots.durations(imported.videos.dropna(subset=["fps"]), {example.MODEL: 3.0})


@pytest.mark.parametrize(
    ("models", "made_up"),
    [([], False), (["Wan 2.2"], False), (["Wan 2.2", "Random Wan"], True), ([example.MODEL], True)],
)
def test_what_is_made_up(models, made_up):
    assert example.made_up(models) is made_up


def test_an_example_needs_prompts(tmp_path):
    with pytest.raises(ValueError, match="found 3 prompts, expected at least 12"):
        example.write_example(tmp_path, starter.prompts().head(3))
