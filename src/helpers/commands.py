"""What every command line does with its end: say an error, and leave with a status for scripts."""

import os
import select
import sys
from collections.abc import Callable
from typing import NoReturn

from helpers.checking import DataError

REFUSED, INTERRUPTED = 2, 130
# What a shell says of a tool whose reader went away: 128 and the number of SIGPIPE.
UNREAD = 141


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
        if _is_unread(error):  # for `leave`
            raise
        print(error, file=sys.stderr)
        return REFUSED
    except KeyboardInterrupt:
        print("interrupted; the same command continues", file=sys.stderr)
        return INTERRUPTED


def leave(main: Callable[[], int]) -> NoReturn:
    """Run a command line and leave Python with its status.

    A reader that goes away, as `head` does once it has enough, ends the command without a word and with
    status 141, as it ends other tools.

    Args:
        main: the command line; returns its exit status.

    Raises:
        SystemExit: always, but for an error that the command line does not know.
    """
    for stream in (sys.stdout, sys.stderr):  # a terminal without Unicode shows the codes of other letters
        stream.reconfigure(errors="backslashreplace")
    try:
        try:
            status = main()
        except SystemExit as said:  # argparse has shown its help
            status = said.code
        sys.stdout.flush()
    except BrokenPipeError as error:
        if not _is_unread(error):
            raise
        # Python would try once more to write what is left.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = UNREAD
    sys.exit(status)


def _is_unread(error: Exception) -> bool:
    """Whether an error says that nobody reads what is printed; other pipes of a program may break too."""
    if not isinstance(error, BrokenPipeError):
        return False
    pipe = select.poll()
    pipe.register(sys.stdout.fileno(), 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in pipe.poll(0))
