import re

import pytest
import yaml

from helpers import study
from helpers.checking import DataError
from helpers.paths import NOTEBOOKS, ROOT


def test_the_demo_study_loads_from_anywhere(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    demo = study.load("workflow/config/demo.yaml")
    assert demo.folder == ROOT / "studies" / "demo"


BAD = {
    "unknown key": ("name: a\nsede: 1\nseed: 2\n", "line 2: unknown key 'sede'; did you mean 'seed'?"),
    "missing key": ("name: a\n", "key 'seed' is missing"),
    "wrong type": ("name: a\nseed: many\n", "line 2: key 'seed': found 'many'"),
    "out of range": ("name: a\nseed: -1\n", "line 2: key 'seed': found -1"),
    "a name that is no folder": ("name: ../a\nseed: 1\n", "line 1: key 'name': found '../a'"),
    "a long name": (f"name: {'a' * 101}\nseed: 1\n", "line 1: key 'name': found 'aaa"),
    "no mapping": ("- a\n", "expected a study file with the keys name, seed, parameters"),
    "no YAML": (
        "name: [a\nseed: 1\n",
        "line 2 is not YAML (expected ',' or ']', but got ':', in what begins",
    ),
    "a tab": (
        "name: a\nprompts:\n\tfirst: 1\n",
        "line 3 is not YAML (found character '\\t' that cannot start",
    ),
    "an output that is no notebook": (
        "name: a\nseed: 1\noutputs: [8*, 82_country_card]\n",
        "line 3: key 'outputs': there is no notebook '82_country_card'; did you mean '82_country_cards'?",
    ),
    "an output that is a number": (
        "name: a\nseed: 1\noutputs: [81]\n",
        "line 3: key 'outputs.0': found 81",
    ),
    "a key that is no text": ("name: a\nseed: 1\n1: 2\n", "line 3: key '1': found 1"),
    "empty": ("", "found nothing, expected a study file with the keys name, seed, parameters"),
}


@pytest.mark.parametrize(("content", "message"), BAD.values(), ids=BAD)
def test_a_bad_study_file_is_named_with_its_line(tmp_path, content, message):
    path = tmp_path / "bad.yaml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DataError) as error:
        study.load(path)
    assert "bad.yaml: " in str(error.value)
    assert message in str(error.value)


def test_every_problem_is_reported_at_once(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text("nmae: a\nseed: x\n", encoding="utf-8")
    with pytest.raises(DataError) as error:
        study.load(path)
    assert len(str(error.value).splitlines()) == 3


def test_parameters_for_a_notebook_that_does_not_exist_name_the_nearest(tmp_path):
    real = sorted(NOTEBOOKS.glob("*.ipynb"))[0].stem
    path = tmp_path / "bad.yaml"
    path.write_text(f"name: a\nseed: 1\nparameters:\n  {real}x: {{}}\n", encoding="utf-8")
    with pytest.raises(DataError, match=f"line 4.*did you mean '{real}'"):
        study.load(path)


NAMED = {
    "a model": ("models: [Wan 2.3]\n", "line 3: no model 'Wan 2.3'; did you mean 'Wan 2.2'?"),
    "a parameter": (
        "parameters:\n  22_import_and_check:\n    foldr: x\n",
        "line 5: key 'parameters': notebooks/22_import_and_check.ipynb: unknown parameter 'foldr'; did you",
    ),
    "a parameter's value": (
        "parameters:\n  22_import_and_check: {folder: {a: 1}}\n",
        "parameter 'folder': found {'a': 1}, expected text, a number",
    ),
    "a judge": (
        "judges:\n  - {name: J 1, kind: local, model: m}\n  - {name: j-1, kind: local, model: m}\n",
        "line 4: key 'judges': found the judges 'J 1' and 'j-1', whose files",
    ),
    "a dial": (
        "judges:\n  - name: Simulated\n    kind: simulated\n    dials: {leniencie: 1}\n",
        "line 6: key 'judges': found the dial 'leniencie' of Simulated; did you mean 'leniency'?",
    ),
    "a judge named like simulated people": (
        "judges:\n  - {name: Simulated people, kind: simulated}\nsimulated_people: {raters: 2}\n",
        "line 4: found the judge 'Simulated people' and the key 'simulated_people', whose files would be",
    ),
    "a judge named like a survey": (
        "judges:\n  - {name: Survey simulated, kind: local, model: m}\n"
        "surveys:\n  - {name: simulated, file: a.csv, format: table, table: ratings}\n",
        "line 4: found the judge 'Survey simulated' and the survey 'simulated', whose files would be",
    ),
    "a dial that is no number": (
        "judges:\n  - {name: Simulated, kind: simulated, dials: {leniency: .nan}}\n",
        "line 4: key 'judges.0.dials.leniency': found nan; expected a finite number",
    ),
    "a dial without end": (
        "judges:\n  - {name: Simulated, kind: simulated, dials: {spread: .inf}}\n",
        "line 4: key 'judges.0.dials.spread': found inf; expected a finite number",
    ),
    "people without end": (
        "simulated_people: {leniency_spread: .inf}\n",
        "line 3: key 'simulated_people.leniency_spread': found inf; expected a finite number",
    ),
    "true for a number of prompts": (
        "prompts: {first: true}\n",
        "line 3: key 'prompts.first': found True; expected a valid integer",
    ),
    "true for a number of people": (
        "simulated_people: {raters: true}\n",
        "line 3: key 'simulated_people.raters': found True; expected a valid integer",
    ),
    "true for a number of calls": (
        "judges:\n  - {name: J, kind: local, model: m, concurrency: true}\n",
        "line 4: key 'judges.0.concurrency': found True; expected a valid integer",
    ),
    "text for a number": (
        "simulated_models:\n  - {name: Simulated, faithfulness: '0.5'}\n",
        "line 4: key 'simulated_models.0.faithfulness': found '0.5'; expected a valid number",
    ),
    "text for a metric's number": (
        "metrics:\n  - {kind: patches, size: '224'}\n",
        "line 4: key 'metrics.0.size': found '224'; expected a valid integer",
    ),
    "a judge's name with a line break": (
        'judges:\n  - {name: "J\\nK", kind: local, model: m}\n',
        r"line 3: key 'judges': found the name 'J\nK', expected one without control characters",
    ),
    "a model's name with half a character": (
        'simulated_models:\n  - {name: "Simulated \\ud800", faithfulness: 0.5}\n',
        r"line 3: key 'simulated_models': found the name 'Simulated \ud800', expected one without",
    ),
    "a clip's model with a NUL": (
        'clips:\n  - {folder: a, model: "M\\0"}\n',
        r"line 3: key 'clips': found the name 'M\x00', expected one without",
    ),
    "nothing": ("judges:\n", "line 3: key 'judges': found nothing; expected a valid list"),
    "a word for a mapping": ("shards: 3\n", "line 3: key 'shards': found 3; expected keys with values"),
}


@pytest.mark.parametrize(("content", "message"), NAMED.values(), ids=NAMED)
def test_what_a_study_names_is_checked_with_its_line(tmp_path, content, message):
    path = tmp_path / "bad.yaml"
    path.write_text(f"name: a\nseed: 1\n{content}", encoding="utf-8")
    with pytest.raises(DataError) as error:
        study.load(path)
    assert message in str(error.value)


def test_whole_numbers_stand_for_floats_and_several_addresses_in_a_list(tmp_path):
    path = tmp_path / "good.yaml"
    path.write_text(
        "name: a\nseed: 1\nsimulated_people: {sensitivity: 1}\njudges:\n"
        "  - {name: Simulated, kind: simulated, dials: {leniency: 1}}\n"
        "  - {name: J, kind: server, model: m, base_url: ['http://a/v1', 'http://b/v1']}\n"
    )
    loaded = study.load(path)
    assert (loaded.simulated_people.sensitivity, loaded.judges[0].dials["leniency"]) == (1.0, 1.0)
    assert loaded.judges[1].addresses == ["http://a/v1", "http://b/v1"]


def test_the_command_line_checks_a_study_file_and_says_its_folder(tmp_path, capsys):
    path = tmp_path / "a.yaml"
    path.write_text("name: a\nseed: 1\n")
    assert study.main([str(path)]) == 0
    assert capsys.readouterr().out == f"{ROOT / 'studies' / 'a'}\n"
    path.write_text("name: a\nsede: 1\n")
    assert study.main([str(path)]) == 2
    assert "did you mean 'seed'?" in capsys.readouterr().err


def test_every_study_file_of_the_project_loads_and_full_yaml_shows_every_key():
    files = sorted((ROOT / "workflow" / "config").glob("*.yaml"))
    assert {"demo.yaml", "full.yaml"} <= {file.name for file in files}
    for file in files:
        study.load(file)
    text = (ROOT / "workflow/config/full.yaml").read_text(encoding="utf-8")
    # A study has simulated people or not: there is no empty value that could stand for none.
    assert set(yaml.safe_load(text)) | {"simulated_people"} == set(study.Study.model_fields)
    assert "\n# simulated_people: {" in text


def test_what_full_yaml_shows_in_comments_is_a_study_too(tmp_path):
    lines = (ROOT / "workflow/config/full.yaml").read_text(encoding="utf-8").splitlines()
    shown = [
        re.sub(r"^(own_models|hosted|simulated_models|judges|clips|surveys|outputs): \[\]$", r"\1:", line)
        for line in lines
    ]
    shown = [re.sub(r"^#(  - |    )(?! *python)", r"\1", line) for line in shown]
    shown = [re.sub(r"^# (?=simulated_people)", "", line) for line in shown]
    path = tmp_path / "shown.yaml"
    path.write_text("\n".join(shown), encoding="utf-8")
    loaded = study.load(path)
    assert [model.name for model in loaded.own_models] == ["My Wan"]
    assert [model.name for model in loaded.hosted] == ["Veo 3.1 Fast"]
    assert [model.name for model in loaded.simulated_models] == ["Simulated A"]
    assert loaded.simulated_people.raters == 3
    assert [judge.kind for judge in loaded.judges] == ["server", "gemini", "local", "simulated"]
    assert len(loaded.metrics) == 11
    assert [clips.model for clips in loaded.clips] == ["Kling 3.0", None]
    assert [survey.format for survey in loaded.surveys] == ["qualtrics", "table", "table"]
    shown_in_book = [notebook.stem for notebook in NOTEBOOKS.glob("*.ipynb") if loaded.shows(notebook.stem)]
    assert {name[0] for name in shown_in_book} == {"5", "7", "8"}
    assert "72_culturevidbench_results" not in shown_in_book
    assert not loaded.simulated


def test_examples_stay_out_of_a_real_studys_tables():
    demo, full = (study.load(f"workflow/config/{name}.yaml") for name in ("demo", "full"))
    assert demo.examples == demo.folder
    assert full.examples != full.folder
    assert full.examples.is_relative_to(full.folder)


def test_a_missing_study_file_is_named(tmp_path):
    with pytest.raises(DataError, match=r"absent\.yaml: no such file"):
        study.load(tmp_path / "absent.yaml")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("name: a\nseed: 1\nname: b\n", "line 3: key 'name' stands in line 1 already"),
        ("name: a\nseed: 1\nhosted:\n  - {id: a, id: b}\n", "line 4: key 'id' stands in line 4 already"),
        ("name: a\nseed: 1\nhosted:\n  - price: {date: 2026-02-30}\n", "line 4: found '2026-02-30'; day"),
    ],
)
def test_repeated_keys_and_impossible_dates_are_named_with_their_line(tmp_path, content, message):
    path = tmp_path / "bad.yaml"
    path.write_text(content)
    with pytest.raises(DataError, match=message):
        study.load(path)
