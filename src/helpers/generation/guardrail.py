"""Cosmos-Predict2.5's guardrail: what it stops, and what it changes without saying so.

Its publisher requires it. It may refuse a prompt or a finished clip (its check then returns nothing, which
the pipeline does not expect), and it blurs every face that it finds, which no study of how people are shown
may overlook: so each clip records whether the guardrail altered it.
"""

from typing import Any

import numpy as np
from diffusers.pipelines.cosmos import pipeline_cosmos2_5_predict as cosmos

from helpers.generation.outcomes import GuardrailError


class StandIn(cosmos.CosmosSafetyChecker):
    """A guardrail for random checkpoints: it lets everything pass, or does what a test sets it to do.

    Attributes:
        refused_words: a prompt with one of these words is refused.
        refuses_clips: every clip is refused.
        blurs: every clip has its middle greyed out, as the real one blurs faces.
    """

    def __init__(self) -> None:
        self.refused_words: tuple[str, ...] = ()
        self.refuses_clips = False
        self.blurs = False

    def to(self, device: Any) -> "StandIn":
        """Nothing to move."""
        return self

    def check_text_safety(self, prompt: str) -> bool:
        """Whether the prompt may pass."""
        return not any(word in prompt for word in self.refused_words)

    def check_video_safety(self, frames: np.ndarray) -> np.ndarray | None:
        """The frames that may pass, or nothing."""
        if self.refuses_clips:
            return None
        if self.blurs:
            frames = frames.copy()
            height, width = frames.shape[1:3]
            frames[:, height // 4 : -height // 4, width // 4 : -width // 4] = 128
        return frames


class Watch:
    """Listens to a guardrail: refusals become `GuardrailError`, and what it changes is counted.

    Args:
        guardrail: its two checks are replaced by ones that report here.
    """

    def __init__(self, guardrail: Any) -> None:
        self.altered_frames = 0
        self._check_text, self._check_video = guardrail.check_text_safety, guardrail.check_video_safety
        guardrail.check_text_safety, guardrail.check_video_safety = self._text, self._video

    def _text(self, prompt: str) -> bool:
        if not self._check_text(prompt):
            raise GuardrailError("the guardrail refused the prompt")
        return True

    def _video(self, frames: np.ndarray) -> np.ndarray:
        checked = self._check_video(frames)
        if checked is None:
            raise GuardrailError("the guardrail refused the clip")
        self.altered_frames = int((np.asarray(checked) != frames).any(axis=(1, 2, 3)).sum())
        return checked
