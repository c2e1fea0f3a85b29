"""The starter sets: what CultureScore and CultureVidBench ask of such texts, and that they stay our own."""

import re

import pandas as pd
import pytest

from helpers import published
from helpers.benchmarks import starter
from helpers.benchmarks.country_words import country_words, names_no_country
from helpers.benchmarks.word_lists import find_words
from helpers.checking import DataError
from helpers.geography import CULTURESCORE_COUNTRIES, CULTUREVIDBENCH_COUNTRIES
from helpers.paths import ROOT
from helpers.published import ASPECTS, AUDIO_ASPECTS, CATEGORIES, DIMENSIONS

PUBLISHED = ROOT.parent / "shared" / "data" / "index_elements_prompts.txt"
FIRST_WORDS = ("Is", "Are", "Does", "Do", "Has", "Have", "Can")
# Sequence, repetition or duration, which CultureScore's C.4 wants in every question about behavior.
TEMPORAL = re.compile(
    r"\b(after|again|before|begins?|continues?|first|followed|next|once|repeatedly|seconds|starts?|stops?"
    r"|then|throughout|until|while)\b"
)
# What CultureVidBench's A.1 excludes: how people look; beside the safety list, whose screen is also run.
APPEARANCE = re.compile(
    r"\b(skin|skinned|complexion|blonde?|brunette|caucasian|oriental|exotic|tribal|tribesm[ae]n|tribeswom[ae]n"
    r"|primitive|dark-haired|fair-haired|almond-eyed|facial features|(?:black|white|brown|yellow) "
    r"(?:man|men|woman|women|people|person|child|children|boy|girl|face|faces))\b",
    re.IGNORECASE,
)

PROMPTS = starter.prompts()
QUESTIONS = starter.questions()
SCENARIOS = starter.scenarios()
SINGLE = PROMPTS[PROMPTS["benchmark"].eq("culturevidbench") & PROMPTS["matched_set"].isna()]
MATCHED = PROMPTS[PROMPTS["matched_set"].notna()]
TEXTS = pd.concat([PROMPTS.set_index("prompt_id")["text"], QUESTIONS.set_index("question_id")["text"]])


def means(text: str, country: str) -> bool:
    return any(country in found.countries for found in country_words(text))


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def wrong(rows: pd.DataFrame, test) -> list[str]:
    """The texts of the rows that fail a test of one row."""
    return [row.text for row in rows.itertuples() if not test(row)]


class TestCultureScore:
    def test_one_scenario_for_each_country_and_category(self):
        cells = SCENARIOS.groupby(["country", "category"]).size()
        assert len(cells) == len(CULTURESCORE_COUNTRIES) * len(CATEGORIES) == 50
        assert cells.eq(1).all()

    def test_each_scenario_has_its_three_variants_once(self):
        variants = PROMPTS[PROMPTS["benchmark"].eq("culturescore")]
        by_scenario = variants.groupby("scenario_id")["variant"].agg(sorted)
        assert set(by_scenario.index) == set(SCENARIOS["scenario_id"])
        assert all(found == ["base", "extended", "no_country"] for found in by_scenario)
        assert variants.groupby("scenario_id")["country"].nunique().eq(1).all()

    def test_country_words_go_from_no_country_and_stay_in_the_others(self):
        variants = PROMPTS[PROMPTS["benchmark"].eq("culturescore")]
        without = variants["variant"].eq("no_country")
        assert wrong(variants[without], lambda row: names_no_country(row.text)) == []
        assert wrong(variants[~without], lambda row: means(row.text, row.country)) == []

    def test_nothing_but_the_country_goes(self):
        for row in SCENARIOS.itertuples():
            gone = {part for found in country_words(row.base) for part in words(found.word)} | {"a", "an"}
            kept = [word for word in words(row.base) if word not in gone]
            assert kept == [word for word in words(row.no_country) if word not in ("a", "an")], row.base

    @pytest.mark.parametrize("dimension", DIMENSIONS)
    def test_the_country_is_carried_into_each_facet(self, dimension):
        for row in SCENARIOS.itertuples():
            assert means(getattr(row, dimension), row.country), row.scenario_id

    def test_extended_prompts_hold_the_base_prompt_and_then_behavior_identity_context(self):
        for row in SCENARIOS.itertuples():
            opening, rest = row.extended.split(row.base)
            assert opening.strip() == starter.OPENER
            assert re.fullmatch(
                rf" Behavior: {re.escape(row.behavior_detail)} Identity: {re.escape(row.identity_detail)}"
                rf" Context: {re.escape(row.context_detail)}",
                rest,
            )

    def test_lengths(self):
        assert SCENARIOS["base"].str.split().str.len().between(10, 25).all()
        assert SCENARIOS["extended"].str.split().str.len().between(80, 140).all()
        assert QUESTIONS["text"].str.split().str.len().between(5, 35).all()

    def test_both_sides_of_uniqueness_have_enough_scenarios_and_a_sentence_why(self):
        assert SCENARIOS["unique"].value_counts().min() >= 10
        assert SCENARIOS["unique_reason"].str.fullmatch(r"[A-Z][^.?!]+\.").all()


