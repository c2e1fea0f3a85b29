"""A simulated judge whose dials are known goes through every control, which find what is wrong with it."""

import numpy as np
import pandas as pd
import pytest

from helpers import schemas, tables
from helpers.judging.clips import Clips
from helpers.judging.control_results import AS_JUDGED, run_controls
from helpers.judging.controls import CONTROLS, told
from helpers.judging.judge import Judge
from helpers.judging.protocols import cases_of, culturescore_protocol, protocols
from helpers.judging.replay import Replay
from helpers.judging.run import judge_clips
from helpers.judging.study import judge_study
from helpers.simulate.judge import Dials, SimulatedJudge
from helpers.simulate.judged_truth import draw_truth, true_rates

COUNTRIES = ("Brazil", "Japan", "Poland", "India")
MANY = 48


@pytest.fixture(scope="module")
def many(finished_study, tmp_path_factory) -> dict[str, pd.DataFrame]:
    """Clips of each benchmark by their hashes alone: they share a file."""
    clip = tables.read(finished_study, "videos").set_index("video_id").loc["cv-0-clip"]
    prompts, questions, landmarks, videos = [], [], [], []
    for at in range(MANY):
        country = COUNTRIES[at % len(COUNTRIES)]
        about = {"country": country}
        prompts += [
            {"prompt_id": f"cs-{at}", "benchmark": "culturescore", "variant": "base", "category": "family"}
            | {"scenario_id": f"scene-{at}", "text": f"A family in {country}, number {at}"}
            | about,
            {"prompt_id": f"cv-{at}", "benchmark": "culturevidbench", "variant": "plain", "aspect": "dancing"}
            | {"element": f"dance {at}", "text": f"Dancers in {country}, number {at}"}
            | about,
            {"prompt_id": f"lm-{at}", "benchmark": "landmarks", "variant": "short", "text": f"Place {at}"}
            | {"landmark_id": f"place-{at}"}
            | about,
        ]
        questions += [
            {"question_id": f"{at}-{dimension}", "scenario_id": f"scene-{at}", "dimension": dimension}
            | {"text": f"Is the {dimension} number {at} as in {country}?"}
            for dimension in ("identity", "behavior", "context")
        ]
        landmarks.append(
            {"landmark_id": f"place-{at}", "name": "Place", "reference_image": "place-0.jpg"} | about
        )
        for number, name in enumerate(("cs", "cv", "lm")):
            row = clip.drop("prompt_id").to_dict() | {
                "video_id": f"{name}-{at}-clip",
                "prompt_id": f"{name}-{at}",
            }
            videos.append(row | {"sha256": f"{number}{at:063}"})
    found = {"prompts": prompts, "questions": questions, "landmarks": landmarks, "videos": videos}
    return {name: schemas.check(name, pd.DataFrame(rows), name) for name, rows in found.items()}


@pytest.fixture
def many_clips(many, finished_study, monkeypatch) -> Clips:
    clips = Clips(many["videos"], finished_study)
    monkeypatch.setattr(clips, "check", lambda video_ids: {})  # the hashes are made up
    return clips


@pytest.fixture(scope="module")
def truth(many):
    return draw_truth(many, seed=3)


def simulated(truth, hears=False, **dials) -> Judge:
    backend = SimulatedJudge(truth=truth, dials=Dials(**dials), seed=5)
    return Judge(
        rater_id="Simulated", model="simulated", backend=backend, kind="simulated", whole=hears, hears=hears
    )


@pytest.fixture
def controlled(many, many_clips, truth, tmp_path):
    def controlled(name: str, sample: int = MANY, hears: bool = False, **dials) -> pd.DataFrame:
        (protocol,) = [protocol for protocol in protocols() if protocol.name == name]
        judge = simulated(truth, hears, **dials)
        log = tmp_path / "controls.jsonl"
        cases = cases_of(protocol, many)
        found = run_controls(protocol, cases, many_clips, judge, log, seed=1, sample=sample)
        return found.set_index(["control", "measure", "group"]).sort_index()

    return controlled


