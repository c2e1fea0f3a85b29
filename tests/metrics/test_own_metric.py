"""A metric of one's own: a class in a file that the study file names."""

import numpy as np
import pytest

from helpers import study as studies
from helpers.checking import DataError
from helpers.metrics.building import measurer_of
from helpers.metrics.cases import Case
from helpers.metrics.measurer import ModelError
from helpers.metrics.run import measure
from helpers.video.write import write_clip

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
        ({'"version": 1': '"version": object()'}, {}, r"Mine.settings: found object .*what JSON can hold"),
        ({"    settings": "    metrics = ()\n    settings"}, {}, r"Mine declares the metrics \(\)"),
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
    ("body", "status", "said"),
    [
        ("[Outcome(values={'mine_1': 0.5})]", "ok", ""),
        ("[Outcome(values={'mine_1': np.float32(0.5)}, notes=[], details={'a': np.arange(2)})]", "ok", ""),
        ("[Outcome(values={'mine_1': 1.000001})]", "ok", ""),
        ("[Outcome(values={'mine_1': None})]", "unscored", ""),
        ("[Outcome(values={'mine_1': 1.7})]", "unscored", "mine_1: found 1.7, expected 0 to 1"),
        ("[Outcome(values={'mine_1': float('nan')})]", "unscored", "mine_1: found nan, expected 0 to 1"),
        ("[Outcome(values={'mine_1': '0.5'})]", "failed", "found mine_1 '0.5', expected a number or None"),
        ("[Outcome(values={'mine_2': 0.5})]", "failed", "found the value 'mine_2'; did you mean 'mine_1'"),
        ("[Outcome(values={}, details={'a': object()})]", "failed", "expected what JSON can hold"),
        ("[None]", "failed", "found NoneType None, expected an Outcome"),
        ("[]", "failed", "found 0 outcomes of 1 clips, expected one each"),
        ("{}[0]", "failed", "mine.py: line 16: KeyError: 0"),
    ],
)
def test_whatever_it_returns_is_a_value_or_a_reason_and_no_crash(built, tmp_path, body, status, said):
    imports = "import numpy as np\nfrom helpers.metrics.measurer import Outcome\n"
    _, measurer = built(imports + FILE.replace("return []", f"return {body}"))
    write_clip(tmp_path / "a.mp4", np.zeros((4, 32, 32, 3), np.uint8), 4)
    cases = [Case(video_id="a", path=tmp_path / "a.mp4")]
    [row] = measure([measurer], cases, tmp_path / "logs", quiet=True).about.to_dict("records")
    assert row["status"] == status
    assert said in row["reason"] + "; ".join(row["notes"])
    assert (0 <= row["value"] <= 1) == (status == "ok")


def test_a_load_that_fails_ends_its_run_with_the_line(built):
    _, measurer = built(FILE.replace("return {}", "return {}['weights']"))
    with pytest.raises(ModelError, match=r"mine.py: line 11: KeyError: 'weights'"):
        measurer.load()


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (
            "{kind: own, name: mine, file: none.py, measurer: Mine}",
            r"study.yaml: line 4: none.py: no such file",
        ),
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
