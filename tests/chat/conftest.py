import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest
from PIL import Image

import stub_server
from helpers.chat.caller import Patience
from helpers.chat.forms import Form
from helpers.chat.messages import user
from helpers.chat.pictures import Picture
from helpers.chat.request import Request
from transformers_server import serving


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
def picture() -> Picture:
    """A small PNG with a gradient."""
    buffer = io.BytesIO()
    Image.linear_gradient("L").convert("RGB").resize((64, 48)).save(buffer, "PNG")
    return Picture(buffer.getvalue(), "image/png")


@pytest.fixture(scope="session")
def tiny_qwen(tmp_path_factory) -> Path:
    """A Qwen3-VL with random weights."""
    # Importing it loads torch and transformers, which only few tests need.
    from helpers.simulate.checkpoints.qwen3_vl import build_qwen3_vl

    return build_qwen3_vl(tmp_path_factory.mktemp("checkpoints") / "qwen3-vl")


@pytest.fixture(scope="session")
def served(tiny_qwen, tmp_path_factory) -> Iterator[str]:
    """The address of transformers' own server, with that model."""
    with serving(tiny_qwen, tmp_path_factory.mktemp("served") / "log.txt") as address:
        yield address


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
