import re

import pytest

from helpers.people.instructions import TEXTS, instructions
from helpers.published import FRAMEWORKS


@pytest.mark.parametrize("framework", [*FRAMEWORKS, "attention"])
def test_every_framework_tells_its_raters_what_to_do_and_who_has_checked_the_words(framework):
    told = instructions(framework, country="South Africa")
    assert told.version == 1
    assert told.language == "English"
    assert told.review == "not reviewed by native speakers"
    assert "South Africa" in told.text
    assert not re.search(r"[{}]", told.text)


def test_culturescore_is_judged_by_the_picture_alone_and_by_truth_not_looks():
    """CultureScore, B.2 and B.3: no sound; rank by cultural accuracy, not by visual quality."""
    text = instructions("culturescore", country="Japan").text
    assert "Judge the picture only" in text
    assert "not how beautiful" in text


def test_there_is_a_language_only_where_there_is_a_file():
    with pytest.raises(ValueError, match="no culturescore instructions in 'ja'; there are en"):
        instructions("culturescore", country="Japan", language="ja")


def test_a_text_without_its_version_is_refused(tmp_path, monkeypatch):
    (tmp_path / "culturescore.fr.txt").write_text("Bonjour.\n", encoding="utf-8")
    monkeypatch.setattr("helpers.people.instructions.TEXTS", tmp_path)
    with pytest.raises(ValueError, match=r"culturescore\.fr\.txt: found the first line 'Bonjour\.'"):
        instructions("culturescore", country="Chile", language="fr")


def test_an_unknown_framework_is_named_with_the_nearest():
    with pytest.raises(ValueError, match="no instructions 'culturscore'; did you mean 'culturescore'"):
        instructions("culturscore", country="Japan")


@pytest.mark.parametrize("path", sorted(TEXTS.glob("*.txt")), ids=lambda path: path.name)
def test_every_text_lies_under_a_known_name(path):
    assert re.fullmatch(rf"({'|'.join(FRAMEWORKS)}|attention)\.[a-z]{{2}}\.txt", path.name)
