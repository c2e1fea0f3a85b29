import nbformat
import pandas as pd
import pytest

from helpers import study as studies
from helpers.benchmarks import starter
from helpers.paths import NOTEBOOKS
from helpers.simulate.culturescore import culturescore_study
from helpers.simulate.culturevidbench import culturevidbench_study
from helpers.simulate.lacks import rows_by, too_few, too_few_groups
from helpers.simulate.landmarks import landmarks_study
from helpers.simulate.raters import Rater, cohort
from helpers.simulate.source import tables_or_simulated
from helpers.tables import write

NAMES = ("prompts", "videos", "ratings")


@pytest.fixture(scope="module")
def simulation():
    return culturevidbench_study(seed=1, people=[Rater(rater_id="a", country="Japan", kind="human")])


def simulate(simulation):
    return lambda: simulation


def fail():
    raise AssertionError("simulated although the study has its own tables")


def test_a_study_without_tables_gets_simulated_ones_with_their_truth(tmp_path, simulation):
    source = tables_or_simulated(tmp_path, "culturevidbench", NAMES, simulate(simulation))
    assert source.simulated
    assert set(source.tables) == set(NAMES)


def test_a_study_with_all_tables_gets_its_own(tmp_path, simulation):
    for name in NAMES:
        write(tmp_path, name, simulation.tables[name])
    source = tables_or_simulated(tmp_path, "culturevidbench", NAMES, fail)
    assert not source.simulated
    assert len(source.tables["ratings"]) == len(simulation.tables["ratings"])


def test_tables_of_another_benchmark_only_do_not_count(tmp_path, simulation, capsys):
    for name in NAMES:
        write(tmp_path, name, simulation.tables[name])
    assert tables_or_simulated(tmp_path, "landmarks", NAMES, simulate(simulation)).simulated
    assert "has no prompts of landmarks" in capsys.readouterr().out


def test_own_and_simulated_tables_are_not_mixed(tmp_path, simulation, capsys):
    write(tmp_path, "prompts", simulation.tables["prompts"].head(3))
    source = tables_or_simulated(tmp_path, "culturevidbench", NAMES, simulate(simulation))
    assert source.simulated
    assert len(source.tables["prompts"]) == len(simulation.tables["prompts"])
    assert "has no videos, ratings" in capsys.readouterr().out


def test_own_prompts_of_every_benchmark_stay_out_of_simulated_tables(tmp_path, simulation, capsys):
    for part, prompts in starter.prompts().groupby("benchmark"):
        write(tmp_path, "prompts", prompts, part=part)
    source = tables_or_simulated(tmp_path, "culturevidbench", NAMES, simulate(simulation))
    assert source.simulated
    assert set(source.tables["prompts"]["prompt_id"]) == set(simulation.tables["prompts"]["prompt_id"])
    assert "has no videos, ratings" in capsys.readouterr().out


def test_prompts_in_parts_are_the_study_s_own(tmp_path, simulation):
    for name in NAMES:
        write(tmp_path, name, simulation.tables[name], part="culturevidbench")
    write(tmp_path, "prompts", starter.prompts().query("benchmark == 'culturescore'"), part="culturescore")
    source = tables_or_simulated(tmp_path, "culturevidbench", NAMES, fail)
    assert set(source.tables["prompts"]["benchmark"]) == {"culturevidbench"}


def test_rows_of_other_benchmarks_are_left_out_of_every_table(tmp_path, simulation):
    other = landmarks_study(seed=1, judges=(), people=[Rater(rater_id="b", kind="human")])
    names = (*NAMES, "raters")
    for name in names:
        write(tmp_path, name, simulation.tables[name], part="culturevidbench")
        write(tmp_path, name, other.tables[name], part="landmarks")
    source = tables_or_simulated(tmp_path, "culturevidbench", names, fail)
    for name in names:
        assert len(source.tables[name]) == len(simulation.tables[name])


def test_clips_of_another_benchmark_do_not_count(tmp_path, simulation, capsys):
    other = landmarks_study(seed=1, people=[Rater(rater_id="b", kind="human")])
    write(tmp_path, "prompts", simulation.tables["prompts"], part="culturevidbench")
    for name in NAMES:
        write(tmp_path, name, other.tables[name], part="landmarks")
    assert tables_or_simulated(tmp_path, "culturevidbench", NAMES, simulate(simulation)).simulated
    assert "has no videos of culturevidbench, ratings of culturevidbench" in capsys.readouterr().out


def test_a_study_may_ask_for_simulated_tables(simulation, capsys):
    assert tables_or_simulated(None, "culturevidbench", NAMES, simulate(simulation)).simulated
    assert "as the study file says" in capsys.readouterr().out


def test_a_study_that_lacks_something_is_told_what(tmp_path, simulation, capsys):
    for name in NAMES:
        write(tmp_path / "mine", name, simulation.tables[name])
    needs = (tmp_path / "mine", "culturevidbench", NAMES)
    source = tables_or_simulated(*needs, simulate(simulation), lambda tables: "no ratings by people")
    assert source.simulated
    assert source.why == "The study mine has no ratings by people: what follows is simulated."
    assert source.why in capsys.readouterr().out
    own = tables_or_simulated(*needs, fail, lambda tables: "")
    assert (own.simulated, own.why) == (False, "")


