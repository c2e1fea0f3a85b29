"""Clips made from photographs, with camera motion and a dial of faithfulness whose setting is known."""

from helpers.simulate.clips.study import simulate_clip, simulate_clips

__all__ = ["simulate_clip", "simulate_clips"]
