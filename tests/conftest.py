import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import pytest
from hypothesis import settings

from stub_server import StubServer

os.environ["MPLBACKEND"] = "agg"
settings.register_profile("project", deadline=None, max_examples=50, derandomize=True)
settings.load_profile("project")


@pytest.fixture
def make_notebook(tmp_path: Path) -> Callable[..., Path]:
    """Write a small notebook: a parameters cell (unless `parameters` is None), then the given code cells."""

    def make(
        *code: str, parameters: str | None = "seed = 1\nrate = 0.5", tags=(), metadata=None, name="01_small"
    ):
        cells = [nbformat.v4.new_markdown_cell("# Does it run?")]
        if parameters is not None:
            cells.append(nbformat.v4.new_code_cell(parameters, metadata={"tags": ["parameters", *tags]}))
        cells += [nbformat.v4.new_code_cell(source) for source in code]
        path = tmp_path / f"{name}.ipynb"
        nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=metadata or {}), path)
        return path

    return make


@pytest.fixture
def study_file(tmp_path: Path) -> Path:
    path = tmp_path / "small.yaml"
    path.write_text("name: small\nseed: 7\n", encoding="utf-8")
    return path


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer() as stub:
        thread = threading.Thread(target=stub.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield stub
        stub.shutdown()
        thread.join()
