import json
import sys

import pytest

from helpers import execute
from helpers import parameters as declared
from helpers.checking import DataError

SPELLED_OUT = {
    "unknown name": ({"rte": 0.1}, "unknown parameter 'rte'; did you mean 'rate'?"),
    "text for a number": ({"seed": "seven"}, "found 'seven' (str), expected int"),
    "a float for a whole number": ({"seed": 1.5}, "found 1.5 (float), expected int"),
    "a truth value for a number": ({"seed": True}, "found True (bool), expected int"),
    "a number for text": ({"title": 3}, "found 3 (int), expected str"),
    "a secret's name": ({"api_key": "x"}, "'api_key' looks like a secret"),
    "a secret's name in camel case": ({"hfToken": "x"}, "'hfToken' looks like a secret"),
    "a secret's name in one word": ({"openaikey": "x"}, "'openaikey' looks like a secret"),
    "several secrets": ({"API_KEYS": "x"}, "'API_KEYS' looks like a secret"),
    "a password": ({"pwd": "x"}, "'pwd' looks like a secret"),
    "a secret's value": ({"title": "sk-abcdef"}, "looks like an access key"),
    "a secret's value inside a list": ({"title": ["hf_abcdefgh"]}, "looks like an access key"),
    "a secret's value in a header": ({"title": "Bearer abc"}, "looks like an access key"),
    "a key where its variable's name belongs": ({"env_variable": "0123456789abcdef"}, "not a key"),
    "a key in a server's address": (
        {"endpoint": "http://h/v1?x=0123456789abcdef"},
        "no user, password or query",
    ),
    "a key in an address": ({"title": "http://h/v1?api_key=0123456789"}, "looks like an access key"),
    "a token in an address": ({"title": "http://0123456789@h/v1"}, "looks like an access key"),
    "a secret's value in an address": ({"title": "https://me:word@host/x"}, "looks like an access key"),
}


@pytest.fixture
def no_kernel(monkeypatch):
    """Fail the test if a kernel would start."""

    def refuse(*_):
        raise AssertionError("a kernel was started")

    monkeypatch.setattr(execute, "_run", refuse)


@pytest.mark.parametrize(("given", "message"), SPELLED_OUT.values(), ids=SPELLED_OUT)
def test_refuses_a_bad_call_before_a_kernel_starts(
    make_notebook, study_file, tmp_path, no_kernel, given, message
):
    parameters = "seed = 1\nrate = 0.5\ntitle = 'a'\nendpoint = ''\nenv_variable = ''"
    notebook = make_notebook(parameters=parameters)
    with pytest.raises(DataError) as refusal:
        execute.execute(notebook, tmp_path / "out.ipynb", study_file, given)
    assert message in str(refusal.value)
    assert "0123456789" not in str(refusal.value)
    assert "01_small.ipynb" in str(refusal.value)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (None, "found 0 cells tagged 'parameters', expected exactly one"),
        ("seed = 1 + x", "holds 'seed = 1 + x', expected `name = literal`"),
        ("import os", "holds 'import os'"),
        ("access_token = ''", "'access_token' looks like a secret"),
        ("title = 'ghp_abcdefgh'", "the value of 'title' looks like an access key"),
        ("x = = 3", "the parameters cell is not Python"),
        ("%matplotlib inline", "the parameters cell is not Python"),
        ("a = b = 3", "holds 'a = b = 3', expected"),
    ],
)
def test_refuses_a_bad_parameters_cell(make_notebook, study_file, tmp_path, no_kernel, parameters, message):
    notebook = make_notebook(parameters=parameters)
    with pytest.raises(DataError) as refusal:
        execute.execute(notebook, tmp_path / "out.ipynb", study_file)
    assert message in str(refusal.value)


def test_refuses_two_parameters_cells(make_notebook, study_file):
    notebook = make_notebook()
    content = json.loads(notebook.read_text())
    content["cells"].append(content["cells"][1])
    notebook.write_text(json.dumps(content))
    with pytest.raises(DataError, match="found 2 cells tagged 'parameters'"):
        declared.defaults(notebook)


@pytest.mark.parametrize("content", ["", "not JSON", "[]", "{}"])
def test_refuses_what_is_no_notebook(tmp_path, content):
    path = tmp_path / "x.ipynb"
    path.write_text(content)
    with pytest.raises(DataError, match="found no notebook"):
        declared.defaults(path)


