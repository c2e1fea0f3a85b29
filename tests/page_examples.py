"""A page's worked example, carried out as a reader would: its files written, its commands run.

A code block with a caption is a file of that name. A `bash` block is run, and the `text` block that follows
it says what is then seen, where "…" stands for anything and long lines may be broken.
"""

import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(
    r"^```(?:\{code-block\} )?(\w+)\n(?::caption: ([^\n]+)\n+)?(.*?)^```$", re.DOTALL | re.MULTILINE
)
_MARK = "=== the block has ended ==="


@dataclass(frozen=True)
class Step:
    """Commands, and what the page says that they print (None: it says nothing)."""

    commands: str
    said: str | None


@dataclass(frozen=True)
class Example:
    """A page's files, by their names, and its steps."""

    files: Mapping[str, str]
    steps: tuple[Step, ...]


def example_of(page: str) -> Example:
    """The example that a page's text holds."""
    files, steps = {}, []
    for language, caption, content in _BLOCK.findall(page):
        if caption:
            files[caption] = content
        elif language == "bash":
            steps.append(Step(content, None))
        elif language == "text":
            steps[-1] = Step(steps[-1].commands, content)
    return Example(files, tuple(steps))


def carry_out(example: Example, folder: Path, environment: Mapping[str, str]) -> list[str]:
    """Write the files, run the steps in one shell, and return what each step printed."""
    for name, content in example.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    # What a step left running ends with the shell, or nobody would see the end of the output.
    script = "set -e; trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n"
    script += "".join(f"{step.commands}\necho '{_MARK}'\n" for step in example.steps)
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=540,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout.split(f"{_MARK}\n")[:-1]


def is_as_said(printed: str, said: str) -> bool:
    """Whether a step printed what the page says, and nothing else; all white space is alike."""
    words = (re.escape(word).replace("…", ".*") for word in said.split())
    return re.fullmatch(r"\s*" + r"\s+".join(words) + r"\s*", printed, re.DOTALL) is not None
