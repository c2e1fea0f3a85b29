"""CultureScore's text steps, each asked of a server on the loopback that also gives bad replies."""

import json
import re

import pandas as pd
import pytest

import stub_server
from helpers.benchmarks import culturescore as steps
from helpers.benchmarks import culturescore_native as native
from helpers.benchmarks import culturescore_questions as asking
from helpers.benchmarks import culturescore_tables as tables
from helpers.benchmarks import starter
from helpers.benchmarks.culturalframes import read_culturalframes
from helpers.benchmarks.line_report import BadLinesError
from helpers.benchmarks.model_steps import TEMPLATES, Writer
from helpers.chat.ask import ask_many
from helpers.chat.caller import Patience
from helpers.chat.forms import json_schema
from helpers.chat.openai_compatible import OpenAICompatible
from helpers.checking import DataError
from helpers.geography import CULTURESCORE_COUNTRIES
from helpers.paths import ROOT
from helpers.published import CATEGORIES
from helpers.templates import template
from stub_server import completion

WRITER = Writer(model="writer")
INDIA = "Indian women greeting people with namaste"
CLUB = "Couple meeting at a sports club"
SCENARIOS = pd.DataFrame(
    [("s1", "India", "greetings", INDIA), ("s2", "Germany", "etiquette", CLUB)],
    columns=["scenario_id", "country", "category", "prompt"],
)
FACETS = {
    "s1": {
        "prompt": "whatever the model makes of it",
        "identity": "Indian women",
        "behavior": "Indian greeting with namaste",
        "context": "Indian street",
    },
    "s2": {
        "prompt": "German couple meeting at a sports club",
        "identity": "German couple",
        "behavior": "German meeting",
        "context": "German sports club",
    },
}
DETAILS = {"behavior": "They join their palms and bow.", "identity": "Two women", "context": "A street."}
GOOD = {"text": "Do the women join palms first and then bow?", "weight": 8, "explicit": True}
ASKED = {
    "identity": [GOOD | {"text": "Are there two women?"}],
    "behavior": [GOOD, GOOD | {"text": "Do the women bow?"}],
    "context": [GOOD | {"text": "Where are they?", "explicit": False, "weight": 1}],
}
MAP = "columns: {prompt: caption, country: place, category: topic}\ncategories: {Religious life: religion}\n"


def by_text(**replies):
    """Reply to a request with the first of the replies whose words stand in it."""

    def answer(asked):
        for words, reply in replies.items():
            if words.replace("_", " ") in asked.text:
                return reply if not isinstance(reply, dict) else completion(json.dumps(reply))
        raise AssertionError(asked.text)

    return answer


@pytest.fixture
def ask(server, tmp_path):
    backend = OpenAICompatible(base_url=f"{server.address}/v1", timeout=5.0)

    def ask(requests, answer=None):
        server.answer = answer or server.answer
        return ask_many(requests, backend, tmp_path / "log.jsonl", patience=Patience(tries=2, first=0.01))

    return ask


@pytest.fixture
def decomposed(ask):
    results = ask(
        steps.decompose_requests(SCENARIOS, WRITER),
        by_text(namaste=FACETS["s1"], Couple=FACETS["s2"]),
    )
    return steps.decompose_rows(SCENARIOS, results)


def only(rows, scenario_id="s1"):
    return rows.set_index("scenario_id").loc[scenario_id]


# Replies that fit no form, with the status that each must get; the run in tests/chat covers many more.
BAD = [
    ("unscored", completion('{"text": ')),
    ("unscored", completion("")),
    ("unscored", completion('{"nothing": "known"}')),
    ("unscored", completion("I would rather write prose.")),
    ("blocked", completion(None, refusal="I will not do this.")),
    ("failed", stub_server.Answer("no", status=400)),
    ("failed", stub_server.Answer("<html>busy</html>", status=500)),
]


@pytest.mark.parametrize("name", sorted(path.stem for path in TEMPLATES.glob("culturescore_*.txt")))
def test_templates_are_in_our_own_words(name):
    paper = ROOT.parent / "shared" / "papers" / "000_ce62411583832723.txt"
    if not paper.exists():
        pytest.skip("the paper's text is not here")

    def runs(written, length=8):
        words = re.findall(r"\w+", written.casefold())
        return {tuple(words[at : at + length]) for at in range(len(words) - length + 1)}

    assert runs(template(TEMPLATES / f"{name}.txt").text) & runs(paper.read_text(encoding="utf-8")) == set()


