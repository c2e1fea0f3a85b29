"""Scores and statistics of simulated studies of 10⁴ to 10⁶ answers; the table goes to data/bench/scale.csv.

A study is CultureScore's with more scenarios, answered by two judges. What judges write is as long as a real
one's, since it is most of a table. Each size runs in a process of its own, once with the texts and once
without; seconds are of the processor, the least of three runs. The largest study is also opened as the
notebooks of results do, in a process that makes its leaderboards.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from benchmarks.harness import Row, at_most

from helpers import tables
from helpers.paths import DATA, ROOT
from helpers.scores import culturescore as scores
from helpers.simulate.culturescore import culturescore_study
from helpers.simulate.raters import Rater
from helpers.stats import chance_corrected
from helpers.stats.bootstrap import cluster_bootstrap

TABLE = DATA / "bench" / "scale.csv"
# Scenarios a cell; each makes 5,292 answers (49 cells, 9 questions, 3 variants, 2 models, 2 judges).
SCENARIOS = (2, 6, 19, 60, 189)
REPEATS = 3
BOARDS = "leaderboards"
NAMES = ("prompts", "questions", "videos", "raters", "answers")
JUDGES = (
    Rater(rater_id="first", sensitivity=0.9, specificity=0.9),
    Rater(rater_id="second", sensitivity=0.8, specificity=0.85),
)
REASONING = "Two people meet in a courtyard; both hands are at the chest, as the question describes. "


def write_study(folder: Path, scenarios: int) -> int:
    """Write a study's tables and return how many answers it has."""
    made = culturescore_study(seed=0, scenarios=scenarios, judges=JUDGES).tables
    for name in NAMES[:-1]:
        tables.write(folder, name, made[name])
    for judge, rows in made["answers"].groupby("rater_id"):
        numbers = np.arange(len(rows)).astype(str)
        said = np.char.add(REASONING * 6, numbers)
        asked = np.char.add('{"protocol": "culturescore", "key": "' + "0" * 57, numbers)
        texts = {"reasoning": said, "raw": np.char.add(said, " \\boxed{yes}")}
        texts["settings"] = np.char.add(asked, '"}')
        tables.write(folder, "answers", rows.assign(**texts), part=judge)
    return len(made["answers"])


def analysis(folder: Path, texts: bool) -> Iterator[tuple[str, Callable[[dict], Any]]]:
    """The steps from tables on the disk to scores and agreement; each adds to what is known."""
    yield "read", lambda known: {name: tables.read(folder, name, texts=texts) for name in NAMES}
    yield "cases", lambda known: [scores.asked_questions(known["read"], one.rater_id) for one in JUDGES]
    yield "scores", lambda known: [scores.culturescore(cases) for cases in known["cases"]]
    yield "countries", lambda known: scores.culturescore(known["cases"][0], by=("model", "country"))
    yield "agreement", lambda known: scores.culturescore(scores.agreement_with_people(*known["cases"]))
    yield "alpha", lambda known: chance_corrected.krippendorff_alpha(_side_by_side(known["cases"]), [0, 1])
    yield (
        "bootstrap",
        lambda known: cluster_bootstrap(
            known["cases"][0]["value"].to_numpy(float), known["cases"][0]["scenario_id"], resamples=2000
        ),
    )


def _side_by_side(cases: list[pd.DataFrame]) -> np.ndarray:
    return np.column_stack([each["value"] for each in cases]).astype(float)


def run_steps(folder: str, texts: bool) -> list[dict[str, Any]]:
    """Each step's seconds, and the most memory that the process has held by its end."""
    known, rows = {}, []
    for step, work in analysis(Path(folder), texts):
        start = time.process_time()
        known[step] = work(known)
        seconds = time.process_time() - start
        rows.append({"step": step, "seconds": seconds, "peak_megabytes": _peak()})
    return rows


def _peak() -> float:
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024


def run_leaderboards(folder: str) -> list[dict[str, Any]]:
    """Seconds and memory of what notebook 81 does: open the study, and make its leaderboards."""
    # Imported here, as the steps' memory is measured without what pages need.
    from helpers.explore.studies import found_study
    from helpers.reports.judged import open_all
    from helpers.reports.sections import leaderboard

    start = time.process_time()
    for judged in open_all(found_study(folder)):
        leaderboard(judged)
    seconds = time.process_time() - start
    return [{"step": BOARDS, "seconds": seconds, "peak_megabytes": _peak()}]


def measured(call: str, repeats: int) -> pd.DataFrame:
    """The least seconds and the most memory of several runs of a call, each in a new process."""
    code = f"import json; from benchmarks import bench_scale; print(json.dumps(bench_scale.{call}))"
    runs = []
    for _ in range(repeats):
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True
        )
        runs.append(pd.DataFrame(json.loads(done.stdout)))
    every = pd.concat(runs).groupby("step", sort=False)
    return every.agg({"seconds": "min", "peak_megabytes": "max"}).reset_index()


def run() -> list[Row]:
    found = []
    for scenarios in SCENARIOS:
        with tempfile.TemporaryDirectory() as place:
            answers = write_study(Path(place), scenarios)
            for texts, repeats in ((False, REPEATS), (True, 1)):
                steps = measured(f"run_steps({place!r}, {texts})", repeats)
                found.append(steps.assign(answers=answers, texts=texts))
            if scenarios == SCENARIOS[-1]:
                boards = measured(f"run_leaderboards({place!r})", REPEATS)
                found.append(boards.assign(answers=answers, texts=False))
    table = pd.concat(found)[["answers", "texts", "step", "seconds", "peak_megabytes"]]
    TABLE.parent.mkdir(parents=True, exist_ok=True)
    table.round({"seconds": 3, "peak_megabytes": 0}).to_csv(TABLE, index=False, lineterminator="\n")
    boards = table[table["step"].eq(BOARDS)]
    table = table[table["step"].ne(BOARDS)]
    without = table[~table["texts"]]
    total = without.groupby("answers")["seconds"].sum()
    peak = table.groupby(["texts", "answers"])["peak_megabytes"].max()
    sizes = total.index.tolist()
    growth = [
        at_most(
            f"time of {large:,} answers over time of {small:,}, by the answers' own ratio (linear: 1)",
            total[large] / total[small] / (large / small),
            1.3,
            "x",
        )
        for small, large in pairwise(sizes[2:])
    ]
    seconds = [Row(what=f"{n:,} answers, all steps", value=total[n], unit="s") for n in sizes]
    return [
        *seconds,
        *growth,
        Row(what=f"{sizes[-1]:,} answers, memory with the texts", value=peak[True, sizes[-1]], unit="MB"),
        at_most(f"{sizes[-1]:,} answers, memory", peak[False, sizes[-1]], 2_000, "MB"),
        at_most(
            f"{sizes[-1]:,} answers, memory of leaderboards", boards["peak_megabytes"].item(), 2_000, "MB"
        ),
    ]
