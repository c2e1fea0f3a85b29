import re

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.benchmarks import culturevidbench_paper as paper
from helpers.benchmarks.culturevidbench import (
    ASPECT_CODES,
    COUNTRY_CODES,
    as_prompts,
    counts,
    described,
    human_subset,
    numbered,
    read_list,
)
from helpers.benchmarks.culturevidbench_elements import elements_of
from helpers.benchmarks.line_report import BadLinesError
from helpers.benchmarks.word_lists import find_words
from helpers.checking import DataError
from helpers.paths import ROOT
from helpers.published import ASPECTS

PUBLISHED = ROOT.parent / "shared" / "data" / "index_elements_prompts.txt"
GOOD = "010101\trice\tA woman cooks rice in China."


@pytest.fixture(scope="module")
def published():
    if not PUBLISHED.exists():
        pytest.skip("CultureVidBench's published prompt list is not on this machine")
    return read_list(PUBLISHED)


@pytest.fixture
def make_list(tmp_path):
    def make(content):
        path = tmp_path / "list.txt"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


@pytest.fixture(scope="module")
def small():
    """Two prompts in each cell, ids in no order."""
    ids = [f"{country}{aspect}{n:02}" for n in (2, 1) for country in COUNTRY_CODES for aspect in ASPECT_CODES]
    listed = pd.DataFrame({"prompt_id": ids}).assign(element="rice", text=[f"Prompt {name}." for name in ids])
    return as_prompts(listed, "test")


# The counts of the list's own description (repository hanxjing/CultureVidBench, eval/prompts).
def test_published_list_has_the_counts_that_its_description_gives(published):
    assert len(published) == 1000
    assert list(counts(published).sum(axis=1)) == [102, 84, 87, 84, 76, 80, 83, 88, 73, 87, 75, 81]
    assert list(counts(published).sum(axis=0)) == [99, 43, 62, 68, 78, 87, 54, 32, 54, 44, 37, 84, 76, 182]
    assert len(published.drop_duplicates(["country", "element"])) == 828
    assert published["prompt_id"].is_unique
    assert published["text"].is_unique


def test_published_list_keeps_its_letters(published):
    texts = published.set_index("prompt_id")["text"]
    assert "“fu”" in texts["010404"]
    assert published["text"].str.contains("café").any()
    assert not published["text"].str.contains("\t|\r|\n").any()


# CultureVidBench, sections 3.2, 3.3 and appendix A.
def test_published_list_differs_from_the_paper_in_two_material_and_two_ritual_prompts():
    table = paper.beside_paper(paper.published_cells()).set_index("what")
    assert list(table.loc["material prompts", ["found", "paper"]]) == [272, 270]
    assert list(table.loc["social prompts", ["found", "paper"]]) == [386, 386]
    assert list(table.loc["ritual prompts", ["found", "paper"]]) == [342, 344]
    assert list(table.loc["elements (country and element)", ["found", "paper"]]) == [828, 828]
    words = table.loc["words a prompt, mean"]
    assert words["paper"] == 12.8
    assert words["found"] == pytest.approx(13.129)
    assert words["difference"] == pytest.approx(0.329)


def test_the_counts_kept_here_are_those_of_the_published_list(published):
    pd.testing.assert_frame_equal(paper.published_cells(), paper.cells(published))
    pd.testing.assert_frame_equal(paper.published_lengths(), paper.lengths(published))


def test_the_kept_counts_fit_together():
    cells, lengths = paper.published_cells(), paper.published_lengths()
    assert len(cells) == 168
    assert lengths["prompts"].sum() == cells["prompts"].sum() == 1000
    assert lengths["prompts"] @ lengths["words"] == cells["words"].sum()
    assert (cells["elements"] - cells["new_elements"]).sum() == 1
    lacks = cells["new_elements"] < cells["elements"]
    assert cells.loc[lacks, ["country", "aspect"]].to_numpy().tolist() == [["Malaysia", "sports"]]


def test_cells_count_an_element_of_a_country_once_over_its_aspects():
    ids = ["010901", "011001", "011002", "020901"]
    listed = pd.DataFrame({"prompt_id": ids, "element": ["Go", "go", "chess", "go"]})
    listed = listed.assign(text=["Two play.", "Two sit and play.", "They play.", "They play."])
    rows = paper.cells(as_prompts(listed, "test")).set_index(["country", "aspect"])
    assert rows[["prompts", "elements", "new_elements", "words"]].to_numpy().tolist() == [
        [1, 1, 1, 2],
        [2, 2, 1, 6],
        [1, 1, 1, 2],
    ]


def test_published_list_has_one_element_under_two_aspects(published):
    assert paper.shared_elements(published).to_dict("records") == [
        {
            "country": "Malaysia",
            "element": "sepak takraw",
            "aspects": "games, sports",
            "prompt_ids": "040901, 041002",
        }
    ]