class TestQuestions:
    def test_three_of_each_dimension_for_each_scenario(self):
        cells = QUESTIONS.groupby(["scenario_id", "dimension"]).size()
        assert len(cells) == 50 * len(DIMENSIONS)
        assert cells.eq(3).all()
        assert set(QUESTIONS["scenario_id"]) == set(SCENARIOS["scenario_id"])

    def test_form_is_one_sentence_that_yes_or_no_answers(self):
        form = re.compile(rf"(?:{'|'.join(FIRST_WORDS)}) [^.?!]+\?")
        assert wrong(QUESTIONS, lambda row: form.fullmatch(row.text)) == []

    def test_questions_about_behavior_ask_for_sequence_or_duration(self):
        about_behavior = QUESTIONS[QUESTIONS["dimension"].eq("behavior")]
        assert wrong(about_behavior, lambda row: TEMPORAL.search(row.text)) == []

    def test_the_visual_detail_stands_in_the_question_not_in_the_countrys_name(self):
        assert wrong(QUESTIONS, lambda row: names_no_country(row.text)) == []

    def test_every_scenario_asks_what_the_prompt_says_and_what_it_implies(self):
        explicit = QUESTIONS.groupby("scenario_id")["explicit"].sum()
        assert explicit.between(3, 6).all()

    def test_what_the_prompt_says_weighs_more_than_what_it_implies(self):
        weights = QUESTIONS.groupby("explicit")["weight"].mean()
        assert weights[True] > weights[False] + 1
        # CultureScore, C.4: 8-10 critical, so that each scenario needs at least one such question.
        assert QUESTIONS.groupby("scenario_id")["weight"].max().ge(8).all()

    def test_they_are_asked_from_the_base_prompt_and_not_verified(self):
        assert QUESTIONS["asked_from"].eq("base").all()
        assert QUESTIONS["verified"].isna().all()


class TestCultureVidBench:
    def test_one_prompt_for_each_country_and_aspect(self):
        cells = SINGLE.groupby(["country", "aspect"]).size()
        assert len(cells) == len(CULTUREVIDBENCH_COUNTRIES) * len(ASPECTS) == 168
        assert cells.eq(1).all()
        assert SINGLE.groupby("country")["element"].nunique().eq(len(ASPECTS)).all()

    def test_each_names_its_country_and_no_other(self):
        for row in SINGLE.itertuples():
            found = country_words(row.text)
            assert found, row.text
            assert all(row.country in each.countries for each in found), (row.text, found)

    def test_lengths(self):
        assert SINGLE["text"].str.split().str.len().between(8, 20).all()

    def test_text_cues_are_writing_that_the_prompt_spells_out_or_names(self):
        assert 15 <= SINGLE["text_cue"].sum() <= 30
        spelt = re.compile(r'"[^"]+"|\b(hiragana|writes)\b')
        quoted = SINGLE["text"].str.contains(r'(?:signed|lettered|reading|reads|titled|marked) "', regex=True)
        assert wrong(SINGLE[SINGLE["text_cue"]], lambda row: spelt.search(row.text)) == []
        assert not (quoted & ~SINGLE["text_cue"]).any()

    def test_audio_cues_stand_where_sound_is_expected(self):
        expected = SINGLE["aspect"].isin(AUDIO_ASPECTS)
        assert SINGLE.loc[expected, "audio_cue"].mean() > 0.6
        assert SINGLE.loc[~expected, "audio_cue"].mean() < 0.05


