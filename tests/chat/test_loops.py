import asyncio
import signal
import threading

import pytest

from helpers.chat.loops import run


async def seven() -> int:
    await asyncio.sleep(0)
    return 7


async def wrong() -> None:
    raise KeyError("x")


def inside_a_loop(function):
    async def main():
        return function()

    # Not asyncio.run, which takes interrupts for itself; a notebook's kernel does not.
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(main())
    finally:
        loop.close()


@pytest.mark.parametrize("around", [lambda function: function(), inside_a_loop], ids=["script", "notebook"])
def test_returns_and_raises_with_or_without_a_running_loop(around):
    assert around(lambda: run(seven())) == 7
    with pytest.raises(KeyError):
        around(lambda: run(wrong()))


@pytest.fixture
def interruptible():
    # A shell that starts the tests in its background lets them ignore interrupts.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_in_a_notebook_lets_the_coroutine_clean_up():
    cleaned = []

    async def endless() -> None:
        try:
            main = threading.main_thread().ident
            threading.Timer(0.1, signal.pthread_kill, (main, signal.SIGINT)).start()
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0)
            cleaned.append(True)

    with pytest.raises(KeyboardInterrupt):
        inside_a_loop(lambda: run(endless()))
    assert cleaned == [True]
