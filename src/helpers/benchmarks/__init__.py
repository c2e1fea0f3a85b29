"""The three benchmarks: built from their sources, or loaded from the starter sets that lie here."""
