"""Judging clips: three protocols, for models and people alike."""
