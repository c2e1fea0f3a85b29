import socket
import time

import pytest

from helpers import servers
from helpers.checking import DataError
from helpers.judging.named import NamedJudge
from stub_server import Answer


def judge(*addresses: str, **about) -> NamedJudge:
    given = {"name": "J", "kind": "server", "model": "Qwen/Qwen3-VL-32B-Instruct"} | about
    return NamedJudge(**given, base_url=list(addresses))


def models(*names: str) -> Answer:
    """As vLLM lists its models (docs.vllm.ai, OpenAI-compatible server)."""
    return Answer({"object": "list", "data": [{"id": name, "object": "model"} for name in names]})


def test_each_server_of_one_machine_gets_a_port_and_a_gpu_of_its_own():
    named = judge("http://localhost:8000/v1", "http://localhost:8001/v1", "http://node7:8000/v1")
    assert servers.start_commands(named) == [
        "CUDA_VISIBLE_DEVICES=0 vllm serve Qwen/Qwen3-VL-32B-Instruct --port 8000 "
        """--limit-mm-per-prompt '{"image": 17}'  # on localhost""",
        "CUDA_VISIBLE_DEVICES=1 vllm serve Qwen/Qwen3-VL-32B-Instruct --port 8001 "
        """--limit-mm-per-prompt '{"image": 17}'  # on localhost""",
        "vllm serve Qwen/Qwen3-VL-32B-Instruct --port 8000 "
        """--limit-mm-per-prompt '{"image": 17}'  # on node7""",
    ]
    whole = servers.start_command(judge("http://localhost:8000/v1", whole=True), "http://localhost:8000/v1")
    assert """--media-io-kwargs '{"video": {"num_frames": -1}}'""" in whole


def test_waits_until_the_server_has_loaded_its_model(server, capsys):
    ready = time.monotonic() + 0.5
    loading = Answer("loading", status=503)
    server.answer = lambda _: models("Qwen/Qwen3-VL-32B-Instruct") if time.monotonic() > ready else loading
    servers.wait_for(judge(f"{server.address}/v1"), seconds=20, pause=0.1)
    assert time.monotonic() >= ready
    assert {asked.path for asked in server.asked} == {"/v1/models"}
    assert capsys.readouterr().out.count("waiting for") == 1


def test_gives_up_with_the_command_that_starts_the_server():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    named = judge(f"http://127.0.0.1:{port}/v1")
    with pytest.raises(TimeoutError, match=rf"does not answer .*\n.*vllm serve .* --port {port}"):
        servers.wait_for(named, seconds=0.3, pause=0.1)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (models("Qwen/Qwen3-VL-8B-Instruct"), "has no model 'Qwen/Qwen3-VL-32B-Instruct'.*did you mean"),
        (Answer("no", status=401), "status 401.*key_variable"),
    ],
)
def test_refuses_at_once_a_server_that_will_never_do(server, answer, message):
    server.answer = lambda _: answer
    with pytest.raises(DataError, match=message):
        servers.wait_for(judge(f"{server.address}/v1"), seconds=60)


@pytest.mark.parametrize(("reachable", "code"), [(True, 0), (False, 1)])
def test_the_command_line_prints_the_commands_and_waits(server, tmp_path, capsys, reachable, code):
    server.answer = lambda _: models("m")
    address = f"{server.address if reachable else 'http://127.0.0.1:9'}/v1"
    study = tmp_path / "s.yaml"
    study.write_text(
        "name: s\nseed: 1\njudges:\n"
        f"  - {{name: Own, kind: server, model: m, base_url: {address}}}\n"
        "  - {name: Service, kind: server, model: m, base_url: https://example.org/v1, key_variable: KEY}\n"
    )
    assert servers.main([str(study), "--wait", "0.1"]) == code
    said = capsys.readouterr()
    assert "vllm serve m --port" in said.out
    assert "Service" not in said.out
    assert ("does not answer" in said.err) is not reachable
