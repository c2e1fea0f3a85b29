"""Who replies in a notebook."""

import pytest

from helpers.chat.choose import asker
from helpers.chat.messages import Message, Text
from helpers.chat.request import Request
from helpers.simulate.scripted import scripted


def question(words: str) -> Request:
    return Request(model="m", messages=(Message("user", (Text(words),)),))


def test_without_a_server_the_stand_in_replies_in_silence_and_leaves_nothing(tmp_path, capsys):
    requests = [question("who?"), question("where?")]
    ask = asker("", "", tmp_path / "log.jsonl")
    assert [result.value for result in ask(requests, scripted(requests, ["I", "here"]))] == ["I", "here"]
    assert capsys.readouterr().out == ""
    assert list(tmp_path.iterdir()) == []


def test_with_a_server_no_stand_in_is_made_and_the_tally_is_printed(server, tmp_path, capsys):
    def none():
        raise AssertionError("made a stand-in")

    ask = asker(server.address, "", tmp_path / "log.jsonl")
    (result,) = ask([question("who?")], none)
    assert result.status == "ok"
    assert "1 call" in capsys.readouterr().out
    assert (tmp_path / "log.jsonl").exists()


def test_a_key_in_place_of_its_variable_s_name_is_refused(tmp_path):
    with pytest.raises(ValueError, match="variable"):
        asker("http://localhost:8000/v1", "sk-0123456789abcdef0123456789", tmp_path / "log.jsonl")
