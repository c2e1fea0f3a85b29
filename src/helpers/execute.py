"""Run one notebook: `python -m helpers.execute NOTEBOOK OUT --study FILE [-p NAME VALUE]`.

papermill executes; this module refuses what papermill would only warn about (or save in clear text), all
before a kernel starts, and lets the executed copy appear only when the run succeeded. A failed run leaves
`OUT.failed.ipynb` beside it.
"""

import argparse
import ast
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from helpers import study as studies
from helpers.checking import DataError, nearest
from helpers.paths import ROOT, shown

DISPLAY_TAGS = {"hide-input", "hide-output", "hide-cell", "remove-input", "remove-output", "remove-cell"}
SECRET_WORDS = {
    "apikey",
    "auth",
    "bearer",
    "credential",
    "credentials",
    "key",
    "passwd",
    "password",
    "secret",
    "token",
}
SECRET_VALUE = re.compile(r"^(sk-|hf_|AIza|ghp_|github_pat_|xox[bp]-|AKIA)\w")


class NotebookError(RuntimeError):
    """A cell raised an error; the message ends with the cell and what it raised."""


def defaults(notebook: Path) -> dict[str, Any]:
    """The parameters of a notebook and their default values.

    Args:
        notebook: an `.ipynb` file with exactly one code cell tagged `parameters`, which holds nothing but
            assignments of literals to names.

    Raises:
        DataError: no such file, no notebook, no or several such cells, or something else than a literal.
    """
    name = shown(notebook)
    try:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    except FileNotFoundError:
        raise DataError(f"{name}: no such file; expected a notebook (.ipynb)") from None
    except (ValueError, KeyError, TypeError):
        raise DataError(f"{name}: found no notebook; expected a JSON file with 'cells'") from None
    tagged = [cell for cell in cells if "parameters" in cell.get("metadata", {}).get("tags", [])]
    if len(tagged) != 1:
        raise DataError(f"{name}: found {len(tagged)} cells tagged 'parameters', expected exactly one")
    values = {}
    for statement in ast.parse("".join(tagged[0]["source"])).body:
        try:
            (target,) = statement.targets
            values[target.id] = ast.literal_eval(statement.value)
        except (AttributeError, ValueError):
            raise DataError(
                f"{name}: the parameters cell holds '{ast.unparse(statement)}', expected `name = literal`"
            ) from None
    return values


def checked(notebook: Path, given: dict[str, Any]) -> dict[str, Any]:
    """The given parameters, each known to the notebook, of its default's type, and no secret.

    A whole number is accepted where the default is a float; a default of `None` accepts any literal.

    Raises:
        DataError: names the notebook, the parameter, the value, what was expected and the nearest name.
    """
    declared = defaults(notebook)
    name = shown(notebook)
    for parameter in [*declared, *given]:
        if SECRET_WORDS & set(parameter.lower().split("_")):
            raise DataError(
                f"{name}: the parameter '{parameter}' looks like a secret and would be saved in the executed "
                "notebook; expected secrets in environment variables only"
            )
    for parameter, value in given.items():
        if parameter not in declared:
            raise DataError(
                f"{name}: unknown parameter '{parameter}'{nearest(parameter, declared)} "
                f"(expected one of {', '.join(declared)})"
            )
        if isinstance(value, str) and SECRET_VALUE.match(value):
            raise DataError(
                f"{name}: the value of '{parameter}' looks like an access key; expected no secrets here"
            )
        default = declared[parameter]
        if default is not None and type(value) is not type(default):
            if isinstance(default, float) and type(value) is int:
                continue
            raise DataError(
                f"{name}: parameter '{parameter}': found {value!r} ({type(value).__name__}), "
                f"expected {type(default).__name__} like its default {default!r}"
            )
    return given


