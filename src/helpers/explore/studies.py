"""The studies that have tables, found on the disk without their files."""

from collections.abc import Iterable
from pathlib import Path

from pydantic import Field

from helpers import tables
from helpers.paths import STUDIES
from helpers.reports.frameworks import FRAMEWORKS
from helpers.study import Study


class FoundStudy(Study):
    """A study of which only the folder is at hand.

    Attributes:
        place: the folder, anywhere.
    """

    name: str = Field(min_length=1)
    seed: int = 0
    place: Path

    @property
    def folder(self) -> Path:
        """Where the study's tables and clips are."""
        return self.place


def found_study(folder: Path | str) -> FoundStudy:
    """A study by its folder; its name is the folder's."""
    place = Path(folder).resolve()
    return FoundStudy(name=place.name, place=place)


def studies_in(root: Path = STUDIES) -> list[Path]:
    """The folders that hold a study's table, by name; none where there is no such place."""
    if not root.is_dir():
        return []
    return sorted(folder for folder in root.iterdir() if any((folder / "tables").rglob("*.parquet")))


def benchmarks_of(folder: Path) -> list[str]:
    """The benchmarks that a study has clips of.

    Raises:
        DataError: as `helpers.tables.read`.
    """
    shown = set(tables.read(folder, "videos", texts=False)["prompt_id"])
    prompts = tables.read(folder, "prompts")
    return _known(prompts.loc[prompts["prompt_id"].isin(shown), "benchmark"].unique())


def _known(found: Iterable[str]) -> list[str]:
    return [name for name in FRAMEWORKS if name in set(found)]
