"""Google's Veo, through google-genai.

The library (3.6) offers Veo only on the Gemini Enterprise Agent Platform, formerly Vertex AI, and not with a
key of the Gemini Developer API. One logs in with that platform's API key, or with a project and application
default credentials. The clip comes inside the answer, so nothing is stored in a bucket.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
from google import genai
from google.auth.exceptions import GoogleAuthError, TransportError
from google.genai import errors, types
from pydantic import ValidationError

from helpers.chat.gemini import from_error
from helpers.chat.keys import hide, read_key
from helpers.chat.problems import (
    BlockedError,
    CallError,
    FatalError,
    LostError,
    RefusedError,
    UnreachableError,
    shortened,
)
from helpers.generation.hosted_model import HostedModel
from helpers.generation.hosted_orders import Order
from helpers.generation.hosted_service import TIMEOUT, GoneError

# One clip an order, its length the order's own, and no bucket that only Google's tools could read.
_OURS = ("number_of_videos", "duration_seconds", "seed", "output_gcs_uri", "http_options", "pubsub_topic")
# How messages say that it was a filter: Google gives these problems the code of a wrong argument.
_FILTER = re.compile(r"usage guidelines|violat|safety|responsible ai|sensitive|support code", re.I)
_INVALID, _NOT_FOUND = 3, 5  # google.rpc.Code


@contextmanager
def connect(model: HostedModel) -> Iterator["Veo"]:
    """Log in.

    Raises:
        ValueError: the key's variable is not set, or an argument is none of Veo's.
    """
    _config(model, seed=0)
    key = read_key(model.key)
    login = {"api_key": key} if key else {"project": model.project, "location": model.location}
    options = types.HttpOptions(base_url=model.base_url, timeout=int(TIMEOUT * 1000))
    client = genai.Client(vertexai=True, http_options=options, **login)
    try:
        yield Veo(client, key)
    finally:
        client.close()


class Veo:
    """Veo, logged in to; see `hosted_service.Connection`."""

    def __init__(self, client: genai.Client, key: str) -> None:
        self._client = client
        self._key = key

    def submit(self, order: Order) -> str:
        """Order a clip."""
        with self._problems():
            operation = self._client.models.generate_videos(
                model=order.model.id,
                source=types.GenerateVideosSource(prompt=order.prompt),
                config=_config(order.model, order.seed),
            )
        if not operation.name:
            raise LostError("the answer names no job")
        return str(operation.name)

    def poll(self, job: str) -> bytes | None:
        """The clip, or None while it is being made."""
        with self._problems(gone=True):
            operation = self._client.operations.get(types.GenerateVideosOperation(name=job))
            if operation.error:
                raise self._failure(operation.error)
            if not operation.done:
                return None
            response = operation.response or types.GenerateVideosResponse()
            if not response.generated_videos:
                reasons = "; ".join(response.rai_media_filtered_reasons or [])
                if reasons or response.rai_media_filtered_count:
                    raise BlockedError(shortened(hide(reasons or "a filter removed the clip", self._key)))
                raise RefusedError("the job is done, but there is no clip and no reason")
            video = response.generated_videos[0].video
            if not video or not video.video_bytes:
                raise RefusedError("the job is done, but the answer does not hold the clip")
            return video.video_bytes

    def download(self, finished: bytes, path: Path) -> None:
        """Write the clip, which came with the answer."""
        path.write_bytes(finished)

    def _failure(self, error: dict) -> CallError:
        """Why a job ended without a clip (google.rpc.Status)."""
        code = error.get("code")
        message = shortened(hide(str(error.get("message") or error), self._key))
        if code == _INVALID and _FILTER.search(message):
            return BlockedError(message)
        if code == _NOT_FOUND:
            return GoneError(message)
        return RefusedError(f"the job failed: {message}")

    @contextmanager
    def _problems(self, *, gone: bool = False) -> Iterator[None]:
        try:
            yield
        except errors.APIError as error:
            found = from_error(error, self._key)
            if gone and error.code == 404:
                raise GoneError(str(found)) from None
            if error.code == 400 and _FILTER.search(str(found)):
                raise BlockedError(str(found)) from None
            raise found from None
        except (httpx2.ConnectError, httpx2.ConnectTimeout, TransportError) as error:
            raise UnreachableError(f"no connection ({type(error).__name__} {error})") from None
        except GoogleAuthError as error:
            raise FatalError(f"no login: {shortened(str(error))}") from None
        except httpx2.HTTPError as error:
            raise LostError(f"no answer ({type(error).__name__} {error})") from None
        except (ValueError, TypeError, AttributeError) as error:  # as the library takes an answer apart
            raise LostError(f"the answer is not Veo's: {shortened(hide(str(error), self._key))}") from None


def _config(model: HostedModel, seed: int) -> types.GenerateVideosConfig:
    """What is asked for.

    Raises:
        ValueError: an argument is none of Veo's, or is set by us.
    """
    for name in _OURS:
        if name in model.arguments:
            raise ValueError(
                f"{model.name}: argument '{name}' cannot be set; expected `seconds` and `seeds` instead"
            )
    try:
        return types.GenerateVideosConfig(
            number_of_videos=1, duration_seconds=model.seconds, seed=seed, **model.arguments
        )
    except ValidationError as error:
        problem = error.errors()[0]
        name = ".".join(str(part) for part in problem["loc"])
        raise ValueError(f"{model.name}: argument '{name}': {problem['msg']}") from None
