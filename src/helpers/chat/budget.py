"""How much a run may ask for, and how much it has asked for so far."""

import asyncio
from dataclasses import dataclass


class SpentError(Exception):
    """The budget does not hold one more call; the message says what is used up."""


@dataclass(frozen=True, kw_only=True)
class Budget:
    """The most that one run may use; None sets no limit.

    Attributes:
        calls: requests sent, each new try and each repair included.
        tokens: tokens sent and received, as the server counts them or else by the rule of thumb.
    """

    calls: int | None = None
    tokens: int | None = None

    def __post_init__(self) -> None:
        for name in ("calls", "tokens"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"budget: found {value} {name}, expected at least 1, or None for no limit")


class Purse:
    """What is left of a budget. What calls in flight may still take is held back."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.calls = 0
        self.tokens = 0
        self._held = 0
        self._in_flight = 0
        self._settled = asyncio.Condition()

    async def take(self, tokens: int) -> None:
        """Hold back one call and what it takes at most, once earlier calls have settled if need be.

        Raises:
            SpentError: nothing is in flight any more and it still does not fit.
        """
        async with self._settled:
            await self._settled.wait_for(lambda: self._fits(tokens) or not self._in_flight)
            if not self._fits(tokens):
                raise SpentError(self._state(tokens))
            self.calls += 1
            self._held += tokens
            self._in_flight += 1

    async def settle(self, held: int, used: int) -> None:
        """Book what a call really took."""
        async with self._settled:
            self._held -= held
            self.tokens += used
            self._in_flight -= 1
            self._settled.notify_all()

    def _fits(self, tokens: int) -> bool:
        calls_left = self.budget.calls is None or self.calls < self.budget.calls
        needed = self.tokens + self._held + tokens
        return calls_left and (self.budget.tokens is None or needed <= self.budget.tokens)

    def _state(self, tokens: int) -> str:
        if self.budget.calls is not None and self.calls >= self.budget.calls:
            return f"the budget of {self.budget.calls:,} calls is used up"
        return (
            f"{self.tokens:,} of the budget's {self.budget.tokens:,} tokens are used, "
            f"and the next call may take {tokens:,}"
        )
