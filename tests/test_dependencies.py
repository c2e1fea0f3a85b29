import pytest

from helpers import dependencies
from helpers.checking import DataError
from helpers.paths import NOTEBOOKS, ROOT

FORMS = {
    "from helpers import published": {"src/helpers/published.py", "src/helpers/checking.py"},
    "import helpers.study as studies": {"src/helpers/study.py", "src/helpers/paths.py"},
    "from helpers.stats.results import Estimate": {
        "src/helpers/stats/results.py",
        "src/helpers/stats/__init__.py",
    },
    "%matplotlib inline\nfrom helpers.stats import results": {"src/helpers/stats/results.py"},
}


@pytest.mark.parametrize(("code", "expected"), FORMS.items(), ids=FORMS)
def test_finds_every_form_of_import_and_what_it_imports_in_turn(make_notebook, code, expected):
    assert expected <= set(dependencies.notebook_inputs(make_notebook(code)))


def test_leaves_out_helpers_that_are_not_used(make_notebook):
    found = dependencies.notebook_inputs(make_notebook("from helpers import paths"))
    assert found == ["src/helpers/__init__.py", "src/helpers/paths.py"]


def test_adds_declared_data_and_refuses_a_pattern_without_a_file(make_notebook):
    declare = lambda pattern: {"world_on_screen": {"reads": [pattern]}}  # noqa: E731
    found = dependencies.notebook_inputs(make_notebook("1", metadata=declare("data/geography/count*.csv")))
    assert found == ["data/geography/countries.csv"]
    with pytest.raises(DataError, match=r"reads 'data/absent\*', found no such file"):
        dependencies.notebook_inputs(make_notebook("1", metadata=declare("data/absent*")))


@pytest.mark.parametrize("notebook", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_every_notebook_names_inputs_that_exist(notebook):
    found = dependencies.notebook_inputs(notebook)
    assert found
    assert all((ROOT / name).is_file() for name in found)
