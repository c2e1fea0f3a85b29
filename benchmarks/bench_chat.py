"""Asking a server that takes 200 ms for each reply: sixteen at once beside one at a time.

The server runs in a process of its own. What a user would write instead is the bare client with a semaphore,
which keeps nothing, checks nothing and cannot go on.
"""

import asyncio
import contextlib
import io
import json
import multiprocessing
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory

import openai
from benchmarks.harness import Row, at_least

from helpers.chat.ask import ask_many
from helpers.chat.forms import Form
from helpers.chat.log import Record, read_log
from helpers.chat.messages import user
from helpers.chat.openai_compatible import OpenAICompatible
from helpers.chat.request import Request
from helpers.chat.results import results

SECONDS, CONCURRENCY, FEW, MANY = 0.2, 16, 32, 512
STUDY = 9_289
REPLY = '{"answer": true, "evidence": "The dancers wear it."}'
MESSAGE = {"role": "assistant", "content": REPLY}
BODY = json.dumps({"choices": [{"message": MESSAGE, "finish_reason": "stop"}], "model": "judge"}).encode()


class Verdict(Form):
    answer: bool
    evidence: str


def requests(number: int) -> list[Request]:
    scene = "Dancers at a wedding wear cloth of the region and clap to the drums. " * 8
    texts = [f"{scene}Is question {i} answered with yes?" for i in range(number)]
    return [Request(model="judge", messages=(user(text),), schema=Verdict) for text in texts]


async def respond(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            await reader.readexactly(int(head.partition("content-length: ")[2].split("\r\n")[0]))
            await asyncio.sleep(SECONDS)
            header = (
                f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(BODY)}\r\n\r\n"
            )
            writer.write(header.encode() + BODY)
            await writer.drain()
    writer.close()


def serve(ready: Connection) -> None:
    async def main() -> None:
        server = await asyncio.start_server(respond, "127.0.0.1", 0)
        ready.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(main())


@contextmanager
def server() -> Iterator[str]:
    spawning = multiprocessing.get_context("spawn")
    here, there = spawning.Pipe()
    process = spawning.Process(target=serve, args=(there,), daemon=True)
    process.start()
    yield f"http://127.0.0.1:{here.recv()}/v1"
    process.terminate()
    process.join()


def ours(url: str, number: int, concurrency: int) -> float:
    """Replies a second."""
    asked = requests(number)
    with TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        start = time.perf_counter()
        answers = ask_many(
            asked, OpenAICompatible(base_url=url), Path(folder) / "log.jsonl", concurrency=concurrency
        )
        took = time.perf_counter() - start
    assert all(answer.status == "ok" for answer in answers)
    return number / took


def bare(url: str, number: int, concurrency: int) -> float:
    """Replies a second."""

    async def main() -> None:
        gate = asyncio.Semaphore(concurrency)
        async with openai.AsyncOpenAI(api_key="none", base_url=url) as client:

            async def ask(request: Request) -> None:
                async with gate:
                    messages = [{"role": "user", "content": request.messages[0].parts[0].text}]
                    await client.chat.completions.create(model="judge", messages=messages)

            await asyncio.gather(*[ask(request) for request in requests(number)])

    start = time.perf_counter()
    asyncio.run(main())
    return number / (time.perf_counter() - start)


def reading() -> float:
    """Seconds in which the results of a whole study are read back."""
    asked = requests(STUDY)
    with TemporaryDirectory() as folder:
        log = Path(folder) / "log.jsonl"
        kept = [Record(key=request.key, outcome="replied", text=REPLY, at="2026") for request in asked]
        log.write_text("".join(record.model_dump_json() + "\n" for record in kept))
        start = time.perf_counter()
        answers = results(requests(STUDY), read_log(log))
        took = time.perf_counter() - start
    assert all(answer.status == "ok" for answer in answers)
    return took


def run() -> list[Row]:
    with server() as url:
        ours(url, 1, 1)  # imports, certificates
        one, many = ours(url, FEW, 1), ours(url, MANY, CONCURRENCY)
        simple = bare(url, MANY, CONCURRENCY)
    what = f"{CONCURRENCY} at once over one at a time (200 ms a reply)"
    return [
        Row(what="one at a time", value=one, unit="replies/s"),
        Row(what=f"{CONCURRENCY} at once, each reply checked and on the disk", value=many, unit="replies/s"),
        Row(what=f"{CONCURRENCY} at once, bare client and semaphore", value=simple, unit="replies/s"),
        at_least(what, many / one, 10, "x"),
        Row(what=f"a study of {STUDY:,} read back", value=reading(), unit="s"),
    ]
