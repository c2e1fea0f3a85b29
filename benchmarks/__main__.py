"""Run the benchmarks: python -m benchmarks [RESULTS.json] [--only NAME ...].

Every `bench_NAME.py` here has a function `run` that returns rows. They are printed as a table and, where a
path is given, written as JSON with the machine's description. The exit status is 1 where a target was missed.
"""

import argparse
import json
import os
import platform
import sys
import time
from dataclasses import asdict
from importlib import import_module
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

from benchmarks.harness import Row  # noqa: E402  (numpy reads the number of threads when imported)


def machine() -> dict[str, str]:
    versions = {name: import_module(name).__version__ for name in ("numpy", "scipy", "pandas")}
    return {
        "system": platform.platform(),
        "cores": str(os.cpu_count()),
        "python": platform.python_version(),
        **versions,
    }


def table(rows: list[Row]) -> str:
    """The rows as aligned text."""
    verdicts = {None: "", True: "met", False: "MISSED"}
    cells = [("what", "measured", "target", "")]
    cells += [(row.what, f"{row.value:,.4g} {row.unit}", row.target, verdicts[row.met]) for row in rows]
    widths = [max(len(line[column]) for line in cells) for column in range(4)]
    padded = [[cell.ljust(width) for cell, width in zip(line, widths, strict=True)] for line in cells]
    return "\n".join("  ".join(line).rstrip() for line in padded)


def main(arguments: list[str] | None = None) -> int:
    known = sorted(path.stem.removeprefix("bench_") for path in Path(__file__).parent.glob("bench_*.py"))
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.partition("\n")[0])
    parser.add_argument("results", nargs="?", type=Path, help="JSON file to write")
    parser.add_argument(
        "--only", nargs="+", choices=known, default=known, metavar="NAME", help=" ".join(known)
    )
    chosen = parser.parse_args(arguments)
    results: dict[str, list[Row]] = {}
    for name in chosen.only:
        print(f"\n== {name}", flush=True)
        start = time.perf_counter()
        results[name] = import_module(f"benchmarks.bench_{name}").run()
        print(table(results[name]))
        print(f"({time.perf_counter() - start:.0f} s)", flush=True)
    if chosen.results:
        measured = {name: [asdict(row) for row in rows] for name, rows in results.items()}
        content = {"machine": machine(), "results": measured}
        chosen.results.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return int(any(row.met is False for rows in results.values() for row in rows))


if __name__ == "__main__":
    sys.exit(main())
