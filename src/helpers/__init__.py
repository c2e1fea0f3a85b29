"""World on Screen: the thin, tested module behind the notebooks."""