@pytest.mark.parametrize(
    "form",
    [steps.Facets, steps.Details, steps.Rewritten, steps.Uniqueness, asking.Questions, asking.Verdict],
)
def test_forms_meet_the_rules_of_strict_mode(form):
    assert json_schema(form)["additionalProperties"] is False


class TestDecompose:
    def test_a_prompt_with_its_country_stays_word_for_word_and_another_gets_one(self, decomposed):
        assert list(decomposed["decompose_status"]) == ["ok", "ok"]
        assert list(decomposed["base"]) == [INDIA, "German couple meeting at a sports club"]
        assert only(decomposed)["context"] == "Indian street"

    def test_the_request_says_country_and_adjective(self, server, decomposed):
        said = next(asked.text for asked in server.asked if CLUB in asked.text)
        assert '"German" or "Germany"' in said

    @pytest.mark.parametrize(
        ("changed", "reason"),
        [
            ({"behavior": "meeting"}, "behavior: found 'meeting', expected it to say Germany"),
            ({"context": "Indian sports club"}, "context: found 'Indian sports club'"),
            ({"prompt": CLUB}, "base: found 'Couple meeting"),
            ({"prompt": "German couple drinking beer at a sports club"}, "without 'meeting' and with 'beer"),
            ({"identity": "  "}, "identity: Value error, expected some text"),
        ],
    )
    def test_a_facet_or_prompt_that_breaks_a_rule_is_unscored_with_the_reason(self, ask, changed, reason):
        answer = by_text(namaste=FACETS["s1"], Couple=FACETS["s2"] | changed)
        rows = steps.decompose_rows(SCENARIOS, ask(steps.decompose_requests(SCENARIOS, WRITER), answer))
        row = only(rows, "s2")
        assert row["decompose_status"] == "unscored"
        assert reason in row["decompose_reason"]
        assert pd.isna(row["base"])
        assert json.loads(row["decompose_raw"]) == FACETS["s2"] | changed
        assert only(rows, "s1")["decompose_status"] == "ok"

    @pytest.mark.parametrize(("status", "bad"), BAD)
    def test_bad_replies_keep_their_row_and_later_steps_pass_it_over(self, ask, status, bad):
        answer = by_text(namaste=FACETS["s1"], Couple=bad)
        rows = steps.decompose_rows(SCENARIOS, ask(steps.decompose_requests(SCENARIOS, WRITER), answer))
        assert list(rows["decompose_status"]) == ["ok", status]
        assert only(rows, "s2")["decompose_reason"]
        assert len(steps.extend_requests(rows, WRITER)) == 1
        extended = steps.extend_rows(rows, ask(steps.extend_requests(rows, WRITER), by_text(namaste=DETAILS)))
        assert list(extended["extend_status"]) == ["ok", "missing"]
        assert only(extended, "s2")["extend_reason"] == f"the step decompose is {status}"

    def test_scenarios_that_do_not_fit_are_refused_before_anything_is_asked(self):
        with pytest.raises(DataError, match="row 3, column 'country': found Germny"):
            steps.decompose_requests(SCENARIOS.assign(country=["India", "Germny"]), WRITER)

    def test_results_of_another_frame_are_refused(self):
        with pytest.raises(ValueError, match="found 0 results, expected 2"):
            steps.decompose_rows(SCENARIOS, [])


def test_a_step_needs_the_one_before_it():
    with pytest.raises(ValueError, match="expected the step decompose to come first"):
        steps.extend_requests(SCENARIOS, WRITER)


def test_extended_prompts_hold_the_base_prompt_word_for_word(ask, decomposed):
    results = ask(steps.extend_requests(decomposed, WRITER), lambda asked: completion(json.dumps(DETAILS)))
    row = only(steps.extend_rows(decomposed, results))
    assert row["extended"] == (
        f"{starter.OPENER} {INDIA}. Behavior: They join their palms and bow. Identity: Two women. "
        "Context: A street."
    )


