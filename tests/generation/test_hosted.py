import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError

from helpers.chat.ask import CannotAskError
from helpers.checking import DataError
from helpers.generation import journal
from helpers.generation.hosted import generate_hosted, plan
from helpers.generation.hosted_model import HostedModel, Price
from helpers.generation.hosted_orders import orders_of, read_book
from helpers.generation.hosted_run import Patience
from helpers.tables import read
from helpers.video.write import write_clip
from hosted_stub import Answer, ClipServer, error, google_error

KEY = "sk-secret-key-0123456789"
PRICE = Price(per_second=0.1, currency="USD", date=date(2026, 11, 1), source="the service's price list")
QUICK = Patience(first=0.01, longest=0.02, deadline=20, tries=3)


@pytest.fixture(scope="session")
def clip(tmp_path_factory) -> bytes:
    path = tmp_path_factory.mktemp("clip") / "clip.mp4"
    pictures = np.random.default_rng(0).integers(0, 255, (16, 32, 32, 3), dtype=np.uint8)
    write_clip(path, pictures, 4)
    return path.read_bytes()


@pytest.fixture
def service(clip: bytes, monkeypatch) -> Iterator[ClipServer]:
    monkeypatch.setenv("TEST_KEY", KEY)
    for name in ("OPENAI_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_CLOUD_PROJECT"):
        monkeypatch.delenv(name, raising=False)
    with ClipServer(clip) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def prompts(count: int) -> pd.DataFrame:
    return pd.DataFrame(
        {"prompt_id": [f"p{n}" for n in range(count)], "text": [f"Scene {n}" for n in range(count)]}
    )


def sora(server: ClipServer, **about) -> HostedModel:
    return HostedModel(
        **{
            "name": "Sora 2",
            "service": "sora",
            "id": "sora-2",
            "seconds": 4,
            "arguments": {"size": "720x1280"},
            "price": PRICE,
            "key_variable": "TEST_KEY",
            "base_url": f"{server.address}/v1",
        }
        | about
    )


def veo(server: ClipServer, **about) -> HostedModel:
    arguments = {
        "aspect_ratio": "16:9",
        "resolution": "720p",
        "generate_audio": True,
        "enhance_prompt": False,
    }
    return HostedModel(
        **{
            "name": "Veo 3.1 Fast",
            "service": "veo",
            "id": "veo-3.1-fast-generate-001",
            "seconds": 4,
            "arguments": arguments,
            "price": PRICE,
            "key_variable": "TEST_KEY",
            "base_url": server.address,
        }
        | about
    )


MODELS = pytest.mark.parametrize("model_of", [sora, veo])


def run(study: Path, model: HostedModel, count: int = 3, seeds=(7,), **options):
    return generate_hosted(study, orders_of(model, prompts(count), seeds), **{"patience": QUICK} | options)


def everything_written(study: Path) -> str:
    texts = [path.read_bytes().decode("latin-1") for path in study.rglob("*") if path.is_file()]
    return "\n".join(texts)


@MODELS
def test_clips_are_ordered_awaited_and_fetched(
    tmp_path: Path, service: ClipServer, model_of, capsys, clip
) -> None:
    model = model_of(service)
    summary = run(tmp_path, model)
    assert str(summary) == "clips of this run: 3 ok; done before: 0"
    assert summary.exit_code == 0
    printed = capsys.readouterr().out
    assert "3 clips to order, 0 on order, 0 of 3 done" in printed
    assert "3 × 4 s × 0.1 USD/s = 1.20 USD (price of 2026-11-01, the service's price list)" in printed
    rows = read(tmp_path, "videos")
    assert set(rows["status"]) == {"ok"}
    assert rows["seed"].tolist() == [7, 7, 7]
    for row in rows.itertuples():
        assert (tmp_path / row.path).read_bytes() == clip
        settings = json.loads(row.settings)
        assert settings["asked"]["arguments"] == model.arguments
        assert settings["price"]["per_second"] == 0.1
    assert rows.loc[0, ["width", "height", "frames"]].tolist() == [32, 32, 16]
    assert not list(tmp_path.rglob("*.part.mp4"))
    assert service.prompts == {f"Scene {n}": 1 for n in range(3)}
    assert KEY not in everything_written(tmp_path)
    assert KEY not in printed
    again = run(tmp_path, model)
    assert (again.done_before, again.exit_code) == (3, 0)
    assert len(service.orders) == 3


