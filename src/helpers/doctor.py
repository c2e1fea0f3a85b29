"""What this machine can run: `python -m helpers.doctor [STUDY.yaml]`.

One screen: what was looked for, what was found, what it is for and how to get it. A line starts with + where
it is there, with - where it is not, and with ! where the study named cannot do without it. Keys appear by
name only. The exit status is 0, 1 where something is missing that the study needs, 2 for a bad study file.
"""

import argparse
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path

from helpers import study as studies
from helpers.checking import DataError
from helpers.commands import leave
from helpers.generation import catalogue
from helpers.machine.finding import Finding
from helpers.machine.hardware import hardware
from helpers.machine.reach import Weights, keys, servers
from helpers.machine.software import software
from helpers.paths import STUDIES, found_at
from helpers.study import Study
from helpers.weights import cache_folder, home_shown

WIDTH, NAMES = 110, 18


def examine(study: Study | None = None) -> dict[str, list[Finding]]:
    """Look at everything, section by section.

    Args:
        study: what it needs is looked for too.
    """
    return {
        "machine": hardware(STUDIES, gpu_needed=bool(study and [*study.models, *study.own_models])),
        "programs": software(_languages(study)),
        f"weights, in {home_shown(cache_folder())}": [one.finding() for one in _wanted(study)],
        "keys, by name": keys(_variables(study)),
        "servers": servers(_addresses(study)),
        "files of the study": _files(study),
    }


def _wanted(study: Study | None) -> list[Weights]:
    """The catalogue's models, or only what the study names where there is one."""
    if study is None:
        every = catalogue.load().models
    elif study.models or study.own_models:
        every = study.chosen_models()[0]
    else:
        every = []
    found = [Weights(model.name, model.id, "clips", model.size and model.size.weights_gb) for model in every]
    if study is None:
        return found
    found += [Weights(judge.name, judge.model, "a judge") for judge in study.judges if judge.kind == "local"]
    ids = [(metric, getattr(metric, key, None)) for metric in study.metrics for key in ("model", "backbone")]
    # Where the weights of open_clip's models lie is its own business.
    ids = [(metric, name) for metric, name in ids if name and "/" in name and metric.kind != "text_video"]
    return found + [Weights(metric.part, name, "a metric") for metric, name in ids if ":" not in name]


def _languages(study: Study | None) -> tuple[str, ...]:
    metrics = study.metrics if study else ()
    return tuple(name for metric in metrics if metric.kind == "visible_text" for name in metric.languages)


def _variables(study: Study | None) -> set[str]:
    """The variables that hold the keys of the study's services."""
    if study is None:
        return set()
    usual = {judge.key_variable or "GEMINI_API_KEY" for judge in study.judges if judge.kind == "gemini"}
    named = {judge.key_variable for judge in study.judges} | {model.key for model in study.hosted}
    return usual | {name for name in named if name}


def _addresses(study: Study | None) -> dict[str, str]:
    if study is None:
        return {}
    of = {address: f"the judge {judge.name}" for judge in study.judges for address in judge.addresses}
    return of | {model.base_url: f"clips by {model.name}" for model in study.hosted if model.base_url}


def _files(study: Study | None) -> list[Finding]:
    """Folders of clips and surveys that the study names."""
    named = [(clips.folder, "finished clips") for clips in study.clips] if study else []
    named += [
        (name, f"the survey {survey.name}")
        for survey in (study.surveys if study else ())
        for name in survey.files
    ]
    return [
        Finding(
            what=name,
            found="there" if found_at(name).exists() else "not there",
            there=found_at(name).exists(),
            use=use,
            get="mend the path in the study file",
            needed=True,
        )
        for name, use in named
    ]


def text(sections: dict[str, list[Finding]]) -> str:
    """What was found, for the terminal."""
    lines = []
    for title, findings in sections.items():
        lines += [f"[{title}]", *map(_line, findings)] if findings else []
    return "\n".join(lines)


def _line(finding: Finding) -> str:
    get = f" -> {finding.get}" if finding.there is False and finding.get else ""
    first = f"{finding.mark} {finding.what.ljust(NAMES)} "
    rest = f"{finding.found} · {finding.use}{get}"
    return textwrap.fill(first + rest, WIDTH, subsequent_indent=" " * (NAMES + 3), break_on_hyphens=False)


def missing(sections: dict[str, list[Finding]]) -> list[Finding]:
    """What the study needs and the machine has not."""
    return [one for findings in sections.values() for one in findings if one.needed and one.there is False]


def main(arguments: Iterable[str] | None = None) -> int:
    """The command line; see the module's first lines."""
    parser = argparse.ArgumentParser(
        prog="python -m helpers.doctor", description="What this machine can run."
    )
    parser.add_argument("study", type=Path, nargs="?", help="a study's YAML file, whose needs are looked for")
    options = parser.parse_args(arguments)
    try:
        study = studies.load(options.study) if options.study else None
        sections = examine(study)
    except DataError as error:
        print(error, file=sys.stderr)
        return 2
    print(text(sections))
    lacking = missing(sections)
    if study and lacking:
        print(f"\n{study.name} lacks: {', '.join(one.what for one in lacking)}")
    elif study:
        print(f"\n{study.name} has what it needs here")
    return int(study is not None and bool(lacking))


if __name__ == "__main__":
    leave(main)