def test_extended_prompts_are_put_together_as_those_of_the_starter_set():
    for row in starter.scenarios().itertuples():
        details = {name: getattr(row, f"{name}_detail") for name in steps.DETAIL_ORDER}
        assert steps.extended_prompt(row.base, details) == row.extended


class TestRemoveCountry:
    @pytest.mark.parametrize(
        ("reply", "reason"),
        [
            ("Women greeting people with namaste", None),
            ("Women greeting people in India with namaste", "found 'India'"),
            ("Hindustani women from Nepal greeting people with namaste", "expected no country"),
            ("Women greeting people", "without 'namaste, with'"),
            ("Traditional women greeting people with namaste", "with 'traditional'"),
        ],
    )
    def test_only_the_country_may_go(self, ask, decomposed, reply, reason):
        answer = by_text(namaste={"text": reply}, couple={"text": "Couple meeting at a sports club"})
        rows = steps.remove_country_rows(
            decomposed, ask(steps.remove_country_requests(decomposed, WRITER), answer)
        )
        row = only(rows)
        assert row["remove_country_status"] == ("unscored" if reason else "ok")
        assert row["no_country"] == (None if reason else reply)
        if reason:
            assert reason in row["remove_country_reason"]
        assert only(rows, "s2")["no_country"] == "Couple meeting at a sports club"

    # The examples of the paper's Appendix C.3 and section 3.3, with what it says must come out.
    @pytest.mark.parametrize(
        ("before", "after"),
        [
            (
                "Indian Muslim family enjoying a halal feast at home",
                "Muslim family enjoying a halal feast at home",
            ),
            ("German elderly couple walking in a park", "Elderly couple walking in a park"),
            ("A traditional Japanese tea ceremony in Tokyo", "A traditional tea ceremony in Tokyo"),
            ("Indian women greeting people with Namaste.", "Women greeting people with Namaste"),
        ],
    )
    def test_the_papers_examples_pass(self, before, after):
        assert steps.changes(before, after) == (set(), set())
        assert not steps.country_words(after)

    def test_the_starter_sets_removals_pass(self):
        for row in starter.scenarios().itertuples():
            assert steps.changes(row.base, row.no_country) == (set(), set())


@pytest.fixture
def complete(ask, decomposed):
    """Both scenes through extend, remove_country and uniqueness."""
    rows = steps.extend_rows(
        decomposed,
        ask(steps.extend_requests(decomposed, WRITER), lambda _: completion(json.dumps(DETAILS))),
    )
    answer = by_text(
        namaste={"text": "Women greeting people with namaste"},
        couple={"text": "Couple meeting at a sports club"},
    )
    rows = steps.remove_country_rows(rows, ask(steps.remove_country_requests(rows, WRITER), answer))
    answer = by_text(
        Women_greeting={"reason": "Namaste.", "unique": "yes"},
        Couple={"reason": "Clubs are everywhere.", "unique": "no"},
    )
    return steps.uniqueness_rows(rows, ask(steps.uniqueness_requests(rows, WRITER), answer))


def test_uniqueness_sees_the_country_and_the_text_without_it(server, complete):
    assert list(complete["unique"]) == [True, False]
    assert only(complete)["unique_reason"] == "Namaste."
    said = next(asked.text for asked in server.asked if "once named India" in asked.text)
    assert "Women greeting people with namaste" in said
    assert INDIA not in said


def test_a_uniqueness_verdict_in_other_words_is_unscored(ask, complete):
    rows = steps.uniqueness_rows(
        complete,
        ask(
            steps.uniqueness_requests(complete, Writer(model="other")),
            lambda _: completion('{"reason": "So so.", "unique": "maybe"}'),
        ),
    )
    assert list(rows["uniqueness_status"]) == ["unscored", "unscored"]
    assert rows["unique"].isna().all()


