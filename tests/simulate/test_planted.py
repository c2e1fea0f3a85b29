"""The scripted replies of the notebooks on prompts: what is planted is caught, and nothing else."""

import pytest

from helpers.benchmarks import culturevidbench_candidates as writing
from helpers.benchmarks import starter
from helpers.benchmarks.culturevidbench_elements import read_elements
from helpers.benchmarks.model_steps import Writer
from helpers.chat.choose import asker
from helpers.paths import DATA
from helpers.simulate.planted import candidate_replies, culturescore_faults, planted_faults
from helpers.simulate.scripted import scripted

ELEMENTS = writing.one_row_each(read_elements(DATA / "starter" / "culturevidbench_elements.csv"))


def test_the_rules_set_aside_exactly_the_planted_candidates(tmp_path):
    requests = writing.candidate_requests(ELEMENTS, Writer(model="stand-in"))
    ask = asker("", "", tmp_path / "log.jsonl")
    made = writing.candidate_rows(ELEMENTS, ask(requests, scripted(requests, candidate_replies(ELEMENTS))))
    rows = made.candidates.set_index("candidate_id")
    planted = planted_faults()
    assert rows.index.tolist() == planted.index.tolist()
    assert rows["form_status"].eq("unscored").tolist() == planted.notna().tolist()
    looks = rows.loc[planted.eq("a remark on looks"), "form_reason"]
    assert looks.str.contains("appearance").all()
    assert len(looks) == 1


def test_an_element_without_a_script_is_named():
    with pytest.raises(ValueError, match="peru-food-1"):
        candidate_replies(ELEMENTS.assign(element_id="peru-food-1"))


def test_faults_belong_to_scenes_of_the_starter_and_the_repair_is_the_starter_s_text():
    faults = culturescore_faults()
    rows = starter.scenarios().set_index("scenario_id")
    assert {scene for _, scene in faults} <= set(rows.index)
    row = rows.loc["starter-japan-family"]
    repair = faults["extend", "starter-japan-family"][1]
    assert repair == {name: row[f"{name}_detail"] for name in ("identity", "behavior", "context")}
    left_in = faults["remove_country", "starter-poland-etiquette"]["text"]
    assert left_in == rows.loc["starter-poland-etiquette", "base"]