def execute(notebook: Path, out: Path, study_file: Path, given: dict[str, Any] | None = None) -> Path:
    """Execute a notebook and write the executed copy.

    The notebook's parameters come, later ones winning, from its own cell, from the study (its file as
    `study` and its `seed`, where the notebook declares them), from the study file's `parameters`, and from
    `given`. The kernel works in the project's root.

    Args:
        notebook: the notebook to run.
        out: where the executed copy goes; it appears, complete, only after success.
        study_file: the study's YAML file.
        given: further parameters by name.

    Returns:
        The path of the executed copy.

    Raises:
        DataError: parameters or study that do not fit; raised before a kernel starts.
        NotebookError: a cell failed; the copy so far is beside `out` as `<stem>.failed.ipynb`.
    """
    study = studies.load(study_file)
    declared = defaults(notebook)
    offered = {"study": shown(study_file), "seed": study.seed}
    parameters = {name: value for name, value in offered.items() if name in declared}
    parameters |= study.parameters.get(notebook.stem, {}) | (given or {})
    checked(notebook, parameters)

    out.parent.mkdir(parents=True, exist_ok=True)
    failed = out.with_name(f"{out.stem}.failed.ipynb")
    running = out.with_name(f".{out.stem}.running.ipynb")
    failed.unlink(missing_ok=True)
    try:
        _run(notebook, running, parameters)
    except BaseException as error:
        if running.exists():
            _tidy(running, notebook, out)
            running.rename(failed)
        if hasattr(error, "ename"):
            raise NotebookError(
                f"{shown(notebook)} failed; the copy so far is {shown(failed)}\n"
                f"cell {error.cell_index + 1}:\n{error.source}\n{error.ename}: {error.evalue}"
            ) from None
        raise
    _tidy(running, notebook, out)
    return running.rename(out)


def _run(notebook: Path, out: Path, parameters: dict[str, Any]) -> None:
    # papermill takes seconds to import: only now, so that a refusal is quick.
    import papermill
    from traitlets.config import Config

    # Sockets in a folder of its own: by default kernels that start side by side in one folder share theirs.
    with tempfile.TemporaryDirectory() as private:
        connection = {"transport": "ipc", "connection_file": f"{private}/kernel.json"}
        papermill.execute_notebook(
            notebook,
            out,
            parameters=parameters,
            kernel_name="python3",
            language="python",
            progress_bar=False,
            cwd=ROOT,
            # A graceful end interrupts an idle kernel first, which then logs a false error.
            shutdown_kernel="immediate",
            config=Config({"KernelManager": connection}),
        )


def _tidy(executed: Path, notebook: Path, out: Path) -> None:
    """Hide the injected cell as the original is hidden, and name files as the book may show them."""
    content = json.loads(executed.read_text(encoding="utf-8"))
    content["metadata"]["papermill"] |= {"input_path": shown(notebook), "output_path": shown(out)}
    tags = [cell["metadata"].setdefault("tags", []) for cell in content["cells"]]
    original = next(cell_tags for cell_tags in tags if "parameters" in cell_tags)
    display = sorted(DISPLAY_TAGS & set(original)) or ["hide-input"]
    for cell_tags in tags:
        if "injected-parameters" in cell_tags:
            cell_tags.extend(display)
    executed.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _literal(value: str) -> Any:
    """A command line's value as the Python literal it spells, else as the text itself."""
    try:
        return ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return value


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns 0 after success, 2 for a refused call, 1 for a failed notebook."""
    parser = argparse.ArgumentParser(prog="python -m helpers.execute", description="Run one notebook.")
    parser.add_argument("notebook", type=Path, help="the notebook to run")
    parser.add_argument("out", type=Path, help="where the executed copy goes")
    parser.add_argument("--study", type=Path, required=True, help="the study's YAML file")
    parser.add_argument(
        "-p", nargs=2, action="append", default=[], metavar=("NAME", "VALUE"), help="set a parameter"
    )
    options = parser.parse_args(arguments)
    given = {name: _literal(value) for name, value in options.p}
    try:
        execute(options.notebook, options.out, options.study, given)
    except DataError as error:
        print(error, file=sys.stderr)
        return 2
    except NotebookError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
