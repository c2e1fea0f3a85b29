import pickle

import pandas as pd
import pytest

from helpers import schemas
from helpers import study as studies
from helpers.benchmarks import starter
from helpers.checking import DataError
from helpers.generation.selection import PromptChoice


def test_first_of_each_keeps_one_prompt_of_every_kind_in_the_tables_order():
    prompts = schemas.check("prompts", starter.prompts(), "starter")
    chosen = PromptChoice(first_of_each=1).of(prompts)
    kind = ["benchmark", "country", "category", "aspect", "landmark_id", "variant"]
    pd.testing.assert_frame_equal(chosen, prompts.drop_duplicates(kind))
    assert not chosen["prompt_id"].equals(prompts["prompt_id"])


def test_first_of_each_counts_after_the_other_keys_and_first_after_it():
    prompts = schemas.check("prompts", starter.prompts(), "starter")
    both = PromptChoice(country="Japan", aspect=["food", "funeral"], first_of_each=2).of(prompts)
    assert both.groupby("aspect").size().to_dict() == {"food": 2, "funeral": 2}
    assert set(both["country"]) == {"Japan"}
    assert len(PromptChoice(first_of_each=1, first=5).of(prompts)) == 5


STUDY = "name: small\nseed: 0\nprompts:\n  aspect:\n  - food\n"


@pytest.mark.parametrize(
    ("prompts", "message"),
    [
        ("  - funerl\n", "line 6: prompts.aspect: no prompt has 'funerl'; did you mean 'funeral'?"),
        ("  country: USA\n", "line 6: prompts.country: no prompt has 'USA'; did you mean 'United States'?"),
        ("  country: [Japan,\n    Japn]\n", "line 7: prompts.country: no prompt has 'Japn'"),
        ("  benchmark: culturescore\n", "line 5: prompts.aspect: no prompt of culturescore has 'food'; "),
        (
            "  benchmark: culturevidbench\n  country: [Japan, Chile]\n",
            "line 7: prompts.country: no prompt of culturevidbench has 'Chile'; ",
        ),
        (
            "  benchmark: CultureScore\n",
            "line 6: prompts.benchmark: no prompt has 'CultureScore'; did you mean 'c",
        ),
        ("  variant: base\n", "line 3: prompts: none fits {'aspect': ['food'], 'variant': ['base']}"),
    ],
)
def test_a_choice_that_no_prompt_fits_is_named_with_its_line_in_the_study_file(tmp_path, prompts, message):
    file = tmp_path / "study.yaml"
    file.write_text(STUDY + prompts, encoding="utf-8")
    with pytest.raises(DataError) as error:
        studies.load(file).chosen_of(schemas.check("prompts", starter.prompts(), "starter"))
    assert f"study.yaml: {message}" in str(error.value)


def test_prompts_that_are_not_written_yet_are_named_with_the_notebook_that_writes_them():
    prompts = schemas.check("prompts", starter.prompts(), "starter").query("benchmark == 'culturevidbench'")
    with pytest.raises(
        DataError, match=r"none of that benchmark yet; notebooks/11_culturescore_prompts\.ipynb"
    ):
        PromptChoice(benchmark="culturescore").of(prompts)


def test_two_readings_of_a_study_file_are_equal_and_can_be_handed_to_another_process(tmp_path):
    file = tmp_path / "study.yaml"
    file.write_text(STUDY, encoding="utf-8")
    study = studies.load(file)
    assert study == studies.load(file) == pickle.loads(pickle.dumps(study))
