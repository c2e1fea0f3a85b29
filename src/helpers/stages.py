"""The stages of a study: what makes clips, takes them in, judges and measures them, and brings people in.

A stage is a command line that goes on where it stopped: `python -m helpers.judging STUDY.yaml --judge NAME`.
The workflow runs each by `python -m helpers.stages STUDY.yaml STAGE`, which runs that very command and, once
it has ended, leaves a record in `studies/<name>/stages/`: its exit status, a hash of each file that it keeps,
and which tables it wrote. In the workflow the record stands for the tables, because Snakemake deletes what a
rule is about to write, and a judge's table holds rows that nothing could bring back, such as those about a
photograph that is gone.

Exit status 1 says that some clips failed or some calls were not answered. They have rows with a status in the
tables, and the study goes on with them; `make study RETRY=1` runs such stages again.
"""

import argparse
import shlex
import sys
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path

from pyarrow.lib import ArrowInvalid
from pyarrow.parquet import read_metadata

from helpers import study as studies
from helpers.checking import DataError, nearest
from helpers.commands import leave
from helpers.gpus import one_gpu
from helpers.judging.study import plan_study
from helpers.paths import file_hash
from helpers.servers import wait_for
from helpers.study import Study
from helpers.study_stages import Stage, stages_of

UNFINISHED = 1
THERE = "there"


def stage_of(study: Study, name: str) -> Stage:
    """A stage by its name.

    Raises:
        DataError: the study has no such stage.
    """
    known = {stage.name: stage for stage in stages_of(study)}
    if name not in known:
        raise DataError(
            f"the study '{study.name}' has no stage '{name}'{nearest(name, known)} "
            f"(expected one of {', '.join(known) or 'none'})"
        )
    return known[name]


def run(study_file: str, stage: Stage, folder: Path) -> int:
    """Run a stage's command and, unless it was refused or interrupted, leave its record.

    Returns:
        The command's exit status, where 1 (not everything has a result) counts as 0.
    """
    print(shlex.join(["python", "-m", stage.module, study_file, *stage.arguments]), flush=True)
    command = import_module(f"{stage.module}.__main__" if _is_package(stage.module) else stage.module).main
    if stage.judge and plan_study(folder, stage.judge.judge()).to_ask:
        wait_for(stage.judge)
    with one_gpu() if stage.gpu else nullcontext():
        code = command([study_file, *stage.arguments])
    if code > UNFINISHED:
        return code
    if code == UNFINISHED:
        print(f"{stage.name}: not everything has a result (see above); `make study RETRY=1` tries it again")
    record = stage.record(folder)
    record.parent.mkdir(parents=True, exist_ok=True)
    said = dict.fromkeys(stage.written(folder), THERE)
    said |= {file: file_hash(file) for file in stage.kept(folder)}
    lines = [f"{word}  {file.relative_to(folder).as_posix()}" for file, word in said.items()]
    unfinished = record.with_name(f".{record.name}.tmp")
    unfinished.write_text("\n".join([f"exit status {code}", *lines, ""]), encoding="utf-8")
    unfinished.replace(record)
    return 0


def _is_package(module: str) -> bool:
    return hasattr(import_module(module), "__path__")


def forget(study: Study, *, retry: bool = False) -> None:
    """Delete the records of stages that have to run again although nothing that they read has changed.

    Such are those of which a file is lost, damaged or another one by now: they make it again, or say what is
    wrong with it.

    Args:
        study: the study.
        retry: also of those that ended without a result for everything.
    """
    for stage in stages_of(study):
        record = stage.record(study.folder)
        if not record.exists():
            continue
        status, *files = record.read_text(encoding="utf-8").splitlines() or [""]
        changed = not all(_as_recorded(study.folder, line) for line in files)
        if not status or changed or (retry and status != "exit status 0"):
            record.unlink()


def _as_recorded(folder: Path, line: str) -> bool:
    """Whether a file is as a line of a stage's record says.

    The hash is taken of the whole file, since a damaged one may have kept its size; tables and journals are
    small beside clips, with some hundred bytes a row.
    """
    word, name = line.split("  ", 1)
    try:
        if word != THERE:
            return file_hash(folder / name) == word
        # Other stages write it too, so that its content is nobody's own; its end says whether it is whole.
        read_metadata(folder / name)
    except (OSError, ArrowInvalid):
        return False
    return True


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the stage's own exit status, but 0 where some of its results are failures."""
    parser = argparse.ArgumentParser(prog="python -m helpers.stages", description="Run a stage of a study.")
    parser.add_argument("study", help="the study's YAML file")
    parser.add_argument("stage", nargs="?", help="its name; without it the study's stages are listed")
    options = parser.parse_args(arguments)
    try:
        study = studies.load(options.study)
        if options.stage is None:
            print(*(stage.name for stage in stages_of(study)), sep="\n")
            return 0
        return run(options.study, stage_of(study, options.stage), study.folder)
    except (DataError, OSError) as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    leave(main)
