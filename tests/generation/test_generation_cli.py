import subprocess
import sys

import pandas as pd
import pytest

from helpers import study as studies
from helpers import tables
from helpers.benchmarks import starter
from helpers.checking import DataError
from helpers.generation import __main__ as command
from helpers.generation.outcomes import GuardrailError
from helpers.generation.selection import PromptChoice
from helpers.paths import ROOT
from stand_in_models import CALLS, StandInModel

STUDY = """\
name: small
seed: 7
prompts: {{country: [Japan], first: 2}}
own_models:
  - name: Tiny Wan
    family: wan
    id: {folder}
    settings:
      - call: {call}
        fps: 9.8
"""


@pytest.fixture
def study_file(tmp_path, monkeypatch):
    """A study of one model and two prompts, whose folder lies in `tmp_path`."""
    monkeypatch.setattr(studies, "STUDIES", tmp_path)
    rows = [
        {"prompt_id": f"p{i}", "benchmark": "culturevidbench", "country": country, "aspect": "food",
         "variant": "plain", "text": f"Scene {i}."}
        for i, country in enumerate(["Japan", "India", "Japan", "Japan"])
    ]  # fmt: skip
    tables.write(tmp_path / "small", "prompts", pd.DataFrame(rows))

    def write(more="", folder="nowhere"):
        path = tmp_path / "small.yaml"
        path.write_text(STUDY.format(call=CALLS["wan"], folder=folder) + more)
        return str(path)

    return write


@pytest.fixture
def stand_in(monkeypatch):
    model = StandInModel()
    monkeypatch.setattr(command, "from_diffusers", lambda described, device: model)
    return model


def test_a_study_names_models_prompts_and_seeds(study_file):
    study = studies.load(study_file("models: [Wan 2.2]\nseeds: [1, 2]\n"))
    open_models, hosted = study.chosen_models()
    assert [model.name for model in open_models] == ["Wan 2.2", "Tiny Wan"]
    assert hosted == []
    assert study.chosen_prompts()["prompt_id"].tolist() == ["p0", "p2"]
    assert study.all_seeds == [1, 2]
    assert studies.load(study_file()).all_seeds == [7]
    assert study.chosen_models(["Tiny Wan"])[0][0].family == "wan"


HOSTED = """\
hosted:
  - name: Veo 3.1 Fast
    service: veo
    id: veo-3.1-fast-generate-001
    seconds: 4
    project: nowhere
    price: {per_second: 0.15, currency: USD, date: 2026-11-01, source: the price list}
"""


def test_a_study_names_hosted_models_too(study_file):
    study = studies.load(study_file(HOSTED))
    assert [model.name for model in study.chosen_models()[1]] == ["Veo 3.1 Fast"]
    assert study.chosen_models(["Tiny Wan"])[1] == []


BAD = {
    "an unknown model": ("models: [Wan 2.3]\n", "no model 'Wan 2.3'; did you mean 'Wan 2.2'"),
    "a hosted one": ("models: [Sora 2]\n", "'Sora 2' runs behind a service"),
    "a seed twice": (
        "seeds: [1, 1]\n",
        "line 11: key 'seeds': found [1, 1], expected different whole numbers",
    ),
}


@pytest.mark.parametrize(("more", "message"), BAD.values(), ids=BAD)
def test_a_bad_study_is_refused(study_file, more, message):
    with pytest.raises(DataError) as error:
        studies.load(study_file(more)).chosen_models()
    assert message in str(error.value)


def test_a_misspelt_key_of_an_own_model_is_named_with_its_line(study_file, tmp_path):
    path = study_file()
    content = (tmp_path / "small.yaml").read_text().replace("family: wan", "famly: wan")
    (tmp_path / "small.yaml").write_text(content)
    with pytest.raises(DataError, match=r"line 6: unknown key 'own_models\.0\.famly'; did you mean 'family'"):
        studies.load(path)


def test_a_study_without_models_is_refused(study_file, tmp_path, capsys):
    (tmp_path / "small.yaml").write_text("name: small\nseed: 1\n")
    assert command.main([str(tmp_path / "small.yaml")]) == 2
    assert "has no models; expected `models`" in capsys.readouterr().err


def test_the_command_makes_the_clips_and_goes_on(study_file, stand_in, capsys, tmp_path):
    assert command.main([study_file()]) == 0
    assert "clips of this run: 2 ok; finished before: 0" in capsys.readouterr().out
    assert command.main([study_file()]) == 0
    assert "clips of this run: none; finished before: 2" in capsys.readouterr().out
    assert tables.read(tmp_path / "small", "videos")["status"].tolist() == ["ok", "ok"]