class TestRecovery:
    def test_a_judge_without_fault_gives_the_truth(self, many, many_clips, truth, tmp_path):
        for protocol in protocols():
            cases = cases_of(protocol, many)
            rows, report = judge_clips(protocol, cases, many_clips, simulated(truth), tmp_path / "log.jsonl")
            assert report.count(status="ok") == report.count() == len(cases)
            if protocol.table == "answers":
                found = rows.assign(what="culturescore", value=rows["answer"].astype(float))
            else:
                found = rows.rename(columns={"criterion": "what", "score": "value"})
            found = found.groupby(["video_id", "what"])["value"].mean()
            known = true_rates(truth, many).set_index(["video_id", "what"])["value"]
            np.testing.assert_allclose(found.astype(float), known.loc[found.index])

    def test_sensitivity_and_specificity_come_back(self, many, many_clips, truth, tmp_path):
        """Within three standard errors of a binomial share."""
        protocol = culturescore_protocol()
        cases = cases_of(protocol, many)
        judge = simulated(truth, sensitivity=0.8, specificity=0.7, untidy=0.3)
        rows, report = judge_clips(protocol, cases, many_clips, judge, tmp_path / "log.jsonl")
        assert report.count(kind="after a repair") > 20
        hashes = many["videos"].set_index("video_id")["sha256"]
        shows = np.array([truth.shows(hashes[row.video_id], row.text) for row in cases.itertuples()])
        for there, share in ((True, 0.8), (False, 0.3)):
            said = rows["answer"].to_numpy(dtype=float)[shows == there]
            assert abs(said.mean() - share) < 3 * np.sqrt(share * (1 - share) / said.size)

    def test_shares_of_unreadable_replies_and_refusals_come_back(self, many, many_clips, truth, tmp_path):
        protocol = culturescore_protocol()
        judge = simulated(truth, unreadable=0.2, refusals=0.1)
        _, report = judge_clips(protocol, cases_of(protocol, many), many_clips, judge, tmp_path / "log.jsonl")
        n = report.count()
        # Unreadable twice, with a new draw for the repair that depends on nothing else: 0.2 of what is not
        # refused; refusals may come at either call.
        assert report.count(status="unscored") / n == pytest.approx(0.2 * 0.9, abs=0.1)
        assert report.count(status="blocked") / n == pytest.approx(0.1, abs=0.07)

    def test_a_stored_run_gives_the_same_rows_again(self, many, many_clips, truth, tmp_path):
        protocol = culturescore_protocol()
        cases = cases_of(protocol, many).head(30)
        judge = simulated(truth, untidy=0.3, refusals=0.2)
        rows, _ = judge_clips(protocol, cases, many_clips, judge, tmp_path / "log.jsonl")
        again = Judge(rater_id="Simulated", model="simulated", backend=Replay(tmp_path / "log.jsonl"))
        repeated, _ = judge_clips(protocol, cases, many_clips, again, tmp_path / "again.jsonl")
        pd.testing.assert_frame_equal(repeated, rows)

    def test_a_stored_run_has_no_other_replies(self, many, many_clips, truth, tmp_path):
        protocol = culturescore_protocol()
        cases = cases_of(protocol, many)
        judge_clips(protocol, cases.head(30), many_clips, simulated(truth), tmp_path / "log.jsonl")
        again = Judge(rater_id="Simulated", model="simulated", backend=Replay(tmp_path / "log.jsonl"))
        rows, report = judge_clips(protocol, cases.head(33), many_clips, again, tmp_path / "again.jsonl")
        assert (report.count(status="ok"), report.count(status="failed")) == (30, 3)
        assert rows["settings"].iloc[-1].count("has no reply to this") == 1


