"""Servers that speak OpenAI's chat completions: vLLM, `transformers serve`, OpenAI and more.

A clip goes there in one of two ways. As frames it is a list of pictures, each after a text with its time,
which every server with a vision-language model takes; for vLLM with Qwen3-VL and 16 frames a clip:

    vllm serve Qwen/Qwen3-VL-32B-Instruct --limit-mm-per-prompt '{"image": 17}'

Whole it is a `video_url`, which is vLLM's own and not OpenAI's. So that the server takes the frames a
second that the clip says, and not 32 frames, it has to be started with

    vllm serve Qwen/Qwen3-VL-32B-Instruct --media-io-kwargs '{"video": {"num_frames": -1}}'
"""

import base64
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx2
import openai
from pydantic import BaseModel, ValidationError

from helpers.chat.backend import Call, Reply
from helpers.chat.clips import WholeClip
from helpers.chat.forms import json_schema
from helpers.chat.keys import check_address, check_variable, hide, read_key
from helpers.chat.messages import Message, Text, spelt_out
from helpers.chat.pictures import Picture
from helpers.chat.problems import (
    BlockedError,
    CallError,
    FatalError,
    LostError,
    UnreachableError,
    from_status,
    retry_after,
    shortened,
)
from helpers.chat.request import Request
from helpers.chat.sending import made

