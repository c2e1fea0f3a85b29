"""Three protocols through one run, with what can go wrong with clips, replies and servers."""

import json
import random
from itertools import groupby

import pandas as pd
import pytest

from helpers import schemas, tables
from helpers.chat.ask import CannotAskError
from helpers.chat.budget import Budget
from helpers.checking import DataError
from helpers.judging import stored
from helpers.judging.judge import Judge
from helpers.judging.protocols import culturescore_protocol, culturevidbench_protocol, landmarks_protocol
from helpers.judging.run import Pace
from helpers.judging.study import judge_study, part_name, plan_study
from judging.replies import YES, fitting

REQUESTS = 10  # three questions for two clips, grades for two clips, grades for two places


def settings(rows: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame([json.loads(text) for text in rows["settings"]], index=rows.index)


def pictures_of(asked) -> tuple[str, ...]:
    return tuple(part["image_url"]["url"] for part in asked.parts if part["type"] == "image_url")


def written(study) -> dict[str, pd.DataFrame]:
    return {name: tables.read(study, name) for name in ("answers", "ratings", "raters")}


@pytest.fixture
def good(server, completion):
    server.answer = lambda asked: completion(fitting(asked.text))
    return server


@pytest.fixture
def edit(study):
    """Change a row of the study's table videos."""

    def edit(video_id: str, **values) -> None:
        videos = tables.read(study, "videos")
        for column, value in values.items():
            videos.loc[videos["video_id"].eq(video_id), column] = value
        tables.write(study, "videos", videos)

    return edit


class TestAGoodRun:
    def test_all_three_protocols_are_asked_and_written(self, good, study, judge, pace, capsys):
        report = judge_study(study, judge, pace=pace)
        assert (report.count(status="ok"), report.count()) == (REQUESTS, REQUESTS)
        assert "culturevidbench: 2 of 2 scored" in capsys.readouterr().out
        found = written(study)
        assert len(found["answers"]) == 6
        assert found["answers"]["answer"].all()
        # Seven criteria without sound for two clips, and two for two places.
        assert found["ratings"]["criterion"].value_counts().to_dict() == dict.fromkeys(
            [name for name in schemas.SCALES if name != "audio_alignment"], 2
        )
        assert set(found["ratings"]["score"]) == {4}
        assert found["raters"].loc[0, ["rater_id", "kind"]].tolist() == ["Judge A", "judge"]

    def test_each_row_says_how_it_was_asked(self, good, study, judge, pace):
        judge_study(study, judge, pace=pace)
        answers = tables.read(study, "answers")
        about = settings(answers)
        assert set(about["template"]) == {"culturescore"}
        assert set(about["version"]) == {1}
        assert set(about["model"]) == {"judge-2026"}  # by the server's account
        assert about["key"].is_unique
        # 16 of 24 frames as numpy's linspace spreads them.
        assert about["frames"].iloc[0]["indices"] == [0, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18, 20, 21, 23]
        assert answers["raw"].eq(YES).all()
        ratings = settings(tables.read(study, "ratings"))
        assert ratings["rubrics"].map(len).value_counts().to_dict() == {7: 14, 2: 4}
        assert {len(frames["indices"]) for frames in ratings["frames"]} == {16, 5}

    def test_a_clip_comes_first_and_the_question_last_and_its_questions_side_by_side(
        self, good, study, judge
    ):
        judge_study(study, judge, pace=Pace(concurrency=1))
        assert all(asked.parts[-1]["type"] == "text" for asked in good.asked)
        runs = [len(list(run)) for _, run in groupby(good.asked, key=lambda asked: asked.parts[:-1])]
        assert runs == [3, 3, 1, 1, 1, 1]
        shown = {len(pictures_of(asked)) for asked in good.asked}
        assert shown == {16, 6}  # the photograph and five frames

    def test_a_clip_is_decoded_once_for_all_its_questions(self, good, study, judge, pace, monkeypatch):
        decoded = []

        def counting(path, rule, cache=None):
            decoded.append(path)
            return real(path, rule, cache)

        real = stored.sample
        monkeypatch.setattr(stored, "sample", counting)
        judge_study(study, judge, pace=pace)
        assert len(decoded) == len(set(decoded)) == 6

    def test_a_finished_run_asks_nothing_and_needs_no_clip(self, good, study, judge, pace):
        judge_study(study, judge, pace=pace)
        before = written(study)
        for path in (study / "videos").iterdir():
            path.unlink()
        report = judge_study(study, judge, pace=pace)
        assert len(good.asked) == REQUESTS
        assert report.count(status="ok") == REQUESTS
        for name, rows in written(study).items():
            pd.testing.assert_frame_equal(rows, before[name])

    def test_judges_have_parts_of_their_own(self, good, study, judge, pace):
        judge_study(study, judge, pace=pace)
        other = Judge(rater_id="Judge B", model="other", backend=judge.backend)
        judge_study(study, other, pace=pace)
        assert tables.read(study, "answers")["rater_id"].value_counts().to_dict() == {
            "Judge A": 6,
            "Judge B": 6,
        }

    @pytest.mark.parametrize("table", ["answers", "raters"])
    def test_a_damaged_part_is_named_with_what_to_do(self, good, study, judge, pace, table):
        judge_study(study, judge, pace=pace)
        path = tables.table_path(study, table, part_name(judge.rater_id))
        before = path.read_bytes()
        path.write_bytes(before[:-20])
        with pytest.raises(DataError, match=r"judge-a\.parquet: not a readable Parquet file .*delete it and"):
            judge_study(study, judge, pace=pace)
        path.unlink()
        judge_study(study, judge, pace=pace)
        assert path.read_bytes() == before
        assert len(good.asked) == REQUESTS

    def test_a_judge_whose_name_looks_like_anothers_is_refused(self, good, study, judge, pace):
        judge_study(study, judge, pace=pace)
        other = Judge(rater_id="judge-a", model="other", backend=judge.backend)
        assert part_name(other.rater_id) == part_name(judge.rater_id)
        with pytest.raises(DataError, match="expected 'judge-a'"):
            judge_study(study, other, pace=pace)


class TestClips:
    """A clip that cannot be shown costs no call and has a row with the reason."""

    def check(self, study, judge, pace, kind, status, match):
        report = judge_study(study, judge, pace=pace)
        assert report.count(kind=f"clip {kind}", status=status) == 3
        assert report.count(status="ok") == REQUESTS - 3
        rows = tables.read(study, "answers")
        rows = rows[rows["video_id"].eq("cs-0-clip")]
        assert rows["status"].tolist() == [status] * 3
        assert rows["answer"].isna().all()
        assert settings(rows)["reason"].str.contains(match).all()

    def test_one_that_was_never_made(self, good, study, judge, pace, edit):
        edit("cs-0-clip", status="blocked", path=None, sha256=None)
        self.check(study, judge, pace, "not made", "missing", "status is blocked")
        assert len(good.asked) == REQUESTS - 3

    def test_one_that_vanished(self, good, study, judge, pace):
        (study / "videos/cs-0-clip.mp4").unlink()
        self.check(study, judge, pace, "vanished", "missing", "No such file")
        assert len(good.asked) == REQUESTS - 3

    def test_one_that_was_replaced(self, good, study, judge, pace):
        (study / "videos/cs-0-clip.mp4").write_bytes((study / "videos/cs-1-clip.mp4").read_bytes())
        self.check(study, judge, pace, "changed", "failed", "found another file")
        assert len(good.asked) == REQUESTS - 3

    def test_one_that_is_no_video(self, good, study, judge, pace, edit):
        (study / "videos/cs-0-clip.mp4").write_bytes(b"no video at all")
        edit("cs-0-clip", sha256=None)
        self.check(study, judge, pace, "undecodable", "failed", "no media file")
        assert len(good.asked) == REQUESTS - 3

    def test_one_whose_frames_the_table_miscounts(self, good, study, judge, pace, edit):
        edit("cs-0-clip", frames=99)
        report = judge_study(study, judge, pace=pace)
        assert report.count(status="failed") == 3
        rows = tables.read(study, "answers")
        assert (
            settings(rows[rows["status"].eq("failed")])["reason"].str.contains("24 frames, expected 99").all()
        )

    def test_one_that_vanishes_while_others_are_asked_about(self, good, study, judge, completion):
        def respond(asked):
            (study / "videos/lm-1-clip.mp4").unlink(missing_ok=True)
            return completion(fitting(asked.text))

        good.answer = respond
        report = judge_study(study, judge, pace=Pace(concurrency=1))
        assert (report.count(status="ok"), report.count(status="failed", kind="no answer")) == (
            REQUESTS - 1,
            1,
        )
        rows = tables.read(study, "ratings")
        assert settings(rows[rows["status"].eq("failed")])["reason"].str.contains("no such file").all()

    def test_forty_that_vanished_do_not_look_like_a_server_that_is_down(self, good, study, judge, pace):
        videos = tables.read(study, "videos")
        gone = pd.concat([videos[videos["video_id"].eq("cs-0-clip")]] * 40, ignore_index=True)
        gone = gone.assign(
            video_id=[f"gone-{i}" for i in range(40)],
            sha256=[f"{i:064}" for i in range(40)],
            path="videos/gone.mp4",
        )
        tables.write(study, "videos", pd.concat([gone, videos], ignore_index=True))
        report = judge_study(study, judge, pace=pace)
        assert report.count(kind="clip vanished") == 120
        assert report.count(status="ok") == REQUESTS

    def test_what_the_table_leaves_out_is_read_from_the_files(self, good, study, judge, pace, edit):
        judge_study(study, judge, pace=pace)
        before = written(study)
        for video_id in tables.read(study, "videos")["video_id"]:
            edit(video_id, sha256=None, frames=None, fps=None, width=None, height=None)
        judge_study(study, judge, pace=pace)
        assert len(good.asked) == REQUESTS
        for name, rows in written(study).items():
            pd.testing.assert_frame_equal(rows, before[name])

    def test_a_landmark_without_photograph(self, good, study, judge, pace):
        (study / "place-0.jpg").unlink()
        places = tables.read(study, "landmarks")
        places.loc[places["landmark_id"].eq("place-1"), "reference_image"] = None
        tables.write(study, "landmarks", places)
        report = judge_study(study, judge, pace=pace)
        assert report.count(protocol="landmarks", kind="cannot be asked", status="missing") == 2
        rows = tables.read(study, "ratings")
        reasons = settings(rows[rows["status"].eq("missing")])["reason"]
        assert reasons.str.contains("No such file|no reference photograph").all()
        assert not reasons.str.contains(str(study.parent)).any()
        assert reasons.str.contains("place-0.jpg").sum() == 2


class TestWhatStays:
    """What was judged is not lost by a run that cannot or does not ask it again."""

    def test_an_answer_on_record_needs_no_photograph(self, good, study, judge, pace):
        judge_study(study, judge, pace=pace)
        before = written(study)
        (study / "place-0.jpg").unlink()
        report = judge_study(study, judge, pace=pace)
        assert (report.count(status="ok"), report.kept) == (REQUESTS, 0)
        for name, rows in written(study).items():
            pd.testing.assert_frame_equal(rows, before[name])

    def test_an_open_question_is_not_sent_without_its_photograph(self, good, study, judge):
        judge_study(study, judge, pace=Pace(budget=Budget(calls=1)))
        (study / "place-0.jpg").unlink()
        report = judge_study(study, judge)
        assert report.count(status="missing", kind="cannot be asked") == 1
        rows = tables.read(study, "ratings")
        (reason,) = settings(rows[rows["status"].eq("missing")])["reason"].unique()
        assert reason.startswith("place-0.jpg: ")

    @pytest.mark.parametrize("gone", ["place-0.jpg", "videos/lm-0-clip.mp4"])
    def test_a_row_stays_where_nothing_can_be_asked(self, good, study, judge, pace, gone, capsys):
        judge_study(study, judge, pace=pace)
        before = written(study)
        (study / gone).unlink()
        for path in (study / "logs/judging").iterdir():
            path.unlink()
        report = judge_study(study, judge, pace=pace)
        assert report.kept == 2
        assert "kept: 2 rows of an earlier run" in capsys.readouterr().out
        for name, rows in written(study).items():
            pd.testing.assert_frame_equal(rows, before[name])

    def test_a_row_about_a_clip_that_was_withdrawn_goes(self, good, study, judge, pace, edit):
        judge_study(study, judge, pace=pace)
        edit("lm-0-clip", status="failed", path=None, sha256=None)
        assert judge_study(study, judge, pace=pace).kept == 0
        assert tables.read(study, "ratings")["status"].eq("missing").sum() == 2

    def test_a_row_about_another_file_goes(self, good, study, judge, pace, edit):
        judge_study(study, judge, pace=pace)
        edit("lm-0-clip", sha256="0" * 64, path="videos/none.mp4")
        assert judge_study(study, judge, pace=pace).kept == 0
        assert tables.read(study, "ratings")["status"].eq("missing").sum() == 2

    def test_rows_of_protocols_that_are_not_run_stay(self, good, study, judge, pace):
        judge_study(study, judge, ways=[landmarks_protocol()], pace=pace)
        judge_study(study, judge, ways=[culturevidbench_protocol()], pace=pace)
        assert len(tables.read(study, "ratings")) == 2 * 7 + 2 * 2
        before = written_ratings(study)
        judge_study(study, judge, ways=[landmarks_protocol()], pace=pace)
        assert written_ratings(study) == before


def written_ratings(study) -> set[tuple]:
    rows = tables.read(study, "ratings")
    return set(rows[["video_id", "criterion", "score"]].itertuples(index=False, name=None))


class TestRefusedBeforeAnythingIsAsked:
    def test_two_protocols_of_one_benchmark(self, good, study, judge):
        ways = [culturescore_protocol(), culturescore_protocol(negated=True)]
        with pytest.raises(ValueError, match="two protocols of culturescore"):
            judge_study(study, judge, ways=ways)
        assert not good.asked

    @pytest.mark.parametrize("part", ["p1", None])
    def test_a_judge_named_like_a_person(self, good, study, judge, part):
        people = pd.DataFrame({"rater_id": ["Judge A", "Ana"], "kind": "human"})
        tables.write(study, "raters", people, part=part)
        for run in (judge_study, plan_study):
            with pytest.raises(DataError, match=r"the rater .Judge A.|in one file"):
                run(study, judge)
        assert not good.asked


def test_more_than_one_model_under_one_name_is_said(server, completion, answer, study, judge, pace):
    def respond(asked):
        content = completion(fitting(asked.text)).body
        return answer(content | {"model": "new" if "Cultural element" in asked.text else "old"})

    server.answer = respond
    report = judge_study(study, judge, pace=pace)
    assert report.models == {"old": 6 + 4, "new": 14}
    assert "more than one model answered under this judge's name: old (10 rows), new (14 rows)" in str(report)


def test_questions_and_clips_without_a_partner_are_counted(good, study, judge, pace):
    questions = tables.read(study, "questions")
    questions.loc[questions["scenario_id"].eq("scene-0"), "scenario_id"] = "scene-9"
    tables.write(study, "questions", questions)
    report = judge_study(study, judge, pace=pace)
    assert report.not_asked == {
        "clips of a scenario without questions": 1,
        "questions of a scenario without prompt": 3,
    }
    assert report.count(protocol="culturescore") == 3
    assert "not asked: 3 questions of a scenario without prompt" in str(report)


class TestReplies:
    def test_replies_that_come_in_another_order_stay_with_their_clips(self, server, completion, study, judge):
        """Each reply says which pictures it is about."""
        rng = random.Random(0)

        def respond(asked):
            seen = str(hash(pictures_of(asked)))
            return completion(fitting(asked.text).replace("people bow", seen), delay=rng.uniform(0, 0.2))

        server.answer = respond
        judge_study(study, judge, pace=Pace(concurrency=10))
        answers = tables.read(study, "answers")
        about = answers.groupby("video_id")["reasoning"].unique()
        assert about.map(len).eq(1).all()
        assert about["cs-0-clip"][0] != about["cs-1-clip"][0]

    def test_a_refusal_is_blocked_and_counted(self, server, completion, study, judge, pace):
        server.answer = lambda asked: (
            completion(None, refusal="I can't judge cultures")
            if "Cultural element" in asked.text
            else completion(fitting(asked.text))
        )
        report = judge_study(study, judge, pace=pace)
        assert report.count(status="blocked", kind="refused", protocol="culturevidbench") == 2
        assert report.count(status="ok") == REQUESTS - 2

    def test_what_cannot_be_read_is_unscored_and_never_a_no(self, server, completion, study, judge, pace):
        page = "<html><script>alert(1)</script> yes and no, 5/5</html>"
        server.answer = lambda asked: completion(page)
        report = judge_study(study, judge, pace=pace)
        assert report.count(status="unscored", kind="not to be read") == REQUESTS
        assert len(server.asked) == 2 * REQUESTS
        found = written(study)
        assert found["answers"]["answer"].isna().all()
        assert found["ratings"]["score"].isna().all()
        assert found["answers"]["raw"].eq(page).all()

    def test_one_repair_is_enough_and_shows_the_clip_again(self, server, completion, study, judge, pace):
        server.answer = lambda asked: completion(fitting(asked.text) if asked.is_repair else "Hard to say")
        report = judge_study(study, judge, pace=pace)
        assert report.count(kind="after a repair") == REQUESTS
        assert all(pictures_of(asked) for asked in server.asked)


class TestServers:
    def test_a_dead_endpoint_is_said_once_and_no_table_is_written(self, server, study, judge, pace, capsys):
        server.server_close()
        with pytest.raises(CannotAskError, match="no connection"):
            judge_study(study, judge, pace=pace)
        assert not tables.exists(study, "answers")
        assert "no connection" not in capsys.readouterr().out

    def test_a_wrong_key_is_said_once_for_all_protocols(self, server, answer, study, judge):
        wrong = {"error": {"message": "Incorrect API key", "code": "invalid_api_key"}}
        server.answer = lambda asked: answer(wrong, status=401)
        with pytest.raises(CannotAskError) as problem:
            judge_study(study, judge, pace=Pace(concurrency=2))
        assert str(problem.value).count("Incorrect API key") == 1
        assert len(server.asked) <= 4

    def test_an_empty_account_stops_the_run_which_goes_on_where_it_stopped(
        self, server, completion, answer, study, judge, pace
    ):
        empty = {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}
        served = []

        def respond(asked):
            served.append(asked.body)
            return answer(empty, status=429) if len(served) > 4 else completion(fitting(asked.text))

        server.answer = respond
        with pytest.raises(CannotAskError, match=r"(?s)quota.*4 of 10 .*run the same command again"):
            judge_study(study, judge, pace=Pace(concurrency=1))
        server.answer = lambda asked: completion(fitting(asked.text))
        report = judge_study(study, judge, pace=pace)
        assert report.count(status="ok") == REQUESTS
        bodies = [json.dumps(body) for body in served[:4]]
        assert all(sum(json.dumps(asked.body) == body for asked in server.asked) == 1 for body in bodies)

    def test_one_budget_holds_for_all_protocols(self, good, study, judge, capsys):
        report = judge_study(study, judge, pace=Pace(concurrency=2, budget=Budget(calls=4)))
        assert (report.count(status="ok"), report.count(status="missing", kind="not asked yet")) == (4, 6)
        assert "run the same command again to go on" in capsys.readouterr().out
        assert judge_study(study, judge).count(status="ok") == REQUESTS
        assert len(good.asked) == REQUESTS
