"""Notebooks for tests that run some."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat


def write_notebook(
    folder: Path,
    *code: str,
    parameters: str | None = "seed = 1\nrate = 0.5",
    tags: Sequence[str] = (),
    metadata: dict[str, Any] | None = None,
    name: str = "01_small",
) -> Path:
    """Write a small notebook: a parameters cell (unless `parameters` is None), then the given code cells."""
    cells = [nbformat.v4.new_markdown_cell("# Does it run?")]
    if parameters is not None:
        cells.append(nbformat.v4.new_code_cell(parameters, metadata={"tags": ["parameters", *tags]}))
    cells += [nbformat.v4.new_code_cell(source) for source in code]
    path = folder / f"{name}.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=metadata or {}), path)
    return path
