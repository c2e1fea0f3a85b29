"""Which files a helper is made of: its own, and those of every helper that it imports, directly or not."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parent


def imports(tree: ast.AST) -> Iterator[str]:
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


@cache
def _imported(file: Path) -> frozenset[Path]:
    """The files of the helpers that a helper imports itself."""
    names = imports(ast.parse(file.read_text(encoding="utf-8")))
    return frozenset().union(*map(_files, names))


def with_imports(module: str, leaf: Path | None = None) -> set[Path]:
    """The files of a module and of every helper that it imports; what `leaf` imports does not count."""
    seen: set[Path] = set()
    waiting = set(_files(module))
    while waiting:
        file = waiting.pop()
        seen.add(file)
        if file.suffix == ".py" and file != leaf:
            waiting |= _imported(file) - seen
    return seen
