"""Reads scenes for CultureScore from a local copy of CulturalFrames (Nayak et al. 2025), or a file like it.

The dataset is published as `mair-lab/CulturalFrames`. A small YAML file says which of its columns is which,
so that another release, or somebody's own collection, needs no code:

    columns: {prompt: prompt, country: country, category: category}
    categories: {Religious festivals: religion}
"""

from pathlib import Path
from typing import Literal

import pandas as pd
from pyarrow.lib import ArrowInvalid
from pydantic import BaseModel, ConfigDict, Field

from helpers.benchmarks.culturescore import SCENARIOS
from helpers.benchmarks.line_report import LineReport
from helpers.checking import DataError, nearest
from helpers.configuration import read_yaml
from helpers.geography import standard_name
from helpers.paths import shown
from helpers.published import CATEGORIES


class Columns(BaseModel):
    """The file's names for what a scene needs; without `scenario_id`, ids are made from what is there."""

    model_config = ConfigDict(extra="forbid")

    prompt: str
    country: str
    category: str
    scenario_id: str | None = None


class ColumnMap(BaseModel):
    """The YAML file: columns, and the file's names for categories that are not written as ours are."""

    model_config = ConfigDict(extra="forbid")

    columns: Columns
    categories: dict[str, Literal[CATEGORIES]] = Field(default_factory=dict)


def read_culturalframes(path: Path | str, columns: Path | str) -> pd.DataFrame:
    """The scenes of a CSV or Parquet file.

    A file may hold a row for each picture or rating: rows with the same prompt, country, category and id
    are one scene.

    Args:
        path: the file; the ending `.parquet` says that it is one, anything else is read as CSV (UTF-8).
        columns: the YAML file that says which column is which.

    Returns:
        Columns of `culturescore.SCENARIOS`, in the order of the file. Ids that the file does not give are
        `<country>-<category>-<number>`.

    Raises:
        DataError: no such file, one that cannot be read, or a column that is not there.
        BadLinesError: rows without a prompt, or with an unknown country or category, or an id that another
            scene has. All of them are named in one message by their numbers (the header is 1, and a
            cell's own line breaks do not count), and nothing is returned.
    """
    path = Path(path)
    mapping = read_yaml(columns, ColumnMap, what="a map of columns")
    names = {found: name for name, found in mapping.columns.model_dump().items() if found is not None}
    frame = _read(path)
    for found in names:
        if found not in frame:
            hint = nearest(found, frame.columns) or f"; it has {', '.join(map(str, frame.columns))}"
            raise DataError(f"{shown(path)}: there is no column '{found}'{hint}")
    frame = frame[list(names)].rename(columns=names).fillna("").astype(str)
    frame = frame.apply(lambda column: column.str.split().str.join(" "))
    report, cleaned = LineReport(), []
    for number, values in enumerate(frame.to_dict("records"), start=2):
        scene, problems = _cleaned(values, mapping)
        cleaned.append(scene)
        for problem in problems:
            report.add(path, number, problem)
    report.refuse()
    scenes = pd.DataFrame(cleaned, columns=list(frame.columns)).assign(row=range(2, len(cleaned) + 2))
    scenes = scenes.drop_duplicates(list(frame.columns))
    if "scenario_id" not in scenes:
        cell = (scenes["country"] + "-" + scenes["category"]).str.lower().str.replace(" ", "-")
        number = scenes.groupby(["country", "category"]).cumcount() + 1
        scenes = scenes.assign(scenario_id=cell + "-" + number.astype(str))
    for scene in scenes[scenes["scenario_id"].duplicated()].itertuples():
        report.add(path, scene.row, f"found the id '{scene.scenario_id}' of another scene; expected it once")
    report.refuse()
    return SCENARIOS.check(scenes[list(SCENARIOS.columns)], path)


def _read(path: Path) -> pd.DataFrame:
    try:
        if path.suffix == ".parquet":
            return pd.read_parquet(path)
        return pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except (FileNotFoundError, IsADirectoryError):
        raise DataError(f"{shown(path)}: no such file; expected a CSV or Parquet file") from None
    except (ArrowInvalid, UnicodeDecodeError, pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise DataError(f"{shown(path)}: cannot be read ({error}); expected CSV (UTF-8) or Parquet") from None


def _cleaned(values: dict[str, str], mapping: ColumnMap) -> tuple[dict[str, str], list[str]]:
    """A row with our names for country and category, and what is wrong with it."""
    problems = []
    category = mapping.categories.get(values["category"], values["category"].lower().replace(" ", "-"))
    if category not in CATEGORIES:
        problems.append(
            f"found the category '{values['category']}', expected one of {', '.join(CATEGORIES)}, "
            "or one that the map of columns names"
        )
    country = values["country"]
    try:
        country = standard_name(country)
    except ValueError as problem:
        problems.append(str(problem))
    problems += [
        f"found no {name}, expected some text"
        for name in ("prompt", "scenario_id")
        if name in values and not values[name]
    ]
    return values | {"category": category, "country": country}, problems