# CultureVidBench, section 3.2: one prompt for each element, two for each ritual.
def test_published_list_has_two_prompts_for_each_ritual_and_one_for_each_other_element(published):
    elements = elements_of(published)
    by_category = elements.groupby(elements["aspect"].map(ASPECTS))["prompts"]
    assert by_category.unique().map(list).to_dict() == {"material": [1], "social": [1], "ritual": [2]}


# CultureVidBench, table 5: prompts that the paper names for their text and audio cues.
@pytest.mark.parametrize(
    ("cue", "text"),
    [
        ("text_cue", "Families decorate homes for Christmas with a festive banner in the United States."),
        ("text_cue", "an open-air market with a sign board in the Netherlands"),
        ("audio_cue", "Performers sing and dance to Afrobeats music on stage in Nigeria."),
    ],
)
def test_cues_that_the_paper_names_are_found(published, cue, text):
    rows = published[published["text"].str.contains(text, regex=False)]
    assert len(rows) == 1
    assert rows[cue].all()


# CultureVidBench, table 5 and figure 9: prompts that it names for other things than cues.
@pytest.mark.parametrize("text", ["pieces on a shogi board", "pelmeni"])
def test_prompts_without_cues_have_none(published, text):
    rows = published[published["text"].str.contains(text, regex=False)]
    assert len(rows)
    assert not rows[["text_cue", "audio_cue"]].any(axis=None)


def test_text_cues_are_few_and_audio_cues_lie_in_the_aspects_with_sound(published):
    rows = described(published)
    assert 12 <= rows["text_cue"].sum() <= 40
    assert rows.loc[rows["audio_cue"], "audio_scope"].mean() > 0.95
    assert rows.groupby("audio_scope")["audio_cue"].mean()[True] > 0.2


# CultureVidBench, ethical considerations and appendix A: its prompts were checked for these.
def test_safety_screen_passes_the_published_prompts(published):
    assert find_words(published.set_index("prompt_id")["text"], "safety").empty


# CultureVidBench, section 4.3: 168 prompts, and 98 clips of seven models in each country.
def test_human_subset_of_the_published_list(published):
    subset = human_subset(published, seed=1)
    assert len(subset) == 168
    assert (counts(subset) == 1).all(axis=None)
    assert (subset["country"].value_counts() * 7).unique().tolist() == [98]


def test_described_adds_what_country_and_aspect_imply(small):
    rows = described(small).set_index("prompt_id")
    one = rows.loc["060802"]
    assert (one["country"], one["region"]) == ("Ethiopia", "African-Islamic")
    assert (one["aspect"], one["category"], one["audio_scope"]) == ("dancing", "social", True)
    assert rows.loc["100101", "category"] == "material"
    assert not rows.loc["100101", "audio_scope"]
    assert (rows["words"] == 2).all()


def test_described_refuses_other_benchmarks(small):
    with pytest.raises(ValueError, match="found 1 rows of landmarks"):
        described(small.assign(benchmark=["landmarks"] + ["culturevidbench"] * (len(small) - 1)))


def test_described_refuses_countries_without_a_region(small):
    with pytest.raises(ValueError, match="no cultural region is known for Peru"):
        described(small.head(2).assign(country="Peru"))


def test_human_subset_follows_the_seed_and_not_the_order(small):
    first = human_subset(small, seed=3)
    assert first.equals(human_subset(small.sample(frac=1, random_state=0), seed=3))
    assert not first.equals(human_subset(small, seed=4))
    assert (counts(first) == 1).all(axis=None)


def test_human_subset_names_empty_cells(small):
    with pytest.raises(ValueError, match=r"1 of 168 cells hold no prompt \(China, food\)"):
        human_subset(small[~small["prompt_id"].str.startswith("0101")], seed=1)


def test_byte_order_mark_windows_lines_blank_lines_and_comments_are_accepted(make_list):
    path = make_list(
        b"\xef\xbb\xbf# a comment\r\n\r\n010101\trice\tA woman cooks rice.\r\n"
        b"   \r\n# 01\r\n020201\tkimono\tA man folds a kimono. "
    )
    rows = read_list(path)
    assert list(rows["prompt_id"]) == ["010101", "020201"]
    assert list(rows["text"]) == ["A woman cooks rice.", "A man folds a kimono."]
    assert list(rows["variant"]) == ["plain", "plain"]
    assert rows["category"].isna().all()


