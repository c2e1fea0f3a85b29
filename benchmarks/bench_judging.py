"""Judging clips behind a server that takes 200 ms for each reply: sixteen calls at once beside one at a time.

Each call carries a clip as 16 JPEG frames of 768 pixels, about 1.8 MB; there are nine questions a clip, as in
CultureScore. Measured once with the frames in memory, which is what asking takes, and once with all that a
run does, which decoding bounds where processors are few.
"""

import contextlib
import hashlib
import io
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from benchmarks.bench_chat import CONCURRENCY, Verdict, server
from benchmarks.harness import Row, at_least, at_most, peak_megabytes
from scipy.ndimage import zoom

from helpers.chat.openai_compatible import OpenAICompatible
from helpers.judging.clips import Clips
from helpers.judging.judge import Judge
from helpers.judging.protocols import culturescore_protocol
from helpers.judging.run import Pace, ask_cases
from helpers.video import frames as frames_module
from helpers.video.write import write_clip

QUESTIONS, FEW, SOME, MANY = 9, 3, 20, 32
WIDTH, HEIGHT, FRAMES, FPS = 832, 480, 81, 16
PLANNED = 9_289


def make_clips(folder: Path, number: int) -> pd.DataFrame:
    """Clips of 5 s with as much detail as a photograph, and their rows of the table videos."""
    rows = []
    for at in range(number):
        rng = np.random.default_rng(at)
        scene = sum(
            zoom(
                rng.normal(size=(HEIGHT // size + 2, (WIDTH + FRAMES) // size + 2, 3)),
                (size, size, 1),
                order=1,
            )[:HEIGHT, : WIDTH + FRAMES]
            * size**0.5
            for size in (4, 16, 64)
        )
        scene = np.clip(127 + 7 * scene, 0, 255).astype(np.uint8)
        path = folder / f"{at}.mp4"
        write_clip(path, (scene[:, move : move + WIDTH] for move in range(FRAMES)), FPS)
        rows.append({"video_id": f"clip-{at}", "path": path.name, "status": "ok", "audio": False})
        rows[-1] |= {"sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    return pd.DataFrame(rows).assign(width=WIDTH, height=HEIGHT, frames=FRAMES, fps=float(FPS))


def cases_of(videos: pd.DataFrame) -> pd.DataFrame:
    asked = [{"text": f"Is question {at} answered with yes?"} for at in range(QUESTIONS)]
    return videos[["video_id"]].merge(pd.DataFrame(asked), how="cross")


def judged(url: str, folder: Path, videos: pd.DataFrame, concurrency: int, *, ready: bool = False) -> float:
    """Replies a second, with the frames in memory beforehand or not."""
    protocol = replace(
        culturescore_protocol(), ask=lambda case, shown, judge: judge.request(shown, case.text, Verdict)
    )
    judge = Judge(rater_id="judge", model="judge", backend=OpenAICompatible(base_url=url))
    cases, clips = cases_of(videos), Clips(videos, folder)
    if ready:
        for video_id in videos["video_id"]:
            assert all(picture.data_url for picture in clips.frames(video_id, protocol.rule).pictures)
    with TemporaryDirectory() as logs, contextlib.redirect_stdout(io.StringIO()):
        start = time.perf_counter()
        (outcomes,) = ask_cases(
            [(protocol, cases)],
            clips,
            judge,
            Path(logs) / "log.jsonl",
            Pace(concurrency=concurrency),
        )
        took = time.perf_counter() - start
    assert all(outcome.result.status == "ok" for outcome in outcomes)
    return len(cases) / took


def decodings(run: Callable[[], object]) -> int:
    """How often a clip is decoded meanwhile."""
    count, real = 0, frames_module._decode

    def counting(*about: object) -> object:
        nonlocal count
        count += 1
        return real(*about)

    frames_module._decode = counting
    try:
        run()
    finally:
        frames_module._decode = real
    return count


def memory(url: str, folder: Path, clips: int) -> float:
    """Peak megabytes of a process that judges some clips."""
    return peak_megabytes(
        f"""
import pandas as pd
from pathlib import Path
from benchmarks.bench_judging import judged
judged({url!r}, Path({str(folder)!r}), pd.read_parquet({str(folder / "videos.parquet")!r}).head({clips}), 16)
"""
    )


def planning(folder: Path, videos: pd.DataFrame) -> float:
    """Seconds in which the requests of a study of 9,289 questions are put together, with their keys."""
    many = pd.concat([videos] * (PLANNED // QUESTIONS // len(videos) + 1), ignore_index=True)
    many = many.assign(
        video_id=[f"clip-{at}" for at in range(len(many))], sha256=[f"{at:064}" for at in range(len(many))]
    )
    protocol, clips = culturescore_protocol(), Clips(many, folder)
    judge = Judge(rater_id="judge", model="judge", backend=OpenAICompatible(base_url="http://127.0.0.1/v1"))
    start = time.perf_counter()
    keys = {protocol.request(case, clips, judge).key for case in cases_of(many).head(PLANNED).itertuples()}
    assert len(keys) == PLANNED
    return time.perf_counter() - start


def run() -> list[Row]:
    with TemporaryDirectory() as name, server() as url:
        folder = Path(name)
        videos = make_clips(folder, MANY)
        videos.to_parquet(folder / "videos.parquet")
        judged(url, folder, videos.head(1), 1)  # imports, certificates
        one = judged(url, folder, videos.head(FEW), 1, ready=True)
        at_once = judged(url, folder, videos.head(SOME), CONCURRENCY, ready=True)
        one_whole = judged(url, folder, videos.head(FEW), 1)
        whole: list[float] = []
        decoded = decodings(lambda: whole.append(judged(url, folder, videos, CONCURRENCY)))
        few, many = memory(url, folder, MANY // 4), memory(url, folder, MANY)
        planned = planning(folder, videos)
    what = f"{CONCURRENCY} calls at once over one (200 ms a reply, 16 JPEG frames)"
    return [
        Row(what="judging, one call at a time", value=one, unit="replies/s"),
        Row(what=f"judging, {CONCURRENCY} calls at once", value=at_once, unit="replies/s"),
        at_least(what, at_once / one, 8, "x"),
        Row(what="the same, decoding included", value=whole[0] / one_whole, unit="x"),
        at_most(f"decodings a clip, {QUESTIONS} questions each", decoded / MANY, 1, ""),
        Row(what=f"memory while {MANY} clips are judged", value=many, unit="MB"),
        at_most(f"memory for {MANY} clips over {MANY // 4}", many / few, 1.5, "x"),
        Row(what=f"requests of {PLANNED:,} questions planned, no clip read", value=planned, unit="s"),
    ]