@pytest.mark.parametrize(
    ("was", "becomes", "said"),
    [
        ("first: 2", "first: 1", "asks for: 1 of prompts that it does not choose;"),
        ("seed: 7", "seed: 8", "asks for: 2 of other seeds;"),
        ("Tiny Wan", "Other", "asks for: 2 of models that it does not name (Tiny Wan);"),
        ("fps: 9.8", "fps: 9.8", None),
    ],
)
def test_clips_that_the_study_no_longer_asks_for_stay_and_are_counted(
    study_file, stand_in, capsys, tmp_path, was, becomes, said
):
    assert command.main([study_file()]) == 0
    file = tmp_path / "small.yaml"
    assert was in file.read_text()
    file.write_text(file.read_text().replace(was, becomes))
    capsys.readouterr()
    assert command.main([str(file)]) == 0
    out = capsys.readouterr().out
    assert (said in out) if said else ("no longer asks" not in out)
    assert set(tables.read(tmp_path / "small", "videos")["prompt_id"]) == {"p0", "p2"}


def test_its_exit_status_says_whether_every_clip_was_made(study_file, stand_in):
    stand_in.does["Scene 2"] = GuardrailError("no")
    assert command.main([study_file()]) == 1


def test_shards_make_the_clips_between_them(study_file, stand_in, tmp_path):
    assert command.main([study_file(), "--shard", "1/2"]) == 0
    assert len(stand_in.asked) == 1
    assert command.main([study_file(), "--shard", "2/2"]) == 0
    assert len(tables.read(tmp_path / "small", "videos")) == len(stand_in.asked) == 2


@pytest.mark.parametrize("shard", ["0/2", "3/2", "1", "a/b", "1/0"])
def test_a_shard_that_there_is_none_of_is_refused_at_once(study_file, shard, capsys):
    with pytest.raises(SystemExit):
        command.main([study_file(), "--shard", shard])
    assert "expected I/N" in capsys.readouterr().err


def test_a_dry_run_writes_nothing_and_shows_prices_too(study_file, stand_in, capsys, tmp_path):
    assert command.main([study_file("models: [Wan 2.2]\n" + HOSTED), "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert "4 of 4 clips left" in said
    assert "USD" in said
    assert sorted(path.name for path in (tmp_path / "small").iterdir()) == ["tables"]


def test_the_full_study_plans_the_starters_prompts(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(studies, "STUDIES", tmp_path)
    file = str(ROOT / "workflow" / "config" / "full.yaml")
    assert command.main([file, "--dry-run"]) == 2
    said = capsys.readouterr().err
    assert "found no table 'prompts'" in said
    assert "notebooks/12_culturevidbench_prompts.ipynb" in said
    assert "make study CONFIG=" in said
    prompts = starter.prompts()
    number = prompts["benchmark"].eq("culturevidbench").sum()
    for benchmark, rows in prompts.groupby("benchmark"):
        tables.write(tmp_path / "full", "prompts", rows, part=benchmark)
    assert command.main([file, "--dry-run"]) == 0
    said = capsys.readouterr().out
    assert f"{4 * number:,} of {4 * number:,} clips left" in said
    assert "GPU memory (gpu_gb)" in said


def test_a_model_without_settings_for_a_benchmark_says_how_to_choose_prompts(study_file, tmp_path, capsys):
    prompts = tables.read(tmp_path / "small", "prompts").assign(benchmark="culturescore", variant="base")
    tables.write(tmp_path / "small", "prompts", prompts.assign(aspect=None))
    assert command.main([study_file("models: [LTX-2.3]\n"), "--dry-run"]) == 2
    said = capsys.readouterr().err
    assert "LTX-2.3 has no settings for culturescore" in said
    assert "`prompts: {benchmark: culturevidbench}`" in said


def test_one_word_needs_no_list():
    assert PromptChoice(benchmark="landmarks") == PromptChoice(benchmark=["landmarks"])


def test_only_the_named_model_runs(study_file, stand_in, capsys):
    assert command.main([study_file("models: [Wan 2.2]\n"), "--model", "Tiny Wan"]) == 0
    assert len(stand_in.asked) == 2
    assert command.main([study_file(), "--model", "Tiny Won"]) == 2
    assert "did you mean 'Tiny Wan'" in capsys.readouterr().err


def test_refusals_do_not_import_torch():
    code = "import sys; import helpers.generation.__main__; assert not {'torch', 'openai'} & {*sys.modules}"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


@pytest.mark.parametrize("budget", ["nan", "inf", "-1", "ten"])
def test_a_budget_that_is_none_is_refused(study_file, budget, capsys):
    with pytest.raises(SystemExit):
        command.main([study_file(), "--budget", budget])
    assert "expected a finite number from 0 on" in capsys.readouterr().err


def test_a_key_that_is_not_set_is_said_before_anything_is_made(study_file, stand_in, capsys, monkeypatch):
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    assert command.main([study_file(HOSTED.replace("    project: nowhere\n", ""))]) == 2
    assert "Veo 3.1 Fast: the environment variable GOOGLE_API_KEY is not set" in capsys.readouterr().err
    assert not stand_in.asked


def test_two_models_of_one_name_are_refused(study_file):
    with pytest.raises(DataError, match="two models are described as 'Tiny Wan'"):
        studies.load(study_file(HOSTED.replace("Veo 3.1 Fast", "Tiny Wan", 1)))
    with pytest.raises(DataError, match="'Tiny Wan' and 'tiny-wan' would both be kept as 'tiny-wan'"):
        studies.load(study_file(HOSTED.replace("Veo 3.1 Fast", "tiny-wan", 1)))