def test_what_is_sent_to_veo(tmp_path: Path, service: ClipServer) -> None:
    run(tmp_path, veo(service), count=1)
    # ai.google.dev and cloud.google.com, "Veo on Vertex AI API": names of the request's parameters.
    assert service.orders == [
        {
            "prompt": "Scene 0",
            "sampleCount": 1,
            "durationSeconds": 4,
            "seed": 7,
            "aspectRatio": "16:9",
            "resolution": "720p",
            "generateAudio": True,
            "enhancePrompt": False,
        }
    ]
    assert service.paths[0].endswith("publishers/google/models/veo-3.1-fast-generate-001:predictLongRunning")
    assert service.headers[0]["x-goog-api-key"] == KEY


def test_veo_by_a_project_and_its_account(tmp_path: Path, service: ClipServer, monkeypatch) -> None:
    from cryptography.hazmat.primitives.asymmetric import rsa
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    key = rsa.generate_private_key(65537, 2048)
    account = {
        "type": "service_account",
        "client_email": "a@b.iam.gserviceaccount.com",
        "project_id": "mine",
        "private_key": key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode(),
        "token_uri": f"{service.address}/token",
    }
    path = tmp_path / "account.json"
    path.write_text(json.dumps(account))
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(path))
    study = tmp_path / "study"
    summary = run(study, veo(service, key_variable=None, project="mine"), count=1)
    assert summary.statuses == {"ok": 1}
    assert "/v1beta1/projects/mine/locations/us-central1/publishers/google/models/" in service.paths[1]
    assert service.headers[1]["authorization"] == "Bearer token-of-the-account"
    assert "token-of-the-account" not in everything_written(study)


def test_what_is_sent_to_sora(tmp_path: Path, service: ClipServer) -> None:
    run(tmp_path, sora(service), count=1)
    # openai-python, videos.create: model, prompt, seconds and size; there is no seed.
    assert service.orders == [{"model": "sora-2", "prompt": "Scene 0", "seconds": "4", "size": "720x1280"}]
    assert service.headers[0]["authorization"] == f"Bearer {KEY}"


def test_a_plan_sends_and_writes_nothing(tmp_path: Path, service: ClipServer) -> None:
    text = str(plan(tmp_path, orders_of(sora(service), prompts(2), [0]), budget=5))
    assert "2 clips to order" in text
    assert "budget 5.00 USD" in text
    assert "ends on 24 September 2026" in text
    assert not service.paths
    assert not list(tmp_path.iterdir())


def test_the_budget_counts_earlier_runs(tmp_path: Path, service: ClipServer) -> None:
    first = run(tmp_path, sora(service), count=2, budget=0.8)
    assert (first.exit_code, first.stopped) == (0, "")
    second = run(tmp_path, sora(service), count=4, budget=1.2)
    assert second.statuses == {"ok": 1}
    assert second.left == 1
    assert second.exit_code == 1
    assert "1.20 of the budget's 1.20 USD" in second.stopped
    assert "run the same command again to go on" in str(second)
    assert len(service.orders) == 3


