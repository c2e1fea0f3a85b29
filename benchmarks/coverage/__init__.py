"""Simulated studies whose truth is known, each with the intervals that are meant to cover it."""

from benchmarks.coverage.agreement import agreement
from benchmarks.coverage.case import Case
from benchmarks.coverage.differences import differences, proportions
from benchmarks.coverage.judges import country_gaps, judges
from benchmarks.coverage.means import cluster_means
from benchmarks.coverage.ranks import rank_correlations

CASES = [
    *cluster_means(),
    *differences(),
    *proportions(),
    *agreement(),
    *rank_correlations(),
    *judges(),
    *country_gaps(),
]

__all__ = ["CASES", "Case"]
