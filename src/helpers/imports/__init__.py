"""Bringing finished clips into a study: which file shows which prompt, and what is wrong with it."""
