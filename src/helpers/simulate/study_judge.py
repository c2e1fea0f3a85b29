"""Who answers for a simulated judge of a study: the truth of its clips, seen through the judge's dials."""

import zlib

from helpers.judging.named import NamedJudge
from helpers.judging.study import study_tables
from helpers.simulate.dials import Dials
from helpers.simulate.judge import SimulatedJudge
from helpers.simulate.study_truth import judged_truth
from helpers.study import Study


def backend_of(study: Study, judge: NamedJudge) -> SimulatedJudge:
    """A backend that replies as the judge would; equal studies get equal replies.

    Raises:
        DataError: as `judging.study.study_tables`.
    """
    truth = judged_truth(study_tables(study.folder), study.simulated_models, study.seed)
    own = zlib.crc32(f"{study.seed} {judge.name}".encode())
    # A judge's model is part of what a reply is kept under: with other dials it is another model.
    model = zlib.crc32(f"{own} {sorted(judge.dials.items())}".encode())
    name = f"a simulated judge, no model; dials {model:08x}"
    return SimulatedJudge(truth=truth, dials=Dials(**judge.dials), seed=own, name=name)
