"""Measure a study's clips: `python -m helpers.metrics STUDY.yaml [--metric NAME] [--shard I/N] [--dry-run]`.

The study file names the metrics; the same command goes on where an earlier one stopped. The exit status is 0
where every clip was measured, 1 where some were not (a file that is not there or does not decode, a
measurement that failed), 2 where a metric was refused (the others are measured all the same), 130 where it
was interrupted.
"""

import argparse
import sys
from pathlib import Path

from helpers import study as studies
from helpers.commands import leave, status_of
from helpers.metrics.measurer import ModelError
from helpers.metrics.named import NamedMetric
from helpers.metrics.study import measure_study, plan_study
from helpers.shards import shard_option


def main(arguments: list[str] | None = None) -> int:
    """The command line; see the module's first lines."""
    options = _parser().parse_args(arguments)
    return status_of(lambda: _run(options))


def _run(options: argparse.Namespace) -> int:
    study = studies.load(options.study)
    return max([_measure(study, named, options) for named in study.chosen_metrics(options.metric)])


def _measure(study: studies.Study, named: NamedMetric, options: argparse.Namespace) -> int:
    """One metric's exit status; what stops it is said, and is no reason not to measure the next one."""
    print(f"{named.part}:")
    try:
        if options.dry_run:
            print(plan_study(study.folder, named, shard=options.shard))
            return 0
        report = measure_study(study.folder, named, shard=options.shard)
    except (ValueError, ModelError, OSError) as error:
        print(f"{named.part}: {error}", file=sys.stderr)
        return 2
    print(report)
    return report.exit_code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m helpers.metrics", description="Measure a study's clips; the same command continues."
    )
    parser.add_argument("study", type=Path, help="the study's YAML file")
    parser.add_argument("--dry-run", action="store_true", help="only print how many clips are left")
    parser.add_argument(
        "--metric", action="append", metavar="NAME", help="only this metric of the study (repeatable)"
    )
    parser.add_argument(
        "--shard",
        type=shard_option,
        default=(1, 1),
        metavar="I/N",
        help="measure the I-th of N shares of the clips",
    )
    return parser


if __name__ == "__main__":
    leave(main)
