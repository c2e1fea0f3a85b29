import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.imports.layout import BY_ID, Layout
from helpers.imports.names import clip_id, known_model
from helpers.imports.texts import PromptTexts, normalised

IDS = ["a", "a_1", "a_1_b", "01", "010"]


@pytest.mark.parametrize(
    ("name", "prompt_id", "rest"),
    [
        ("M/a", "a", ""),
        ("M/a_1", "a_1", ""),
        ("M/a_1x", "a", "_1x"),
        ("M/a_1_b-take 2", "a_1_b", "-take 2"),
        ("M/deep/er/010.final", "010", ".final"),
        ("M/0101", None, None),
        ("M/xa", None, None),
        ("a", None, None),
    ],
)
def test_the_longest_id_that_does_not_end_within_a_word(name, prompt_id, rest):
    parts = Layout(BY_ID, IDS).read(name)
    assert (parts and parts.prompt_id, parts and parts.rest) == (prompt_id, rest)


@given(st.sampled_from(IDS), st.text("xyz", max_size=3), st.integers(0, 10**6), st.text("mM 0.", min_size=1))
def test_a_layout_reads_what_was_written_in_it(prompt_id, rest, seed, model):
    rest = f"-{rest}" if rest else ""
    parts = Layout("run/{model}/{prompt_id}*_s{seed}", IDS).read(f"run/{model}/{prompt_id}{rest}_s{seed}")
    assert (parts.model, parts.prompt_id, parts.rest, parts.seed) == (model, prompt_id, rest, seed)


def test_signs_in_a_pattern_and_in_ids_are_themselves():
    parts = Layout("clips (1)/{prompt_id}.+{seed}", ["what?", "a.b"]).read("clips (1)/what?.+3")
    assert (parts.prompt_id, parts.seed) == ("what?", 3)
    assert Layout("{prompt_id}", ["a.b"]).read("axb") is None


def test_no_prompts_fit_nothing():
    assert Layout("{prompt_id}*", []).read("a") is None


TEXTS = {
    "p1": "A bride greets her guests at a wedding in Japan, under paper lanterns.",
    "p2": "A bride greets her guests at a wedding in India, under marigold garlands.",
    "p3": "Café à la crème on a small round table.",
    "p4": "Twins play in the rain beside the river.",
    "p5": "Twins play in the rain beside the river!",
}
FINDER = PromptTexts(TEXTS)


@pytest.mark.parametrize(
    ("name", "how", "prompt_id"),
    [
        ("a bride greets her guests at a wedding in japan under paper lanterns", "exact", "p1"),
        ("Cafe_a_la_creme_on_a_small_round_table", "exact", "p3"),
        ("Cafe\u0301 a\u0300 la cre\u0300me on a small round table", "exact", "p3"),  # as macOS writes it
        ("Cafe a la creme on a small round table (3)", "exact", "p3"),
        ("A bride greets her guests at a wedding in Ja", "beginning", "p1"),
        ("A bride greets her guests", "ambiguous", None),
        ("Twins play in the rain beside the river", "ambiguous", None),
        ("A brid greets her guest at a wedding in Japan, under papr lanterns", "near", "p1"),
        ("A groom dances alone in a market in Peru", "none", None),
        ("A bride", "none", None),
        ("", "none", None),
    ],
)
def test_names_made_of_texts(name, how, prompt_id):
    match = FINDER.find(name)
    assert (match.how, match.prompt_id) == (how, prompt_id)


def test_two_prompts_as_alike_are_not_decided_between():
    # One word is wrong, and the two prompts differ by one word: either could be meant.
    texts = {name: f"A market seller weighs fruit at dawn in {name}" for name in ("Iran", "Iraq")}
    match = PromptTexts(texts).find("A market seller weighs fruit at dawn in Irax")
    assert (match.how, match.candidates) == ("ambiguous", ("Iran", "Iraq"))


@given(st.sampled_from(sorted(TEXTS)[:3]), st.randoms(use_true_random=False))
def test_case_and_signs_do_not_matter(prompt_id, random):
    text = "".join(random.choice([letter.upper(), letter]) for letter in TEXTS[prompt_id])
    assert FINDER.find(text.replace(" ", random.choice([" ", "_", "-", ", "]))).prompt_id == prompt_id


@given(st.text())
def test_normalising_twice_changes_nothing(text):
    assert normalised(normalised(text)) == normalised(text)


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("veo-3.1-fast", "Veo 3.1 Fast"),
        ("Cosmos-Predict-2.5", "Cosmos-Predict2.5"),
        ("LTX_2", "LTX-2"),
        ("LTX-23", None),
        ("Happyhorse-1.0", "HappyHorse 1.0"),
        ("Wan-2.2-14B", None),
    ],
)
def test_models_whatever_their_signs(name, model):
    known = ["Veo 3.1 Fast", "Cosmos-Predict2.5", "LTX-2", "LTX-2.3", "HappyHorse 1.0", "Wan 2.2"]
    assert known_model(name, known) == model


def test_ids_are_readable():
    assert clip_id("Veo 3.1 Fast", "010101", 4, "_Final (Take 2)") == "veo-3.1-fast/010101/s4/final-take-2"


def test_looking_for_near_names_among_many_texts_does_not_compare_them_all(monkeypatch):
    compared = []
    ratio = difflib.SequenceMatcher.quick_ratio
    monkeypatch.setattr(
        difflib.SequenceMatcher, "quick_ratio", lambda self: compared.append(1) or ratio(self)
    )
    texts = {
        f"p{n}": f"a dancer number {n} turns on a wooden stage in city {n % 37} at dusk" for n in range(1000)
    }
    found = PromptTexts(texts | {"x": "Two potters paint a tall vase with cobalt blue"}).find(
        "Two poters paint a tall vase with cobalt blu"
    )
    assert (found.how, found.prompt_id) == ("near", "x")
    assert len(compared) <= 20
