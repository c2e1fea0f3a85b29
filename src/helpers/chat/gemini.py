"""Google's Gemini, through its developer API.

A whole clip travels inside the request or, above `Gemini.inline` bytes, is uploaded first; see
`helpers.chat.gemini_files`.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import httpx2
from google import genai
from google.genai import errors, types

from helpers.chat.backend import Call, Reply
from helpers.chat.clips import WholeClip
from helpers.chat.forms import json_schema
from helpers.chat.gemini_files import Files, Watch
from helpers.chat.keys import check_address, check_variable, hide, read_key
from helpers.chat.messages import Message, Text, spelt_out
from helpers.chat.pictures import Picture
from helpers.chat.problems import (
    BlockedError,
    CallError,
    FatalError,
    LostError,
    RefusedError,
    UnreachableError,
    from_status,
    retry_after,
    shortened,
)
from helpers.chat.request import Request
from helpers.chat.sending import made

GOOGLE = "https://generativelanguage.googleapis.com"
# Why a reply may end that mean "not this content", by the API's names.
_FILTERS = {"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "ESCALATION"}


@dataclass(frozen=True, kw_only=True)
class Gemini:
    """Google's Gemini, through its developer API (not Vertex).

    Attributes:
        key_variable: the environment variable that holds the key.
        base_url: the API's address, without its version.
        timeout: the longest time in seconds that a call may take, with uploading a clip where it has to be.
        inline: bytes up to which a clip travels inside the request, whose limit is 100 MB and which writes
            three bytes as four letters.
        watch: how an uploaded clip is waited for.

    Raises:
        ValueError: an address that is none or that carries a secret, or a variable's name that may be a key.
    """

    key_variable: str = "GEMINI_API_KEY"
    base_url: str = GOOGLE
    timeout: float = 120.0
    inline: int = 70_000_000
    watch: Watch = field(default_factory=Watch)

    def __post_init__(self) -> None:
        check_address(self.base_url)
        check_variable(self.key_variable)

    @property
    def name(self) -> str:
        """The API's address."""
        return self.base_url

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[Call]:
        """Open a connection; see `Backend`."""
        key = read_key(self.key_variable)
        client = genai.Client(
            api_key=key,
            vertexai=False,
            http_options=types.HttpOptions(base_url=self.base_url, timeout=int(self.timeout * 1000)),
        )

        files = Files(client, self.watch)

        async def call(request: Request) -> Reply:
            spelt = await made(_spelt_out, request)
            with _explained(key):
                async with AsyncExitStack() as uploads:
                    parts = [
                        [await self._part(part, files, uploads) for part in message.parts]
                        for message in spelt
                    ]
                    response = await client.aio.models.generate_content(**_arguments(request, spelt, parts))
            return _reply(response, key)

        try:
            async with client.aio:
                try:
                    yield call
                finally:
                    await files.delete_all()
        finally:
            client.close()

    async def _part(
        self, part: Text | Picture | WholeClip, files: Files, uploads: AsyncExitStack
    ) -> types.Part:
        if isinstance(part, Text):
            return types.Part(text=part.text)
        if isinstance(part, Picture):
            return types.Part.from_bytes(data=part.data, mime_type=part.media)
        try:
            data = await asyncio.to_thread(part.load)
        except (ValueError, OSError) as error:
            raise RefusedError(shortened(str(error))) from None
        if len(data) <= self.inline:
            sent = types.Part.from_bytes(data=data, mime_type=part.media)
        else:
            uri = await uploads.enter_async_context(files.uploaded(part, data))
            sent = types.Part.from_uri(file_uri=uri, mime_type=part.media)
        sent.video_metadata = types.VideoMetadata(fps=part.fps)  # else it looks at one frame a second
        return sent


def _spelt_out(request: Request) -> list[Message]:
    return [replace(message, parts=tuple(spelt_out(message.parts))) for message in request.sent]


