"""CultureVidBench's candidates, asked of a server on the loopback, up to rows of the table `prompts`."""

import json
import re

import pandas as pd
import pytest

from helpers.benchmarks import culturevidbench_candidates as writing
from helpers.benchmarks.culturevidbench import numbered, read_list
from helpers.benchmarks.culturevidbench_elements import read_elements
from helpers.benchmarks.model_steps import TEMPLATES, Writer
from helpers.benchmarks.review import CANDIDATES, QUESTIONS, decide, read_sheet, write_sheets
from helpers.benchmarks.stems import shares_a_word
from helpers.chat.ask import ask_many
from helpers.chat.forms import json_schema
from helpers.chat.openai_compatible import OpenAICompatible
from helpers.paths import ROOT
from helpers.published import ASPECTS
from helpers.templates import template
from stub_server import completion

WRITER = Writer(model="writer")
ELEMENTS = """country,aspect,element,step,activity,source,url
Italy,food,orecchiette,,,Wikipedia: Orecchiette,
Brazil,dancing,frevo,,,Wikipedia: Frevo,
China,wedding,tea ceremony,2,the couple serves tea,Cultural Atlas: China,
China,wedding,tea ceremony,1,the couple kneels before the parents,Cultural Atlas: China,
China,wedding,tea ceremony,3,the parents hand over red envelopes,Cultural Atlas: China,
"""
PASTA = [
    {"subject": "A cook", "action": "presses", "element": "orecchiette", "context": at + " in Italy"}
    for at in ("with one thumb at a kitchen table", "on a board in an alley", "for guests at an inn")
]
DANCE = [
    {"subject": f"{who} dancers", "practice": "spin umbrellas in a frevo", "context": "in Recife, Brazil"}
    for who in ("Young", "Three", "Street")
]
TEA = [
    {
        "subject": "The couple",
        "first_step": first,
        "first_activity": "kneels before the parents",
        "second_step": second,
        "second_activity": "serves them tea",
        "context": f"in a {room} in China",
    }
    for first, second, room in ((1, 2, "living room"), (2, 3, "hall"), (1, 3, "courtyard"))
]


@pytest.fixture
def elements(tmp_path):
    path = tmp_path / "elements.csv"
    path.write_text(ELEMENTS, encoding="utf-8")
    return writing.one_row_each(read_elements(path))


@pytest.fixture
def write(server, tmp_path, elements):
    """Ask for candidates and read them; the server replies what is given for each element."""
    backend = OpenAICompatible(base_url=f"{server.address}/v1", timeout=5.0)

    def write(**changes):
        replies = {"orecchiette": PASTA, "frevo": DANCE, "tea": TEA} | changes

        def answer(asked):
            name = next(name for name in replies if name in asked.text)
            return completion(json.dumps({"candidates": replies[name]}))

        server.answer = answer
        requests = writing.candidate_requests(elements, WRITER)
        return writing.candidate_rows(elements, ask_many(requests, backend, tmp_path / "log.jsonl"))

    return write


def test_elements_have_one_row_each_with_their_activities_in_order(elements):
    assert list(elements["element_id"]) == ["italy-food-1", "brazil-dancing-1", "china-wedding-1"]
    assert list(elements["category"]) == ["material", "social", "ritual"]
    assert list(elements["activities"].str.len()) == [0, 0, 3]
    assert elements["activities"][2][0] == "the couple kneels before the parents"


def test_each_category_is_asked_by_its_own_template(elements):
    asked = [request.messages[0].parts[0].text for request in writing.candidate_requests(elements, WRITER)]
    assert "2. the couple serves tea\n3. the parents" in asked[2]
    assert all(name in text for name, text in zip(elements["element"], asked, strict=True))
    assert not any("{" in text for text in asked)


def test_replies_become_sentences_that_go_to_review(write):
    written = write()
    assert written.candidates["form_status"].eq("ok").all()
    assert written.left_out.empty
    texts = written.candidates.set_index("candidate_id")["text"]
    assert texts["italy-food-1-2"] == "A cook presses orecchiette on a board in an alley in Italy."
    assert texts["china-wedding-1-1"] == (
        "The couple kneels before the parents and serves them tea in a living room in China."
    )
    assert len(CANDIDATES.check(writing.for_review(written.candidates), "review")) == 9


# CultureVidBench, section 3.2: one prompt is kept of each element, two of a ritual.
def test_from_an_element_to_rows_of_prompts(write, tmp_path):
    candidates = writing.for_review(write().candidates)
    sheets = []
    for path in write_sheets(candidates, tmp_path / "review", seed=1):
        sheet = pd.read_csv(path, dtype=str, keep_default_na=False)
        assert set(sheet["source"]) == {"Wikipedia: Orecchiette", "Wikipedia: Frevo", "Cultural Atlas: China"}
        sheet[list(QUESTIONS)] = "yes"
        sheet["preference"] = sheet["candidate_id"].str[-1]
        sheet.to_csv(path, index=False)
        sheets.append(read_sheet(path, candidates))
    prompts = numbered(decide(candidates, *sheets).kept)
    assert list(prompts["prompt_id"]) == ["011201", "011202", "080101", "120801"]


