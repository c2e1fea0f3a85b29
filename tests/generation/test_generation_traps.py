import pytest

from helpers.generation import catalogue, overview
from stand_in_models import CALLS

traps = pytest.importorskip("helpers.generation.traps")


@pytest.mark.parametrize(("shift", "high"), [(3.0, 2), (12.0, 3)])
def test_high_noise_steps_are_those_that_the_pipeline_makes(checkpoints, shift, high):
    from helpers.generation import pipelines
    from stand_in_models import described

    assert traps.high_noise_steps(shift, 4) == high
    model = described("wan", checkpoints["wan"], scheduler={"flow_shift": shift})
    pipe = pipelines.load(model, "cpu").pipe
    call = {**CALLS["wan"], "num_inference_steps": 4, "prompt": "A kora player.", "negative_prompt": ""}
    counted = traps.calls(pipe, {"high": pipe.transformer, "low": pipe.transformer_2}, **call)
    assert counted == {"high": 2 * high, "low": 2 * (4 - high)}
    assert all(distance > 0 for distance in traps.reused_generator(pipe, **call))


def test_a_star_marks_what_a_paper_does_not_say():
    table = overview.settings_table(catalogue.load()).set_index(["model", "benchmark"])
    wan = table.loc[("Wan 2.2", "culturescore")]
    assert wan[["size", "frames", "fps", "steps"]].tolist() == ["1280x720", "49", "9.8 *", "20"]
    assert table.loc[("LTX-2.3", "culturevidbench"), ["size", "sound"]].tolist() == ["1920x1088", "yes"]
    assert table.loc[("Wan 2.2", "landmarks"), "size"] == "720x1280 *"


def test_silence_counts_every_argument_once():
    loaded = catalogue.load()
    counted = overview.silence(loaded).set_index(["model", "benchmark"])
    for model in loaded.models:
        for settings in model.settings:
            row = counted.loc[(model.name, settings.benchmark)]
            besides = [name for name in settings.unsaid if name not in settings.call]
            assert row["said"] + row["unsaid"] == len(settings.call) + len(besides)
