"""A model on this machine, run by transformers: no server, one batch at a time."""

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from helpers.chat.backend import Call, Reply
from helpers.chat.local_turns import Turn, Waiting
from helpers.chat.problems import FatalError
from helpers.chat.request import Request

if TYPE_CHECKING:
    from helpers.chat.local_batches import Batches
    from helpers.chat.local_model import LocalModel


@dataclass(frozen=True)
class Local:
    """A text or vision-language model on this machine.

    It is loaded when a run begins and let go of when it ends. Requests name it by `name`. At temperature 0,
    those that wait together and differ only in what follows their last picture or clip are answered as one
    batch, for which the model reads what they share once; see `helpers.chat.local_beginning`. A reply's
    seconds are its share of the batch's. All others are answered one at a time.

    A batch changes a reply by rounding alone: where two tokens are equally likely to about five digits in
    float32, or two in bfloat16, the other one may be taken.

    Attributes:
        model: an id on the Hugging Face Hub, or a folder. Weights must be safetensors files.
        revision: the commit, tag or branch on the Hub; name a commit for results that can be reproduced.
        device: such as cuda, cuda:1, mps or cpu; auto spreads the model over all GPUs. None takes a GPU if
            there is one.
        dtype: what the weights are held in, such as bfloat16 or float32; auto is as published.
        longest: the longest time in seconds that a reply, or a batch of them, may take, from when its turn
            has come.
        trust_remote_code: run the code that comes with the model; read it first.
    """

    model: str
    revision: str | None = None
    _: KW_ONLY
    device: str | None = None
    dtype: str = "auto"
    longest: float = 600.0
    trust_remote_code: bool = False

    @property
    def name(self) -> str:
        """What requests call the model: its id or folder as given, and `@` its revision if one is given."""
        return f"{self.model}@{self.revision}" if self.revision else str(self.model)

    @property
    def timeout(self) -> None:
        """None: while others have their turn, a call takes no time of its own."""

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[Call]:
        """Load the model; see `Backend`.

        Raises:
            FatalError: it cannot be loaded or holds no conversations.
        """
        loop = asyncio.get_running_loop()
        waiting = Waiting()
        with ThreadPoolExecutor(1, "local model") as worker:
            model = await loop.run_in_executor(worker, self._load)
            from helpers.chat.local_batches import Batches  # loads torch, as the model did before

            batches = Batches(model)

            async def call(request: Request) -> Reply:
                if request.model != self.name:
                    raise FatalError(f"found a request for '{request.model}', loaded is '{self.name}'")
                turn = Turn.of(request)
                waiting.add(turn)
                worker.submit(self._serve, waiting, batches)
                try:
                    return await asyncio.wrap_future(turn.future)
                finally:
                    turn.stop.set()  # which ends a reply that nobody waits for any more

            yield call

    def _serve(self, waiting: Waiting, batches: "Batches") -> None:
        """Answer those whose turn it is: whoever asked for it, somebody else, or nobody any more."""
        turns = waiting.take()
        try:
            batches.answer(turns, self.longest)
        except BaseException as error:
            for turn in turns:
                if not turn.future.done():
                    turn.future.set_exception(error)

    def _load(self) -> "LocalModel":
        from helpers.chat.local_model import LocalModel  # loads torch and transformers, which takes seconds

        return LocalModel(
            self.model,
            revision=self.revision,
            device=self.device,
            dtype=self.dtype,
            trust_remote_code=self.trust_remote_code,
        )