@contextmanager
def _explained(key: str) -> Iterator[None]:
    """Whatever the library raises, as the problem that it is."""
    try:
        yield
    except errors.APIError as error:
        raise from_error(error, key) from None
    except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
        raise UnreachableError(f"no connection ({type(error).__name__} {error})") from None
    except httpx2.HTTPError as error:
        raise LostError(f"no answer ({type(error).__name__} {error})") from None
    except (ValueError, TypeError, AttributeError, KeyError) as error:  # as it takes an answer apart
        found = shortened(hide(str(error), key))
        raise LostError(f"the answer is not what Gemini sends: {found}") from None


def _arguments(
    request: Request, spelt: Sequence[Message], parts: Sequence[list[types.Part]]
) -> dict[str, Any]:
    settings = request.sampling.given()
    settings["max_output_tokens"] = settings.pop("max_tokens")
    if request.form:
        settings["response_mime_type"] = "application/json"
        settings["response_json_schema"] = json_schema(request.form)
    if request.extra:
        settings["http_options"] = types.HttpOptions(extra_body=dict(request.extra))
    instruction = [part.text for message in spelt if message.role == "system" for part in message.parts]
    contents = [
        types.Content(role="model" if message.role == "assistant" else "user", parts=said)
        for message, said in zip(spelt, parts, strict=True)
        if message.role != "system"
    ]
    config = types.GenerateContentConfig(
        system_instruction=instruction or None,
        automatic_continuation=False,  # which would send several requests for one call
        **settings,
    )
    return {"model": request.model, "contents": contents, "config": config}


def _reply(response: types.GenerateContentResponse, key: str) -> Reply:
    feedback = response.prompt_feedback
    if feedback and feedback.block_reason:
        reason = feedback.block_reason_message or "the prompt was blocked"
        raise BlockedError(f"{feedback.block_reason.value}: {shortened(hide(reason, key))}")
    if not response.candidates:
        raise LostError("the answer holds no candidate")
    candidate = response.candidates[0]
    parts = (candidate.content.parts if candidate.content else None) or []
    text = hide("".join(part.text for part in parts if part.text and not part.thought), key)
    finish = candidate.finish_reason.value if candidate.finish_reason else ""
    if finish in _FILTERS:
        raise BlockedError(
            f"{finish}: {shortened(hide(candidate.finish_message or 'the reply was stopped', key))}", text
        )
    usage = response.usage_metadata or types.GenerateContentResponseUsageMetadata()
    received = [usage.candidates_token_count, usage.thoughts_token_count]
    return Reply(
        text=text,
        cut=finish in ("MAX_TOKENS", "CONTINUATION"),
        model=response.model_version,
        sent=usage.prompt_token_count,
        received=None if received == [None, None] else sum(count or 0 for count in received),
    )


def from_error(error: errors.APIError, key: str) -> CallError:
    """The problem that an error of google-genai describes by its status and details.

    Args:
        error: as the library raises it.
        key: the access key, which the message must not show.
    """
    message = hide(str(error.message or error.details), key)
    details = error.details if isinstance(error.details, dict) else {}
    details = details.get("error", details)
    details = [item for item in details.get("details") or [] if isinstance(item, dict)]
    about = {str(item.get("@type", "")).rpartition(".")[2]: item for item in details}
    # A wrong key is a 400 here, and a day's quota looks like a minute's but for its name.
    if about.get("ErrorInfo", {}).get("reason") == "API_KEY_INVALID":
        return FatalError(f"{error.code}: {shortened(message)}")
    if error.code == 429 and "PerDay" in str(about.get("QuotaFailure", "")):
        return FatalError(f"429: the day's quota is used up: {shortened(message)}")
    delay = re.fullmatch(r"(\d+(\.\d+)?)s", str(about.get("RetryInfo", {}).get("retryDelay", "")))
    after = float(delay[1]) if delay else retry_after(getattr(error.response, "headers", {}))
    return from_status(error.code, message, after)
