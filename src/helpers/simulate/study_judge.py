"""Who answers for a simulated judge of a study: the truth of its clips, seen through the judge's dials."""

import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import pandas as pd

from helpers.chat.backend import Call, Reply
from helpers.chat.request import Request
from helpers.judging.named import NamedJudge
from helpers.judging.study import study_tables
from helpers.simulate.dials import Dials
from helpers.simulate.judge import SimulatedJudge
from helpers.simulate.study_truth import judged_truth
from helpers.study import Study


@dataclass(frozen=True, kw_only=True)
class Unsent(SimulatedJudge):
    """A simulated judge whose replies say that no token was sent for them."""

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[Call]:
        """As any backend's; see `helpers.chat.backend.Backend`."""
        async with super().connect() as replied:

            async def reply(request: Request) -> Reply:
                return replace(await replied(request), sent=0, received=0)

            yield reply


def caution(videos: pd.DataFrame, study: Study) -> str:
    """What to say of clips that a simulated judge knows nothing of; empty where it knows all.

    Args:
        videos: rows of the table videos, those to come included.
        study: whose simulated models' clips are known.
    """
    known = {model.name for model in study.simulated_models}
    others = videos[videos["status"].eq("ok") & ~videos["model"].isin(known)]
    if others.empty:
        return ""
    names = ", ".join(sorted(others["model"].unique()))
    return (
        f"CAUTION: a simulated judge knows nothing of {len(others):,} of the clips, which no simulated model "
        f"made ({names}): it looks at none, takes them for clips that show next to nothing, and its answers "
        "about them are chance and its own error rate"
    )


def backend_of(study: Study, judge: NamedJudge) -> Unsent:
    """A backend that replies as the judge would; equal studies get equal replies.

    Raises:
        DataError: as `judging.study.study_tables`.
    """
    truth = judged_truth(study_tables(study.folder), study.simulated_models, study.seed)
    own = zlib.crc32(f"{study.seed} {judge.name}".encode())
    # A judge's model is part of what a reply is kept under: with other dials it is another model.
    model = zlib.crc32(f"{own} {sorted(judge.dials.items())}".encode())
    name = f"a simulated judge, no model; dials {model:08x}"
    return Unsent(truth=truth, dials=Dials(**judge.dials), seed=own, name=name)
