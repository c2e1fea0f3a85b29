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
    return SimulatedJudge(truth=truth, dials=Dials(**judge.dials), seed=own)
