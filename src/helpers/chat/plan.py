"""What a run has to do, before it does it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from helpers.chat.log import Record
from helpers.chat.request import Request
from helpers.chat.results import Result, next_step


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a run has to do.

    Attributes:
        requests: the distinct requests.
        to_ask: those without a final result, never asked ones first, so that requests which keep failing hold
            up nobody.
        failed: how many of those failed before.
        sent: about how many tokens the next call of each sends.
        received: how many tokens come back at most.
    """

    requests: int
    to_ask: tuple[Request, ...]
    failed: int
    sent: int
    received: int

    def __str__(self) -> str:
        text = (
            f"{counted(len(self.to_ask))}, about {self.sent + self.received:,} tokens "
            f"(about {self.sent:,} sent, at most {self.received:,} received)"
        )
        if self.failed:
            text += f"; {self.failed:,} of them failed before"
        done = self.requests - len(self.to_ask)
        return text + (f"; {done:,} of {self.requests:,} requests are done" if done else "")


def counted(calls: int) -> str:
    """A number of calls in words."""
    return f"{calls:,} call{'' if calls == 1 else 's'}"


def plan(requests: Iterable[Request], records: Mapping[str, Record]) -> Plan:
    """What is left to do. Each open request counts as one call: new tries and repairs come on top.

    Args:
        requests: what is to be asked; equal requests are asked once.
        records: the calls on record, as `read_log` returns them.
    """
    distinct = {request.key: request for request in requests}
    steps = {key: next_step(request, records) for key, request in distinct.items()}
    steps = {key: step for key, step in steps.items() if not isinstance(step, Result)}
    failed = {key for key, step in steps.items() if step.key in records}
    return Plan(
        requests=len(distinct),
        to_ask=tuple(distinct[key] for key in sorted(steps, key=failed.__contains__)),
        failed=len(failed),
        sent=sum(step.sent_tokens for step in steps.values()),
        received=sum(step.sampling.max_tokens for step in steps.values()),
    )
