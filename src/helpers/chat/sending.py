"""What a backend sends, made from a request without holding up the other calls."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from helpers.chat.problems import RefusedError, shortened
from helpers.chat.request import Request

Made = TypeVar("Made")


async def made(make: Callable[[Request], Made], request: Request) -> Made:
    """What a function makes of a request, in a thread where clips and pictures have to be read for it.

    Raises:
        RefusedError: a clip or a picture cannot be read.
    """
    try:
        if all(message.is_text for message in request.messages):
            return make(request)
        return await asyncio.to_thread(make, request)
    except (ValueError, OSError) as error:
        raise RefusedError(shortened(str(error))) from None
