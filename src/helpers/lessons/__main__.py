"""Write what is made from the lessons: `python -m helpers.lessons`."""

import argparse
import sys

from helpers.checking import DataError
from helpers.commands import leave
from helpers.lessons.page import PAGE, made
from helpers.lessons.repository import Repository
from helpers.lessons.students import STUDENTS
from helpers.paths import shown


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns 0, or 2 after something that does not fit."""
    argparse.ArgumentParser(prog="python -m helpers.lessons", description=__doc__).parse_args(arguments)
    try:
        files = made(Repository.configured())
    except DataError as error:
        print(error, file=sys.stderr)
        return 2
    for file, text in files.items():
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
    for file in set(STUDENTS.glob("*.ipynb")) - set(files):
        file.unlink()
    print(f"{len(files) - 1} students' notebooks in {shown(STUDENTS)}, and the table of {shown(PAGE)}")
    return 0


if __name__ == "__main__":
    leave(main)
