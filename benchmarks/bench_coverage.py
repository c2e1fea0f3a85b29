"""How often each interval covers the truth of simulated studies; the table goes to data/bench/coverage.csv.

Seeded, so that the file changes only with the code that it measures. On target is 93 to 97 %, or to 98 % for
rank correlations of few pairs, give or take two Monte Carlo errors.
"""

import zlib
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pandas as pd
from benchmarks.coverage import CASES, Case
from benchmarks.harness import Row

from helpers.paths import DATA

TABLE = DATA / "bench" / "coverage.csv"
LOWEST = 0.93


def simulate(case: Case) -> list[dict[str, object]]:
    """One row an interval: how often it covers, how often it falls wholly below or above the truth."""
    rng = np.random.default_rng(zlib.crc32(f"{case.quantity}, {case.condition}, {case.n}".encode()))
    ends = np.full((case.simulations, len(case.intervals), 2), np.nan)
    for study in ends:
        data = case.draw(rng)
        for number, interval in enumerate(case.intervals.values()):
            found = interval(*data)
            study[number] = found.low, found.high
    return [_row(case, name, *ends[:, number].T) for number, name in enumerate(case.intervals)]


def _row(case: Case, name: str, low: np.ndarray, high: np.ndarray) -> dict[str, object]:
    defined = ~np.isnan(low)
    low, high = low[defined], high[defined]
    # The last bits of a discrete estimate's interval may differ from the truth that it touches.
    below, above = np.mean(high < case.truth - 1e-12), np.mean(low > case.truth + 1e-12)
    coverage = 1 - below - above
    error = np.sqrt(coverage * (1 - coverage) / low.size)
    recommended = name in case.recommended
    return {
        "quantity": case.quantity,
        "interval": name,
        "condition": case.condition,
        "n": case.n,
        "truth": round(case.truth, 4),
        "recommended": recommended,
        "coverage": round(coverage, 4),
        "mc_error": round(error, 4),
        "below": round(below, 4),
        "above": round(above, 4),
        "median_width": float(f"{np.median(high - low):.4g}"),
        "simulations": case.simulations,
        "without_interval": int((~defined).sum()),
        "on_target": bool(LOWEST - 2 * error <= coverage <= case.highest + 2 * error),
    }


def _simulate_number(number: int) -> list[dict[str, object]]:
    return simulate(CASES[number])


def run() -> list[Row]:
    with ProcessPoolExecutor(2) as pool:
        rows = [row for found in pool.map(_simulate_number, range(len(CASES))) for row in found]
    TABLE.parent.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(rows).to_csv(TABLE, index=False, lineterminator="\n")
    return [
        Row(
            what=f"{row['quantity']}, {row['interval']}, n = {row['n']}, {row['condition']}",
            value=100 * row["coverage"],
            unit=f"% +- {100 * row['mc_error']:.1f}",
            target="93 to 97 %" if row["recommended"] else "",
        )
        for row in rows
    ]