class TestControls:
    def test_a_good_judge_passes(self, controlled):
        found = controlled("culturescore")["estimate"]
        assert found["blank clip", "level", "all"] == 0
        assert found["shuffled prompts", "level", "all"] == 0
        assert found["the same call twice", "agreement", "all"] == 1
        assert found["negated question", "sum", "all"] == 1
        assert found["negated question", "contradiction", "all"] == 0
        drops = found["reversed clip", "drop"]
        assert drops["behavior"] == found[AS_JUDGED, "level", "behavior"]
        assert drops["identity"] == drops["context"] == 0

    def test_a_judge_who_likes_yes_is_found(self, controlled):
        found = controlled("culturescore", sensitivity=0.9, specificity=0.9, yes_bias=2.0)
        row = found.loc["negated question", "sum", "all"]
        assert row["low"] > 1
        assert found.loc["blank clip", "level", "all"]["low"] > 0.2

    def test_a_lenient_judge_is_not_taken_for_one_who_likes_yes(self, controlled):
        """Leniency is about what is seen, so that yes and negated yes still add up to 1."""
        found = controlled("culturescore", sensitivity=0.8, specificity=0.8, leniency=1.5)
        row = found.loc["negated question", "sum", "all"]
        assert row["low"] < 1 < row["high"]
        assert found.loc["blank clip", "level", "all"]["low"] > 0.2

    def test_a_judge_who_does_not_see_the_order_is_found(self, controlled):
        found = controlled("culturescore", sees_order=0.0)
        assert found.loc["reversed clip", "drop", "behavior"]["estimate"] == 0

    def test_a_blank_rate_of_nothing_has_wilsons_interval(self, controlled):
        row = controlled("culturescore").loc["blank clip", "level", "all"]
        # Wilson (1927) at 0 of n: z² / (n + z²), n being the clips.
        z2 = 1.959964**2
        assert (row["n"], row["clips"]) == (3 * MANY, MANY)
        assert row["high"] == pytest.approx(z2 / (MANY + z2), rel=1e-6)
        assert "Wilson" in row["method"]

    @pytest.mark.parametrize(
        ("name", "control", "measure"),
        [
            ("culturescore", "negated question", "sum"),
            ("landmarks", "criteria backwards", "drop"),
            ("landmarks", "blank clip", "level"),
        ],
    )
    def test_what_is_no_share_has_no_wilson_interval(self, controlled, name, control, measure):
        """A sum runs from 0 to 2, a drop from -1 to 1, and a grade is no yes or no."""
        row = controlled(name).loc[control, measure, "all"]
        assert np.isnan(row["low"])
        assert "no interval: no variation" in row["method"]

    def test_a_judge_who_favours_what_is_asked_first_is_found(self, controlled):
        found = controlled("landmarks", first_bonus=1.0)["estimate"]
        assert found["criteria backwards", "drop", "global_structure"] > 0.1
        assert found["criteria backwards", "drop", "fine_detail"] < -0.1

    def test_another_country_costs_culture_and_nothing_else(self, controlled):
        drops = controlled("culturevidbench")["estimate"]["country swapped", "drop"]
        assert drops["cultural_consistency"] > 0.3
        assert drops["realism"] == drops["visual_quality"] == 0

    def test_sound_is_controlled_where_the_judge_hears(self, controlled):
        found = controlled("culturevidbench", hears=True)["estimate"]
        assert found["sound muted", "not applicable", "audio_alignment"] == 1
        assert found["sound swapped", "drop", "audio_alignment"] > 0.3
        assert found["sound swapped", "drop", "realism"] == 0
        assert "sound muted" not in controlled("culturevidbench").index.get_level_values("control")

    def test_what_has_no_value_is_counted_and_nothing_is_guessed(self, controlled):
        found = controlled("culturescore", unreadable=0.3)
        row = found.loc["blank clip", "drop", "all"]
        assert row["n"] + row["left_out"] == 3 * MANY
        assert row["left_out"] > 0.3 * 3 * MANY

    def test_every_control_is_run_somewhere(self, controlled):
        seen = set()
        for name in ("culturescore", "culturevidbench", "landmarks"):
            index = controlled(name, sample=8, hears=name == "culturevidbench").index
            seen |= set(index.get_level_values("control"))
        assert seen == {control.name for control in CONTROLS} | {AS_JUDGED}

    def test_a_sample_is_of_clips_with_all_that_is_asked_of_them(self, controlled):
        row = controlled("culturescore", sample=10).loc[AS_JUDGED, "level", "all"]
        assert (row["n"], row["clips"]) == (30, 10)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("A Brazilian family in Brazil", "A Japanese family in Japan"),
        ("A brazil nut", "A brazil nut"),
        ("Brazilians dance", "Brazilians dance"),
    ],
)
def test_a_country_is_told_as_another(text, said):
    assert told(text, "Brazil", "Japan") == said


def test_a_simulated_judge_goes_through_a_whole_study(study, tmp_path):
    found = {name: tables.read(study, name) for name in ("prompts", "questions", "landmarks", "videos")}
    judge = simulated(draw_truth(found, seed=1))
    assert judge_study(study, judge).count(status="ok") == 10
    assert tables.read(study, "raters")["kind"].tolist() == ["simulated"]
