"""Command lines over a study end as other Unix tools do when nobody reads them, and say any other error."""

import os
import subprocess
import sys

import pytest

from helpers.commands import REFUSED, UNREAD
from helpers.paths import ROOT

# What bash reports of a tool whose reader went away, such as `yes | head -1`: 128 + SIGPIPE (signal(7)).
KILLED_BY_SIGPIPE = 128 + 13


def run(*arguments, closed=True):
    """Run Python with a standard output whose reader has gone, or is there."""
    reading, writing = os.pipe()
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    if closed:
        os.close(reading)
    try:
        return subprocess.run(
            [sys.executable, *arguments],
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=variables,
        )
    finally:
        os.close(writing)
        if not closed:
            os.close(reading)


def script(work):
    return f"from helpers.commands import leave, status_of\nimport argparse\nleave(lambda: {work})"


@pytest.mark.parametrize("flags", [[], ["-u"]], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize(
    "work",
    ["print('a line') or 0", "status_of(lambda: print('a line\\n' * 100_000) or 0)"],
    ids=["little", "much, over a study"],
)
def test_a_reader_that_goes_away_ends_a_command_without_a_word(flags, work):
    ended = run(*flags, "-c", script(work))
    assert (ended.returncode, ended.stderr) == (KILLED_BY_SIGPIPE, "")
    assert UNREAD == KILLED_BY_SIGPIPE


def test_help_that_nobody_reads_ends_without_a_word():
    # argparse itself passes over a write that fails, so that the status may be 0.
    assert run("-c", script("argparse.ArgumentParser().parse_args(['--help'])")).stderr == ""


def test_a_plan_that_nobody_reads_ends_without_a_word():
    ended = run("-m", "helpers.plan", "workflow/config/demo.yaml")
    assert (ended.returncode, ended.stderr) == (KILLED_BY_SIGPIPE, "")


@pytest.mark.parametrize(
    ("work", "status", "said"),
    [
        ("3", 3, ""),
        ("argparse.ArgumentParser().parse_args(['--wrong'])", 2, "unrecognized arguments"),
        ("1 / 0", 1, "ZeroDivisionError"),
        ("os.write(broken(), b'x')", 1, "BrokenPipeError"),
        ("status_of(lambda: os.write(broken(), b'x'))", REFUSED, "Broken pipe"),
    ],
    ids=["status", "usage", "error", "another pipe", "another pipe, over a study"],
)
def test_what_else_ends_a_command_is_said(work, status, said):
    broken = "import os\ndef broken():\n  read, write = os.pipe()\n  os.close(read)\n  return write\n"
    ended = run("-c", broken + script(work), closed=False)
    assert ended.returncode == status
    assert said in ended.stderr
    assert bool(ended.stderr) == bool(said)


def test_a_terminal_without_unicode_shows_the_codes_of_letters():
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    ended = subprocess.run(
        [sys.executable, "-c", script(r"print('model \\u6a21') or 0")],
        capture_output=True,
        cwd=ROOT,
        env=os.environ | ascii_only,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"model \\u6a21\n", b"")
