"""Judge a study's clips: `python -m helpers.judging STUDY.yaml [--judge NAME] [--calls N] [--dry-run]`.

The study file names the judges; the same command goes on where an earlier one stopped. The exit status is 0
where every question was asked, 1 where some were not (a failed call, a clip that is not there, a budget that
is used up), 2 where a judge was refused (the others are asked all the same), 130 where it was interrupted.
"""

import argparse
import sys
from pathlib import Path

from helpers import study as studies
from helpers.chat.ask import CannotAskError
from helpers.chat.backend import Backend
from helpers.chat.budget import Budget
from helpers.chat.plan import Plan, counted
from helpers.commands import leave, status_of
from helpers.judging.run import Pace
from helpers.judging.study import judge_study, plan_study, study_tables


def main(arguments: list[str] | None = None) -> int:
    """The command line; see the module's first lines."""
    options = _parser().parse_args(arguments)
    return status_of(lambda: _run(options))


def _run(options: argparse.Namespace) -> int:
    study = studies.load(options.study)
    return max([_judge(study, named, options) for named in study.chosen_judges(options.judge)])


def _judge(study: studies.Study, named: studies.NamedJudge, options: argparse.Namespace) -> int:
    """One judge's exit status; what stops it is said, and is no reason not to ask the next one."""
    print(f"{named.name}:")
    pace = Pace(concurrency=named.concurrency, budget=Budget(calls=options.calls))
    try:
        judge = named.judge(_simulated(study, named) if named.kind == "simulated" else None)
        say = _say_unsent if named.kind == "simulated" else print
        if options.dry_run:
            say(plan_study(study.folder, judge))
            _warn(study, named)
            return 0
        report = judge_study(study.folder, judge, pace=pace, say=say)
        _warn(study, named)
    except (ValueError, CannotAskError, OSError) as error:  # such as a variable that holds no key
        print(f"{named.name}: {error}", file=sys.stderr)
        return 2
    return int(report.count(status="failed") + report.count(status="missing") > 0)


def _say_unsent(said: object) -> None:
    """Print what is said of calls to nobody: how many they are, and that no token is sent."""
    if isinstance(said, Plan):
        said = f"{counted(len(said.to_ask))} to a simulated judge: replies are drawn, and nothing is sent"
    print(said)


def _warn(study: studies.Study, named: studies.NamedJudge) -> None:
    """Say of which clips a simulated judge knows nothing."""
    if named.kind != "simulated":
        return
    from helpers.simulate.study_judge import caution

    if said := caution(study_tables(study.folder)["videos"], study):
        print(said)


def _simulated(study: studies.Study, named: studies.NamedJudge) -> Backend:
    """Who replies for a simulated judge; judging itself knows nothing of what clips truly show."""
    from helpers.simulate.study_judge import backend_of

    return backend_of(study, named)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m helpers.judging", description="Judge a study's clips; the same command continues."
    )
    parser.add_argument("study", type=Path, help="the study's YAML file")
    parser.add_argument(
        "--dry-run", action="store_true", help="only print how many calls and tokens are left"
    )
    parser.add_argument(
        "--judge", action="append", metavar="NAME", help="only this judge of the study (repeatable)"
    )
    parser.add_argument("--calls", type=_calls, metavar="N", help="the most calls that each judge may take")
    return parser


def _calls(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}'; expected a whole number from 1 on")
    return int(text)


if __name__ == "__main__":
    leave(main)
