"""Read a study's surveys into its tables: `python -m helpers.people STUDY.yaml [--survey NAME]`.

The study file names them under `surveys`; running the same command again replaces what it wrote. The exit
status is 0 where every survey was read, 2 where one was refused (the others are read all the same).
"""

import argparse
import sys
from pathlib import Path

from helpers import study as studies
from helpers.commands import leave, status_of
from helpers.people.exports import Survey
from helpers.people.named import NamedSurvey
from helpers.people.surveys import keep_survey


def main(arguments: list[str] | None = None) -> int:
    """The command line; see the module's first lines."""
    options = _parser().parse_args(arguments)
    return status_of(lambda: _run(options))


def _run(options: argparse.Namespace) -> int:
    study = studies.load(options.study)
    return max([_read(study, named) for named in study.chosen_surveys(options.survey)])


def _read(study: studies.Study, named: NamedSurvey) -> int:
    try:
        print(_said(named, keep_survey(study.folder, named)))
    except (ValueError, OSError) as error:
        print(f"{named.name}: {error}", file=sys.stderr)
        return 2
    return 0


def _said(named: NamedSurvey, survey: Survey) -> str:
    """What was read, in a line, and the reasons for which something was set aside."""
    counts = [f"{len(frame):,} {name}" for name, frame in survey.tables.items() if len(frame)]
    lines = [f"{named.name}: " + " · ".join(counts or ["nothing"])]
    # Reasons may quote what a person wrote; the log has them, the terminal their number.
    set_aside = survey.excluded["table"].value_counts()
    lines += [f"  set aside: {count:,} of {name}" for name, count in set_aside.items()]
    return "\n".join(lines)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m helpers.people", description="Read a study's surveys into its tables."
    )
    parser.add_argument("study", type=Path, help="the study's YAML file")
    parser.add_argument(
        "--survey", action="append", metavar="NAME", help="only this survey of the study (repeatable)"
    )
    return parser


if __name__ == "__main__":
    leave(main)