CONNECTING = 10.0
JSON = {"Content-Type": "application/json"}
_FILTERS = {"content_filter", "content_policy_violation"}
# What says that the model came to its end; the latter two are older text-generation-inference's. Any other
# word ("length", "abort", "error", …) is that of a reply which may lack its end.
_COMPLETE = {None, "", "stop", "eos_token", "stop_sequence"}
_EMPTY_ACCOUNT = {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"}


@dataclass(frozen=True, kw_only=True)
class OpenAICompatible:
    """A server that speaks OpenAI's chat completions.

    Attributes:
        base_url: its address up to and including `/v1`.
        key_variable: the environment variable that holds its key, or None for a server that asks for none.
        timeout: the longest time in seconds that a call may take.

    Raises:
        ValueError: an address that is none or that carries a secret, or a variable's name that may be a key.
    """

    base_url: str
    key_variable: str | None = None
    timeout: float = 120.0

    def __post_init__(self) -> None:
        check_address(self.base_url)
        check_variable(self.key_variable)

    @property
    def name(self) -> str:
        """The server's address."""
        return self.base_url

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[Call]:
        """Open a connection; see `Backend`."""
        key = read_key(self.key_variable)
        # Whatever is left out here, the library would take from the user's OPENAI_… variables.
        client = openai.AsyncOpenAI(
            api_key=key or "none",
            base_url=self.base_url,
            timeout=httpx2.Timeout(self.timeout, connect=CONNECTING),
            max_retries=0,
        )

        async def call(request: Request) -> Reply:
            body = await made(self._body, request)
            try:
                # Not `chat.completions.create`, which takes longer over a clip's pictures than all the rest.
                answer = await client.post(
                    "/chat/completions", content=body, cast_to=httpx2.Response, options={"headers": JSON}
                )
            except openai.APIStatusError as error:
                response = error.response
                raise from_body(response.status_code, response.text, response.headers, key) from None
            except openai.APIConnectionError as error:
                raise from_connection(error) from None
            return _reply(answer.text, key)

        async with client:
            yield call

    def _body(self, request: Request) -> bytes:
        body = request.sampling.given()
        clips = [part for message in request.sent for part in message.parts if isinstance(part, WholeClip)]
        if urlsplit(self.base_url).hostname == "api.openai.com":  # newer models there refuse the usual name
            body["max_completion_tokens"] = body.pop("max_tokens")
            if clips:
                raise ValueError("OpenAI takes no whole clips; expected frames")
        if request.form:
            form = {"name": request.form.__name__, "schema": json_schema(request.form), "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        body |= {"model": request.model} | _about_clips(clips) | dict(request.extra)
        messages = ", ".join(_message(message) for message in request.sent)
        return f'{json.dumps(body, allow_nan=False)[:-1]}, "messages": [{messages}]}}'.encode()


def _about_clips(clips: list[WholeClip]) -> dict[str, Any]:
    """What vLLM has to know about whole clips; it is told once for all clips of a request."""
    found = {(clip.fps, clip.sound) for clip in clips}
    if len(found) > 1:
        raise ValueError(f"found clips to be looked at in {len(found)} ways in one request; expected one way")
    if not found:
        return {}
    (fps, sound) = found.pop()
    heard = {"use_audio_in_video": True} if sound else {}
    return {"mm_processor_kwargs": {"fps": fps, "do_sample_frames": True} | heard}


def _message(message: Message) -> str:
    """One message as JSON; text alone is one string, since templates of text models often take no list."""
    parts = spelt_out(message.parts)
    content = json.dumps(parts[0].text) if message.is_text else f"[{', '.join(map(_part, parts))}]"
    return f'{{"role": "{message.role}", "content": {content}}}'


def _part(part: Text | Picture | WholeClip) -> str:
    """One part as JSON. What is in an address has no character to escape; looking for one takes long."""
    if isinstance(part, Text):
        return json.dumps({"type": "text", "text": part.text})
    if isinstance(part, Picture):
        return f'{{"type": "image_url", "image_url": {{"url": "{part.data_url}"}}}}'
    data = base64.b64encode(part.load()).decode()
    return f'{{"type": "video_url", "video_url": {{"url": "data:{part.media};base64,{data}"}}}}'


class _Said(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    message: _Said
    finish_reason: str | None = None


class _Usage(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Completion(BaseModel):
    """What is read of an answer; the library itself does not check what it receives."""

    choices: list[_Choice]
    model: str | None = None
    usage: _Usage | None = None


def _reply(body: str, key: str) -> Reply:
    """The reply in the body of an answer with status 200."""
    body = hide(body, key)
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        raise LostError(f"the answer is not JSON but '{shortened(body)}'; is base_url right?") from None
    if isinstance(content, dict) and content.get("error"):  # OpenRouter, once the model has started
        error = content["error"]
        status = error.get("code") if isinstance(error, dict) else None
        raise from_body(status if isinstance(status, int) else 500, body, {}, key)
    try:
        completion = _Completion.model_validate(content)
    except ValidationError:
        completion = None
    if completion is None or not completion.choices:
        raise LostError(f"the answer is no chat completion: {shortened(body)}")
    choice = completion.choices[0]
    text = choice.message.content or ""
    if choice.message.refusal or choice.finish_reason == "content_filter":
        raise BlockedError(shortened(choice.message.refusal or "stopped by the content filter"), text)
    usage = completion.usage or _Usage()
    return Reply(
        text=text,
        cut=choice.finish_reason not in _COMPLETE,
        model=completion.model,
        sent=usage.prompt_tokens,
        received=usage.completion_tokens,
    )


def from_body(status: int, body: str, headers: Mapping[str, str], key: str) -> CallError:
    """The problem that an error's status and body describe, as services name it that speak like OpenAI's.

    Args:
        status: HTTP's.
        body: as it came, JSON or not.
        headers: which may say when to try again.
        key: the access key, which the message must not show.
    """
    body = hide(body, key)
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        content = None
    error = content.get("error", content) if isinstance(content, dict) else None
    error = error if isinstance(error, dict) else {}
    message = error["message"] if isinstance(error.get("message"), str) else body
    kinds = {error.get(name) for name in ("code", "type") if isinstance(error.get(name), str)}
    metadata = error.get("metadata")
    if kinds & _FILTERS or (isinstance(metadata, dict) and "flagged_input" in metadata):  # Azure; OpenRouter
        return BlockedError(f"{status}: {shortened(message)}")
    if kinds & _EMPTY_ACCOUNT:
        return FatalError(f"{status}: {shortened(message)}")
    return from_status(status, message, retry_after(headers))


def from_connection(error: openai.APIConnectionError) -> CallError:
    """The problem of a call without an answer: there was no connection, or it broke."""
    cause = error.__cause__
    text = f"{type(cause).__name__} {cause}".strip()
    if isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout):
        return UnreachableError(f"no connection ({text})")
    return LostError(f"no answer ({text})")
