import pandas as pd

from helpers import schemas
from helpers.benchmarks import starter
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
