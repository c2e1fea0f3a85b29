"""Parts of a run that several machines share, as a command line names them: `--shard 2/4`."""

import argparse
import re
from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")


def shard_option(text: str) -> tuple[int, int]:
    """'2/4' as (2, 4), for argparse's `type`.

    Raises:
        argparse.ArgumentTypeError: not I/N with I from 1 to N.
    """
    match = re.fullmatch(r"([1-9]\d*)/([1-9]\d*)", text)
    if not match or int(match[1]) > int(match[2]):
        raise argparse.ArgumentTypeError(f"'{text}'; expected I/N with I from 1 to N, such as 2/4")
    return int(match[1]), int(match[2])


def block(items: Sequence[Item], number: int, of: int) -> Sequence[Item]:
    """The `number`-th (from 1) of `of` runs of neighbours; together they hold each item once.

    Their lengths differ by at most one.
    """
    return items[len(items) * (number - 1) // of : len(items) * number // of]