BAD = {
    "two columns": (
        "010102\tA man eats.",
        "found 2 columns (010102 | A man eats.), expected id, element and",
    ),
    "four columns": ("010102\ta\tb\tc", "found 4 columns"),
    "spaces instead of tabs": ("010102 rice A man eats.", "found 1 column ("),
    "a short id": ("10102\trice\tA man eats.", "found the id '10102', expected six digits"),
    "letters in the id": ("01O102\trice\tA man eats.", "found the id '01O102'"),
    "full-width digits": ("０１０１０２\trice\tA man eats.", "found the id '０１０１０２'"),
    "an unknown country": ("130102\trice\tA man eats.", "found the country code 13, expected 01 to 12"),
    "country 00": ("000102\trice\tA man eats.", "found the country code 00"),
    "an unknown aspect": ("011502\trice\tA man eats.", "found the aspect code 15, expected 01 to 14"),
    "no prompt": ("010102\trice\t ", "found no prompt, expected some text"),
    "no element": ("010102\t\tA man eats.", "found no element, expected some text"),
    "a repeated id": ("010101\tbread\tA man eats.", "found again, expected each id once (line 1 has it)"),
}


@pytest.mark.parametrize(("line", "message"), BAD.values(), ids=BAD)
def test_a_bad_line_is_named(make_list, line, message):
    with pytest.raises(BadLinesError, match=re.escape(message)) as caught:
        read_list(make_list(f"{GOOD}\n\n{line}\n"))
    assert list(caught.value.problems["line"]) == [3]
    assert "list.txt, line 3: " in str(caught.value)


def test_a_line_that_is_not_utf8_is_named(make_list):
    with pytest.raises(BadLinesError, match=r"line 2: byte 16 of the line is not UTF-8"):
        read_list(make_list(GOOD.encode() + b"\n010102\tcaf\xc3\xa9\tca\xff\xe9\n"))


def test_all_bad_lines_stand_in_one_report(make_list):
    lines = [line for line, _ in BAD.values()]
    with pytest.raises(BadLinesError) as caught:
        read_list(make_list("\n".join([GOOD, *lines]).encode() + b"\n\xff\n"))
    numbers = list(range(2, len(lines) + 3))
    # A line that cannot be decoded is noticed before the others are looked at.
    assert sorted(caught.value.problems["line"]) == numbers
    assert all(f"line {number}: " in str(caught.value) for number in numbers)


@pytest.mark.parametrize("content", ["", "\n\n", "# only a comment\n", b"\xef\xbb\xbf"])
def test_a_list_without_prompts_is_refused(make_list, content):
    with pytest.raises(DataError, match=r"list\.txt: found no prompt, expected id, element and prompt"):
        read_list(make_list(content))


def test_an_absent_list_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"none\.txt: no such file"):
        read_list(tmp_path / "none.txt")


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1)


@settings(max_examples=15)
@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=5), st.sampled_from(["\n", "\r\n"]))
def test_whatever_is_written_is_read_again(tmp_path_factory, pairs, end):
    path = tmp_path_factory.mktemp("lists") / "list.txt"
    rows = [(f"0101{n:02}", element, text) for n, (element, text) in enumerate(pairs)]
    path.write_bytes("".join("\t".join(row) + end for row in rows).encode())
    read = read_list(path)
    assert list(read[["prompt_id", "element", "text"]].itertuples(index=False, name=None)) == rows


def test_numbered_gives_ids_that_read_back(small):
    kept = small[["country", "aspect", "element", "text"]]
    again = numbered(kept)
    assert sorted(again["prompt_id"]) == sorted(small["prompt_id"])
    by_id = small.set_index("prompt_id")
    for row in again.itertuples():
        assert (row.country, row.aspect) == tuple(by_id.loc[row.prompt_id, ["country", "aspect"]])


def test_numbered_refuses_what_two_digits_cannot_say(small):
    kept = small[["country", "aspect", "element", "text"]]
    with pytest.raises(ValueError, match="no code for Poland"):
        numbered(kept.assign(country="Poland"))
    with pytest.raises(ValueError, match="found 100 prompts in one cell"):
        numbered(pd.concat([kept.head(1)] * 100))


def test_shared_elements_of_a_list_without_any(small):
    alone = small.drop_duplicates("country")
    assert paper.shared_elements(alone).empty
    assert list(paper.shared_elements(alone)) == ["country", "element", "aspects", "prompt_ids"]


# Unicode Standard, chapter 23.2: U+200B and U+FEFF have no width.
@pytest.mark.parametrize("nothing", ["\u200b", "\ufeff \u2060"])
def test_text_of_which_nothing_is_to_be_seen_is_none(make_list, nothing):
    with pytest.raises(BadLinesError, match="id 010101: found no prompt"):
        read_list(make_list(f"010101\trice\t{nothing}\n"))


@pytest.mark.parametrize("name", ["x" * 300, "list.txt/x"])
def test_a_path_that_cannot_be_is_refused(make_list, name):
    with pytest.raises(DataError, match="expected a list of prompts"):
        read_list(make_list(GOOD + "\n").parent / name)
