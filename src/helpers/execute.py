"""Run one notebook: `python -m helpers.execute NOTEBOOK OUT --study FILE [-p NAME VALUE]`.

papermill executes; this module refuses what papermill would only warn about (or save in clear text), all
before a kernel starts, and lets the executed copy appear only when the run succeeded. A failed run leaves
`OUT.failed.ipynb` beside it.
"""

import argparse
import ast
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from helpers import study as studies
from helpers.checking import DataError
from helpers.commands import leave
from helpers.parameters import checked, defaults
from helpers.paths import ROOT, shown

DISPLAY_TAGS = {"hide-input", "hide-output", "hide-cell", "remove-input", "remove-output", "remove-cell"}
LONGEST_MESSAGE = 4000


class NotebookError(RuntimeError):
    """A cell raised an error; the message ends with the cell and what it raised."""


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
    its_file = {"study": shown(study_file)} if "study" in defaults(notebook) else {}
    parameters = checked(notebook, its_file | of_study(notebook, studies.load(study_file)) | (given or {}))

    _check_place(notebook, out)
    failed = out.with_name(f"{out.stem}.failed.ipynb")
    running = out.with_name(f".{out.stem}.{os.getpid()}.running.ipynb")
    failed.unlink(missing_ok=True)
    try:
        _run(notebook, running, parameters)
    except BaseException as error:
        if running.exists():
            _tidy(running, notebook, out, study_file)
            running.rename(failed)
        if not isinstance(error, Exception):
            raise
        where = f"cell {error.cell_index + 1}:\n{error.source}\n" if hasattr(error, "ename") else ""
        what = f"{error.ename}: {error.evalue}" if where else f"{type(error).__name__}: {error}"
        kept = f"; the copy so far is {shown(failed)}" if failed.exists() else ""
        raise NotebookError(f"{shown(notebook)} failed{kept}\n{where}{what[:LONGEST_MESSAGE]}") from None
    _tidy(running, notebook, out, study_file)
    return running.rename(out)


def of_study(notebook: Path, study: studies.Study) -> dict[str, Any]:
    """What a study says about a notebook's parameters.

    Args:
        notebook: which receives them.
        study: its `seed` and `resamples` count where the notebook has such a parameter.

    Raises:
        DataError: as `parameters.defaults`.
    """
    offered = {"seed": study.seed, "resamples": study.resamples}
    taken = {name: offered[name] for name in defaults(notebook) if offered.get(name) is not None}
    return taken | study.parameters.get(notebook.stem, {})


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


def _tidy(executed: Path, notebook: Path, out: Path, study_file: Path) -> None:
    """Hide the injected cell as the original is hidden, and name files as the book may show them."""
    text = executed.read_text(encoding="utf-8")
    file = Path(shown(study_file))
    if file.is_absolute():  # outside the project
        text = text.replace(str(file), f"<outside>/{file.name}")
    content = json.loads(text)
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
    leave(main)
