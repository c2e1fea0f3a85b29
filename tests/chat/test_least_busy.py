import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import asynccontextmanager

import pytest

from helpers.chat.ask import CannotAskError, ask_many
from helpers.chat.backend import Reply
from helpers.chat.least_busy import LeastBusy
from helpers.chat.openai_compatible import OpenAICompatible
from helpers.chat.problems import UnreachableError
from stub_server import StubServer, completion


@pytest.fixture
def second() -> Iterator[StubServer]:
    with StubServer() as stub:
        thread = threading.Thread(target=stub.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield stub
        stub.shutdown()
        thread.join()


def backend(*addresses: str) -> LeastBusy:
    return LeastBusy(servers=tuple(OpenAICompatible(base_url=f"{address}/v1") for address in addresses))


@pytest.fixture
def nobody() -> Iterator[str]:
    """An address where nobody listens."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"


def test_calls_go_where_the_fewest_are_in_flight(server, second, make_requests, tmp_path):
    server.answer = lambda _: completion(delay=0.5)
    second.answer = lambda _: completion(delay=0.02)
    servers = backend(server.address, second.address)
    results = ask_many(make_requests(40), servers, tmp_path / "log.jsonl", concurrency=4)
    assert {result.status for result in results} == {"ok"}
    assert len(server.asked) + len(second.asked) == 40
    assert len(second.asked) > 2 * len(server.asked) > 0, "in turn they would get as many each"
    assert server.most_at_once <= 2, "the slow one holds half of what is in flight"


def test_a_server_that_is_down_costs_no_answer(nobody, server, make_requests, tmp_path, hasty):
    servers = backend(nobody, server.address)
    log = tmp_path / "log.jsonl"
    results = ask_many(make_requests(6), servers, log, concurrency=2, patience=hasty)
    assert [result.status for result in results] == ["ok"] * 6
    assert len(server.asked) == 6


class Scripted:
    """A server whose first calls find nobody."""

    timeout = 10.0

    def __init__(self, name: str, down: int) -> None:
        self.name, self.down = name, down

    @asynccontextmanager
    async def connect(self):
        async def call(request):
            self.down -= 1
            if self.down >= 0:
                raise UnreachableError("no connection")
            return Reply(text=self.name)

        yield call


@pytest.mark.parametrize(("resting", "answered"), [(0.0, "BA"), (1000.0, "BB")])
def test_a_server_is_left_out_for_a_while_and_then_asked_again(resting, answered, make_requests):
    servers = LeastBusy(servers=(Scripted("A", 1), Scripted("B", 0)), resting=resting)

    async def ask() -> str:
        async with servers.connect() as call:
            return "".join([(await call(request)).text for request in make_requests(2)])

    assert asyncio.run(ask()) == answered


def test_where_all_are_down_the_message_names_them(nobody, make_requests, tmp_path, hasty):
    other = "http://127.0.0.1:9"
    with pytest.raises(CannotAskError, match=f"{nobody}/v1, {other}/v1: no connection"):
        ask_many(make_requests(2), backend(nobody, other), tmp_path / "log.jsonl", patience=hasty)
