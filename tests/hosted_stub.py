"""A loopback server that makes clips on order as OpenAI's and Google's do, and misbehaves on purpose."""

import base64
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Answer:
    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    # Says that more is coming than comes.
    missing: int = 0


def error(status: int, code: str | None, message: str, **headers: str) -> Answer:
    """OpenAI's form of an error."""
    return Answer(status, {"error": {"message": message, "type": "t", "param": None, "code": code}}, headers)


def google_error(status: int, reason: str, message: str, *details: dict) -> Answer:
    return Answer(
        status, {"error": {"code": status, "message": message, "status": reason, "details": list(details)}}
    )


class ClipServer(ThreadingHTTPServer):
    """Counts orders; a job is done when it was asked about `polls` times.

    `on_order`, `on_poll` and `on_fetch` may return an `Answer` to give instead of the usual one.
    """

    daemon_threads = True

    def __init__(self, clip: bytes) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.clip = clip
        self.polls = 2
        self.orders: list[dict[str, Any]] = []
        self.polled: Counter = Counter()
        self.fetched: Counter = Counter()
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.on_order: Callable[[dict], Answer | None] = lambda order: None
        self.on_poll: Callable[[str, int], Answer | None] = lambda job, times: None
        self.on_fetch: Callable[[str, int], Answer | None] = lambda job, times: None
        self.lock = threading.Lock()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def prompts(self) -> Counter:
        return Counter(order["prompt"] for order in self.orders)

    def order(self, about: dict[str, Any], answered: Callable[[str], Answer]) -> Answer:
        with self.lock:
            given = self.on_order(about)
            if given:
                return given
            self.orders.append(about)
            return answered(f"job-{len(self.orders)}")

    def handle_error(self, request, client_address) -> None:
        """A client that is killed is part of the test."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: ClipServer

    def do_GET(self) -> None:
        self._note()
        if found := re.fullmatch(r"/v1/videos/([\w-]+)", self.path):
            self._answer(self._openai_job(found[1]))
        elif found := re.fullmatch(r"/v1/videos/([\w-]+)/content", self.path):
            self._answer(self._openai_content(found[1]))
        else:
            self._answer(error(404, None, f"no such address: {self.path}"))

    def do_POST(self) -> None:
        self._note()
        content = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/v1/videos":
            self._answer(self.server.order(self._form(content), lambda job: self._video(job, "queued", 0)))
        elif self.path == "/token":
            self._answer(Answer(body={"access_token": "token-of-the-account", "expires_in": 3600}))
        elif self.path.endswith(":predictLongRunning"):
            self._answer(self._google_order(json.loads(content)))
        elif self.path.endswith(":fetchPredictOperation"):
            self._answer(self._google_job(json.loads(content)["operationName"]))
        else:
            self._answer(error(404, None, f"no such address: {self.path}"))

    def _note(self) -> None:
        self.server.headers.append({name.lower(): value for name, value in self.headers.items()})
        self.server.paths.append(self.path)

    def _form(self, content: bytes) -> dict[str, Any]:
        kind = self.headers["Content-Type"]
        if kind.startswith("application/json"):
            return json.loads(content)
        message = BytesParser(policy=HTTP).parsebytes(
            b"Content-Type: " + kind.encode() + b"\r\n\r\n" + content
        )
        return {
            part.get_param("name", header="content-disposition"): part.get_content().strip()
            for part in message.iter_parts()
        }

    def _video(self, job: str, status: str, progress: int, **more: Any) -> Answer:
        about = {"id": job, "object": "video", "created_at": int(time.time()), "model": "sora-2"}
        about |= {"status": status, "progress": progress, "seconds": "4", "size": "720x1280"}
        return Answer(body=about | more)

    def _openai_job(self, job: str) -> Answer:
        self.server.polled[job] += 1
        times = self.server.polled[job]
        if given := self.server.on_poll(job, times):
            return given
        if times < self.server.polls:
            return self._video(job, "in_progress", 50)
        return self._video(job, "completed", 100)

    def _openai_content(self, job: str) -> Answer:
        self.server.fetched[job] += 1
        given = self.server.on_fetch(job, self.server.fetched[job])
        return given or Answer(body=self.server.clip, headers={"Content-Type": "video/mp4"})

    def _google_order(self, content: dict[str, Any]) -> Answer:
        name = self.path.partition("/v1beta1/")[2].removesuffix(":predictLongRunning")
        about = {"prompt": content["instances"][0]["prompt"], **content["parameters"]}
        return self.server.order(about, lambda job: Answer(body={"name": f"{name}/operations/{job}"}))

    def _google_job(self, name: str) -> Answer:
        self.server.polled[name] += 1
        times = self.server.polled[name]
        if given := self.server.on_poll(name, times):
            return given
        if times < self.server.polls:
            return Answer(body={"name": name})
        clip = base64.b64encode(self.server.clip).decode()
        video = {"bytesBase64Encoded": clip, "mimeType": "video/mp4"}
        return Answer(body={"name": name, "done": True, "response": {"videos": [video]}})

    def _answer(self, answer: Answer) -> None:
        content = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        self.send_response(answer.status)
        for name, value in ({"Content-Type": "application/json"} | answer.headers).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content) + answer.missing))
        self.end_headers()
        self.wfile.write(content)
        self.close_connection = self.close_connection or bool(answer.missing)

    def log_message(self, *_) -> None:
        """Quiet."""
