"""Bring a study's folders of finished clips in: `python -m helpers.imports STUDY.yaml [--folder FOLDER]`.

The study file names them under `clips`. The same command may run again after clips came, went or were
replaced: rows of the same folder are replaced, everything else stays, and files that did not change are not
decoded again. The exit status is 0 where every file that shows a prompt can be judged, 1 where some cannot
(`logs/import_problems.csv` says why), 2 where a folder was refused (the others are imported all the same),
130 where it was interrupted.
"""

import argparse
import sys
from pathlib import Path

import pandas as pd

from helpers import study as studies
from helpers.commands import leave, status_of
from helpers.imports.keeping import PROBLEMS, keep
from helpers.imports.named import ClipFolder
from helpers.imports.videos import Import, import_videos


def main(arguments: list[str] | None = None) -> int:
    """The command line; see the module's first lines."""
    options = _parser().parse_args(arguments)
    return status_of(lambda: _run(options))


def _run(options: argparse.Namespace) -> int:
    study = studies.load(options.study)
    folders = study.chosen_clips(options.folder)
    return _all(study, folders, study.chosen_prompts())


def _all(study: studies.Study, folders: list[ClipFolder], prompts: pd.DataFrame) -> int:
    """Every folder, and one list of what is wrong in any of them."""
    problems, code = [], 0
    for folder in folders:
        try:
            imported = bring_in(study.folder, folder, prompts)
        except (ValueError, OSError) as error:
            print(error, file=sys.stderr)
            code = 2
            continue
        print(imported)
        print(imported.summary.to_string(index=False))
        problems.append(imported.problems.assign(source=imported.source))
        code = max(code, int(imported.videos["status"].eq("failed").any()))
    if problems:
        pd.concat(problems, ignore_index=True).to_csv(study.folder / PROBLEMS, index=False)
    return code


def bring_in(study: Path, folder: ClipFolder, prompts: pd.DataFrame) -> Import:
    """Import one folder or manifest into a study's table of videos.

    Args:
        study: the study's folder.
        folder: what to import.
        prompts: the prompts that its clips may show.

    Returns:
        What was found, as it is kept now.

    Raises:
        DataError, OSError: as `import_videos` and `keep`; nothing is kept then.
    """
    imported = import_videos(
        folder.path,
        prompts,
        pattern=folder.layout,
        model=folder.model,
        models=folder.names,
        study=study,
        copy_to=study / "videos" if folder.copies else None,
        cache=study / "logs" / "probes.jsonl",
    )
    keep(imported, study)
    return imported


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m helpers.imports", description="Bring finished clips into a study's table of videos."
    )
    parser.add_argument("study", type=Path, help="the study's YAML file")
    parser.add_argument(
        "--folder",
        action="append",
        metavar="FOLDER",
        help="only this one of the study's `clips` (repeatable)",
    )
    return parser


if __name__ == "__main__":
    leave(main)
