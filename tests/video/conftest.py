from collections.abc import Callable
from pathlib import Path

import pytest

from helpers.paths import ROOT
from video.making import encode, pictures

REAL = ROOT.parent / "shared" / "data" / "videos"


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A clip of 12 frames at 8 frames a second in any of `FORMATS`, made when first asked for."""
    folder = tmp_path_factory.mktemp("shelf")

    def clip(kind: str) -> Path:
        path = folder / kind
        return path if path.exists() else encode(path, pictures(12), kind)

    return clip


@pytest.fixture(params=["cogvideox_0.mp4", "cogvideox_9.mp4", "cogvideox_12.mp4"])
def real_clip(request: pytest.FixtureRequest) -> Path:
    """A clip that CogVideoX made: 81 frames, 1360x768, 16 frames a second."""
    path = REAL / request.param
    if not path.exists():
        pytest.skip(f"{request.param} is not on this machine")
    return path
