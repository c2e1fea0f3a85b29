"""A web site on a loopback port that answers what a test says and remembers what it was asked."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple


class Asked(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class StubSite:
    """`answer` gives (status, headers, body) for a request; override it, or fill `answers` by path."""

    def __init__(self):
        self.answers, self.asked = {}, []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                asked = Asked(self.command, self.path, dict(self.headers), body)
                site.asked.append(asked)
                status, headers, content = site.answer(asked)
                payload = content.encode() if isinstance(content, str) else content
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)

            do_POST = do_GET  # noqa: N815

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def answer(self, asked: Asked):
        return self.answers.get(asked.path, (404, {}, ""))

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
