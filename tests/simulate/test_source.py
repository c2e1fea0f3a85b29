import pytest

from helpers.benchmarks import starter
from helpers.simulate.culturevidbench import culturevidbench_study
from helpers.simulate.landmarks import landmarks_study
from helpers.simulate.raters import Rater
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


def test_people_who_count_nowhere_are_left_out_unless_everybody_is_wanted(tmp_path, simulation, capsys):
    names = (*NAMES, "raters")
    for name in NAMES:
        write(tmp_path, name, simulation.tables[name])
    raters = simulation.tables["raters"]
    failed = raters["kind"].eq("human")
    assert 0 < failed.sum() < len(raters)
    write(tmp_path, "raters", raters.assign(attention=failed.map({True: False, False: None})))
    source = tables_or_simulated(tmp_path, "culturevidbench", names, fail)
    assert f"People left out: {failed.sum()} failed an attention check." in capsys.readouterr().out
    assert set(source.tables["ratings"]["rater_id"]) == set(raters.loc[~failed, "rater_id"])
    source = tables_or_simulated(tmp_path, "culturevidbench", names, fail, everybody=True)
    assert len(source.tables["raters"]) == len(raters)
    assert not capsys.readouterr().out
