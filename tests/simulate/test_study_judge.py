"""A simulated judge with other dials is another judge: earlier replies are not taken for its own."""

import pytest

from helpers import study as studies
from helpers import tables
from helpers.benchmarks import starter
from helpers.simulate.clips.carriers import write_carriers
from helpers.simulate.study_judge import backend_of

STUDY = """name: small
seed: {seed}
simulated_models: [{{name: Simulated A, faithfulness: 0.7}}]
judges: [{{name: Simulated judge, kind: simulated, concurrency: {at_once}, dials: {dials}}}]
"""


@pytest.fixture
def model(tmp_path, monkeypatch):
    """The name under which the judge's replies are kept."""
    monkeypatch.setattr(studies, "STUDIES", tmp_path / "studies")
    prompts = starter.prompts().query("benchmark == 'culturevidbench'").head(1)
    tables.write(tmp_path / "studies" / "small", "prompts", prompts)
    videos = write_carriers(prompts, ["Simulated A"], tmp_path / "studies" / "small", seed=0)
    tables.write(tmp_path / "studies" / "small", "videos", videos, part="generated")

    def named(*, seed=7, at_once=1, dials="{spread: 0.5}"):
        path = tmp_path / "small.yaml"
        path.write_text(STUDY.format(seed=seed, at_once=at_once, dials=dials))
        study = studies.load(path)
        return backend_of(study, study.judges[0]).name

    return named


def test_other_dials_and_another_seed_make_another_judge_and_another_pace_does_not(model):
    assert model() == model(at_once=4)
    assert len({model(), model(dials="{spread: 0.6}"), model(dials="{}"), model(seed=8)}) == 4
