"""OpenAI's Sora 2, through openai, and services that speak like it.

OpenAI has announced that its own service ends on 24 September 2026 (the library says so at every call). After
that day the calls remain of use with `base_url`, for services that offer the same interface.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import openai
from openai.types import Video

from helpers.chat.keys import hide, read_key
from helpers.chat.openai_compatible import CONNECTING, from_body, from_connection
from helpers.chat.problems import BlockedError, LostError, RefusedError, shortened
from helpers.generation.hosted_model import HostedModel
from helpers.generation.hosted_orders import Order
from helpers.generation.hosted_service import TIMEOUT, GoneError

OPENAI = "https://api.openai.com/v1"
_ARGUMENTS = ("size",)
# Services that speak like Sora have words of their own for a job that is not over.
_WAITING = ("queued", "in_progress", "pending", "preprocessing", "processing", "running", "submitted")
_FILTERS = ("moderation", "content_policy", "content_filter", "sentinel", "safety")


@contextmanager
def connect(model: HostedModel) -> Iterator["Sora"]:
    """Log in.

    Raises:
        ValueError: the key's variable is not set, or an argument is none of Sora's.
    """
    for name in model.arguments:
        if name not in _ARGUMENTS:
            raise ValueError(f"{model.name}: argument '{name}': expected one of {', '.join(_ARGUMENTS)}")
    key = read_key(model.key)
    client = openai.OpenAI(
        api_key=key,
        base_url=model.base_url or OPENAI,
        timeout=httpx2.Timeout(TIMEOUT, connect=CONNECTING),
        max_retries=0,
    )
    with client:
        yield Sora(client, key)


class Sora:
    """Sora 2, logged in to; see `hosted_service.Connection`. It takes no seed; seeds only number takes."""

    def __init__(self, client: openai.OpenAI, key: str) -> None:
        self._client = client
        self._key = key

    def submit(self, order: Order) -> str:
        """Order a clip."""
        with self._problems():
            video = self._client.videos.create(
                model=order.model.id,
                prompt=order.prompt,
                seconds=str(order.model.seconds),
                **order.model.arguments,
            )
            job = getattr(video, "id", None)
        if job in (None, ""):
            raise LostError("the answer names no job")
        return str(job)

    def poll(self, job: str) -> str | None:
        """The job once it is done, or None while the clip is being made."""
        with self._problems(gone=True):
            video = self._client.videos.retrieve(job)
            status = video.status
            if not isinstance(status, str):
                raise TypeError(f"found the status {status!r}, expected a word")
        if status == "completed":
            return job
        if status in _WAITING:
            return None
        raise self._failure(video)

    def download(self, finished: str, path: Path) -> None:
        """Fetch the clip."""
        with (
            self._problems(gone=True),
            self._client.videos.with_streaming_response.download_content(finished) as answer,
        ):
            answer.stream_to_file(path)

    def _failure(self, video: Video) -> Exception:
        error = getattr(video, "error", None)
        code = str(getattr(error, "code", None) or "no code")
        message = str(getattr(error, "message", None) or error or "no reason given")
        text = f"{code}: {shortened(hide(message, self._key))}"
        if video.status != "failed":
            text = f"it is {video.status}; {text}"
        if any(word in code.lower() for word in _FILTERS):
            return BlockedError(text)
        return RefusedError(f"the job failed: {text}")

    @contextmanager
    def _problems(self, *, gone: bool = False) -> Iterator[None]:
        try:
            with warnings.catch_warnings():
                # The service's end is said in the plan, once, and not at every call.
                warnings.filterwarnings("ignore", message="The Sora API", category=DeprecationWarning)
                yield
        except openai.APIStatusError as error:
            response = error.response
            body = error.body if isinstance(error.body, dict) else {}
            found = from_body(response.status_code, self._text(error), response.headers, self._key)
            if gone and response.status_code == 404:
                raise GoneError(str(found)) from None
            if any(word in str(body.get("code")).lower() for word in _FILTERS):
                raise BlockedError(str(found)) from None
            raise found from None
        except openai.APIConnectionError as error:
            raise from_connection(error) from None
        except httpx2.HTTPError as error:  # while a clip is coming in
            raise LostError(f"no answer ({type(error).__name__} {error})") from None
        except (ValueError, TypeError, AttributeError) as error:  # as the library takes an answer apart
            raise LostError(f"the answer is not Sora's: {shortened(hide(str(error), self._key))}") from None

    @staticmethod
    def _text(error: openai.APIStatusError) -> str:
        try:
            return error.response.text
        except httpx2.ResponseNotRead:
            return error.message
