"""Nine questions about one clip to a model on this machine: at once, beside one after another.

The model is a Qwen3-VL of about 50 million parameters with random weights, and the clip has 16 frames, as in
CultureScore's judging. What a user would write instead reads the clip anew for each question. Every question
counted is about a clip that the model has not seen before.
"""

import asyncio
import time
from itertools import count
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from threading import Event

import numpy as np
from benchmarks.harness import Row, at_least, at_most, peak_megabytes

from helpers.chat.backend import Reply
from helpers.chat.clips import HeldFrames
from helpers.chat.local import Local
from helpers.chat.messages import user
from helpers.chat.pictures import Picture
from helpers.chat.request import Request, Sampling
from helpers.simulate.checkpoints.qwen3_vl import build_qwen3_vl

FRAMES, SIZE, QUESTIONS, REPEATS = 16, 256, 9, 2
LENGTHS = (1, 128)
LONGEST = max(LENGTHS)
THINGS = (
    "a red paper lantern",
    "bride and groom",
    "shoes left at the door",
    "tea poured for the eldest guest first",
    "hands put together",
    "a drum",
    "people who bow to each other before they sit down",
    "rice thrown over the couple",
    "writing in the script of the country",
)


def judge(folder: Path) -> Local:
    return Local(str(folder), device="cpu", dtype="float32")


def questions(folder: Path, clip: int | None, tokens: int, number: int = QUESTIONS) -> list[Request]:
    """Questions about a clip of noise, each clip another, or about none."""
    rng = np.random.default_rng(clip)
    frames = [Picture.encode(rng.integers(0, 256, (SIZE, SIZE, 3), np.uint8)) for _ in range(FRAMES)]
    times = tuple(at / 3 for at in range(FRAMES))
    shown = () if clip is None else (HeldFrames(tuple(frames), times, fps=24, total=128),)
    texts = [f"Does the clip show this: {thing}? Answer yes or no, and say why." for thing in THINGS]
    return [
        Request(
            model=judge(folder).name, messages=(user(*shown, text),), sampling=Sampling(max_tokens=tokens)
        )
        for text in texts[:number]
    ]


async def at_once(folder: Path, rounds: list[list[Request]]) -> list[tuple[list[Reply], float]]:
    """The replies of each round of requests, with the processor time that they took."""
    measured = []
    async with judge(folder).connect() as call:
        for asked in rounds:
            start = time.process_time()
            replies = await asyncio.gather(*map(call, asked))
            measured.append((replies, time.process_time() - start))
    return measured


def one_by_one(folder: Path, asked: list[Request]) -> tuple[list[Reply], float]:
    """As `at_once` for one round, with the clip read for each question."""
    model = judge(folder)._load()
    start = time.process_time()
    replies = [model.reply(request, 3600.0, Event()) for request in asked]
    return replies, time.process_time() - start


PEAK_CODE = """
import asyncio
from pathlib import Path
from benchmarks.bench_local_judge import at_once, questions
asyncio.run(at_once(Path({folder!r}), [questions(Path({folder!r}), 0, 16, {number})]))
"""


def run() -> list[Row]:
    kinds = [(number, tokens) for tokens in LENGTHS for number in (1, QUESTIONS)]
    with TemporaryDirectory() as name:
        folder = build_qwen3_vl(
            Path(name), hidden=512, layers=12, heads=8, vision_hidden=128, pixels=SIZE * SIZE
        )
        numbers = count()
        rounds = [
            (kind, questions(folder, next(numbers), kind[1], kind[0]))
            for _ in range(REPEATS)
            for kind in kinds
        ]
        # Without a clip, which also warms up.
        bare = questions(folder, None, 1, 1)
        (without, _), *measured = asyncio.run(at_once(folder, [bare, *[asked for _, asked in rounds]]))
        apart, apart_took = one_by_one(folder, rounds[-1][1])
        peaks = [
            peak_megabytes(PEAK_CODE.format(folder=str(folder), number=number)) for number in (1, QUESTIONS)
        ]
    together, _ = measured[-1]
    same = sum(ours.text == theirs.text for ours, theirs in zip(together, apart, strict=True))
    took = {
        kind: min(seconds for (other, _), (_, seconds) in zip(rounds, measured, strict=True) if other == kind)
        for kind in kinds
    }
    one, nine = took[1, LONGEST], took[QUESTIONS, LONGEST]
    ratios = {tokens: took[QUESTIONS, tokens] / took[1, tokens] for tokens in LENGTHS}
    return [
        at_least("the clip", together[0].sent - without[0].sent, 500, "tokens"),
        Row(what="an answer, mean", value=fmean(reply.received for reply in together), unit="tokens"),
        # All are in double precision; in single precision, rounding decides a tie now and then.
        Row(what="answers at once that are those of one at a time, float32", value=same, unit="of 9"),
        Row(what="one question", value=one, unit="s"),
        Row(what="nine questions, one at a time", value=apart_took, unit="s"),
        Row(what="nine questions, at once", value=nine, unit="s"),
        Row(what="nine over one, one at a time", value=apart_took / one, unit="×"),
        *[
            at_most(f"nine over one, at once, {tokens} tokens an answer", ratio, 3, "×")
            for tokens, ratio in ratios.items()
        ],
        Row(what="peak memory, one question", value=peaks[0], unit="MB"),
        Row(what="peak memory, nine questions at once", value=peaks[1], unit="MB"),
    ]
