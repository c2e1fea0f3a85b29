"""A server on the loopback that speaks OpenAI's chat completions and Gemini, and misbehaves on purpose."""

import json
import os
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

YES = '{"answer": "yes", "weight": 7}'


@dataclass(frozen=True)
class Asked:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    # How many calls with the same body came before.
    before: int
    at: float
    method: str = "POST"
    # What came where it was no JSON.
    data: bytes = field(default=b"", repr=False)

    @property
    def parts(self) -> list[dict[str, Any]]:
        """The parts of the last message."""
        if "contents" in self.body:
            return self.body["contents"][-1]["parts"]
        content = self.body["messages"][-1]["content"]
        return [{"type": "text", "text": content}] if isinstance(content, str) else content

    @property
    def text(self) -> str:
        return "".join(part["text"] for part in self.parts if "text" in part)

    @property
    def is_repair(self) -> bool:
        return "You have replied to this before" in self.text


@dataclass(frozen=True)
class Answer:
    body: Any = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    # Says that more is coming than comes, or cuts the connection without a word.
    missing: int = 0
    reset: bool = False


def completion(text: str | None = YES, finish: str = "stop", refusal: str | None = None, **about) -> Answer:
    message = {"role": "assistant", "content": text, "refusal": refusal}
    usage = {"prompt_tokens": 11, "completion_tokens": 5, "total_tokens": 16}
    choice = {"index": 0, "message": message, "finish_reason": finish}
    body = {"id": "c1", "object": "chat.completion", "created": 1, "model": "judge-2026", "choices": [choice]}
    return Answer(body | {"usage": usage}, **about)


def candidate(text: str | None = YES, finish: str = "STOP", **about) -> Answer:
    content = {"role": "model", "parts": [] if text is None else [{"text": text}]}
    usage = {
        "promptTokenCount": 11,
        "candidatesTokenCount": 3,
        "thoughtsTokenCount": 2,
        "totalTokenCount": 16,
    }
    first = {"content": content, "finishReason": finish}
    if finish == "CONTINUATION":
        first["continuationToken"] = "bW9yZQ=="
    body = {"candidates": [first], "modelVersion": "judge-2026"}
    return Answer(body | {"usageMetadata": usage}, **about)


class StubServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer: Callable[[Asked], Answer] = lambda asked: (
            completion() if "messages" in asked.body else candidate()
        )
        self.asked: list[Asked] = []
        self.lock = threading.Lock()
        self.most_at_once = self._now = 0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def respond(self, asked: Asked) -> Answer:
        with self.lock:
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
        try:
            answer = self.answer(asked)
            time.sleep(answer.delay)
            return answer
        finally:
            with self.lock:
                self._now -= 1

    def handle_error(self, request, client_address) -> None:
        """A client that hangs up is part of the test."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: StubServer

    def do_POST(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        length = int(headers.get("content-length", 0))
        data = self.rfile.read(length)
        if len(data) < length:
            raise ConnectionError("the client was cut off before it had asked")
        # Google's library calls the bytes of a clip JSON too.
        is_json = "upload" not in headers.get("x-goog-upload-command", "")
        body = json.loads(data) if is_json and data else {}
        with self.server.lock:
            before = sum(other.body == body for other in self.server.asked)
            about = {"method": self.command, "data": b"" if is_json else data}
            asked = Asked(self.path, headers, body, before, time.monotonic(), **about)
            self.server.asked.append(asked)
        answer = self.server.respond(asked)
        if answer.reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            os.close(self.connection.detach())
            return
        content = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
        self.send_response(answer.status)
        for name, value in ({"Content-Type": "application/json"} | answer.headers).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content.encode()) + answer.missing))
        self.end_headers()
        self.wfile.write(content.encode())
        self.close_connection = self.close_connection or bool(answer.missing)

    do_GET = do_DELETE = do_POST  # noqa: N815

    def log_message(self, *_) -> None:
        """Quiet."""


@contextmanager
def running() -> Iterator[StubServer]:
    """A server that answers as long as the context lasts."""
    with StubServer() as stub:
        thread = threading.Thread(target=stub.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield stub
        stub.shutdown()
        thread.join()