class TestQuestions:
    def asked(self, ask, complete, reply, asked_from="extended"):
        requests = asking.question_requests(complete, WRITER, asked_from=asked_from)
        answer = by_text(from_India=reply, from_Germany=completion("no JSON"))
        return asking.question_rows(complete, ask(requests, answer), asked_from=asked_from)

    @pytest.mark.parametrize("asked_from", ["base", "extended"])
    def test_each_question_is_a_row_with_the_check_of_its_form(self, ask, server, complete, asked_from):
        scenarios, questions = self.asked(ask, complete, ASKED, asked_from)
        assert list(scenarios[f"questions_from_{asked_from}_status"]) == ["ok", "unscored"]
        assert list(questions["question_id"].str.removeprefix(f"s1-{asked_from}-")) == [
            "identity-1",
            "behavior-1",
            "behavior-2",
            "context-1",
        ]
        assert list(questions["form_status"]) == ["ok", "ok", "unscored", "unscored"]
        assert set(questions["asked_from"]) == {asked_from}
        assert list(questions["explicit"]) == [True, True, True, False]
        said = next(asked.text for asked in server.asked if "from India. Write" in asked.text)
        assert (starter.OPENER in said) == (asked_from == "extended")

    @pytest.mark.parametrize(
        "changed",
        [
            {"weight": 0},
            {"weight": 11},
            {"weight": "8"},
            {"weight": 7.5},
            {"explicit": "yes"},
            {"text": ""},
            {"why": "more"},
        ],
    )
    def test_a_question_outside_its_bounds_makes_the_reply_unscored(self, ask, complete, changed):
        scenarios, questions = self.asked(ask, complete, ASKED | {"identity": [GOOD | changed]})
        assert only(scenarios)["questions_from_extended_status"] == "unscored"
        assert questions.empty

    @pytest.mark.parametrize("reply", [{"context": []}, {"place": [GOOD]}])
    def test_each_dimension_and_no_other_has_questions(self, ask, complete, reply):
        scenarios, _ = self.asked(ask, complete, ASKED | reply)
        assert only(scenarios)["questions_from_extended_status"] == "unscored"

    def test_the_same_question_twice_counts_once(self, ask, complete):
        _, questions = self.asked(ask, complete, ASKED | {"behavior": [GOOD, GOOD]})
        assert list(questions["form_reason"].str.startswith("is there twice").eq(True)) == [
            False,
            False,
            True,
            False,
        ]

    @pytest.mark.parametrize(
        ("question", "dimension", "problem"),
        [
            ("Is the cloth red", "identity", "found 0 question marks"),
            ("Is it red? Is it blue?", "identity", "found 2 question marks"),
            ("Is it red? Say why.", "identity", "found 1 question marks, expected one, at the end"),
            ("Which colour is it?", "context", "found 'Which' at its beginning"),
            ("Island huts?", "context", "found 'Island' at its beginning"),
            ("Do they bow?", "behavior", "no word of sequence or duration"),
            ("Do they bow?", "identity", None),
        ],
    )
    def test_form(self, question, dimension, problem):
        found = asking.form_problem(question, dimension)
        assert found is None if problem is None else problem in found

    # The two good examples of the paper, section 3.2.
    @pytest.mark.parametrize(
        ("question", "dimension"),
        [
            (
                "Is the person wearing a traditional Kimono, characterized by left-over-right wrapped lapels "
                "and wide, square-cut sleeves?",
                "identity",
            ),
            (
                "Does the pouring behavior begin with the vessel held low, smoothly rise to a higher "
                "elevation, and return low without breaking the stream?",
                "behavior",
            ),
        ],
    )
    def test_the_papers_examples_pass(self, question, dimension):
        assert asking.form_problem(question, dimension) is None

    def test_the_starter_sets_questions_pass(self):
        questions = starter.questions()
        assert [
            row.text for row in questions.itertuples() if asking.form_problem(row.text, row.dimension)
        ] == []


