"""Weights in the hub's cache, found without a network and without loading anything."""

from pathlib import Path

from helpers.paths import shown


def cache_folder() -> Path:
    """Where the hub's client keeps what it downloads."""
    from huggingface_hub.constants import HF_HUB_CACHE

    return Path(HF_HUB_CACHE)


def in_cache(model: str) -> bool:
    """Whether some snapshot of a repository lies in the cache with a file in it, complete or not.

    Args:
        model: an id such as "Qwen/Qwen3-VL-32B-Instruct"; anything else is in no cache.
    """
    if model.count("/") != 1:
        return False
    snapshots = cache_folder() / f"models--{model.replace('/', '--')}" / "snapshots"
    return any(path.is_file() for path in snapshots.glob("*/**/*"))


def home_shown(path: Path) -> str:
    """A path as pages and terminals show it: below the root or one's home without what comes before."""
    path = path.absolute()
    return f"~/{path.relative_to(Path.home())}" if path.is_relative_to(Path.home()) else shown(path)
