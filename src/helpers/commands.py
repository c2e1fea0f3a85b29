"""What every command line over a study does with an error: say it, and return a status for scripts."""

import sys
from collections.abc import Callable

from helpers.checking import DataError

REFUSED, INTERRUPTED = 2, 130


def status_of(work: Callable[[], int], *refusals: type[Exception]) -> int:
    """The exit status of a command that the same command line can continue.

    Args:
        work: does it and returns its status.
        refusals: further errors that say what is wrong in words for the user.

    Returns:
        `work`'s own; 2 where it was refused (`refusals`, a `DataError`, an `OSError`) and 130 where it was
        interrupted, with the reason on standard error.
    """
    try:
        return work()
    except (DataError, OSError, *refusals) as error:
        print(error, file=sys.stderr)
        return REFUSED
    except KeyboardInterrupt:
        print("interrupted; the same command continues", file=sys.stderr)
        return INTERRUPTED
