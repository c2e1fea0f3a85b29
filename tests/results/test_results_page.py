import pandas as pd
import pytest

from helpers import schemas, tables
from helpers import study as studies
from helpers.judging.named import NamedJudge
from helpers.reports.panels import judge_of, panels
from helpers.results import page as pages
from helpers.results.page import Drawn, LackingError, Listed, open_page, open_pages
from helpers.simulate.culturescore import culturescore_study
from helpers.simulate.raters import Rater, cohort


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.setattr(studies, "STUDIES", tmp_path)
    return studies.Study(name="small", seed=0)


@pytest.fixture
def filled(study):
    made = culturescore_study(seed=0, scenarios=1)
    for name, rows in made.tables.items():
        tables.write(study.folder, name, rows)
    return study


def test_a_study_without_any_table_has_every_table_without_rows(study):
    page = open_page(study, "culturescore")
    assert set(page.tables) == set(schemas.TABLES)
    assert all(rows.empty for rows in page.tables.values())
    assert not page.simulated


@pytest.mark.parametrize(
    ("ask", "table", "command"),
    [
        (lambda page: page.need("prompts"), "prompts", "notebooks 11, 12 and 13"),
        (lambda page: page.judge(), "answers", "python -m helpers.judging STUDY.yaml"),
        (lambda page: page.people(), "answers", "python -m helpers.simulate.people STUDY.yaml"),
        (lambda page: page.metric("viclip"), "metric_values", "python -m helpers.metrics STUDY.yaml"),
        (lambda page: page.need("rankings"), "rankings", "python -m helpers.simulate.people STUDY.yaml"),
    ],
)
def test_what_is_lacking_names_the_table_and_what_fills_it(study, ask, table, command):
    why = open_page(study, "culturescore").get(ask, open_page(study, "culturescore"))
    assert isinstance(why, LackingError)
    assert f"'{table}'" in str(why)
    assert command in str(why)


def test_every_table_has_a_way_to_be_filled():
    assert set(pages.FILLED_BY) == set(schemas.TABLES)


def test_what_is_lacking_is_handed_on_and_shown_as_a_sentence(study):
    page = open_page(study, "culturescore")
    why = page.get(page.judge)
    assert page.get(len, why) is why
    shown = page.show("figure", lambda found: Drawn(None, "", ""), why).data
    assert "Nothing to show here" in shown
    assert "Nothing to show here" in page.list(lambda found: Listed(found, ""), why).data
    assert not (study.folder / "figures").exists()


def test_a_sentence_is_escaped(study):
    page = open_page(study, "culturescore")
    shown = page.list(lambda: (_ for _ in ()).throw(LackingError("no <b>model</b>"))).data
    assert "&lt;b&gt;model" in shown


def test_a_command_in_a_sentence_is_shown_as_code(study):
    page = open_page(study, "culturescore")
    assert "<code>python -m helpers.judging STUDY.yaml</code>" in page.list(page.judge).data
    assert "<code>&lt;b&gt;</code> and one `" in pages.lacking("`<b>` and one `").data


def test_other_errors_are_not_hidden(study):
    with pytest.raises(ZeroDivisionError):
        open_page(study, "culturescore").get(lambda: 1 / 0)


def test_rows_of_another_benchmark_are_left_out(filled):
    assert not open_page(filled, "culturescore").tables["videos"].empty
    other = open_page(filled, "culturevidbench")
    assert all(rows.empty for rows in other.tables.values())


def test_the_pages_of_all_benchmarks_read_each_table_once(filled, monkeypatch):
    read, names = pages.read, []
    monkeypatch.setattr(
        pages, "read", lambda folder, name, **how: names.append(name) or read(folder, name, **how)
    )
    found = open_pages(filled)
    assert len(names) == len(set(names))
    one = open_page(filled, "culturescore")
    for name, rows in found["culturescore"].tables.items():
        pd.testing.assert_frame_equal(rows, one.tables[name])


@pytest.fixture
def worded(filled):
    """The study, whose judges have written something about every answer; two of its clips."""
    answers = tables.read(filled.folder, "answers")
    rows = answers[["video_id", "question_id", "rater_id"]].agg(" ".join, axis=1)
    settings = '{"key": "' + rows + '"}'
    answers = answers.assign(raw="raw " + rows, reasoning="since " + rows, settings=settings)
    tables.write(filled.folder, "answers", answers)
    return filled, list(answers["video_id"].unique()[[5, 2]])


def test_words_stay_on_the_disk_until_clips_are_named(worded):
    study, clips = worded
    page = open_page(study, "culturescore")
    assert not {*tables.TEXTS} & {*page.tables["answers"]}
    assert "settings" in page.tables["videos"]
    found = page.with_words(clips).tables["answers"]
    every = tables.read(study.folder, "answers")
    expected = every[every["video_id"].isin(clips)].reset_index(drop=True)
    pd.testing.assert_frame_equal(found[list(expected)], expected)
    assert len(page.tables["answers"]) == len(every)


def test_words_that_a_page_has_already_are_kept_and_the_disk_is_not_asked(worded):
    study, clips = worded
    page = open_page(study, "culturescore").with_words(clips)
    (study.folder / "tables" / "answers.parquet").unlink()
    again = page.with_words(clips[:1]).tables["answers"]
    known = page.tables["answers"]
    pd.testing.assert_frame_equal(again, known[known["video_id"].eq(clips[0])])
    assert page.with_words([]).tables["answers"].empty


