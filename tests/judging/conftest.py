"""A small study with real clips: two of each benchmark."""

import hashlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import stub_server
from helpers import tables
from helpers.chat.caller import Patience
from helpers.judging.clips import Clips
from helpers.judging.judge import Judge
from helpers.judging.run import Pace
from helpers.video.write import write_clip

FRAMES, FPS, SIZE, RATE = 24, 8, (48, 64), 48_000


def write(path: Path, seed: int, *, sound: bool = False, frames: int = FRAMES) -> None:
    """A square that wanders over noise."""
    rng = np.random.default_rng(seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    background = rng.integers(0, 256, (*SIZE, 3), dtype=np.uint8)
    pictures = np.repeat(background[None], frames, axis=0)
    for at, picture in enumerate(pictures):
        picture[8:16, at : at + 8] = 255
    tone = np.sin(np.arange(frames * RATE // FPS) * (seed + 1) / 20)[None].astype(np.float32)
    about = {"audio": tone, "sample_rate": RATE} if sound else {}
    write_clip(path, pictures, FPS, **about)


def row(study: Path, video_id: str, prompt_id: str, *, sound: bool = False) -> dict:
    path = f"videos/{video_id}.mp4"
    return {
        "video_id": video_id,
        "prompt_id": prompt_id,
        "model": "LTX-2",
        "path": path,
        "width": SIZE[1],
        "height": SIZE[0],
        "frames": FRAMES,
        "fps": FPS,
        "audio": sound,
        "sha256": hashlib.sha256((study / path).read_bytes()).hexdigest(),
        "status": "ok",
    }


@pytest.fixture(scope="session")
def finished_study(tmp_path_factory) -> Path:
    """The study's folder; nobody writes into it."""
    study = tmp_path_factory.mktemp("study")
    prompts, questions, landmarks, videos = [], [], [], []
    for at, country in enumerate(("Brazil", "Japan")):
        scene, place = f"scene-{at}", f"place-{at}"
        texts = {
            "culturescore": f"cs-{at}",
            "culturevidbench": f"cv-{at}",
            "landmarks": f"lm-{at}",
        }
        for number, (benchmark, prompt_id) in enumerate(texts.items()):
            video_id = f"{prompt_id}-clip"
            write(study / f"videos/{video_id}.mp4", 10 * at + number, sound=benchmark == "culturevidbench")
            videos.append(row(study, video_id, prompt_id, sound=benchmark == "culturevidbench"))
        prompts += [
            {
                "prompt_id": f"cs-{at}",
                "benchmark": "culturescore",
                "country": country,
                "category": "greetings",
                "variant": "base",
                "text": f"People in {country} greet",
                "scenario_id": scene,
            },
            {
                "prompt_id": f"cv-{at}",
                "benchmark": "culturevidbench",
                "country": country,
                "aspect": "dancing",
                "element": f"dance {at}",
                "variant": "plain",
                "text": f"Dancers in {country}",
            },
            {
                "prompt_id": f"lm-{at}",
                "benchmark": "landmarks",
                "country": country,
                "variant": "detailed",
                "text": f"Show the place {at}",
                "landmark_id": place,
            },
        ]
        questions += [
            {
                "question_id": f"{scene}-{dimension}",
                "scenario_id": scene,
                "dimension": dimension,
                "text": f"Is the {dimension} of scene {at} right?",
            }
            for dimension in ("identity", "behavior", "context")
        ]
        Image.effect_noise((80, 60), 40 + at).convert("RGB").save(study / f"{place}.jpg")
        landmarks.append(
            {"landmark_id": place, "name": place, "country": country, "reference_image": f"{place}.jpg"}
        )
    for name, rows in {
        "prompts": prompts,
        "questions": questions,
        "landmarks": landmarks,
        "videos": videos,
    }.items():
        tables.write(study, name, pd.DataFrame(rows))
    return study


@pytest.fixture
def study(finished_study, tmp_path) -> Path:
    """A copy of it to work in."""
    copy = tmp_path / "study"
    for path in finished_study.rglob("*"):
        if path.is_file() and "logs" not in path.parts:
            target = copy / path.relative_to(finished_study)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    return copy


@pytest.fixture
def clips(study) -> Clips:
    return Clips(tables.read(study, "videos"), study)


@pytest.fixture
def pace() -> Pace:
    return Pace(patience=Patience(tries=3, first=0.01, longest=1.0))


@pytest.fixture
def judge(server) -> Judge:
    from helpers.chat.openai_compatible import OpenAICompatible

    backend = OpenAICompatible(base_url=f"{server.address}/v1", timeout=20.0)
    return Judge(rater_id="Judge A", model="judge", backend=backend)


@pytest.fixture
def completion():
    return stub_server.completion


@pytest.fixture
def candidate():
    return stub_server.candidate


@pytest.fixture
def answer():
    return stub_server.Answer
