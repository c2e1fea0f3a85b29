import pytest

from helpers.chat.gemini import Gemini
from helpers.chat.keys import hide, read_key
from helpers.chat.openai_compatible import OpenAICompatible

SECRET = "sk-canary-0123456789"


@pytest.mark.parametrize("value", [SECRET, f" {SECRET}\r\n"])
def test_reads_a_key_without_the_white_space_around_it(monkeypatch, value):
    monkeypatch.setenv("SOME_KEY", value)
    assert read_key("SOME_KEY") == SECRET
    assert read_key(None) == ""


@pytest.mark.parametrize("value", [None, "", " \n", f"{SECRET} x", f"{SECRET}\nX: y", "clé-0123456789"])
def test_refuses_what_is_no_key_without_showing_it(monkeypatch, value):
    monkeypatch.delenv("SOME_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("SOME_KEY", value)
    with pytest.raises(ValueError, match="environment variable SOME_KEY") as problem:
        read_key("SOME_KEY")
    assert not value or not value.strip() or value not in str(problem.value)


@pytest.mark.parametrize(
    "make",
    [
        lambda: OpenAICompatible(base_url="http://localhost/v1", key_variable=SECRET),
        lambda: Gemini(key_variable=SECRET),
        lambda: OpenAICompatible(base_url=f"https://user:{SECRET}@example.org/v1"),
        lambda: OpenAICompatible(base_url=f"https://example.org/v1?key={SECRET}"),
        lambda: Gemini(base_url=f"https://{SECRET}@example.org"),
        lambda: OpenAICompatible(base_url=SECRET),
    ],
)
def test_refuses_a_key_in_the_wrong_place_without_showing_it(make):
    with pytest.raises(ValueError, match="expected") as problem:
        make()
    assert SECRET not in str(problem.value)


def test_hides_a_key_but_leaves_a_placeholder_that_may_be_a_word():
    assert hide(f"wrong key {SECRET}!", SECRET) == "wrong key [key]!"
    assert hide("none of them", "none") == "none of them"
