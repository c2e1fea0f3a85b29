"""What a study would cost: `python -m helpers.plan STUDY.yaml [--gpus N]`, before anything of it ran.

One screen: clips, calls, tokens, GPU hours, disk, money where the study states a price, what is there
already, which limit comes first, and what all this assumes. Nothing is loaded, decoded, asked or written. The
exit status is 0, 1 where a stage of the study would be refused, 2 where the study is.
"""

import argparse
import sys
from pathlib import Path

from helpers import study as studies
from helpers.checking import DataError
from helpers.commands import leave
from helpers.paths import shown
from helpers.planning.screen import text
from helpers.planning.whole import plan_of


def main(arguments: list[str] | None = None) -> int:
    """The command line; see the module's first lines."""
    parser = argparse.ArgumentParser(prog="python -m helpers.plan", description="What a study would cost.")
    parser.add_argument("study", type=Path, help="the study's YAML file")
    parser.add_argument("--gpus", type=_gpus, default=1, metavar="N", help="how many GPUs share the work (1)")
    options = parser.parse_args(arguments)
    try:
        plan = plan_of(studies.load(options.study))
    except (DataError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{shown(options.study)}\n{text(plan, gpus=options.gpus)}")
    return 1 if plan.refused else 0


def _gpus(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}'; expected a whole number from 1 on")
    return int(text)


if __name__ == "__main__":
    leave(main)