def test_a_refusal_is_final_and_says_why(tmp_path: Path, service: ClipServer) -> None:
    def refuse(order):
        if order["prompt"] == "Scene 0":
            return error(400, "moderation_blocked", f"blocked by our moderation system, {KEY}")
        return None

    service.on_order = refuse
    service.on_poll = lambda job, times: (
        Answer(
            body={"id": job, "object": "video", "created_at": 1, "model": "sora-2", "progress": 0}
            | {"status": "failed", "seconds": "4", "size": "720x1280"}
            | {"error": {"code": "moderation_blocked", "message": "the clip"}}
        )
        if job == "job-1"
        else None
    )
    summary = run(tmp_path, sora(service))
    assert summary.statuses == {"blocked": 2, "ok": 1}
    rows = read(tmp_path, "videos").set_index("prompt_id")
    assert rows["status"].to_dict() == {"p0": "blocked", "p1": "blocked", "p2": "ok"}
    assert "moderation system, [key]" in rows.loc["p0", "settings"]
    assert KEY not in everything_written(tmp_path)
    assert len(service.orders) == 2
    assert run(tmp_path, sora(service)).done_before == 3
    assert len(service.orders) == 2


@pytest.mark.parametrize(
    ("response", "status"),
    [
        ({"raiMediaFilteredCount": 1, "raiMediaFilteredReasons": ["Support codes: 15236754"]}, "blocked"),
        ({"videos": []}, "failed"),
        ({"videos": [{"gcsUri": "gs://bucket/clip.mp4"}]}, "failed"),
    ],
)
def test_a_finished_job_of_veo_without_a_clip(tmp_path: Path, service: ClipServer, response, status) -> None:
    service.on_poll = lambda name, times: Answer(body={"name": name, "done": True, "response": response})
    assert run(tmp_path, veo(service), count=1).statuses == {status: 1}


@pytest.mark.parametrize(
    ("problem", "status"),
    [
        ({"code": 3, "message": "The prompt might violate our policies. Support codes: 58061214"}, "blocked"),
        ({"code": 13, "message": "Internal error"}, "failed"),
    ],
)
def test_a_failed_job_of_veo(tmp_path: Path, service: ClipServer, problem, status) -> None:
    service.on_poll = lambda name, times: Answer(body={"name": name, "done": True, "error": problem})
    summary = run(tmp_path, veo(service), count=1)
    assert summary.statuses == {status: 1}
    assert problem["message"] in summary.problems["veo-3.1-fast/p0/s7"]
    service.on_poll = lambda name, times: None
    again = run(tmp_path, veo(service), count=1)
    assert again.statuses == ({"ok": 1} if status == "failed" else {})


@MODELS
def test_a_wrong_key_is_said_once(tmp_path: Path, service: ClipServer, model_of) -> None:
    service.on_order = lambda order: (
        error(401, "invalid_api_key", f"Incorrect API key provided: {KEY}")
        if model_of is sora
        else google_error(401, "UNAUTHENTICATED", f"API key not valid: {KEY}")
    )
    with pytest.raises(CannotAskError, match="0 of 3 clips are done") as caught:
        run(tmp_path, model_of(service))
    assert KEY not in str(caught.value)
    assert "[key]" in str(caught.value)
    assert len(service.paths) == 1
    assert read_book(tmp_path, model_of(service)).spent == 0


def test_a_used_up_quota_lets_jobs_on_order_finish(tmp_path: Path, service: ClipServer) -> None:
    service.on_order = lambda order: (
        error(429, "insufficient_quota", "You exceeded your current quota")
        if order["prompt"] == "Scene 2" and not service.fetched
        else None
    )
    with pytest.raises(CannotAskError, match="quota\n2 of 4 clips are done, and what is on order"):
        run(tmp_path, sora(service), count=4, at_once=4)
    assert read(tmp_path, "videos")["status"].tolist() == ["ok", "ok"]
    assert run(tmp_path, sora(service), count=4).statuses == {"ok": 2}
    assert service.prompts == {f"Scene {n}": 1 for n in range(4)}


@MODELS
def test_a_limit_that_passes(tmp_path: Path, service: ClipServer, model_of) -> None:
    tries = []

    def limit(order):
        tries.append(order["prompt"])
        if len(tries) % 3:
            return (
                error(429, "rate_limit_exceeded", "Slow down")
                if model_of is sora
                else google_error(429, "RESOURCE_EXHAUSTED", "Quota exceeded for requests per minute")
            )
        return None

    service.on_order = limit
    assert run(tmp_path, model_of(service)).statuses == {"ok": 3}
    assert read_book(tmp_path, model_of(service)).spent == pytest.approx(1.2)


