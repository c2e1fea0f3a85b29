import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from small_notebooks import write_notebook
from stub_server import StubServer, running

if TYPE_CHECKING:
    from playwright.sync_api import Browser

os.environ["MPLBACKEND"] = "agg"
# Threads of two workers wait for each other on two cores: tiny models then take many times as long.
os.environ.setdefault("OMP_NUM_THREADS", "1")
settings.register_profile("project", deadline=None, max_examples=50, derandomize=True)
settings.load_profile("project")


@pytest.fixture
def make_notebook(tmp_path: Path) -> Callable[..., Path]:
    """`small_notebooks.write_notebook`, in a folder of the test's own."""
    return partial(write_notebook, tmp_path)


@pytest.fixture
def study_file(tmp_path: Path) -> Path:
    path = tmp_path / "small.yaml"
    path.write_text("name: small\nseed: 7\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    # Only tests of pages need Playwright.
    from chromium import launched

    with launched() as browser:
        yield browser


@pytest.fixture
def server() -> Iterator[StubServer]:
    with running() as stub:
        yield stub
