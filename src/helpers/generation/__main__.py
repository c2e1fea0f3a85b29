"""Generate a study's clips: `python -m helpers.generation STUDY.yaml [--dry-run] [--shard I/N] …`.

The study file names models and prompts; the same command goes on where an earlier one stopped. The exit
status is 0 where every clip of this run was made, 1 where some were not, 2 where the run was refused, 130
where it was interrupted.
"""

import argparse
import math
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from helpers import study as studies
from helpers.chat.ask import CannotAskError
from helpers.chat.keys import read_key
from helpers.checking import DataError
from helpers.commands import leave, status_of
from helpers.generation import catalogue as catalogues
from helpers.generation import journal, plan
from helpers.generation.hosted_model import HostedModel
from helpers.generation.hosted_orders import Order, orders_of
from helpers.generation.jobs import Job, finished, jobs_of, shard
from helpers.generation.left_over import said_left_over
from helpers.generation.run import Loaded, from_diffusers, generate
from helpers.shards import shard_option


def main(arguments: list[str] | None = None) -> int:
    """The command line; see the module's first lines."""
    options = _parser().parse_args(arguments)
    return status_of(lambda: _run(options), CannotAskError)


def _run(options: argparse.Namespace) -> int:
    study = studies.load(options.study)
    models, hosted = study.chosen_models(options.model)
    prompts = study.chosen_prompts()
    number, of = options.shard
    jobs = jobs_of(models, prompts, study.all_seeds, catalogues.load())
    jobs = shard([*jobs, *_simulated(study, prompts, options.model)], number, of)
    # Services are asked by one run only: they work on many clips at once, whoever asks.
    hosted = hosted if number == 1 else []
    orders = [orders_of(model, prompts, study.all_seeds) for model in hosted]
    if options.dry_run:
        if jobs:
            _print_plan(jobs, finished(jobs, journal.read(study.folder), study.folder))
        return _hosted(study, orders, options)
    _check_keys(hosted)
    code = 0
    if jobs:
        load = partial(_load, device=options.device)
        summary = generate(study.folder, jobs, name=f"generated-{number}-of-{of}", load=load)
        print(summary)
        code = summary.exit_code
    code = max(code, _hosted(study, orders, options))
    if left_over := _left_over(study, prompts):
        print(left_over)
    return code


def _left_over(study: studies.Study, prompts: pd.DataFrame) -> str:
    models, hosted = study.chosen_models()
    names = {model.name for model in [*models, *hosted, *study.chosen_simulated()]}
    rows = journal.read(study.folder).values()
    return said_left_over(rows, models=names, prompts=set(prompts["prompt_id"]), seeds=study.all_seeds)


def _simulated(study: studies.Study, prompts: pd.DataFrame, names: list[str] | None) -> list[Job]:
    """The clips of the study's simulated models."""
    models = study.chosen_simulated(names)
    if not models:
        return []
    # What draws takes a while to import, and real studies have no use for it.
    from helpers.simulate.filming import takes_of

    return takes_of(models, prompts, study.all_seeds, study=study.folder, seed=study.seed)


def _load(model: Any, device: str | None) -> Loaded:
    """A model of the catalogue, or a simulated one, which is loaded already."""
    return from_diffusers(model, device=device) if isinstance(model, catalogues.Model) else model


def _print_plan(jobs: list[Job], done: set[str]) -> None:
    real = [job for job in jobs if isinstance(job.model, catalogues.Model)]
    drawn = [job for job in jobs if not isinstance(job.model, catalogues.Model)]
    if real:
        print(plan.text(plan.plan(real, done)))
    if drawn:
        from helpers.simulate.filming import plan_text

        print(plan_text(drawn, done))


def _check_keys(models: list[HostedModel]) -> None:
    """Refuse a missing key before anything is computed or ordered."""
    for model in models:
        try:
            read_key(model.key)
        except ValueError as error:
            raise DataError(f"{model.name}: {error}") from None


def _hosted(study: studies.Study, orders: list[list[Order]], options: argparse.Namespace) -> int:
    code = 0
    for of_model in orders:
        # The services' libraries take seconds to import.
        from helpers.generation.hosted import generate_hosted, plan

        if options.dry_run:
            print(plan(study.folder, of_model, options.budget))
            continue
        summary = generate_hosted(study.folder, of_model, budget=options.budget)
        print(summary)
        code = max(code, summary.exit_code)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m helpers.generation",
        description="Generate a study's clips; the same command continues.",
    )
    parser.add_argument("study", type=Path, help="the study's YAML file")
    parser.add_argument("--dry-run", action="store_true", help="only print clips, GPU hours, disk and prices")
    parser.add_argument(
        "--shard",
        type=shard_option,
        default=(1, 1),
        metavar="I/N",
        help="make every N-th clip from the I-th on",
    )
    parser.add_argument(
        "--model", action="append", metavar="NAME", help="only this model of the study (repeatable)"
    )
    parser.add_argument("--device", help="such as cuda:1 or cpu (default: a GPU where there is one)")
    parser.add_argument(
        "--budget", type=_budget, help="the most that each hosted model may cost, in its currency"
    )
    return parser


def _budget(text: str) -> float:
    """A finite amount, from 0 on."""
    try:
        budget = float(text)
    except ValueError:
        budget = math.nan
    if not (math.isfinite(budget) and budget >= 0):
        raise argparse.ArgumentTypeError(f"'{text}'; expected a finite number from 0 on, such as 25")
    return budget


if __name__ == "__main__":
    leave(main)