def test_a_limit_that_stays_stops_the_orders(tmp_path: Path, service: ClipServer) -> None:
    service.on_order = lambda order: error(503, None, "overloaded") if service.orders else None
    summary = run(tmp_path, sora(service))
    assert summary.statuses == {"ok": 1}
    assert "no order was taken in 3 tries: 503: overloaded" in summary.stopped
    assert summary.left == 2


def test_five_refused_orders_stop_the_run(tmp_path: Path, service: ClipServer) -> None:
    service.on_order = lambda order: error(400, "invalid_value", "Invalid size")
    with pytest.raises(
        CannotAskError, match="5 orders in a row were refused, the last with: 400: Invalid size"
    ):
        run(tmp_path, sora(service), count=9)
    assert read(tmp_path, "videos")["status"].tolist() == ["failed"] * 5


def test_a_slow_job_stays_on_order(tmp_path: Path, service: ClipServer) -> None:
    service.polls = 10**6
    summary = run(tmp_path, sora(service), count=1, patience=Patience(first=0.01, longest=0.02, deadline=0.1))
    assert summary.left == 1
    assert "it stays on order as job job-1" in summary.problems["sora-2/p0/s7"]
    service.polls = 1
    assert run(tmp_path, sora(service), count=1).statuses == {"ok": 1}
    assert len(service.orders) == 1


