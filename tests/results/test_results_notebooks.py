"""The notebooks' cells, run in this process, on studies that have no tables or only some."""

import ast

import nbformat
import numpy as np
import pandas as pd
import pytest

from helpers import study as studies
from helpers import tables
from helpers.geography import CULTUREVIDBENCH_COUNTRIES
from helpers.paths import NOTEBOOKS
from helpers.simulate.culturescore import culturescore_study
from helpers.simulate.culturevidbench import culturevidbench_study
from helpers.simulate.landmarks import landmarks_study
from helpers.simulate.raters import Rater, cohort

NAMES = {
    "culturescore": "71_culturescore_results",
    "culturevidbench": "72_culturevidbench_results",
    "landmarks": "73_landmarks_results",
}
CLOSING = "beside this study"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(studies, "STUDIES", tmp_path)
    return tmp_path / "partial"


@pytest.fixture
def run(folder, tmp_path):
    """Run a notebook's code cells on the study and give what they display, as HTML."""
    file = tmp_path / "partial.yaml"
    file.write_text("name: partial\nseed: 3\n", encoding="utf-8")

    def run(benchmark: str, **parameters) -> list[str]:
        notebook = nbformat.read(NOTEBOOKS / f"{NAMES[benchmark]}.ipynb", as_version=4)
        space, shown = {}, []
        for cell in notebook.cells:
            if cell.cell_type != "code":
                continue
            *body, last = ast.parse(cell.source).body
            if not isinstance(last, ast.Expr):
                body, last = [*body, last], None
            exec(compile(ast.Module(body, []), NAMES[benchmark], "exec"), space)
            if last:
                value = eval(compile(ast.Expression(last.value), NAMES[benchmark], "eval"), space)
                shown += [value.data] if hasattr(value, "data") else []
            if "parameters" in cell.metadata.get("tags", []):
                space |= {"study": str(file)} | parameters
        return shown

    return run


def write(folder, found: dict[str, pd.DataFrame], *without: str) -> None:
    for name, rows in found.items():
        if name not in without:
            tables.write(folder, name, rows)


def split(shown: list[str]) -> tuple[list[str], list[str], list[str]]:
    """The figures, the tables, and the sentences that say what is lacking."""
    lacking = [one for one in shown if "Nothing to show here" in one]
    figures = [one for one in shown if "<figure" in one]
    return figures, [one for one in shown if "shown-table" in one], lacking


@pytest.mark.parametrize("benchmark", NAMES)
def test_a_study_without_tables_is_told_what_fills_them(run, folder, benchmark):
    figures, listed, lacking = split(run(benchmark))
    assert not figures
    assert len(listed) <= 1  # the paper's own numbers, with nothing beside them
    assert len(lacking) >= 12
    assert all("To fill it:" in one or "no such file" in one for one in lacking)
    assert not (folder / "figures").exists()


def test_culturescore_with_a_judge_only(run, folder):
    write(folder, culturescore_study(seed=0, scenarios=2).tables)
    figures, listed, lacking = split(run("culturescore"))
    # Dimensions, the radar, dots by country, gains and variants need answers alone.
    assert len(figures) == 5
    assert all("SIMULATED" not in one for one in figures)
    assert any(CLOSING in one for one in listed)
    said = " ".join(lacking)
    for part in ("videoscore_mean", "'no_country'", "'rankings'", "column explicit"):
        assert part in said


def test_culturescore_with_base_prompts_only_shows_these_and_says_so(run, folder):
    made = culturescore_study(seed=0, scenarios=2).tables
    base = made["prompts"].loc[made["prompts"]["variant"].eq("base"), "prompt_id"]
    clips = made["videos"][made["videos"]["prompt_id"].isin(base)]
    said = made["answers"][made["answers"]["video_id"].isin(clips["video_id"])]
    write(folder, made | {"videos": clips, "answers": said})
    figures, _, lacking = split(run("culturescore"))
    assert any("share of yes by dimension, base prompts" in one for one in figures)
    assert sum("variant 'extended'" in one for one in lacking) == 2  # the gains, which need both


def test_culturescore_with_people_and_quality(run, folder):
    resident = Rater(rater_id="person", kind="human", native=True)
    made = culturescore_study(seed=0, scenarios=3, people=cohort(["Japan", "Chile"], 2, resident)).tables
    videos = made["videos"]["video_id"]
    values = {
        "video_id": videos,
        "metric": "videoscore_mean",
        "value": np.linspace(1, 4, len(videos)),
        "status": "ok",
    }
    write(folder, made | {"metric_values": pd.DataFrame(values)})
    figures, listed, lacking = split(run("culturescore"))
    assert len(figures) == 7
    assert len(listed) == 5
    assert (
        len(lacking) == 2
    )  # no prompt without the country, and no question that says whether it is explicit


def test_culturevidbench_with_people_only(run, folder):
    resident = Rater(rater_id="person", kind="human", native=True, reliability=0.6)
    made = culturevidbench_study(seed=0, people=cohort(CULTUREVIDBENCH_COUNTRIES[:3], 2, resident)).tables
    judges = made["raters"].loc[made["raters"]["kind"].eq("judge"), "rater_id"]
    for name in ("raters", "ratings"):
        made[name] = made[name][~made[name]["rater_id"].isin(judges)].reset_index(drop=True)
    write(folder, made)
    figures, listed, lacking = split(run("culturevidbench", resamples=50))
    assert any("between people" in one for one in listed)
    assert len(figures) == 4  # Tables 1 and 2, ranks, aspects
    assert all("No judge graded" in one for one in lacking)
    assert any(CLOSING in one for one in listed)


def test_culturevidbench_with_a_judge_only(run, folder):
    write(folder, culturevidbench_study(seed=0).tables)
    figures, _, lacking = split(run("culturevidbench", resamples=50))
    assert len(figures) == 5  # Table 1, ranks, countries, cells, aspects
    assert all("by people" in one for one in lacking)


def test_landmarks_with_a_judge_only(run, folder):
    made = landmarks_study(seed=0, landmarks={"Europe": 12, "Asia": 8}, pairs=6).tables
    write(folder, made, "metric_values")
    figures, listed, lacking = split(run("landmarks", resamples=50, pictures=False))
    assert any("Europe" in one and "0 in" not in one for one in listed)
    said = " ".join(lacking)
    assert "coordinates" in said
    assert "category" in said
    assert "<code>pictures</code> is off" in said
    # Models, page views, popularity, regions; the correlation matrix needs two scores.
    assert "two kinds of scores" in said
    assert len(figures) == 4


def test_landmarks_with_metrics_only(run, folder):
    made = landmarks_study(seed=0, landmarks={"Europe": 12, "Asia": 8}, pairs=6).tables
    write(folder, made, "ratings", "raters")
    shown = run("landmarks", resamples=50, pictures=False)
    figures, listed, _ = split(shown)
    assert any("patch_clip" in one for one in listed)
    assert len(figures) == 4  # the matrix, page views, popularity, regions
