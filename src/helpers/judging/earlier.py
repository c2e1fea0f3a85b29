"""What an earlier run of a judge wrote and a later one has nothing to put in its place."""

import json
from collections.abc import Set
from pathlib import Path

import pandas as pd

from helpers import schemas, tables

WORDING = ("protocol", "template", "version", "rubrics")


def with_earlier(
    study: Path, table: str, part: str, rows: pd.DataFrame, run: Set[str], not_made: Set[str]
) -> tuple[pd.DataFrame, int]:
    """A judge's rows together with those of its earlier runs that stay.

    Those are the rows of protocols that are not run now; and rows with a value where now there is none and
    nothing could be asked, if they are about the same clip, asked in the same words.

    Args:
        study: the study's folder.
        table: answers or ratings.
        part: the judge's.
        rows: what it has now.
        run: the names of the protocols that are run.
        not_made: clips that the table videos says are not there.

    Returns:
        All rows, and how many stay in place of a missing one.
    """
    path = tables.table_path(study, table, part)
    if not path.exists():
        return rows, 0
    earlier = schemas.check(table, tables.read_part(path), path)
    key = list(schemas.TABLES[table].key)
    now, before = rows.set_index(key), earlier.set_index(key)
    first = before.reindex(now.index)  # what an earlier run says of each of the rows
    stays = [
        status == "missing" and known == "ok" and video_id not in not_made and _same(said, said_before)
        for status, known, video_id, said, said_before in zip(
            now["status"],
            first["status"],
            rows["video_id"],
            now["settings"],
            first["settings"],
            strict=True,
        )
    ]
    not_run = [_settings(said).get("protocol") not in run for said in earlier["settings"]]
    others = before[not_run & ~before.index.isin(now.index)]
    held = pd.concat([before.loc[now.index[stays]], now[~pd.Series(stays, dtype=bool).to_numpy()]])
    everything = pd.concat([held.loc[now.index], others]).reset_index()
    return schemas.check(table, everything, path), sum(stays)


def _settings(text: str | None) -> dict:
    return json.loads(text) if isinstance(text, str) else {}


def _same(said: str | None, said_before: str | None) -> bool:
    """Whether a request is the earlier one, as far as it can be put together."""
    now, before = _settings(said), _settings(said_before)
    return now.get("key", before.get("key")) == before.get("key") and all(
        now.get(name) == before.get(name) for name in WORDING
    )