def part(parts, **changes):
    return [parts[0] | changes, *parts[1:]]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"orecchiette": part(PASTA, context="at home")}, "found no word for Italy"),
        ({"orecchiette": part(PASTA, element="pasta")}, "found no word of 'orecchiette'"),
        ({"orecchiette": part(PASTA, action="in a naked hand presses")}, "found 'naked' (harmful)"),
        ({"orecchiette": part(PASTA, action=" ".join(["presses"] * 30))}, "found 42 words, expected 6 to 25"),
        ({"frevo": part(DANCE, subject="X", practice="frevos", context="in Brazil")}, "found 4 words"),
        ({"tea": part(TEA, first_step=2, second_step=1)}, "found step 2 and then step 1, expected two of 3"),
        ({"tea": part(TEA, second_step=4)}, "found step 1 and then step 4"),
        ({"tea": part(TEA, first_step=0)}, "found step 0 and then step 2"),
    ],
)
def test_a_candidate_that_breaks_a_rule_is_set_aside_with_the_reason(write, changes, reason):
    rows = write(**changes).candidates
    aside = rows[rows["form_status"].eq("unscored")]
    assert len(aside) == 1
    assert len(rows) == 9
    assert reason in aside["form_reason"].item()


def test_the_same_sentence_twice_counts_once(write):
    same = [PASTA[0], PASTA[0] | {"subject": "a COOK"}, PASTA[2]]
    rows = write(orecchiette=same).candidates.set_index("candidate_id")
    assert rows.loc["italy-food-1-2", "form_reason"] == "is there twice; expected three different ones"
    assert rows["form_status"].value_counts().to_dict() == {"ok": 8, "unscored": 1}


def test_an_element_with_too_few_usable_candidates_is_left_out_and_named(write):
    written = write(tea=[parts | {"context": "at home"} for parts in TEA[:2]] + TEA[2:], frevo=DANCE[:2])
    assert written.elements["write_status"].tolist() == ["ok", "unscored", "ok"]
    left = written.left_out.set_index("element")
    assert left[["needed", "usable"]].to_numpy().tolist() == [[1, 0], [2, 1]]
    assert "3" in left.loc["frevo", "reason"]
    assert left.loc["tea ceremony", "reason"] == "candidates were set aside"
    assert set(writing.for_review(written.candidates)["element"]) == {"orecchiette"}


def test_forms_leave_nothing_open():
    for form in writing.FORMS.values():
        assert json_schema(form)["properties"]["candidates"]["minItems"] == 3


def test_a_name_counts_with_another_ending_and_without_accents():
    assert shares_a_word("Friends share a café table with churros.", "churro")
    assert shares_a_word("They dance Pizzica at night.", "Pìzzica dance")
    assert not shares_a_word("A vendor cuts cheese.", "the art of stroopwafel")


def test_the_published_list_keeps_the_limits_and_names_its_elements():
    """The limits of length and the shares that the module gives are the published list's own."""
    path = ROOT.parent / "shared" / "data" / "index_elements_prompts.txt"
    if not path.exists():
        pytest.skip("CultureVidBench's published prompt list is not on this machine")
    prompts = read_list(path)
    words = prompts["text"].str.split().str.len()
    assert (words.min(), words.max()) == (writing.FEWEST_WORDS, writing.MOST_WORDS)
    named = [shares_a_word(row.text, row.element) for row in prompts.itertuples()]
    shares = pd.Series(named).groupby(prompts["aspect"].map(ASPECTS)).mean().round(2)
    assert shares[["material", "social"]].tolist() == [0.99, 0.94]


@pytest.mark.parametrize("category", writing.FORMS)
def test_templates_are_in_our_own_words(category):
    paper = ROOT.parent / "shared" / "papers" / "001_8a8c0bb39f6c1437.txt"
    if not paper.exists():
        pytest.skip("the paper's text is not here")

    def runs(written, length=8):
        words = re.findall(r"\w+", written.casefold())
        return {tuple(words[at : at + length]) for at in range(len(words) - length + 1)}

    text = template(TEMPLATES / f"culturevidbench_write_{category}.txt").text
    assert runs(text) & runs(paper.read_text(encoding="utf-8")) == set()


def test_without_candidates_nothing_goes_to_review():
    assert writing.for_review(pd.DataFrame(columns=list(writing.COLUMNS), dtype=object)).empty