class TestMatchedSets:
    def test_forty_sets_of_twelve_countries(self):
        sets = MATCHED.groupby("matched_set")
        assert len(sets) == 40
        assert sets["country"].agg(set).eq(set(CULTUREVIDBENCH_COUNTRIES)).all()
        assert sets.size().eq(len(CULTUREVIDBENCH_COUNTRIES)).all()
        assert sets["aspect"].nunique().eq(1).all()
        assert set(MATCHED["aspect"]) == set(ASPECTS)

    def test_only_the_countrys_name_differs(self):
        frames = [
            re.sub(rf"\b(?:the )?{row.country}\b", "COUNTRY", row.text, count=1)
            for row in MATCHED.itertuples()
        ]
        assert pd.Series(frames).groupby(MATCHED["matched_set"].to_numpy()).nunique().eq(1).all()
        assert all(names_no_country(frame) for frame in frames)

    def test_lengths(self):
        assert MATCHED["text"].str.split().str.len().between(8, 20).all()


class TestAllTexts:
    def test_no_text_stands_twice(self):
        assert not TEXTS.duplicated().any()
        assert not pd.concat([PROMPTS["prompt_id"], QUESTIONS["question_id"]]).duplicated().any()

    def test_every_prompt_names_its_source_and_that_nobody_native_reviewed_it(self):
        sources = starter.sources()
        assert list(sources["prompt_id"]) == list(PROMPTS["prompt_id"])
        assert sources["source_url"].str.fullmatch(r"https?://[^\s/]+\.[a-z]+/\S+").all()
        assert sources["review"].eq("not reviewed by native raters").all()
        assert (
            QUESTIONS["evidence"].str.fullmatch(r".+ \(https?://\S+\); not reviewed by native raters").all()
        )

    def test_nobody_is_described_by_their_looks(self):
        assert [text for text in TEXTS if APPEARANCE.search(text)] == []

    def test_the_safety_screen_finds_nothing(self):
        assert find_words(TEXTS, "safety").empty

    def test_spelling_of_texts_is_tidy(self):
        assert TEXTS.eq(TEXTS.str.split().str.join(" ")).all()
        assert TEXTS.str.endswith((".", "?")).all()

    def test_no_eight_words_in_a_row_come_from_the_published_prompts(self):
        if not PUBLISHED.is_file():
            pytest.skip(f"needs CultureVidBench's prompt list at {PUBLISHED}")
        lines = [line.split("\t") for line in PUBLISHED.read_text(encoding="utf-8").splitlines() if line]
        theirs = {run for *_, text in lines for run in _runs(text)}
        assert len(theirs) > 1000
        assert [text for text in TEXTS if theirs & _runs(text)] == []

    def test_files_are_small(self):
        assert all(path.stat().st_size < 300_000 for path in starter.STARTER.iterdir())


class TestBadInput:
    def test_unknown_names_are_refused_with_the_nearest(self):
        with pytest.raises(ValueError, match="did you mean 'matched_scenes'"):
            starter.load("matched_scene")

    @pytest.mark.parametrize(
        ("name", "column", "value", "message"),
        [
            ("culturescore_scenarios", "country", "Brasil", "did you mean 'Brazil'"),
            ("culturescore_questions", "weight", "11", "a whole number from 1 to 10"),
            ("culturevidbench_prompts", "aspect", "meals", "expected one of food, clothing"),
            ("matched_scenes", "review", "reviewed", "not reviewed by native raters"),
        ],
    )
    def test_a_wrong_value_is_named_with_file_row_and_column(
        self, tmp_path, monkeypatch, name, column, value, message
    ):
        rows = pd.read_csv(starter.STARTER / f"{name}.csv", dtype=str)
        rows.loc[2, column] = value
        rows.to_csv(tmp_path / f"{name}.csv", index=False)
        monkeypatch.setattr(starter, "STARTER", tmp_path)
        with pytest.raises(
            DataError, match=rf"{name}.csv: row 4, column '{column}': found {value}.*{message}"
        ):
            starter.load(name)

    def test_a_cut_file_is_noticed(self, tmp_path, monkeypatch):
        content = (starter.STARTER / "matched_scenes.csv").read_text(encoding="utf-8")
        (tmp_path / "matched_scenes.csv").write_text(
            content[: content.rindex("\n", 0, -1) + 1], encoding="utf-8"
        )
        monkeypatch.setattr(starter, "STARTER", tmp_path)
        with pytest.raises(DataError, match="39 rows; expected 40"):
            starter.load("matched_scenes")


def test_the_vocabulary_is_the_published_one():
    assert (
        set(PROMPTS["variant"])
        == {"base", "extended", "no_country", "plain"}
        < {variant for variants in published.VARIANTS.values() for variant in variants}
    )


def _runs(text: str, length: int = 8) -> set[tuple[str, ...]]:
    """Every run of so many words in a row."""
    found = words(text)
    return {tuple(found[start : start + length]) for start in range(len(found) - length + 1)}
