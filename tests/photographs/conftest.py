from collections.abc import Callable
from pathlib import Path

import pytest

from photographs.written import DETAILS, INSIDE, README, deb_bytes, encoded, rcc_bytes, scene


@pytest.fixture
def make_package(tmp_path) -> Callable[..., Path]:
    """A small GCompris package; files given by path below activities/ replace or join the standard ones."""

    def make(more: dict[str, bytes] | None = None) -> Path:
        below = {
            "explore_monuments/resource/README": README.encode(),
            "explore_monuments/resource/france/eiffelTower.webp": encoded(scene(1)),
            "explore_monuments/resource/germany/aulaPalatina.webp": encoded(scene(2)),
            "explore_monuments/resource/wonders/chichenItza.webp": encoded(scene(3)),
            "categorization/resource/images/monuments/eiffelTower.webp": encoded(scene(1, (80, 60))),
            "details/resource/image/README": DETAILS.encode(),
            "details/resource/image/TourEiffel_background.webp": encoded(scene(4)),
            "details/resource/image/TourEiffel_0.webp": encoded(scene(5)),
            **(more or {}),
        }
        archives = {}
        for activity in ("explore_monuments", "categorization", "details"):
            own = {
                f"{INSIDE}/{path}": content for path, content in below.items() if path.startswith(activity)
            }
            archives[f"usr/share/gcompris-qt/rcc/{activity}.rcc"] = rcc_bytes(own, packing="zlib")
        path = tmp_path / "gcompris-qt-data_3.1-2_all.deb"
        path.write_bytes(deb_bytes(archives))
        return path

    return make
