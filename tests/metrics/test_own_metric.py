"""A metric of one's own: a class in a file that the study file names."""

import pytest

from helpers import study as studies
from helpers.checking import DataError
from helpers.metrics.building import measurer_of

FILE = """\
from helpers.metrics.registry import Metric
from helpers.video.sampling import Uniform

class Mine:
    name = "mine"
    metrics = (Metric(name="mine_1", title="Mine", low=0, high=1, direction="neither", frames=Uniform(2),
                      source="this test", cost="none"),)
    settings = {"version": 1}

    def load(self):
        return {}

    def measure(self, clips):
        return []
"""


@pytest.fixture
def built(tmp_path):
    """Write a file and build what a study file names of it."""

    def build(content: str = FILE, *, name: str = "mine", measurer: str = "Mine"):
        (tmp_path / "mine.py").write_text(content, encoding="utf-8")
        entry = f"{{kind: own, name: {name}, file: {tmp_path / 'mine.py'}, measurer: {measurer}}}"
        study = tmp_path / "study.yaml"
        study.write_text(f"name: study\nseed: 1\nmetrics:\n  - {entry}\n", encoding="utf-8")
        (named,) = studies.load(study).metrics
        return named, measurer_of(named, tmp_path)

    return build


def test_its_measurer_is_found_and_its_part_bears_its_name(built):
    named, measurer = built()
    assert named.part == measurer.name == "mine"
    assert [metric.name for metric in measurer.metrics] == ["mine_1"]
    assert measurer.load() == {}


def test_what_it_measures_hangs_on_its_file(built):
    first, same, changed = (built(content)[1].settings for content in (FILE, FILE, FILE + "\n"))
    assert first["version"] == 1
    assert first == same != changed


@pytest.mark.parametrize(
    ("change", "named", "message"),
    [
        ({}, {"measurer": "Mime"}, r"mine.py: there is no class 'Mime'; did you mean 'Mine'"),
        ({}, {"measurer": "Uniform"}, r"mine.py: TypeError: .*'n'"),
        ({"class Mine:": "class Mine"}, {}, r"mine.py: SyntaxError: .*line 4"),
        ({'"version": 1': '"version": 1 / 0'}, {}, r"mine.py: line 8: ZeroDivisionError"),
        ({"helpers.video.": "helpers.vidio."}, {}, r"mine.py: line 2: ModuleNotFoundError: .*vidio"),
        ({"measure(": "mesure("}, {}, r"Mine has no measure; a measurer has name, metrics"),
        ({}, {"name": "yours"}, r"Mine calls itself 'mine', the study file 'yours'"),
        ({"mine_1": "motion"}, {}, r"there is a metric 'motion' already"),
    ],
)
def test_what_is_wrong_with_it_is_said(built, change, named, message):
    content = FILE
    for old, new in change.items():
        assert old in content
        content = content.replace(old, new)
    with pytest.raises(DataError, match=message):
        built(content, **named)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{kind: own, name: mine, file: none.py, measurer: Mine}", "none.py: no such file"),
        ("{kind: own, name: mine, file: none.txt, measurer: Mine}", r"line 4: key 'metrics.0.file'"),
        (
            "{kind: own, name: mine, fiel: none.py, measurer: Mine}",
            "line 4: unknown key .*did you mean 'file'",
        ),
        ("{kind: own, name: My metric, file: none.py, measurer: Mine}", r"line 4: key 'metrics.0.name'"),
    ],
)
def test_a_file_that_cannot_be_is_refused(tmp_path, entry, message):
    study = tmp_path / "study.yaml"
    study.write_text(f"name: study\nseed: 1\nmetrics:\n  - {entry}\n", encoding="utf-8")
    with pytest.raises(DataError, match=message):
        measurer_of(studies.load(study).metrics[0], tmp_path)
