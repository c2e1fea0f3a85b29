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


def test_tables_written_by_one_notebook_are_inputs_of_those_that_read_them(make_notebook, tmp_path):
    def declare(name, **tables):
        return make_notebook("1", metadata={"world_on_screen": tables}, name=name)

    first = declare("11_a", writes_tables=["prompts/culturescore", "questions/culturescore"])
    second = declare("12_b", writes_tables=["prompts/culturevidbench"], reads_tables=["prompts"])
    third = declare("61_c", reads_tables=["prompts", "ratings"])
    every, study, tables = [first, second, third], tmp_path / "study", tmp_path / "study" / "tables"
    assert dependencies.tables_written(first, study) == [
        str(tables / "prompts" / "culturescore.parquet"),
        str(tables / "questions" / "culturescore.parquet"),
    ]
    assert dependencies.tables_read(first, every, study) == []
    assert dependencies.tables_read(second, every, study) == [
        str(tables / "prompts" / "culturescore.parquet")
    ]
    both = [str(tables / "prompts" / f"{part}.parquet") for part in ("culturescore", "culturevidbench")]
    assert dependencies.tables_read(third, every, study) == both
    own = tables / "ratings.parquet"
    own.parent.mkdir(parents=True)
    own.touch()
    assert dependencies.tables_read(third, every, study) == [*both, str(own)]


def test_a_notebook_writes_parts_of_known_tables_only(make_notebook, tmp_path):
    whole = make_notebook("1", metadata={"world_on_screen": {"writes_tables": ["prompts"]}})
    with pytest.raises(DataError, match="writes the table 'prompts', expected 'table/part'"):
        dependencies.tables_written(whole, tmp_path)
    unknown = make_notebook("1", metadata={"world_on_screen": {"reads_tables": ["prompt"]}})
    with pytest.raises(ValueError, match="did you mean 'prompts'"):
        dependencies.tables_read(unknown, [unknown], tmp_path)


@pytest.mark.parametrize("notebook", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_every_notebook_names_inputs_that_exist(notebook):
    found = dependencies.notebook_inputs(notebook)
    assert found
    assert all((ROOT / name).is_file() for name in found)
