"""What a study lacks for the statistics notebooks, and that these run on a study without people."""

from functools import partial
from types import SimpleNamespace

import nbformat
import pandas as pd
import pytest

from helpers import figures
from helpers import study as studies
from helpers.metrics.registry import declared
from helpers.paths import NOTEBOOKS
from helpers.simulate import lacks
from helpers.simulate.culturescore import culturescore_study
from helpers.simulate.culturevidbench import culturevidbench_study
from helpers.simulate.lacks import rows_by, too_few, too_few_groups
from helpers.simulate.landmarks import Metric, landmarks_study
from helpers.simulate.raters import Rater, cohort
from helpers.tables import write

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


def test_a_judge_s_rows_are_never_people_s():
    tables = culturevidbench_study(seed=1).tables
    assert rows_by(tables, "ratings", "human").empty
    assert set(rows_by(tables, "ratings", "judge")["rater_id"]) == {"simulated-judge"}


@pytest.fixture(scope="module")
def paired():
    person = Rater(rater_id="person", kind="human", native=True, attention=True)
    people = cohort(["Japan", "Nigeria", "India"], 2, person)
    return culturevidbench_study(seed=1, people=people).tables


NEEDS = {
    "gaps": partial(lacks.for_country_gaps, before="Wan 2.2", after="Kling 3.0"),
    "pilot": lacks.for_a_pilot,
    "judge": partial(lacks.for_a_judge_beside_people, judge="simulated-judge", criterion="realism"),
    "agreement": partial(lacks.for_agreement, criterion="realism"),
}


@pytest.mark.parametrize("need", NEEDS.values(), ids=NEEDS)
def test_people_in_three_countries_suffice_and_a_judge_alone_does_not(paired, need):
    assert need(paired) == ""
    alone = need(culturevidbench_study(seed=1).tables)
    assert alone.startswith(("no ratings of cultural faithfulness by people", "no grades of realism by"))


def test_a_judge_or_a_model_that_is_not_there_is_named_with_its_parameter(paired):
    judge = lacks.for_a_judge_beside_people(paired, judge="nobody", criterion="realism")
    assert judge == "no grades of realism by a judge 'nobody' (the parameter `judge`)"
    model = lacks.for_country_gaps(paired, before="Wan 2.2", after="Wan 9")
    assert model.endswith("for the model Wan 9 (the parameter `after`)")


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


def run(name, study):
    """Run a notebook's code on a study; what its variables are then."""
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    space = {}
    for cell in notebook.cells:
        if cell.cell_type == "code":
            exec(compile(cell.source, name, "exec"), space)
        if "parameters" in cell.metadata.get("tags", []):
            space |= {"study": str(study)} | QUICK[name]
    return space


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
def test_notebooks_run_on_a_study_with_a_judge_and_no_people(judged, monkeypatch, capsys, name):
    monkeypatch.setattr(studies, "STUDIES", judged.parent)
    space = run(name, judged)
    source = space.get("source") or space["triplets"]
    # Short against detailed prompts need a judge only.
    assert source.simulated == (name != "64_prompt_specificity")
    assert source.why.startswith("The study judged has ") == source.simulated
    assert source.why in capsys.readouterr().out


@pytest.fixture(scope="module")
def surveyed(tmp_path_factory):
    """A study of silent models whose people hardly agree, with an outsider in one country."""
    native = Rater(rater_id="native", kind="human", native=True, attention=True, reliability=0.02)
    outsider = Rater(rater_id="outsider", kind="human", native=False, attention=True)
    people = [*cohort(["Japan", "Nigeria", "India"], 2, native), *cohort(["Japan"], 1, outsider)]
    made = culturevidbench_study(seed=1, people=people).tables
    silent = made["ratings"]["criterion"].eq("audio_alignment")
    made["ratings"]["score"] = made["ratings"]["score"].mask(silent)
    folder = tmp_path_factory.mktemp("studies")
    for name, rows in made.items():
        write(folder / "surveyed", name, rows)
    file = folder / "surveyed.yaml"
    file.write_text("name: surveyed\nseed: 1\n", encoding="utf-8")
    return file


@pytest.mark.slow
@pytest.mark.parametrize(("name", "what"), [("52_agreement", "grades"), ("61_judge_and_people", "source")])
def test_notebooks_take_what_a_survey_brings(surveyed, monkeypatch, capsys, name, what):
    monkeypatch.setattr(studies, "STUDIES", surveyed.parent)
    assert not run(name, surveyed)[what].simulated


# Scores of landmarks: the metrics of a study, and what a notebook takes of them beside people and the judge.
MEASURED = {
    "all that there are": (
        declared(),
        ["patch_clip", "keypoint_alignment", "aigve_macs_overall", "viclip"],
    ),
    "other kinds": (
        ["motion", "flicker", "patch_hog", "keypoint_alignment_xfeat", "videoscore_1_1_mean", "clip_text"],
        ["patch_hog", "keypoint_alignment_xfeat", "videoscore_1_1_mean", "clip_text"],
    ),
    "no quality": (["motion", "keypoint_density", "patch_whole"], ["patch_whole"]),
    "none of GAP's": (["motion", "flicker"], []),
}