def test_refuses_a_notebook_that_is_not_there(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        declared.defaults(tmp_path / "absent.ipynb")


def test_accepts_a_whole_number_for_a_float_and_anything_for_none(make_notebook):
    notebook = make_notebook(parameters="rate = 0.5\nlimit = None")
    assert declared.checked(notebook, {"rate": 1, "limit": [1, 2]}) == {"rate": 1, "limit": [1, 2]}


def test_words_that_only_contain_a_secret_word_are_fine(make_notebook):
    notebook = make_notebook(parameters="max_tokens = 10\nkeypoints = 5\nturkey: str = 'risk-free monkey'")
    assert declared.checked(notebook, {"max_tokens": 20}) == {"max_tokens": 20}


def test_where_text_is_expected_the_command_line_gives_text(make_notebook):
    assert execute._literal("1e3", "a name") == "1e3"
    assert execute._literal("1e3", 0.5) == 1000.0
    assert execute._literal("plain", None) == "plain"


@pytest.mark.parametrize("place", ["folder", "itself", "below a file"])
def test_refuses_a_place_where_the_copy_must_not_go(make_notebook, study_file, tmp_path, no_kernel, place):
    notebook = make_notebook()
    out = {"folder": tmp_path, "itself": notebook, "below a file": study_file / "out.ipynb"}[place]
    before = notebook.read_bytes()
    with pytest.raises(DataError, match="expected"):
        execute.execute(notebook, out, study_file)
    assert notebook.read_bytes() == before


def test_a_kernel_that_dies_is_said_in_words(make_notebook, study_file, tmp_path, capsys):
    notebook = make_notebook("import os; os._exit(3)")
    out = tmp_path / "dead.ipynb"
    assert execute.main([str(notebook), str(out), "--study", str(study_file)]) == 1
    assert not out.exists()
    assert capsys.readouterr().err.rstrip().endswith("DeadKernelError: Kernel died")


def test_a_good_run_leaves_one_complete_copy(make_notebook, study_file, tmp_path):
    notebook = make_notebook("print(seed, rate)", tags=["remove-cell"])
    out = tmp_path / "made" / "01_small.ipynb"
    assert execute.main([str(notebook), str(out), "--study", str(study_file), "-p", "rate", "1"]) == 0
    assert [file.name for file in out.parent.iterdir()] == ["01_small.ipynb"]
    cells = json.loads(out.read_text())["cells"]
    injected = next(cell for cell in cells if "injected-parameters" in cell["metadata"]["tags"])
    assert "remove-cell" in injected["metadata"]["tags"]
    assert cells[-1]["outputs"][0]["text"] == ["7 1\n"]


@pytest.mark.parametrize("code", ["print(open(study).read())", "open(study + 'x')"], ids=["good", "failed"])
def test_a_study_file_outside_the_project_is_kept_by_its_name(make_notebook, study_file, tmp_path, code):
    out = tmp_path / "01_small.out.ipynb"
    notebook = make_notebook(code, parameters="study = ''")
    failed = execute.main([str(notebook), str(out), "--study", str(study_file)])
    copy = json.loads((out.with_name("01_small.out.failed.ipynb") if failed else out).read_text())
    injected = next(cell for cell in copy["cells"] if "injected-parameters" in cell["metadata"]["tags"])
    assert 'study = "<outside>/small.yaml"' in "".join(injected["source"])
    assert copy["metadata"]["papermill"]["parameters"]["study"] == "<outside>/small.yaml"
    assert str(study_file) not in json.dumps(copy)
    if not failed:
        assert "name: small" in json.dumps(copy["cells"][-1]["outputs"])


def test_a_failed_run_leaves_its_copy_apart_and_says_which_cell(make_notebook, study_file, tmp_path, capsys):
    out = tmp_path / "01_small.out.ipynb"
    arguments = [str(out), "--study", str(study_file)]
    broken = make_notebook("1 / 0")
    assert execute.main([str(broken), *arguments]) == 1
    assert not out.exists()
    failed = out.with_name("01_small.out.failed.ipynb")
    assert failed.exists()
    assert capsys.readouterr().err.endswith("1 / 0\nZeroDivisionError: division by zero\n")
    mended = make_notebook("1 / 1")
    assert execute.main([str(mended), *arguments]) == 0
    assert out.exists()
    assert not failed.exists()


def test_the_command_line_refuses_with_its_own_exit_code_and_without_papermill(
    make_notebook, study_file, tmp_path, capsys, monkeypatch
):
    monkeypatch.setitem(sys.modules, "papermill", None)
    arguments = [str(make_notebook()), str(tmp_path / "out.ipynb"), "--study", str(study_file)]
    assert execute.main([*arguments, "-p", "sed", "3"]) == 2
    assert "did you mean 'seed'?" in capsys.readouterr().err


def test_a_variables_name_and_a_plain_address_are_fine(make_notebook):
    notebook = make_notebook(parameters="endpoint = ''\nenv_variable = ''")
    given = {"endpoint": "http://localhost:8000/v1", "env_variable": "LAB_KEY"}
    assert declared.checked(notebook, given) == given
    assert declared.checked(notebook, {"endpoint": ""}) == {"endpoint": ""}


def test_a_studys_resamples_reach_the_notebooks_that_take_some(make_notebook, tmp_path, monkeypatch):
    given = []
    monkeypatch.setattr(execute, "_run", lambda notebook, out, parameters: given.append(parameters))
    monkeypatch.setattr(execute, "_tidy", lambda executed, *_: executed.write_text(""))
    study = tmp_path / "study.yaml"
    study.write_text("name: small\nseed: 7\nresamples: 500\n", encoding="utf-8")
    for name, parameters in {"01_takes": "seed = 1\nresamples = 2000", "02_does_not": "seed = 1"}.items():
        notebook = make_notebook(parameters=parameters, name=name)
        execute.execute(notebook, tmp_path / f"{name}.out.ipynb", study)
    assert given == [{"seed": 7, "resamples": 500}, {"seed": 7}]
