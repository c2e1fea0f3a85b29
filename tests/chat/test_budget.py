import asyncio

import pytest

from helpers.chat.budget import Budget, Purse, SpentError


def test_lets_so_many_calls_pass_and_no_more():
    async def main():
        purse = Purse(Budget(calls=2))
        for _ in range(2):
            await purse.take(10)
            await purse.settle(10, 10)
        with pytest.raises(SpentError, match="budget of 2 calls is used up"):
            await purse.take(10)

    asyncio.run(main())


def test_waits_for_calls_in_flight_to_settle_before_it_gives_up():
    async def main():
        purse = Purse(Budget(tokens=100))
        await purse.take(80)
        second = asyncio.create_task(purse.take(80))
        await asyncio.sleep(0)
        assert not second.done()
        await purse.settle(80, 15)
        await second
        await purse.settle(80, 70)
        with pytest.raises(
            SpentError, match="85 of the budget's 100 tokens are used, and the next call may take 16"
        ):
            await purse.take(16)
        await purse.take(15)

    asyncio.run(main())


def test_without_limits_everything_passes():
    async def main():
        purse = Purse(Budget())
        for _ in range(1000):
            await purse.take(10**9)
        assert purse.calls == 1000

    asyncio.run(main())


@pytest.mark.parametrize("name", ["calls", "tokens"])
def test_refuses_a_budget_of_nothing(name):
    with pytest.raises(ValueError, match=f"found 0 {name}"):
        Budget(**{name: 0})
