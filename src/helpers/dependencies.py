"""What a notebook depends on: the helpers that it imports, transitively, and the data that it declares.

Snakemake receives these as inputs, so that a changed helper re-runs just the notebooks that use it.
"""

import ast
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from helpers.checking import DataError
from helpers.paths import ROOT, shown

PACKAGE = Path(__file__).parent


def notebook_inputs(notebook: Path) -> list[str]:
    """The files, besides the notebook itself, whose change calls for a new run.

    Args:
        notebook: a notebook whose metadata may hold `{"world_on_screen": {"reads": [glob, …]}}`, each
            pattern relative to the project's root.

    Returns:
        Sorted paths, relative to the project's root.

    Raises:
        DataError: a declared pattern matches no file.
    """
    content = json.loads(notebook.read_text(encoding="utf-8"))
    code = "\n".join(
        _without_magics("".join(cell["source"])) for cell in content["cells"] if cell["cell_type"] == "code"
    )
    files = {file for module in _imports(ast.parse(code)) for file in _with_imports(module)}
    for pattern in content["metadata"].get("world_on_screen", {}).get("reads", []):
        found = set(ROOT.glob(pattern))
        if not found:
            raise DataError(
                f"{shown(notebook)}: reads '{pattern}', found no such file, expected at least one"
            )
        files |= found
    return sorted(shown(file) for file in files)


def _without_magics(source: str) -> str:
    return "\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in source.splitlines())


def _imports(tree: ast.AST) -> Iterator[str]:
    """The dotted names below `helpers` that a piece of code imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        yield from (name for name in names if name.split(".")[0] == "helpers")


@cache
def _files(module: str) -> frozenset[Path]:
    """A module's own file, its package's `__init__`, and the text files that lie beside it in its package."""
    path = PACKAGE.joinpath(*module.split(".")[1:])
    if path.is_dir():
        return frozenset([path / "__init__.py"])
    file = path.with_suffix(".py")
    if not file.exists():
        return frozenset()
    beside = (
        [f for kind in ("*.txt", "*.yaml") for f in file.parent.rglob(kind)] if file.parent != PACKAGE else []
    )
    return frozenset([file, file.parent / "__init__.py", *beside])


def _with_imports(module: str) -> set[Path]:
    """The files of a module and of every helper that it imports."""
    seen: set[Path] = set()
    waiting = set(_files(module))
    while waiting:
        file = waiting.pop()
        seen.add(file)
        if file.suffix == ".py":
            for name in _imports(ast.parse(file.read_text(encoding="utf-8"))):
                waiting |= _files(name) - seen
    return seen
