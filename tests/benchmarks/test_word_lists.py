import pandas as pd
import pytest

from helpers.benchmarks.word_lists import WORDS, find_words, has_word, word_list


def found(text, name="safety"):
    return [(row.group, row.word) for row in find_words(pd.Series([text]), name).itertuples()]


@pytest.mark.parametrize("name", sorted(path.stem for path in WORDS.glob("*.yaml")))
def test_lists_have_a_version_and_no_entry_twice(name):
    words = word_list(name)
    assert words.version >= 1
    assert words.review
    for entries in words.groups.values():
        assert len({entry.casefold() for entry in entries}) == len(entries)
        assert all(entry == entry.strip() for entry in entries)


# The four kinds of content that CultureVidBench screens for (ethical considerations), and its appendix A.
def test_safety_screen_has_the_papers_kinds_and_appearance():
    expected = ["harmful", "violent", "offensive", "discriminatory", "appearance"]
    assert sorted(word_list("safety").groups) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A man KILLS a bull in Spain.", [("violent", "KILLS")]),
        ("A skilled woman weaves.", []),
        ("People wear primitive masks.", [("discriminatory", "primitive")]),
        ("A dark-skinned man drums.", [("appearance", "dark-skinned")]),
        ("A dark skinned man drums.", [("appearance", "dark skinned")]),
        ("An Asian-looking woman pours tea.", [("appearance", "Asian-looking")]),
        ("A beautiful woman dances.", [("appearance", "beautiful woman")]),
        ("A beautiful garden in Japan.", []),
        ("Cooks press rapeseed oil and stab at nothing.", [("violent", "stab")]),
        ("Barbara eats whipped cream while players shoot at the goal.", []),
        ("", []),
    ],
)
def test_safety_screen_finds_whole_words_in_any_case(text, expected):
    assert found(text) == expected


def test_findings_bear_the_texts_index_and_come_once_a_word():
    texts = pd.Series({"a": "Fine.", "b": "They attack, they attack and they murder."})
    hits = find_words(texts, "safety")
    assert hits.to_dict("list") == {
        "text": ["b", "b"],
        "group": ["violent", "violent"],
        "word": ["attack", "murder"],
    }


def test_has_word_keeps_the_index():
    texts = pd.Series(
        ["A shop sign.", "They make the sign of the cross.", "The couple signs papers."], [5, 3, 4]
    )
    assert has_word(texts, "cues", "text").to_dict() == {5: True, 3: False, 4: False}
    assert has_word(pd.Series(["Monks chant.", "A chanterelle."]), "cues", "audio").tolist() == [True, False]


def test_unknown_names_are_refused_with_the_nearest():
    with pytest.raises(ValueError, match="no word list 'saftey'; did you mean 'safety'"):
        find_words(pd.Series(["x"]), "saftey")
    with pytest.raises(
        ValueError, match="no group 'sound' in the word list 'cues'; expected one of text, audio"
    ):
        has_word(pd.Series(["x"]), "cues", "sound")
