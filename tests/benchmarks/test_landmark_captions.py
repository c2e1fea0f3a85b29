import base64
import io
import json

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from helpers.benchmarks.landmark_captions import (
    SIDE,
    caption_problem,
    caption_requests,
    caption_rows,
    says_name,
    with_photograph,
    written_captions,
)
from helpers.benchmarks.landmark_prompts import caption_prompts
from helpers.benchmarks.model_steps import Writer
from helpers.chat.ask import ask_many
from helpers.chat.openai_compatible import OpenAICompatible
from helpers.paths import DATA
from stub_server import completion

WRITER = Writer(model="judge")
SHORT = "Chateau de Chambord in France stands white in the sun."
DETAILED = "Château de Chambord fills the frame. A moat lies before it. The light is soft."


@pytest.fixture
def landmarks(tmp_path):
    """Landmarks with a wide photograph, without a city, with a broken photograph, and without one."""
    photograph = np.random.default_rng(0).integers(0, 256, (300, 2000, 3), dtype=np.uint8)
    Image.fromarray(photograph).save(tmp_path / "chambord.png")
    Image.fromarray(photograph[:, :200]).save(tmp_path / "uluru.webp")
    (tmp_path / "broken.jpg").write_bytes((tmp_path / "chambord.png").read_bytes()[:200])
    return pd.DataFrame(
        {
            "landmark_id": ["a", "b", "c", "d"],
            "name": ["Château de Chambord", "Uluru (Ayers Rock)", "Broken", "Bare"],
            "city": ["Chambord", None, None, None],
            "country": ["France", "Australia", "Peru", "Peru"],
            "reference_image": ["chambord.png", str(tmp_path / "uluru.webp"), "broken.jpg", None],
        }
    )


def captions(**other):
    return json.dumps({"detailed": DETAILED, "short": SHORT} | other)


ULURU = captions(
    short="Uluru in Australia glows red.",
    detailed="Uluru stands low. It is red. The sky over Australia is blue.",
)


def parts(asked):
    """The text and the picture that the server was sent."""
    picture, text = asked.body["messages"][-1]["content"]
    return text["text"], picture["image_url"]["url"]


def test_landmarks_without_a_photograph_have_a_status_and_a_reason(landmarks, tmp_path):
    rows = with_photograph(landmarks, tmp_path)
    assert rows["reference_status"].tolist() == ["ok", "ok", "failed", "missing"]
    assert "broken.jpg" in rows["reference_reason"][2]
    assert rows["reference_reason"][3] == "there is no reference photograph"


def test_captions_are_written_from_the_photograph(landmarks, tmp_path, server):
    server.answer = lambda asked: completion(ULURU if "Uluru" in parts(asked)[0] else captions())
    ready = with_photograph(landmarks, tmp_path)
    requests = caption_requests(ready, WRITER, tmp_path)
    results = ask_many(requests, OpenAICompatible(base_url=f"{server.address}/v1"), tmp_path / "log.jsonl")
    rows = caption_rows(ready, results)
    assert rows["caption_status"].tolist() == ["ok", "ok", "missing", "missing"]
    assert rows["caption_reason"][2] == "the step reference is failed"
    assert rows.loc[0, ["short", "detailed"]].tolist() == [SHORT, DETAILED]
    prompts = caption_prompts(landmarks[:2], rows[rows["caption_status"].eq("ok")])
    assert prompts["prompt_id"].tolist() == ["a-short", "a-detailed", "b-short", "b-detailed"]

    seen = dict(parts(asked) for asked in server.asked)
    chambord = next(text for text in seen if "Chambord" in text)
    assert "Château de Chambord in Chambord, France" in chambord
    assert any("Uluru (Ayers Rock) in Australia." in text for text in seen)
    picture = Image.open(io.BytesIO(base64.b64decode(seen[chambord].partition(",")[2])))
    assert picture.format == "JPEG"
    assert picture.size == (SIDE, round(300 * SIDE / 2000))


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        # GAP, section 3.1: a single sentence, and three to six.
        ({"short": f"{SHORT} It is big."}, "short: found 2 sentences, expected one sentence"),
        ({"detailed": SHORT}, "detailed: found 1 sentence, expected 3 to 6 sentences"),
        ({"detailed": DETAILED * 3}, "detailed: found 7 sentences, expected 3 to 6 sentences"),
        ({"short": "A castle in France."}, "short: found no 'Château de Chambord' in it"),
        ({"detailed": "A castle. A moat. Light."}, "detailed: found no 'Château de Chambord' in it"),
        ({"short": " "}, "expected some text"),
    ],
)
def test_a_caption_that_breaks_a_rule_is_unscored_with_its_words_kept(
    landmarks, tmp_path, server, other, reason
):
    reply = captions(**other)
    server.answer = lambda asked: completion(reply)
    ready = with_photograph(landmarks[:1], tmp_path)
    requests = caption_requests(ready, WRITER, tmp_path)
    results = ask_many(requests, OpenAICompatible(base_url=f"{server.address}/v1"), tmp_path / "log.jsonl")
    (row,) = caption_rows(ready, results).to_dict("records")
    assert row["caption_status"] == "unscored"
    assert reason in row["caption_reason"]
    assert row["caption_raw"] == reply
    assert row["short"] is row["detailed"] is None


@pytest.mark.parametrize(
    ("written", "name", "says"),
    [
        ("The CHATEAU DE CHAMBORD is white.", "Château de Chambord", True),
        ("At Uluru, dusk falls.", "Uluru (Ayers Rock)", True),
        ("St. Mary's Church stands there.", "St. Mary's Church, Lübeck", True),
        ("St Mary’s Church stands there.", "St. Mary's Church", True),
        ("The Louvre lies there.", "The Louvre", True),
        ("Petra's cliffs.", "Petra", True),
        ("A petrarchan poem.", "Petra", False),
        ("A castle in France.", "Château de Chambord", False),
        ("東京タワー stands there.", "東京タワー", True),
        ("Kraków's Wawel", "(Wawel)", True),
    ],
)
def test_a_name_is_found_in_whatever_spelling(written, name, says):
    assert says_name(written, name) is says


def test_the_written_captions_keep_the_rules_and_describe_listed_places():
    written = written_captions().set_index("landmark_id")
    places = pd.concat(pd.read_csv(DATA / "photographs" / f"{name}.csv") for name in ("monuments", "bundled"))
    places = places.dropna(subset="landmark_id").set_index("landmark_id").loc[written.index]
    for variant in ("short", "detailed"):
        rows = zip(written[variant], places["name"], strict=True)
        assert [problem for text, name in rows if (problem := caption_problem(text, variant, name))] == []
    where = places["city"].fillna("") + "|" + places["country"]
    for variant in ("short", "detailed"):
        named = [
            any(part and part in text for part in place.split("|"))
            for text, place in zip(written[variant], where, strict=True)
        ]
        assert all(named), written.index[~np.array(named)].tolist()
