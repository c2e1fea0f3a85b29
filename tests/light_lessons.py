"""Run notebooks' code as if only `binder/requirements.txt` were installed.

To be called with a folder for studies, then notebooks. Whatever is installed beyond that set cannot be
imported. Prints, as JSON, what each check said.
"""

import ast
import json
import re
import sys
from importlib.abc import MetaPathFinder
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

from packaging.requirements import Requirement

REQUIREMENTS = Path(__file__).resolve().parents[1] / "binder" / "requirements.txt"


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def light() -> set[str]:
    """The distributions of the light set, and all that they require."""
    lines = [line.split("#")[0].strip() for line in REQUIREMENTS.read_text().splitlines()]
    found, waiting = set(), [Requirement(line) for line in lines if line and not line.startswith("-")]
    while waiting:
        one = waiting.pop()
        if normal(one.name) in found:
            continue
        found.add(normal(one.name))
        try:
            needed = map(Requirement, requires(one.name) or [])
        except PackageNotFoundError:
            continue
        waiting += [each for each in needed if each.marker is None or each.marker.evaluate({"extra": ""})]
    return found


class Blocker(MetaPathFinder):
    """Refuses modules of every other distribution but the project itself."""

    def __init__(self):
        known = light() | {"world-on-screen", "pip", "setuptools"}
        self.blocked = {
            module
            for module, owners in packages_distributions().items()
            if not known & {normal(owner) for owner in owners}
        }

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in self.blocked:
            raise ModuleNotFoundError(f"No module named '{name}' in the light set", name=name)


def said(notebook: Path) -> list[str]:
    """What the checks of a notebook say, its code run cell after cell."""
    cells = json.loads(notebook.read_text())["cells"]
    names, answers = {"__name__": "__main__"}, []
    for source in ("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"):
        body = ast.parse(source).body
        last = body.pop() if isinstance(body[-1], ast.Expr) else None
        exec(compile(ast.Module(body, []), str(notebook), "exec"), names)
        shown = eval(compile(ast.Expression(last.value), str(notebook), "eval"), names) if last else None
        if source.startswith("check("):
            answers.append(re.sub("<.*?>", "", shown.data))
    return answers


if __name__ == "__main__":
    sys.meta_path.insert(0, Blocker())
    from helpers import paths

    paths.STUDIES = Path(sys.argv[1])
    print(json.dumps({Path(file).name: said(Path(file)) for file in sys.argv[2:]}))
