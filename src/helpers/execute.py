"""Run one notebook: `python -m helpers.execute NOTEBOOK OUT --study FILE [-p NAME VALUE]`.

papermill executes; this module refuses what papermill would only warn about (or save in clear text), all
before a kernel starts, and lets the executed copy appear only when the run succeeded. A failed run leaves
`OUT.failed.ipynb` beside it.
"""

import argparse
import ast
import json
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from helpers import study as studies
from helpers.chat.keys import check_address, check_variable
from helpers.checking import DataError, nearest
from helpers.paths import ROOT, shown

DISPLAY_TAGS = {"hide-input", "hide-output", "hide-cell", "remove-input", "remove-output", "remove-cell"}
SECRET_NAME = re.compile(
    r"passw|pwd|passphrase|secret|credential|bearer|oauth|authori[sz]ation|(^|_)(auth|keys?|token)\d*(_|$)|^tokens$"
    r"|(api|access|open_?ai|gemini|hf|private)_?(keys?|token)"
)
SECRET_VALUE = re.compile(
    r"(?<![\w-])(sk-|hf_|gsk_|r8_|gh[opsu]_|github_pat_|glpat-|xox[abpr]-|AIza|AKIA|ASIA)[\w-]{4}"
    r"|Bearer\s+\S|-----BEGIN |://[^/\s@]+@|[?&]([\w-]*[_-])?(?i:(api)?key|token|secret|password|auth|sig)=|\beyJ[\w-]+\.eyJ"
)
# What notebooks call the variable that holds a key, and the address of a server.
VARIABLES = {"env_variable", "key_variable"}
ADDRESSES = {"endpoint", "base_url"}
LONGEST_MESSAGE = 4000


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
    except OSError as error:
        reason = "no such file" if isinstance(error, FileNotFoundError) else error.strerror
        raise DataError(f"{name}: {reason}; expected a notebook (.ipynb)") from None
    except (ValueError, KeyError, TypeError):
        raise DataError(f"{name}: found no notebook; expected a JSON file with 'cells'") from None
    tagged = [cell for cell in cells if "parameters" in cell.get("metadata", {}).get("tags", [])]
    if len(tagged) != 1:
        raise DataError(f"{name}: found {len(tagged)} cells tagged 'parameters', expected exactly one")
    try:
        statements = ast.parse("".join(tagged[0]["source"])).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise DataError(f"{name}: the parameters cell is not Python ({error})") from None
    values = {}
    for statement in statements:
        try:
            (target,) = [statement.target] if isinstance(statement, ast.AnnAssign) else statement.targets
            values[target.id] = ast.literal_eval(statement.value)
        except (AttributeError, TypeError, ValueError):
            raise DataError(
                f"{name}: the parameters cell holds '{ast.unparse(statement)}', expected `name = literal`"
            ) from None
    return values


def checked(notebook: Path, given: dict[str, Any]) -> dict[str, Any]:
    """The given parameters, each known to the notebook, of its default's type, and no secret.

    A whole number is accepted where the default is a float; a default of `None` accepts any literal. What
    names a key's variable or a server's address (`VARIABLES`, `ADDRESSES`) may be empty, but hold no key.

    Raises:
        DataError: names the notebook, the parameter, the value, what was expected and the nearest name.
    """
    declared = defaults(notebook)
    name = shown(notebook)
    for parameter, value in [*declared.items(), *given.items()]:
        if SECRET_NAME.search(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", parameter).lower()):
            raise DataError(
                f"{name}: the parameter '{parameter}' looks like a secret and would be saved in the executed "
                "notebook; expected secrets in environment variables only"
            )
        if SECRET_VALUE.search(str(value)):
            raise DataError(
                f"{name}: the value of '{parameter}' looks like an access key; expected no secrets here"
            )
        try:
            if value and parameter in VARIABLES:
                check_variable(str(value))
            if value and parameter in ADDRESSES:
                check_address(str(value))
        except ValueError as error:
            raise DataError(f"{name}: the parameter '{parameter}' does not fit: {error}") from None
    for parameter, value in given.items():
        if parameter not in declared:
            raise DataError(
                f"{name}: unknown parameter '{parameter}'{nearest(parameter, declared)} "
                f"(expected one of {', '.join(declared)})"
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
    `study`, its `seed` and its `resamples`, where the notebook declares them), from the study file's
    `parameters`, and from `given`. The kernel works in the project's root.

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
    offered |= {} if study.resamples is None else {"resamples": study.resamples}
    parameters = {name: value for name, value in offered.items() if name in declared}
    parameters |= study.parameters.get(notebook.stem, {}) | (given or {})
    checked(notebook, parameters)

    _check_place(notebook, out)
    failed = out.with_name(f"{out.stem}.failed.ipynb")
    running = out.with_name(f".{out.stem}.{os.getpid()}.running.ipynb")
    failed.unlink(missing_ok=True)
    try:
        _run(notebook, running, parameters)
    except BaseException as error:
        if running.exists():
            _tidy(running, notebook, out)
            running.rename(failed)
        if not isinstance(error, Exception):
            raise
        where = f"cell {error.cell_index + 1}:\n{error.source}\n" if hasattr(error, "ename") else ""
        what = f"{error.ename}: {error.evalue}" if where else f"{type(error).__name__}: {error}"
        kept = f"; the copy so far is {shown(failed)}" if failed.exists() else ""
        raise NotebookError(f"{shown(notebook)} failed{kept}\n{where}{what[:LONGEST_MESSAGE]}") from None
    _tidy(running, notebook, out)
    return running.rename(out)


def _check_place(notebook: Path, out: Path) -> None:
    """Make the folder of the executed copy; refuse a place where it cannot or must not be written."""
    if out.is_dir():
        raise DataError(f"{shown(out)}: a folder; expected the file name of the executed copy")
    if out.resolve() == notebook.resolve():
        raise DataError(f"{shown(out)}: the notebook itself; expected another file for its executed copy")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"{shown(out.parent)}: {error.strerror}; expected a folder to write in") from None


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


def _literal(value: str, default: Any) -> Any:
    """A command line's value as the Python literal it spells; as it stands where text is expected."""
    if isinstance(default, str):
        return value
    try:
        return ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return value


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns 0 after success, 2 if refused, 1 if a cell failed, 130 if interrupted."""
    parser = argparse.ArgumentParser(prog="python -m helpers.execute", description="Run one notebook.")
    parser.add_argument("notebook", type=Path, help="the notebook to run")
    parser.add_argument("out", type=Path, help="where the executed copy goes")
    parser.add_argument("--study", type=Path, required=True, help="the study's YAML file")
    parser.add_argument(
        "-p", nargs=2, action="append", default=[], metavar=("NAME", "VALUE"), help="set a parameter"
    )
    options = parser.parse_args(arguments)
    try:
        declared = defaults(options.notebook)
        given = {name: _literal(value, declared.get(name)) for name, value in options.p}
        execute(options.notebook, options.out, options.study, given)
    except DataError as error:
        print(error, file=sys.stderr)
        return 2
    except NotebookError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"{shown(options.notebook)}: interrupted", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