class TestTables:
    @pytest.fixture
    def verified(self, ask, complete):
        scenarios, questions = TestQuestions().asked(ask, complete, ASKED)
        answer = by_text(
            Are_there_two={"evidence": "True.", "grounded": "no"},
            join_palms=stub_server.Answer("no", status=400),
        )
        results = ask(asking.verify_requests(questions, WRITER), answer)
        return scenarios, asking.verify_rows(questions, results)

    def test_verdicts_stand_beside_their_questions(self, verified):
        _, questions = verified
        assert list(questions["verify_status"]) == ["ok", "failed", "missing", "missing"]
        assert list(questions["verified"]) == [False, None, None, None]
        assert questions["evidence"].iloc[0] == "True."

    def test_a_study_gets_three_variants_tied_by_scenario(self, verified):
        prompts, questions, left_out = tables.benchmark_tables(*verified)
        assert list(prompts["prompt_id"]) == [
            f"{scenario}-{variant}"
            for scenario in ("s1", "s2")
            for variant in ("base", "extended", "no-country")
        ]
        assert list(questions["dimension"]) == ["identity", "behavior"]
        assert questions["verified"].isna().sum() == 1
        assert list(left_out["id"]) == ["s1-extended-behavior-2", "s1-extended-context-1"]
        assert set(left_out["status"]) == {"unscored"}

    def test_a_variant_that_did_not_come_about_is_left_out_by_name(self, verified):
        scenarios, questions = verified
        scenarios = scenarios.assign(
            remove_country_status=["blocked", "ok"], remove_country_reason=["policy", None]
        )
        prompts, _, left_out = tables.benchmark_tables(scenarios, questions)
        assert "s1-no-country" not in set(prompts["prompt_id"])
        assert left_out.iloc[0].to_dict() == {
            "id": "s1-no-country",
            "scenario_id": "s1",
            "step": "remove_country",
            "status": "blocked",
            "reason": "policy",
        }

    def test_steps_that_were_not_taken_are_named(self, verified):
        scenarios, questions = verified
        with pytest.raises(ValueError, match="extended needs that step"):
            tables.benchmark_tables(scenarios.drop(columns="extend_status"), questions)
        with pytest.raises(ValueError, match="expected the step verify first"):
            tables.benchmark_tables(scenarios, questions.drop(columns="verify_status"))

    def test_facets_are_counted_once_for_each_spelling(self, decomposed):
        again = pd.concat([decomposed, decomposed.assign(identity="INDIAN WOMEN")], ignore_index=True)
        counts = tables.facet_counts(again).set_index(["country", "category", "dimension"])["unique_facets"]
        assert counts["India", "greetings", "identity"] == 1
        assert counts["Germany", "etiquette", "identity"] == 2
        assert counts["Germany", "family", "identity"] == 0
        assert len(counts) == 2 * len(CATEGORIES) * 3


# Ten countries and five categories, one cell of them without scenes, as in the paper's Table 1.
CELLS = [(country, category) for country in CULTURESCORE_COUNTRIES for category in CATEGORIES][1:]


def many_prompts(cells, scenes=4):
    return pd.DataFrame(
        [
            ("culturescore", country, category, variant, f"{country}-{category}-{scene}")
            for country, category in cells
            for scene in range(scenes)
            for variant in ("base", "extended", "no_country")
        ],
        columns=["benchmark", "country", "category", "variant", "scenario_id"],
    )


class TestSample:
    def test_the_papers_size_294_from_49_cells(self):
        # Section 7 of the paper: a stratified sample of 294 videos of 2,943.
        drawn = tables.stratified_sample(many_prompts(CELLS), seed=1)
        assert len(drawn) == 294
        scenes = drawn.groupby(["country", "category"])["scenario_id"].nunique()
        assert len(scenes) == 49
        assert set(scenes) == {2}

    def test_the_seed_alone_decides(self):
        rows = many_prompts(CELLS)
        drawn = tables.stratified_sample(rows, seed=1)
        pd.testing.assert_frame_equal(
            tables.stratified_sample(rows.sample(frac=1, random_state=3), seed=1), drawn
        )
        assert not tables.stratified_sample(rows, seed=2).equals(drawn)

    def test_only_complete_scenes_are_drawn_and_too_few_are_named(self):
        rows = many_prompts([("India", "family")], scenes=3)
        rows = rows.drop(rows.index[0])
        assert set(tables.stratified_sample(rows, seed=1)["scenario_id"]) == {
            "India-family-1",
            "India-family-2",
        }
        with pytest.raises(ValueError, match="India, family: 2"):
            tables.stratified_sample(rows, per_cell=3, seed=1)


DRAFT = {"text": "Deutsches Paar trifft sich in einem Sportverein"}