def test_a_row_that_the_disk_has_no_longer_has_no_words(worded):
    study, clips = worded
    page = open_page(study, "culturescore")
    answers = tables.read(study.folder, "answers")
    lost = answers["video_id"].eq(clips[0])
    tables.write(study.folder, "answers", answers[~lost])
    found = page.with_words(clips).tables["answers"]
    assert len(found) == answers["video_id"].isin(clips).sum()
    assert found.loc[found["video_id"].eq(clips[0]), "raw"].isna().all()
    assert found.loc[found["video_id"].eq(clips[1]), "raw"].str.startswith("raw ").all()


def test_a_page_without_answers_has_no_words_to_read(study):
    assert open_page(study, "culturescore").with_words(["clip"]).tables["answers"].empty


def test_rows_that_lead_to_no_prompt_are_counted_where_the_others_are_shown(filled):
    assert open_page(filled, "culturescore").left_out == {}
    prompts, answers = (tables.read(filled.folder, name) for name in ("prompts", "answers"))
    gone = prompts["prompt_id"].iloc[0]
    videos = tables.read(filled.folder, "videos")
    clips = videos.loc[videos["prompt_id"].eq(gone), "video_id"]
    replies = answers["video_id"].isin(clips).sum()
    assert replies > 0
    tables.write(filled.folder, "prompts", prompts[prompts["prompt_id"].ne(gone)])
    page = open_page(filled, "culturescore")
    assert page.left_out == {"videos": len(clips), "answers": replies}
    assert page.left_out == open_page(filled, "landmarks").left_out
    said = f"lack their prompt, clip or question: {len(clips):,} of videos, {replies:,} of answers"
    assert said in page.list(lambda: Listed(prompts[["country"]], "countries")).data
    assert said in str(page.get(page.need, "ratings"))


def test_answers_about_clips_that_are_gone_are_counted(filled):
    videos = tables.read(filled.folder, "videos")
    tables.write(filled.folder, "videos", videos.iloc[1:])
    replies = tables.read(filled.folder, "answers")["video_id"].eq(videos["video_id"].iloc[0]).sum()
    assert open_page(filled, "culturescore").left_out == {"answers": replies}


def test_people_who_count_nowhere_are_left_out_and_counted_in_captions(study):
    person = Rater(rater_id="person", kind="human")
    made = culturescore_study(seed=0, scenarios=3, judges=(), people=cohort(["Japan"], 4, person)).tables
    raters = made["raters"].assign(
        attention=pd.array([True, False, False, None], "boolean"),
        native=pd.array([False, None, False, None], "boolean"),
    )
    for name, rows in (made | {"raters": raters}).items():
        tables.write(study.folder, name, rows)
    page = open_page(study, "culturescore")
    assert set(page.tables["answers"]["rater_id"]) == {raters["rater_id"].iloc[3]}
    assert list(page.tables["raters"]["rater_id"]) == [raters["rater_id"].iloc[3]]
    assert "(people left out: 2 failed an attention check, 1 not native)" in page.told


def test_judges_are_found_by_what_they_said(filled):
    page = open_page(filled, "culturescore")
    assert page.judges() == ["simulated-judge"]
    assert page.judge("simulated-judge") == "simulated-judge"
    with pytest.raises(LackingError, match="nothing by the judge 'gemini'"):
        page.judge("gemini")


def test_every_page_takes_the_study_files_first_judge_and_then_the_others_by_name(filled):
    raters, answers = (tables.read(filled.folder, name) for name in ("raters", "answers"))
    for table in ("raters", "answers"):
        tables.table_path(filled.folder, table).unlink()
    for name in ("Zoe", "Ada", "Bob"):
        tables.write(filled.folder, "raters", raters.assign(rater_id=name, kind="judge"), part=name.lower())
        tables.write(filled.folder, "answers", answers.assign(rater_id=name), part=name.lower())
    server = {"kind": "server", "model": "m", "base_url": "http://localhost/v1"}
    named = [NamedJudge(name=name, **server) for name in ("Unasked", "Zoe")]
    page = open_page(filled.model_copy(update={"judges": named}), "culturescore")
    assert page.judges() == ["Zoe", "Ada", "Bob"]
    assert judge_of(panels(page)).who == page.judge() == "Zoe"
    assert open_page(filled, "culturescore").judge() == "Ada"


def test_figures_of_simulated_clips_or_raters_are_marked(filled):
    assert not open_page(filled, "culturescore").simulated
    assert open_page(filled.model_copy(update={"simulated": True}), "culturescore").simulated
    videos = tables.read(filled.folder, "videos")
    tables.write(filled.folder, "videos", videos.assign(settings='{"made": {"simulated": true}}'))
    assert open_page(filled, "culturescore").simulated


def test_simulated_raters_play_people_where_they_have_a_cohort_and_judges_elsewhere(filled):
    raters = pd.DataFrame(
        {
            "rater_id": ["simulated-judge", "person"],
            "kind": "simulated",
            "country": [None, "Japan"],
            "native": None,
            "language": None,
            "blinded": None,
            "attention": None,
        }
    )
    tables.write(filled.folder, "raters", raters)
    answers = tables.read(filled.folder, "answers")
    tables.write(filled.folder, "answers", pd.concat([answers, answers.head(1).assign(rater_id="person")]))
    page = open_page(filled, "culturescore")
    assert page.simulated
    assert page.judges() == ["simulated-judge"]
    assert page.people() == "human"


def test_a_metric_counts_only_with_a_value(filled):
    videos = tables.read(filled.folder, "videos")["video_id"]
    rows = pd.DataFrame(
        {
            "video_id": videos[:2],
            "metric": ["videoscore_mean", "aigve_macs"],
            "value": [None, 3.5],
            "status": ["failed", "ok"],
        }
    )
    tables.write(filled.folder, "metric_values", rows)
    assert open_page(filled, "culturescore").metric("videoscore_mean", "aigve_macs") == "aigve_macs"
