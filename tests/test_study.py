import pytest

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
    "no mapping": ("- a\n", "expected a study file with the keys name, seed, parameters"),
    "no YAML": ("name: [a\nseed: 1\n", "is not YAML"),
    "a key that is no text": ("name: a\nseed: 1\n1: 2\n", "line 3: key '1': found 1"),
    "empty": ("", "expected a study file with the keys name, seed, parameters"),
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
    with pytest.raises(DataError, match=f"line 3.*did you mean '{real}'"):
        study.load(path)


def test_a_missing_study_file_is_named(tmp_path):
    with pytest.raises(DataError, match=r"absent\.yaml: no such file"):
        study.load(tmp_path / "absent.yaml")