@pytest.mark.parametrize("fault", ["cut", "half", "no clip", "500"])
def test_a_clip_that_does_not_come_whole_is_fetched_again(
    tmp_path: Path, service: ClipServer, clip, fault
) -> None:
    bad = {
        "cut": Answer(body=clip[:500], missing=len(clip)),
        "half": Answer(body=clip[: len(clip) // 2]),
        "no clip": Answer(body=b"<html>"),
        "500": error(500, None, "oops"),
    }[fault]
    service.on_fetch = lambda job, times: bad if times == 1 else None
    assert run(tmp_path, sora(service), count=1).statuses == {"ok": 1}
    assert (tmp_path / "videos/sora-2/p0_s7.mp4").read_bytes() == clip
    assert len(service.orders) == 1


def test_a_job_that_is_gone_is_ordered_again_by_the_next_run(tmp_path: Path, service: ClipServer) -> None:
    service.on_poll = lambda job, times: error(404, None, "no such video") if job == "job-1" else None
    assert run(tmp_path, sora(service), count=1).statuses == {"failed": 1}
    assert run(tmp_path, sora(service), count=1).statuses == {"ok": 1}
    assert len(service.orders) == 2


def test_an_order_without_an_answer_counts_as_paid_for(tmp_path: Path, service: ClipServer) -> None:
    service.on_order = lambda order: Answer(body={}, missing=100) if order["prompt"] == "Scene 0" else None
    summary = run(tmp_path, sora(service), count=2)
    assert summary.statuses == {"ok": 1}
    assert "may have been ordered and paid for" in summary.problems["sora-2/p0/s7"]
    assert read_book(tmp_path, sora(service)).spent == pytest.approx(0.8)
    service.on_order = lambda order: None
    todo = plan(tmp_path, orders_of(sora(service), prompts(2), [7]))
    assert (len(todo.new), todo.doubtful) == (1, 1)
    assert "1 of them were asked for before without an answer: may cost twice" in str(todo)


def test_a_clip_of_another_length_is_flagged(tmp_path: Path, service: ClipServer) -> None:
    summary = run(tmp_path, sora(service, seconds=8), count=1)
    assert summary.problems == {"sora-2/p0/s7": "lasts 4.00 s, 8 s were ordered"}


def test_a_clip_ordered_otherwise_is_refused(tmp_path: Path, service: ClipServer) -> None:
    run(tmp_path, sora(service), count=1)
    with pytest.raises(DataError, match=r"arguments = \{.size.: .720x1280.\}, is now"):
        run(tmp_path, sora(service, arguments={"size": "1280x720"}), count=1)


def test_two_runs_at_once_are_refused(tmp_path: Path, service: ClipServer) -> None:
    from helpers.generation.hosted_orders import open_book

    with open_book(tmp_path, sora(service)), pytest.raises(DataError, match="another run is writing"):
        run(tmp_path, sora(service))
    assert not service.paths


def test_a_key_that_is_not_set(tmp_path: Path, service: ClipServer, monkeypatch) -> None:
    monkeypatch.delenv("TEST_KEY")
    with pytest.raises(ValueError, match="TEST_KEY is not set"):
        run(tmp_path, sora(service))


@pytest.mark.parametrize(
    ("model_of", "arguments", "message"),
    [
        (veo, {"resolutoin": "720p"}, "argument 'resolutoin': Extra inputs"),
        (veo, {"seed": 3}, "argument 'seed' cannot be set"),
        (sora, {"fps": 24}, "argument 'fps': expected one of size"),
    ],
)
def test_unknown_arguments(tmp_path: Path, service: ClipServer, model_of, arguments, message) -> None:
    with pytest.raises(ValueError, match=message):
        run(tmp_path, model_of(service, arguments=arguments))
    assert not service.paths


@pytest.mark.parametrize(
    "about",
    [
        {"key_variable": KEY},
        {"base_url": "https://user:pass@host/v1"},
        {"project": "mine", "key_variable": "A_KEY"},
        {"service": "sora", "project": "mine", "key_variable": None},
        {"price": {"per_second": -1, "currency": "USD", "date": "2026-01-01", "source": "x"}},
        {"price": {"per_second": 1, "currency": "USD", "source": "x"}},
    ],
)
def test_models_that_are_refused(service: ClipServer, about) -> None:
    with pytest.raises(ValidationError) as caught:
        veo(service, **about)
    assert KEY not in str(caught.value.errors(include_input=False, include_context=False))


def _hit(service: ClipServer, at: str) -> bool:
    return {
        "on order": len(service.orders) == 2,
        "waiting": service.polled.total() >= 4,
        "fetching": service.fetched.total() >= 2,
    }[at]


@pytest.mark.slow
@pytest.mark.parametrize("at", ["on order", "waiting", "fetching"])
def test_a_run_that_is_killed_pays_for_nothing_twice(
    tmp_path: Path, service: ClipServer, clip, at: str
) -> None:
    service.polls = 4
    script = textwrap.dedent(
        f"""
        import pandas as pd
        from pathlib import Path
        from helpers.generation.hosted import generate_hosted
        from helpers.generation.hosted_model import HostedModel
        from helpers.generation.hosted_orders import orders_of
        from helpers.generation.hosted_run import Patience
        model = HostedModel.model_validate_json({sora(service).model_dump_json()!r})
        prompts = pd.DataFrame({prompts(6).to_dict("list")!r})
        patience = Patience(first=0.2, longest=0.2)
        generate_hosted(Path({str(tmp_path)!r}), orders_of(model, prompts, [7]), patience=patience, at_once=3)
        """
    )
    process = subprocess.Popen([sys.executable, "-c", script], env=os.environ, stdout=subprocess.DEVNULL)
    end = time.monotonic() + 60
    while not _hit(service, at) and process.poll() is None and time.monotonic() < end:
        time.sleep(0.001)
    time.sleep(0.05)  # on order: let the second answer be written down
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert process.returncode == -signal.SIGKILL
    before = len(service.orders)
    assert 2 <= before <= 6
    assert run(tmp_path, sora(service), count=6).exit_code == 0
    assert service.prompts == {f"Scene {n}": 1 for n in range(6)}
    rows = read(tmp_path, "videos")
    assert rows["status"].tolist() == ["ok"] * 6
    assert all((tmp_path / path).read_bytes() == clip for path in rows["path"])
    assert not list(tmp_path.rglob("*.part.mp4"))


@pytest.mark.parametrize(
    ("answer", "statuses", "problem"),
    [
        ({"status": "failed", "error": {"code": None, "message": "sorry"}}, {"failed": 1, "ok": 2}, "sorry"),
        ({"status": "failed", "error": "sorry"}, {"failed": 1, "ok": 2}, "sorry"),
        ({"status": "cancelled"}, {"failed": 1, "ok": 2}, "cancelled"),
        ([1, 2], {"ok": 2}, "stays on order as job job-1"),
        ({"status": 7}, {"ok": 2}, "stays on order as job job-1"),
    ],
)
def test_an_odd_answer_about_a_job_of_sora_is_that_clips_alone(
    tmp_path: Path, service: ClipServer, answer, statuses, problem
) -> None:
    body = {"id": "job-1", "object": "video"} | answer if isinstance(answer, dict) else answer
    service.on_poll = lambda job, times: Answer(body=body) if job == "job-1" else None
    summary = run(tmp_path, sora(service))
    assert summary.statuses == statuses
    assert problem in str(summary)
    service.on_poll = lambda job, times: None
    assert run(tmp_path, sora(service)).exit_code == 0


def test_a_job_of_sora_whose_name_is_a_number_is_kept(tmp_path: Path, service: ClipServer) -> None:
    service.on_order = lambda order: Answer(body={"id": 12345, "object": "video", "status": "queued"})
    assert run(tmp_path, sora(service), count=1).statuses == {"ok": 1}
    assert service.polled["12345"] > 0


def test_an_odd_answer_about_a_job_of_veo_is_that_clips_alone(tmp_path: Path, service: ClipServer) -> None:
    odd = {"done": True, "error": {"code": "x", "message": None}}
    service.on_poll = lambda job, times: Answer(body=[1, 2] if times == 1 else {"name": job} | odd)
    assert run(tmp_path, veo(service), count=1).statuses == {"failed": 1}


def test_a_clip_that_cannot_be_kept_stays_on_order(tmp_path: Path, service: ClipServer) -> None:
    model = sora(service)
    taken = orders_of(model, prompts(2), [7])[0]
    (tmp_path / taken.path).mkdir(parents=True)  # a folder where the clip is to go
    summary = run(tmp_path, model, count=2)
    assert summary.statuses == {"ok": 1}
    assert "cannot be kept" in str(summary)
    (tmp_path / taken.path).rmdir()
    assert run(tmp_path, model, count=2).exit_code == 0
    assert len(service.orders) == 2


@pytest.mark.parametrize("budget", [float("nan"), float("inf"), -1.0])
def test_a_budget_that_is_none(tmp_path: Path, service: ClipServer, budget) -> None:
    with pytest.raises(ValueError, match="expected a finite number from 0 on"):
        run(tmp_path, sora(service), budget=budget)
    assert not service.orders


def test_another_currency_is_refused(tmp_path: Path, service: ClipServer) -> None:
    run(tmp_path, sora(service), count=1)
    yen = sora(service, price=PRICE.model_copy(update={"currency": "JPY"}))
    with pytest.raises(DataError, match="earlier orders cost USD, the price is now in JPY"):
        run(tmp_path, yen, count=2)
    assert len(service.orders) == 1


@pytest.mark.parametrize("other", ["Sora 2", "sora-2"])
def test_clips_that_were_generated_are_not_ordered(tmp_path: Path, service: ClipServer, other) -> None:
    order = orders_of(sora(service), prompts(1), [7])[0]
    row = journal.Row(
        video_id=order.video_id, prompt_id="p0", model=other, status="ok", at=journal.now(),
        origin="generated",
    )  # fmt: skip
    with journal.writing(tmp_path, "generated-1-of-1") as log:
        log.add(row)
    with pytest.raises(DataError, match=r"expected another name for the model|would both be kept as"):
        run(tmp_path, sora(service), count=1)
    assert not service.orders
