"""Running asynchronous code from ordinary code, in scripts and in notebooks alike."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Returned = TypeVar("Returned")


def run(main: Coroutine[Any, Any, Returned]) -> Returned:
    """Run a coroutine to its end.

    Where a loop is running already, as in a notebook, a thread gets one of its own. An interrupt cancels the
    coroutine and is passed on once that has cleaned up.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(main)
    held: list[tuple[asyncio.AbstractEventLoop, asyncio.Task]] = []

    async def cancellable() -> Returned:
        held.append((asyncio.get_running_loop(), asyncio.current_task()))
        return await main

    with ThreadPoolExecutor(1) as pool:
        try:
            return pool.submit(asyncio.run, cancellable()).result()
        except KeyboardInterrupt:
            for loop, task in held:
                loop.call_soon_threadsafe(task.cancel)
            raise
