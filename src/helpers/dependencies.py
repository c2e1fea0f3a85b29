"""What a notebook depends on: the helpers that it imports, transitively, and the data that it declares.

Snakemake receives these as inputs, so that a changed helper re-runs just the notebooks that use it, and a
notebook that reads a study's table runs after the one that writes it.

A notebook declares in its metadata, as `{"world_on_screen": {…}}`: `reads`, patterns of files relative to the
project's root; `reads_tables`, names of study tables; `writes_tables`, parts of them as "table/part".
"""

import ast
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from helpers.checking import DataError
from helpers.imports.fingerprint import fingerprint
from helpers.module_files import imports, with_imports
from helpers.paths import ROOT, shown
from helpers.study_stages import Stage
from helpers.tables import files, table_path

# A stage depends on what the study file says that concerns it, not on all that can be said there.
STUDY_FILE = Path(__file__).parent / "study.py"


def notebook_inputs(notebook: Path) -> list[str]:
    """The files, besides the notebook itself, whose change calls for a new run.

    Args:
        notebook: a notebook whose metadata may declare `reads`.

    Returns:
        Sorted paths, relative to the project's root.

    Raises:
        DataError: a declared pattern matches no file.
    """
    content = _content(notebook)
    code = "\n".join(
        _without_magics("".join(cell["source"])) for cell in content["cells"] if cell["cell_type"] == "code"
    )
    used = {file for module in imports(ast.parse(code)) for file in with_imports(module)}
    for pattern in _declared(notebook, "reads"):
        found = set(ROOT.glob(pattern))
        if not found:
            raise DataError(
                f"{shown(notebook)}: reads '{pattern}', found no such file, expected at least one"
            )
        used |= found
    return sorted(shown(file) for file in used)


def stage_inputs(stage: Stage) -> list[str]:
    """The helpers and files whose change calls for a new run of a stage.

    Returns:
        Sorted paths, relative to the project's root where they lie inside it.
    """
    used = set()
    for module in (stage.module, f"{stage.module}.__main__"):
        used |= with_imports(module, leaf=STUDY_FILE)
    return sorted({*map(shown, used), *stage.files})


def stage_settings(stage: Stage) -> Any:
    """What besides files calls for a new run of a stage once it is another.

    Returns:
        What the study file says of it, and a hash for each folder of clips that it reads. Files of clips are
        no inputs: there may be a hundred thousand, and one that goes must not stop the workflow.
    """
    if not stage.clips:
        return stage.settings
    return [stage.settings, *map(fingerprint, stage.clips)]


def tables_written(notebook: Path, study: Path) -> list[str]:
    """The files of a study's tables that a notebook declares to write.

    Only parts can be declared: Snakemake deletes what a notebook is about to write, and a table in one file
    may be somebody's own.

    Args:
        notebook: a notebook whose metadata may declare `writes_tables`.
        study: the study's folder.

    Returns:
        Paths as `shown` gives them.

    Raises:
        DataError: an entry that is not "table/part".
        ValueError: no table has this name.
    """
    entries = _declared(notebook, "writes_tables")
    for entry in entries:
        if entry.count("/") != 1:
            raise DataError(f"{shown(notebook)}: writes the table '{entry}', expected 'table/part'")
    return [shown(table_path(study, *entry.split("/"))) for entry in entries]


def tables_read(
    notebook: Path, notebooks: Iterable[Path], study: Path, stages: Sequence[Stage] = ()
) -> list[str]:
    """The files that stand for those of a study's tables that a notebook declares to read.

    Args:
        notebook: a notebook whose metadata may declare `reads_tables`.
        notebooks: all notebooks; what others among them write counts before it is there.
        study: the study's folder.
        stages: the study's stages; for what they write stand their records.

    Returns:
        Sorted paths: what other notebooks write, the records of the stages, and what the study has already;
        none for a table that it does not have.

    Raises:
        DataError: an entry of another notebook that is not "table/part".
        ValueError: no table has this name.
    """
    others = [other for other in notebooks if other != notebook]
    own = set(tables_written(notebook, study))
    found = _standing_for(_declared(notebook, "reads_tables"), others, study, stages)
    # A stage that adds to what the notebook writes comes after it.
    after = {
        shown(one.record(study)) for one in stages if any(one.adds_to(study, ROOT / part) for part in own)
    }
    return sorted(found - own - after)


def stage_tables(
    stage: Stage, notebooks: Sequence[Path], study: Path, stages: Sequence[Stage]
) -> tuple[list[str], list[str]]:
    """As `tables_read`, for a stage.

    Returns:
        The files whose change calls for a new run, and those that only have to be there before: parts that a
        notebook declares to write and this stage writes too.
    """
    others = [other for other in stages if other != stage]
    reads = _standing_for(stage.reads, notebooks, study, others)
    before = {
        file
        for notebook in notebooks
        for file in tables_written(notebook, study)
        if stage.adds_to(study, ROOT / file)
    }
    return sorted(reads - before), sorted(before)


def _standing_for(
    wanted: Iterable[str], notebooks: Iterable[Path], study: Path, stages: Sequence[Stage]
) -> set[str]:
    wanted = set(wanted)
    found = {
        shown(file)
        for name in wanted
        for file in files(study, name)
        if not any(stage.may_write(study, file) for stage in stages)
    }
    for notebook in notebooks:
        parts = zip(_declared(notebook, "writes_tables"), tables_written(notebook, study), strict=True)
        found |= {file for entry, file in parts if entry.split("/")[0] in wanted}
    for stage in stages:
        if wanted & {part.split("/")[0] for part in stage.writes}:
            found.add(shown(stage.record(study)))
    return found


def _content(notebook: Path) -> dict[str, Any]:
    return json.loads(notebook.read_text(encoding="utf-8"))


def _declared(notebook: Path, what: str) -> list[str]:
    return _content(notebook)["metadata"].get("world_on_screen", {}).get(what, [])


def _without_magics(source: str) -> str:
    return "\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in source.splitlines())
