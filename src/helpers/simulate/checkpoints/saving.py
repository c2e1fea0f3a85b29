"""Saving a small pipeline without the bars that large ones need."""

from pathlib import Path

from diffusers import DiffusionPipeline
from transformers.utils import logging


def save(pipeline: DiffusionPipeline, folder: Path) -> Path:
    """Save a pipeline, for `from_pretrained`, and return its folder, which is made where it is missing."""
    # A bar for a file of a few kilobytes is noise.
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        pipeline.save_pretrained(folder)
    finally:
        if shown:
            logging.enable_progress_bar()
    return Path(folder)