def of_metrics(folder, metrics, **more):
    """The file of a study whose landmark clips people and these metrics scored."""
    people = [Rater(rater_id=f"person-{k}", kind="human", reliability=0.6) for k in (1, 2)]
    metrics = [Metric(name=name, mean=2, sd=0.5, knowledge=0.3) for name in metrics]
    for name, rows in landmarks_study(seed=1, people=people, metrics=metrics, **more).tables.items():
        write(folder / "measured", name, rows)
    file = folder / "measured.yaml"
    file.write_text("name: measured\nseed: 1\n", encoding="utf-8")
    return file


@pytest.fixture(scope="module", params=MEASURED)
def measured(request, tmp_path_factory):
    """A study file, and which of its metrics are taken."""
    metrics, taken = MEASURED[request.param]
    study = of_metrics(tmp_path_factory.mktemp("studies"), metrics)
    return SimpleNamespace(study=study, taken=taken, left_out=len(metrics) - len(taken))


@pytest.fixture
def drawn(monkeypatch):
    """Every caption that a notebook shows, and the titles of each figure's panels by its file."""
    seen = SimpleNamespace(captions=[], titles={})
    really = figures.show

    def show(figure, path, *, caption, **more):
        seen.captions.append(caption)
        seen.titles[path.stem] = [ax.get_title(loc="left") for ax in figure.axes]
        return really(figure, path, caption=caption, **more)

    def table(frame, *, caption, **more):
        seen.captions.append(caption)

    monkeypatch.setattr(figures, "show", show)
    monkeypatch.setattr(figures, "table", table)
    return seen


@pytest.mark.slow
def test_page_views_take_a_metric_for_each_of_gap_s_measures(measured, drawn, monkeypatch):
    monkeypatch.setattr(studies, "STUDIES", measured.study.parent)
    space = run("63_popularity_and_regions", measured.study)
    assert not space["source"].simulated
    assert list(space["matrix"].index) == ["judge", *measured.taken]
    quality = [name for name in measured.taken if name.startswith(("aigve_macs", "videoscore"))]
    assert drawn.titles["63-page-views"] == ["people", "judge", *quality]
    said = " ".join(drawn.captions)
    assert "nan" not in said
    about = [f"The intervals of quality ({name}) all lie within ±0." for name in quality]
    assert (about or ["There is no score of quality"])[0] in said
    assert (about or ["There is no correlation with a score of quality"])[0] in said
    assert f"Metrics left out: {measured.left_out}" in said


@pytest.mark.slow
def test_page_views_of_one_score_are_drawn_and_nothing_is_correlated(tmp_path, drawn, monkeypatch):
    monkeypatch.setattr(studies, "STUDIES", tmp_path)
    space = run("63_popularity_and_regions", of_metrics(tmp_path, ["motion"], judges=()))
    assert not space["source"].simulated
    assert drawn.titles["63-page-views"] == ["people"]
    assert "63-correlations" not in drawn.titles


@pytest.mark.slow
def test_specificity_takes_a_metric_for_each_of_gap_s_measures(measured, drawn, monkeypatch):
    monkeypatch.setattr(studies, "STUDIES", measured.study.parent)
    space = run("64_prompt_specificity", measured.study)
    assert not space["source"].simulated
    scores = ["people", "judge", *measured.taken]
    assert list(space["both"]) == list(space["sizes"]["score"]) == scores
    assert set(space["rules"]["score"]) == {"judge", *measured.taken[:1]}
    said = " ".join(drawn.captions)
    assert "nan" not in said
    assert f"Metrics left out: {measured.left_out}" in said


@pytest.fixture
def grades():
    """Two people of two countries grade four clips each, under two criteria."""
    rows = [
        {
            "criterion": criterion,
            "country": country,
            "video_id": f"{country}-{clip}",
            "rater_id": f"{country}-{one}",
        }
        for criterion in ("realism", "audio_alignment")
        for country in ("Japan", "Nigeria")
        for clip in range(4)
        for one in "ab"
    ]
    return pd.DataFrame(rows).assign(score=pd.array([3.0] * len(rows), "Float64"))


def test_grades_of_several_people_are_kept(grades, capsys):
    assert lacks.graded_together(grades).equals(grades)
    assert not capsys.readouterr().out


def test_a_criterion_that_hardly_anybody_graded_goes_and_is_named(grades, capsys):
    heard = grades["criterion"].eq("audio_alignment")
    silent = grades.assign(score=grades["score"].mask(heard))
    assert set(lacks.graded_together(silent)["criterion"]) == {"realism"}
    said = "left out, fewer than 3 clips graded by several people in all countries but one at most: "
    assert capsys.readouterr().out == f"{said}audio_alignment\n"


def test_a_country_with_few_clips_or_one_person_goes_and_is_named(grades, capsys):
    more = grades.assign(
        country=grades["country"] + "!", video_id="m" + grades["video_id"], rater_id="m" + grades["rater_id"]
    )
    more = more[~more["video_id"].str.endswith(("2", "3")) | more["country"].eq("Japan!")]
    more = more[~more["rater_id"].str.endswith("b") | more["country"].eq("Nigeria!")]
    both = pd.concat([grades, more], ignore_index=True)
    assert lacks.graded_together(both).equals(grades)
    said = "left out, fewer than 3 clips graded by several people: realism in Japan!, Nigeria!\n"
    assert said in capsys.readouterr().out
