"""Real pipelines with random weights, built once a session."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def checkpoints(tmp_path_factory) -> dict[str, Path]:
    """A folder for each family, with real architectures and random weights."""
    from helpers.simulate.checkpoints.text_to_video import BUILDERS

    root = tmp_path_factory.mktemp("checkpoints")
    return {family: build(root / family) for family, build in BUILDERS.items()}
