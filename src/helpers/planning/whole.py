"""What a whole study would do, from its file and what it has already."""

from dataclasses import dataclass

import pandas as pd

from helpers.judging.named import NamedJudge
from helpers.planning.asking import Asked, asked_of, billions
from helpers.planning.footage import Footage, footage_of
from helpers.planning.limits import Need, weights_to_download
from helpers.planning.measuring import Measured, decoding_hours, measured_of
from helpers.planning.wanted import Wanted, wanted_of
from helpers.study import Study

# The cache of decoded frames that a study fills at most (`video.cache.Cache`).
FRAMES_GB = 4 * 2**30 / 1e9
# Of a clip, by the rules of the three protocols.
MOST_FRAMES = 16


@dataclass(frozen=True, kw_only=True)
class StudyPlan:
    """What a study would do.

    Attributes:
        study: the study.
        wanted: what its clips are to show.
        footage: its clips.
        asked: its judges' work.
        measured: its metrics' work.
        refused: why a folder cannot be imported or a judge cannot be asked, in words, folders first.
        cautions: what judges that are asked know nothing of, in words.
    """

    study: Study
    wanted: Wanted
    footage: Footage
    asked: tuple[Asked, ...]
    measured: tuple[Measured, ...]
    refused: tuple[str, ...]
    cautions: tuple[str, ...]

    @property
    def need(self) -> Need:
        """What is left takes, in all."""
        rows = self.footage.rows
        weights = self._weights() | self._judges_weights()
        looks = any(one.left for one in (*self.asked, *self.measured))
        return Need(
            generating=rows["gpu_hours"].astype(float).sum(),
            judging=sum(one.gpu_hours or 0 for one in self.asked),
            waiting=sum(one.hours or 0 for one in self.asked),
            decoding=decoding_hours(self.footage.videos) if looks else 0.0,
            clips_gb=rows["disk_gb"].astype(float).sum(),
            weights_gb=weights_to_download(weights),
            frames_gb=min(FRAMES_GB, _frames_gb(self.footage.videos)) if looks else 0.0,
        )

    def _weights(self) -> dict[str, float]:
        """Each model that is to make clips, and how much its weights are."""
        rows = self.footage.rows
        wanted = set(rows.loc[rows["left"].gt(0) & rows["weights_gb"].notna(), "model"])
        if not wanted:  # a study may have no models
            return {}
        models, _ = self.study.chosen_models()
        return {model.id: model.size.weights_gb for model in models if model.name in wanted and model.size}

    def _judges_weights(self) -> dict[str, float]:
        """Each local judge's model, as far as its name gives its size, with 2 bytes a parameter."""
        local = {judge.model: billions(judge.model) for judge in self.study.judges if judge.kind == "local"}
        return {model: 2 * size[0] for model, size in local.items() if size}


def plan_of(study: Study) -> StudyPlan:
    """Look at a study's file and tables, and work out what is left to do.

    Raises:
        DataError: the study's prompts or clips cannot be counted; see `wanted_of` and `footage_of`.
    """
    wanted = wanted_of(study)
    footage = footage_of(study, wanted.prompts)
    found = {
        "prompts": wanted.prompts,
        "questions": wanted.questions,
        "landmarks": wanted.landmarks,
        "videos": footage.videos,
    }
    there = footage.videos[footage.videos["path"].ne("to come")]
    asked, refused, cautions = [], [*footage.refused], []
    for judge in study.judges:
        try:
            asked += asked_of(judge, found, there, study)
        except ValueError as error:
            refused.append(f"{judge.name}: {error}")
        if judge.kind == "simulated" and (said := _unknown(judge, footage, study)):
            cautions.append(said)
    return StudyPlan(
        study=study,
        wanted=wanted,
        footage=footage,
        asked=tuple(asked),
        measured=tuple(measured_of(metric, found, study.folder) for metric in study.metrics),
        refused=tuple(refused),
        cautions=tuple(cautions),
    )


def _unknown(judge: NamedJudge, footage: Footage, study: Study) -> str:
    """Of which clips a simulated judge will know nothing."""
    from helpers.simulate.study_judge import caution

    said = caution(footage.videos, study)
    return f"{judge.name}: {said}" if said else ""


def _frames_gb(videos: pd.DataFrame) -> float:
    """All frames that a judge or a metric may look at, uncompressed."""
    shown = videos["frames"].clip(upper=MOST_FRAMES)
    return float((videos["width"] * videos["height"] * shown).sum()) * 3 / 1e9