class TestNativeLanguage:
    def translated(self, ask, decomposed, draft, back):
        rows = native.with_language(decomposed, {"Germany": "German"})
        rows = native.translate_rows(
            rows, ask(native.translate_requests(rows, WRITER), lambda _: completion(json.dumps(draft)))
        )
        results = ask(native.back_translate_requests(rows, WRITER), lambda _: completion(json.dumps(back)))
        return native.back_translate_rows(rows, results)

    def test_what_comes_back_unharmed_is_the_variant(self, ask, server, decomposed):
        back = {"text": "A German couple meets at a sports club"}
        rows = self.translated(ask, decomposed, DRAFT, back)
        row = only(rows, "s2")
        assert row["native_language"] == DRAFT["text"]
        assert row["back_translation"] == back["text"]
        # German, couple, sports, club of 5 words each.
        assert row["overlap"] == pytest.approx(2 * 4 / 10)
        assert only(rows, "s1")["back_translate_status"] == "missing"
        assert only(rows, "s1")["language_reason"] == "no language is given for India"
        assert "German couple" not in server.asked[-1].text

    @pytest.mark.parametrize(
        ("back", "reason"),
        [
            ("A couple meets at a sports club", "expected it to say Germany"),
            ("A German farmer guards sheep", "shares 22% of its words"),
        ],
    )
    def test_what_is_lost_on_the_way_makes_it_unscored(self, ask, decomposed, back, reason):
        row = only(self.translated(ask, decomposed, DRAFT, {"text": back}), "s2")
        assert row["back_translate_status"] == "unscored"
        assert reason in row["back_translate_reason"]
        assert pd.isna(row["native_language"])

    def test_english_is_no_translation(self, ask, decomposed):
        row = only(
            self.translated(ask, decomposed, {"text": "German couple meeting at a sports club"}, {}), "s2"
        )
        assert row["translate_status"] == "unscored"
        assert row["back_translate_status"] == "missing"


class TestCulturalFrames:
    @pytest.fixture
    def write(self, tmp_path):
        def write(rows, mapping=MAP, name="frames.csv"):
            frame = pd.DataFrame(rows, columns=["caption", "place", "topic", "rating"])
            path, yaml = tmp_path / name, tmp_path / "columns.yaml"
            frame.to_parquet(path) if name.endswith("parquet") else frame.to_csv(path, index=False)
            yaml.write_text(mapping, encoding="utf-8")
            return path, yaml

        return write

    @pytest.mark.parametrize("name", ["frames.csv", "frames.parquet"])
    def test_rows_of_one_scene_are_one(self, write, name):
        rows = [
            ("Holi  in a street", "India", "Dates of Significance", 4),
            ("Holi in a street", "India", "dates-of-significance", 2),
            ("Mass", "Republic of South Africa", "Religious life", 5),
        ]
        scenes = read_culturalframes(*write(rows, name=name))
        assert scenes.to_numpy().tolist() == [
            [
                "india-dates-of-significance-1",
                "India",
                "dates-of-significance",
                "Holi in a street",
            ],
            ["south-africa-religion-1", "South Africa", "religion", "Mass"],
        ]

    def test_all_bad_rows_are_named_at_once(self, write):
        rows = [("Fine", "India", "family", 1), ("", "Indja", "food", 1), ("x", "", "family", 1)]
        with pytest.raises(BadLinesError) as caught:
            read_culturalframes(*write(rows))
        assert list(caught.value.problems["line"]) == [3, 3, 3, 4]

    def test_an_id_of_two_scenes_is_named(self, write):
        mapping = MAP.replace("topic}", "topic, scenario_id: rating}")
        rows = [("One", "India", "family", 7), ("Two", "India", "family", 7)]
        with pytest.raises(BadLinesError, match="line 3: found the id '7' of another scene"):
            read_culturalframes(*write(rows, mapping))

    def test_a_misspelt_column_or_key_is_named(self, write):
        with pytest.raises(DataError, match=r"no column 'captoin'; did you mean 'caption'"):
            read_culturalframes(*write([], MAP.replace("caption", "captoin")))
        with pytest.raises(DataError, match=r"unknown key 'colums'"):
            read_culturalframes(*write([], MAP.replace("columns", "colums")))

    def test_a_file_that_is_none_is_named(self, write):
        path, yaml = write([])
        with pytest.raises(DataError, match="no such file"):
            read_culturalframes(path.with_name("other.csv"), yaml)
        path.with_name("broken.parquet").write_bytes(b"PAR0")
        with pytest.raises(DataError, match="cannot be read"):
            read_culturalframes(path.with_name("broken.parquet"), yaml)
