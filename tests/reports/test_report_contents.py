"""What reports choose and compute, counted by hand on small tables."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from scipy.stats import t

from helpers import tables
from helpers.reports.changes import Run, changed_most, judge_change, model_change
from helpers.reports.evidence import clip_facts, clip_scores, evidence
from helpers.reports.judged import open_all, open_judged
from helpers.reports.leaderboards import beside, leaderboards
from helpers.reports.materials import material
from helpers.reports.pairs import paired_cases
from helpers.reports.profiles import extremes, main_variant, metric_cells, outcomes, profile_cells
from helpers.reports.sections import leaderboard, report_cards
from helpers.reports.selection import ALIKE, ALONE, HIGHER, LOWER, examples, failures, stands
from helpers.reports.settings import settings_of
from helpers.reports.thumbnails import thumbnail
from helpers.study import Study
from reports.report_study import JUDGES, KEY, MODELS, TRAP, write_study


def scores(*rows):
    """Rows (clip, country, criterion, judge, people)."""
    frame = pd.DataFrame(rows, columns=["video_id", "country", "criterion", "judge", "people"])
    frame = frame.astype({"judge": float, "people": float})
    return frame.assign(apart=frame["judge"] - frame["people"], group="food", model="m")


def test_failures_are_low_or_divided_and_nothing_else():
    found = failures(
        scores(
            ("low", "Japan", "realism", 0.25, 0.5), ("divided", "Japan", "realism", 1, 0.5),
            ("people low", "Japan", "realism", 0.5, 0.0), ("fine", "Japan", "realism", 0.5, 0.75),
            ("alone", "Japan", "realism", 0.0, None), ("unjudged", "Japan", "realism", None, None),
        ),
        most=10,
    )  # fmt: skip
    assert set(found.clips["video_id"]) == {"low", "divided", "people low", "alone"}
    assert found.found == 4
    stand = found.clips.set_index("video_id")["stand"].to_dict()
    assert stand == {"low": ALIKE, "divided": HIGHER, "people low": HIGHER, "alone": ALONE}


def test_countries_take_turns_and_the_lowest_comes_first():
    many = [(f"j{at}", "Japan", "realism", 0.1, None) for at in range(20)]
    found = failures(
        scores(*many, ("b", "Brazil", "realism", 0.2, None), ("i", "India", "realism", 0.0, None)), 4
    )
    assert list(found.clips["country"]) == ["Brazil", "India", "Japan", "Japan"]
    assert found.found == 22


def test_criteria_take_turns_within_a_country():
    many = [(f"r{at}", "Japan", "realism", 0.0, None) for at in range(9)]
    found = failures(scores(*many, ("t", "Japan", "text_rendering", 0.25, None)), most=2)
    assert {each[0] for each in found.clips["criteria"]} == {"realism", "text_rendering"}


def test_the_same_seed_chooses_the_same_and_no_failure_is_no_error():
    many = scores(*[(f"j{at}", "Japan", "realism", 0.1, None) for at in range(30)])
    first, again = (list(failures(many, 5, seed=4).clips["video_id"]) for _ in range(2))
    assert first == again
    assert first != list(failures(many, 5, seed=5).clips["video_id"])
    assert failures(scores(("a", "Japan", "realism", 1, 1)), 5).clips.empty


def test_stands_are_named_from_the_threshold_on():
    assert list(stands(pd.Series([0.5, -0.5, 0.49, np.nan]), 0.5)) == [HIGHER, LOWER, ALIKE, ALONE]


def test_examples_are_the_highest_and_the_lowest_and_never_one_clip_twice():
    table = scores(
        ("a", "Japan", "x", 0.1, None), ("b", "Japan", "x", 0.9, None), ("c", "Brazil", "x", 1, None)
    )
    assert examples(table, "country", "Japan") == ["b", "a"]
    assert examples(table, "country", "Brazil") == ["c"]
    assert examples(table, "country", "Chile") == []


def test_a_clips_score_is_the_mean_of_its_questions_and_grades(reports):
    culturescore, grades, _ = reports
    for judged in (culturescore, grades):
        judge = judged.judge(JUDGES[1])
        found = clip_scores(judged, judge, judged.people)
        tables = judged.page.tables
        row = found[found["n_judge"].gt(0)].iloc[0]
        if judged is grades:
            rows = tables["ratings"]
            rows = rows[rows["rater_id"].eq(JUDGES[1]) & rows["video_id"].eq(row["video_id"])]
            expected = (rows.loc[rows["criterion"].eq(row["criterion"]), "score"].item() - 1) / 4
        else:
            rows = tables["answers"].merge(tables["questions"], on="question_id")
            rows = rows[rows["rater_id"].eq(JUDGES[1]) & rows["video_id"].eq(row["video_id"])]
            expected = rows.loc[rows["dimension"].eq(row["criterion"]), "answer"].astype(float).mean()
        assert row["judge"] == pytest.approx(expected)


def test_apart_is_taken_over_what_both_scored(reports):
    found = clip_scores(reports[0], reports[0].judge(), reports[0].people)
    both = found[found["judge"].notna() & found["people"].notna()]
    assert len(both)
    assert found.loc[found["judge"].isna() | found["people"].isna(), "apart"].isna().all()
    assert both["apart"].to_numpy() == pytest.approx((both["judge"] - both["people"]).to_numpy())


def test_evidence_says_what_was_said_and_why_and_shows_an_unread_reply_without_keys(reports):
    judged = reports[0]
    judge = judged.judge()
    clips = judged.page.tables["videos"]["video_id"]
    found = evidence(judged, clips, [judge, judged.people])
    assert set(found["panel"]) == {judge.title, "people"}
    assert set(found["said"]) == {"yes", "no", "unscored"}
    read = found[found["status"].eq("ok")]
    assert read["words"].str.startswith("reasoning").all()
    assert not read["words"].str.contains("boxed").any()
    unread = found.loc[found["status"].eq("unscored"), "words"]
    assert len(unread)
    assert unread.str.contains("raw").all()
    assert not unread.str.contains(KEY).any()
    assert not unread.str.contains("/srv/secret").any()


def test_evidence_of_grades_names_the_scale(reports):
    judged = reports[1]
    clip = judged.page.tables["videos"]["video_id"].iloc[0]
    found = evidence(judged, [clip], [judged.judge()])
    assert len(found) == 7
    assert found["said"].str.fullmatch(r"[1-5] of 5").all()
    assert found["words"].str.contains(TRAP, regex=False).all()


def test_facts_come_in_the_order_asked_for(reports):
    clips = list(reports[1].page.tables["videos"]["video_id"][[5, 1, 3]])
    assert list(clip_facts(reports[1], clips)["video_id"]) == clips


def test_a_board_has_every_model_score_and_count(reports):
    boards = leaderboards(reports[1])
    assert [board.panel.title for board in boards] == ["people", *JUDGES]
    rows = boards[1].rows
    assert set(rows["model"]) == set(MODELS)
    judge = reports[1].page.tables["ratings"].query("rater_id == @JUDGES[0]")
    model = reports[1].page.tables["videos"].set_index("video_id")["model"]
    realism = judge[judge["criterion"].eq("realism")]
    expected = ((realism["score"].astype(float) - 1) / 4).groupby(realism["video_id"].map(model)).mean()
    found = rows[rows["score"].eq("realism")].set_index("model")["estimate"]
    assert found.to_dict() == pytest.approx(expected.to_dict())
    headline = rows[rows["score"].eq("cultural_by_groups")]["estimate"]
    assert list(headline) == sorted(headline, reverse=True)


def test_a_board_counts_the_clips_of_which_an_answer_counts(reports):
    judged = reports[0]
    answers, questions = (judged.page.tables[name] for name in ("answers", "questions"))
    people = answers[answers["rater_id"].eq("person-1") & answers["status"].eq("ok")]
    assert people["video_id"].nunique() == 12
    about = questions.loc[questions["scenario_id"].eq("Japan-0"), "question_id"]
    relevance = pd.DataFrame({"question_id": about, "rater_id": "person-1", "relevant": False})
    page = replace(judged.page, tables=dict(judged.page.tables) | {"relevance": relevance})
    before = leaderboards(judged)[0]
    after = leaderboards(replace(judged, page=page, _cases={}))[0]
    assert (before.panel.people, before.clips, before.clusters) == (True, 12, "6 scenarios")
    assert (after.panel.people, after.clips, after.clusters) == (True, 10, "5 scenarios")


def test_beside_people_the_difference_is_that_of_the_two_scores(reports):
    rows = beside(reports[1], reports[1].judge(), reports[1].people)
    wide = rows.pivot_table(index="model", columns="what", values="estimate")
    assert wide["difference"].to_numpy() == pytest.approx((wide["judge"] - wide["people"]).to_numpy())


def test_pairs_keep_what_either_lost(reports):
    judged = reports[0]
    first, second = (judged.cases(judged.judge(name)) for name in JUDGES)
    both = paired_cases(first, second, judged.framework)
    assert len(both) == len(first)
    lost = set(first.loc[first["outcome"].ne("scored")].index) | set(
        second.loc[second["outcome"].ne("scored")].index
    )
    assert int(both["value"].isna().sum()) == len(lost)
    assert both["outcome"].ne("scored").sum() == len(lost)


def test_a_change_of_judges_is_the_mean_of_paired_differences_with_scipys_t(reports):
    judged = reports[1]
    first, second = (Run(judged, judged.judge(name)) for name in JUDGES)
    change = judge_change(first, second)
    ratings = judged.page.tables["ratings"]
    wide = ratings[ratings["criterion"].eq("realism")].pivot_table(
        index="video_id", columns="rater_id", values="score", aggfunc="first"
    )
    wide = wide.astype(float)
    difference = (wide[JUDGES[1]] - wide[JUDGES[0]]) / 4
    prompt = judged.page.tables["videos"].set_index("video_id")["prompt_id"]
    by_prompt = difference.groupby(prompt).mean()
    row = change.differences.set_index("score").loc["realism"]
    assert row["estimate"] == pytest.approx(difference.mean())
    reach = t.ppf(0.975, len(by_prompt) - 1) * by_prompt.std() / np.sqrt(len(by_prompt))
    assert row["high"] - row["estimate"] == pytest.approx(reach)
    assert row["alike"] == pytest.approx(difference.eq(0).mean())
    clips = change.clips.set_index("video_id")
    assert (clips["second"] - clips["first"]).to_numpy() == pytest.approx(clips["change"].to_numpy())


def test_changed_clips_are_those_that_changed_most():
    clips = pd.DataFrame({"video_id": list("abcd"), "change": [0.1, -0.9, 0.0, 0.5]})
    assert changed_most(clips, 2) == ["b", "d"]
    assert changed_most(clips, 9) == ["b", "d", "a"]


def test_a_judge_against_itself_changes_nothing(reports):
    run = Run(reports[1], reports[1].judge())
    change = judge_change(run, run)
    known = change.differences["estimate"].dropna()
    assert known.eq(0).all()
    assert changed_most(change.clips, 5) == []


def test_gaps_change_by_what_the_country_gained_beyond_the_others(reports):
    run = Run(reports[1], reports[1].judge())
    change = model_change(run, run, *MODELS)
    found = {name: each.estimate for name, each in change.gaps.change.items()}
    assert sum(found.values()) == pytest.approx(0)
    with pytest.raises(ValueError, match="no prompt with a scored clip of both"):
        model_change(run, run, MODELS[0], "absent")
    with pytest.raises(ValueError, match="as both models, expected two"):
        model_change(run, run, MODELS[0], MODELS[0])


def test_extremes_are_disjoint_and_ordered():
    cells = pd.DataFrame({"score": "s", "estimate": [0.5, 0.1, 0.9, np.nan, 0.3], "aspect": list("abcde")})
    high, low = extremes(cells, "s", 3)
    assert list(high["aspect"]) == ["c", "a"]
    assert list(low["aspect"]) == ["b", "e"]
    assert all(part.empty for part in extremes(cells.head(1), "s", 3))


@pytest.mark.parametrize(
    ("variants", "expected"),
    [(["base", "extended", "extended"], "base"), (["no_country", "extended"], "extended"),
     (["no_country"], None), (["short", "detailed"], "detailed")],
)  # fmt: skip
def test_cards_look_at_prompts_that_name_their_country(variants, expected):
    assert main_variant(pd.DataFrame({"variant": variants, "value": 1.0})) == expected


def test_cells_of_a_country_are_its_clips_alone(reports):
    cells = profile_cells(reports[0], reports[0].judge(), ["country"])
    assert set(cells["country"]) == {"Brazil", "Japan"}
    assert set(cells["variant"]) == {"base"}
    assert cells.loc[cells["score"].eq("macro"), "asked"].sum() == 36


@pytest.mark.parametrize(("aspects", "tables"), [(["food"], 0), (["food", "games"], 1)])
def test_a_card_compares_two_aspects_and_with_one_it_says_why_not(reports, aspects, tables):
    judged = reports[1]
    videos = judged.page.tables["videos"]
    kept = videos[videos["prompt_id"].str.contains("|".join(aspects))].reset_index(drop=True)
    page = replace(judged.page, tables=dict(judged.page.tables) | {"videos": kept})
    few = replace(judged, page=page, _cases={})
    card = BeautifulSoup(report_cards([few], "model", names=[MODELS[0]]).data, "html.parser")
    found = card.select("div[aria-label$='by aspect']")
    assert len(found) == tables
    assert all(len(each.select("tbody tr")) == 2 for each in found)
    assert ("no highest and lowest aspects, as fewer than two have a score." in card.get_text()) != bool(
        tables
    )


def test_outcomes_count_every_row(reports):
    found = outcomes(reports[0], MODELS[0]).set_index("of")
    assert found.loc["clips", "all"] == 6
    judged = found.drop("clips")
    assert judged["all"].sum() == 54
    assert judged["unscored"].sum() == reports[0].page.tables["answers"].query("status == 'unscored'")[
        "video_id"].str.endswith("/0").sum()  # fmt: skip


def test_a_model_card_has_means_over_the_clips_that_a_metric_has_a_meaning_for(reports):
    clips = reports[1].page.tables["videos"].query("model == @MODELS[1]")["video_id"]
    action, overall = "aigve_macs_action_presentence", "aigve_macs_overall"
    values = pd.concat(
        [
            pd.DataFrame({"video_id": clips, "metric": overall, "value": 2.0}),
            pd.DataFrame({"video_id": clips.iloc[::2], "metric": action, "value": 4.0}),
        ]
    ).assign(status="ok")
    page = replace(reports[1].page, tables=reports[1].page.tables | {"metric_values": values})
    judged = replace(reports[1], page=page)
    found = metric_cells(judged).set_index(["model", "score"])
    assert found.loc[(MODELS[1], action), ["estimate", "n", "asked"]].tolist() == [4, 8, 8]
    assert found.loc[(MODELS[1], overall), ["estimate", "n", "asked"]].tolist() == [2, 16, 16]
    assert not found["status"].str.contains("too few").loc[MODELS[1]].any()
    counted = outcomes(judged, MODELS[1]).set_index("of").loc["computed numbers"]
    assert counted[["ok", "missing", "all"]].tolist() == [24, 0, 24]


def test_settings_lose_keys_and_paths_and_say_what_varies(reports):
    videos = reports[0].page.tables["videos"].assign(fps=[8.0, 16.0] * 6)
    found = settings_of(videos.assign(model="one"), "one").set_index("setting")["value"]
    assert found["fps"] == "16 or 8"
    assert found["asked: note"] == "[key]"
    assert found["asked: folder"] == "[path]"
    assert found["asked: steps"] == "20 or 21"
    assert len(settings_of(videos.assign(model="one"), "one", most=2)) == 2


def test_a_clip_without_a_file_says_so(study, tmp_path):
    assert thumbnail(study.folder, "videos/clip.mp4").source.startswith("data:image/jpeg;base64,")
    assert "not in the study" in thumbnail(study.folder, "videos/absent.mp4").words
    assert "no clip file" in thumbnail(study.folder, None).words
    (tmp_path / "broken.mp4").write_bytes(b"no clip")
    broken = thumbnail(tmp_path, "broken.mp4")
    assert not broken.source
    assert str(tmp_path) not in broken.words


def test_a_study_without_tables_gets_sentences_instead_of_pages(monkeypatch, tmp_path):
    monkeypatch.setattr("helpers.study.STUDIES", tmp_path)
    empty = open_all(Study(name="empty", seed=1))
    assert all("no clips" in judged.lacking for judged in empty)
    assert material(empty[0], "country") is None
    assert "no clips of CultureScore" in leaderboard(empty[0]).data
    assert "no clips of CultureVidBench" in report_cards(empty, "model").data


def test_simulated_studies_name_models_judges_and_people_as_simulated(monkeypatch, tmp_path):
    monkeypatch.setattr("helpers.study.STUDIES", tmp_path)
    judged = open_judged(write_study(tmp_path, simulated=True, clips=False), "culturevidbench")
    assert [panel.title for panel in judged.panels] == [
        "simulated people", f"{JUDGES[0]} (simulated)", f"{JUDGES[1]} (simulated)"
    ]  # fmt: skip
    assert judged.label(MODELS[0]) == f"{MODELS[0]} (simulated)"
    assert judged.label("Simulated A") == "Simulated A"
    assert leaderboard(judged).data.count("Simulated data") == 3


def test_only_what_is_simulated_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr("helpers.study.STUDIES", tmp_path)
    study = write_study(tmp_path, clips=False)
    raters = tables.read(study.folder, "raters")
    made_up = raters["kind"].mask(raters["rater_id"].eq(JUDGES[0]), "simulated")
    tables.write(study.folder, "raters", raters.assign(kind=made_up))
    judged = open_judged(study, "culturevidbench")
    assert [panel.title for panel in judged.panels] == ["people", f"{JUDGES[0]} (simulated)", JUDGES[1]]
    assert judged.label(MODELS[0]) == MODELS[0]
    assert "Simulated data (judges, not the clips)" in leaderboard(judged).data
    tables.write(study.folder, "raters", raters)
    videos = tables.read(study.folder, "videos")
    drawn = videos["settings"].mask(videos["model"].eq(MODELS[1]), '{"simulated": true}')
    tables.write(study.folder, "videos", videos.assign(settings=drawn))
    judged = open_judged(study, "culturevidbench")
    assert [judged.label(model) for model in MODELS] == [MODELS[0], f"{MODELS[1]} (simulated)"]
    assert [panel.title for panel in judged.panels] == ["people", *JUDGES]
    assert judged.page.told == f"Simulated data (clips of {MODELS[1]})"


def test_a_model_that_was_shown_few_prompts_is_named_below_the_board(reports):
    judged = reports[1]
    assert "Shown few" not in leaderboard(judged).data
    page = judged.page
    videos = page.tables["videos"]
    kept = videos["model"].ne(MODELS[1]) | videos["prompt_id"].str.contains("food|games")
    fewer = replace(page, tables=dict(page.tables) | {"videos": videos[kept].reset_index(drop=True)})
    page = BeautifulSoup(leaderboard(replace(judged, page=fewer, _cases={})).data, "html.parser")
    told = [each.get_text() for each in page.select(".report-few")]
    assert len(told) == 3
    assert all(f"{MODELS[1]} (8 of 16)." in each for each in told)


def test_a_leaderboard_says_why_there_is_no_interval(reports):
    judged = reports[1]
    ratings = judged.page.tables["ratings"]
    same = ratings.assign(score=ratings["score"].mask(ratings["criterion"].eq("realism"), 5))
    page = replace(judged.page, tables=dict(judged.page.tables) | {"ratings": same})
    board = leaderboard(replace(judged, page=page, _cases={})).data
    expected = next(
        row.status
        for row in leaderboards(replace(judged, page=page, _cases={}))[0].rows.itertuples()
        if row.score == "realism"
    )
    assert expected.startswith("no interval: ")
    assert expected in board