def test_the_need_sees_the_study_s_own_rows_of_the_benchmark(tmp_path, simulation):
    other = landmarks_study(seed=1, people=[Rater(rater_id="b", kind="human")])
    for name in NAMES:
        write(tmp_path, name, simulation.tables[name], part="culturevidbench")
        write(tmp_path, name, other.tables[name], part="landmarks")
    seen = {}
    tables_or_simulated(tmp_path, "culturevidbench", NAMES, fail, lambda tables: seen.update(tables) or "")
    assert set(seen["prompts"]["benchmark"]) == {"culturevidbench"}


GRADES, FEW = "grades by people", "in too few countries"


@pytest.fixture(scope="module")
def graded():
    person = Rater(rater_id="person", kind="human")
    people = [*cohort(["Japan", "Nigeria"], 2, person), *cohort(["India"], 1, person)]
    return culturevidbench_study(seed=1, people=people).tables


@pytest.mark.parametrize(
    ("countries", "raters", "needed", "lack"),
    [
        (["Japan", "Nigeria", "India"], 2, 2, ""),
        (["Japan", "Nigeria", "India"], 1, 3, ""),
        (["Japan"], 1, 1, ""),
        (["Japan"], 2, 2, f"{GRADES}, but {FEW} (1 of the 2 needed, with 2 raters of the same in each)"),
        (["Japan"], 1, 2, f"{GRADES}, but {FEW} (1 of the 2 needed)"),
        (["India"], 2, 2, f"{GRADES}, but nowhere 2 raters of the same"),
        ([], 1, 1, f"no {GRADES}"),
    ],
)
def test_what_grades_by_people_lack(graded, countries, raters, needed, lack):
    rows = rows_by(graded, "ratings", "human")
    rows = rows[rows["country"].isin(countries)]
    assert too_few(rows, GRADES, raters=raters, countries=needed) == lack


def test_a_judge_s_rows_are_never_people_s(simulation):
    tables = culturevidbench_study(seed=1).tables
    assert rows_by(tables, "ratings", "human").empty
    assert set(rows_by(tables, "ratings", "judge")["rater_id"]) == {"simulated-judge"}


@pytest.mark.parametrize("status", ["failed", "unscored", "missing"])
def test_ratings_without_a_score_do_not_count(graded, status):
    ratings = graded["ratings"].assign(score=pd.NA, status=status)
    rows = rows_by(graded | {"ratings": ratings}, "ratings", "human")
    assert too_few(rows, GRADES) == f"no {GRADES}"


def test_ratings_of_one_criterion(graded):
    rows = rows_by(graded, "ratings", "human", ["realism"])
    assert set(rows["criterion"]) == {"realism"}
    assert rows["item"].eq(rows["video_id"]).all()


@pytest.mark.parametrize(
    ("name", "item"), [("relevance", "question_id"), ("answers", "question_id"), ("rankings", "prompt_id")]
)
def test_what_people_of_two_countries_say_in_common(name, item):
    person = Rater(rater_id="person", kind="human", native=True)
    people = cohort(["Japan", "Chile"], 2, person)
    tables = culturescore_study(seed=1, scenarios=2, people=people).tables
    rows = rows_by(tables, name, "human")
    assert rows["item"].eq(rows[item]).all()
    assert len(rows) == tables[name]["rater_id"].isin([each.rater_id for each in people]).sum()
    assert too_few(rows, name, raters=2, countries=2) == ""
    assert f"{FEW} (2 of the 3 needed, " in too_few(rows, name, raters=2, countries=3)


@pytest.mark.parametrize(
    ("least", "lack"), [(1, ""), (2, "clips, but not in two groups (continent) of 2 (country) each")]
)
def test_groups_with_enough_units(least, lack):
    rows = pd.DataFrame(
        {"continent": ["Asia", "Asia", "Europe", None], "country": ["Japan", "India", "Italy", "Chile"]}
    )
    assert too_few_groups(rows, "clips", "continent", "country", least) == lack
    assert too_few_groups(rows[:0], "clips", "continent", "country", least) == "no clips"


# Fewer draws than a reader gets.
QUICK = {
    "52_agreement": {"resamples": 200},
    "61_judge_and_people": {},
    "62_country_gaps": {"resamples": 200},
    "63_popularity_and_regions": {"resamples": 200},
    "64_prompt_specificity": {"resamples": 200},
    "65_equivalence": {"resamples": 200},
    "66_study_design": {"runs": 200, "studies_checked": 2},
}


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """A study file and its folder: all clips judged, nobody asked."""
    folder = tmp_path_factory.mktemp("studies")
    made = {
        "culturescore": culturescore_study(seed=1, scenarios=2).tables,
        "culturevidbench": culturevidbench_study(seed=1).tables,
        "landmarks": landmarks_study(seed=1).tables,
    }
    known = set()
    for part, tables in made.items():
        for name, rows in tables.items():
            rows = rows[~rows["rater_id"].isin(known)] if name == "raters" else rows
            write(folder / "judged", name, rows, part=part)
        known |= set(tables["raters"]["rater_id"])
    file = folder / "judged.yaml"
    file.write_text("name: judged\nseed: 1\n", encoding="utf-8")
    return file


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
def test_notebooks_run_on_a_study_with_a_judge_and_no_people(judged, monkeypatch, capsys, name):
    monkeypatch.setattr(studies, "STUDIES", judged.parent)
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    space = {}
    for cell in code:
        exec(compile(cell.source, name, "exec"), space)
        if "parameters" in cell.metadata.get("tags", []):
            space |= {"study": str(judged)} | QUICK[name]
    source = space.get("source") or space["triplets"]
    # Short against detailed prompts need a judge only.
    assert source.simulated == (name != "64_prompt_specificity")
    assert source.why.startswith("The study judged has ") == source.simulated
    assert source.why in capsys.readouterr().out
