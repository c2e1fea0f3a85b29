from collections.abc import Callable
from typing import Literal

import pytest

import stub_server
from helpers.chat.caller import Patience
from helpers.chat.forms import Form
from helpers.chat.messages import user
from helpers.chat.request import Request


class Verdict(Form):
    answer: Literal["yes", "no"]
    weight: int


@pytest.fixture
def hasty() -> Patience:
    return Patience(tries=3, first=0.01, longest=1.0)


@pytest.fixture
def make_requests() -> Callable[..., list[Request]]:
    def make(number: int, schema: type[Form] | None = Verdict, **about) -> list[Request]:
        return [
            Request(model="judge", messages=(user(f"Question {i}?"),), schema=schema, **about)
            for i in range(number)
        ]

    return make


@pytest.fixture(scope="session")
def verdict() -> type[Verdict]:
    return Verdict


@pytest.fixture(scope="session")
def answer() -> type[stub_server.Answer]:
    return stub_server.Answer


@pytest.fixture(scope="session")
def completion() -> Callable[..., stub_server.Answer]:
    return stub_server.completion


@pytest.fixture(scope="session")
def candidate() -> Callable[..., stub_server.Answer]:
    return stub_server.candidate
