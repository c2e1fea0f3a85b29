"""Clips that are too large for a Gemini request: uploaded, waited for, asked about, deleted.

Google prepares an uploaded clip before a request may name it, and keeps it for two days. Questions about
one clip share an upload. It is deleted when newer ones have come that nobody uses any more, and at the latest
when the connection is closed.
"""

import asyncio
import io
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import httpx2
from google import genai
from google.genai import errors, types

from helpers.chat.clips import WholeClip
from helpers.chat.problems import LostError, RefusedError, shortened

MOST_IDLE = 4


@dataclass(frozen=True, kw_only=True)
class Watch:
    """How an uploaded clip is waited for.

    Attributes:
        first: seconds before it is looked at again; each further wait is half as long again.
        longest: seconds that a wait may take.
        deadline: seconds after which the call is given up, and tried again as after any lost call.
    """

    first: float = 1.0
    longest: float = 10.0
    deadline: float = 90.0


@dataclass
class _Upload:
    file: asyncio.Task[types.File]
    users: int = field(default=0)


class Files:
    """The clips that a connection has uploaded."""

    def __init__(self, client: genai.Client, watch: Watch) -> None:
        self._files = client.aio.files
        self._watch = watch
        self._uploads: dict[str, _Upload] = {}

    @asynccontextmanager
    async def uploaded(self, clip: WholeClip, data: bytes) -> AsyncIterator[str]:
        """A clip's address, once requests may name it.

        Raises:
            RefusedError: Google cannot prepare it.
            LostError: it was not prepared in time.
        """
        key = repr(sorted(clip.content().items()))
        upload = self._uploads.get(key)
        if upload is None or (upload.file.done() and _failed(upload.file)):
            upload = _Upload(asyncio.create_task(self._upload(clip, data)))
        # The latest used stands last.
        self._uploads.pop(key, None)
        self._uploads[key] = upload
        upload.users += 1
        try:
            file = await asyncio.shield(upload.file)  # which others may be waiting for
            yield file.uri
        finally:
            upload.users -= 1
            await self._delete_idle(MOST_IDLE)

    async def delete_all(self) -> None:
        """Delete every clip."""
        await self._delete_idle(0)

    async def _upload(self, clip: WholeClip, data: bytes) -> types.File:
        config = types.UploadFileConfig(mime_type=clip.media)
        file = await self._files.upload(file=io.BytesIO(data), config=config)
        try:
            return await self._prepared(file)
        except BaseException:
            await self._delete(file)
            raise

    async def _prepared(self, file: types.File) -> types.File:
        end, wait = time.monotonic() + self._watch.deadline, self._watch.first
        while file.state == types.FileState.PROCESSING:
            if time.monotonic() + wait > end:
                raise LostError(f"the uploaded clip was not ready after {self._watch.deadline:g} s")
            await asyncio.sleep(wait)
            wait = min(1.5 * wait, self._watch.longest)
            file = await self._files.get(name=file.name)
        if file.state != types.FileState.ACTIVE:
            why = (file.error and file.error.message) or "no reason given"
            raise RefusedError(f"Google cannot prepare the clip: {shortened(why)}")
        return file

    async def _delete_idle(self, most: int) -> None:
        idle = [key for key, upload in self._uploads.items() if not upload.users]
        for key in idle[: max(len(idle) - most, 0)]:
            upload = self._uploads.pop(key)
            upload.file.cancel()
            (file,) = await asyncio.gather(upload.file, return_exceptions=True)
            if isinstance(file, types.File):
                await self._delete(file)

    async def _delete(self, file: types.File) -> None:
        """Delete a clip, if that works: in two days Google does it anyway."""
        with suppress(errors.APIError, httpx2.HTTPError, ValueError):
            await self._files.delete(name=file.name)


def _failed(task: asyncio.Task[types.File]) -> bool:
    return task.cancelled() or task.exception() is not None
