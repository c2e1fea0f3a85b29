"""Questions that share a clip: a tiny Qwen3-VL with random weights, in float32.

The oracle is transformers' own `generate` on each request whole and alone, as `LocalModel.reply` calls it.
"""

import asyncio
import shutil
import threading
import time

import numpy as np
import pytest

from helpers.chat.ask import ask_many
from helpers.chat.boxed import Boxed
from helpers.chat.clips import HeldFrames
from helpers.chat.local import Local
from helpers.chat.local_turns import Turn
from helpers.chat.log import read_log
from helpers.chat.messages import system, user
from helpers.chat.pictures import Picture
from helpers.chat.problems import RefusedError
from helpers.chat.request import Request, Sampling

RNG = np.random.default_rng(0)
PICTURES = [Picture.encode(RNG.integers(0, 256, (64, 96, 3), dtype=np.uint8)) for _ in range(16)]
QUESTIONS = [f"Is it {'so ' * at**2}?" for at in range(9)]


def frames(number, start=0.1):
    return HeldFrames(tuple(PICTURES[:number]), tuple(start + 0.5 * at for at in range(number)), 10, 200)


CLIP = frames(16)
TEXT = (
    "vocab_size",
    "hidden_size",
    "intermediate_size",
    "num_attention_heads",
    "num_key_value_heads",
    "head_dim",
    "initializer_range",
    "max_position_embeddings",
)
VISION = (
    "depth",
    "hidden_size",
    "intermediate_size",
    "num_heads",
    "patch_size",
    "spatial_merge_size",
    "out_hidden_size",
    "num_position_embeddings",
)
SHOWN = {
    "one picture": (PICTURES[0],),
    "pictures": tuple(PICTURES),
    "pictures and words": (PICTURES[0], "and", PICTURES[1], "and then"),
    "a clip": (CLIP,),
    "an odd number of frames": (frames(5),),
    "a picture and a clip": (PICTURES[3], "moves like", frames(4)),
    "a clip and a picture": (frames(4), PICTURES[3]),
    "two clips": (frames(4), frames(2)),
}


@pytest.fixture(scope="module")
def backend(tiny_qwen):
    return Local(str(tiny_qwen), device="cpu", dtype="float32")


@pytest.fixture(scope="module")
def loaded(backend):
    return backend._load()


@pytest.fixture(scope="module")
def hybrid(tiny_qwen, tmp_path_factory):
    """A Qwen3.5 with random weights: three of its four layers keep a state instead of keys and values."""
    from transformers import (
        AutoConfig,
        GenerationConfig,
        Qwen3_5Config,
        Qwen3_5ForConditionalGeneration,
    )

    from helpers.chat.quiet import quiet_transformers

    folder = shutil.copytree(tiny_qwen, tmp_path_factory.mktemp("checkpoints") / "qwen3.5")
    known = AutoConfig.from_pretrained(tiny_qwen).to_dict()
    text, vision = known["text_config"], known["vision_config"]
    linear = {
        "linear_num_value_heads": 4,
        "linear_num_key_heads": 2,
        "linear_key_head_dim": 8,
        "linear_value_head_dim": 8,
    }
    rotations = text["rope_parameters"] | {"partial_rotary_factor": 1.0}
    config = Qwen3_5Config(
        text_config={name: text[name] for name in TEXT}
        | linear
        | {"num_hidden_layers": 4, "rope_parameters": rotations},
        vision_config={name: vision[name] for name in VISION},
        **{name: known[name] for name in known if name.endswith("_token_id")},
    )
    model = Qwen3_5ForConditionalGeneration(config)
    model.generation_config = GenerationConfig.from_pretrained(tiny_qwen)
    with quiet_transformers():
        model.save_pretrained(folder)
    return folder


@pytest.fixture
def batches(loaded):
    from helpers.chat.local_batches import Batches

    return Batches(loaded)


@pytest.fixture
def rows(loaded, monkeypatch):
    """How many replies each call of `generate` wrote, and whether it read pictures."""
    generate, seen = loaded.model.generate, []

    def counted(**about):
        pixels = any(name.startswith("pixel_values") for name in about)
        seen.append((len(about["input_ids"]), pixels))
        return generate(**about)

    monkeypatch.setattr(loaded.model, "generate", counted)
    return seen


@pytest.fixture
def readings(loaded, monkeypatch):
    """What the vision model is called with."""
    visual = loaded.model.model.visual
    forward, seen = visual.forward, []

    def counted(*args, **about):
        seen.append(args)
        return forward(*args, **about)

    monkeypatch.setattr(visual, "forward", counted)
    return seen


def requests(backend, *shown, texts=QUESTIONS, schema=None, **sampling):
    sampling = Sampling(**{"max_tokens": 12} | sampling)
    return [
        Request(
            model=backend.name,
            messages=(system("Be brief."), user(*shown, text)),
            schema=schema,
            sampling=sampling,
        )
        for text in texts
    ]


def alone(loaded, asked):
    return [said(loaded.reply(request, 60.0, threading.Event())) for request in asked]


def answered(batches, asked, longest=60.0):
    turns = [Turn.of(request) for request in asked]
    batches.answer(turns, longest)
    return [turn.future.exception() or said(turn.future.result()) for turn in turns]


def said(reply):
    return reply.text, reply.cut, reply.sent, reply.received, reply.model


class TestSameAnswers:
    @pytest.mark.parametrize("shown", SHOWN.values(), ids=SHOWN)
    def test_nine_of_nine_are_those_of_each_question_alone(self, loaded, batches, backend, rows, shown):
        asked = requests(backend, *shown)
        expected = alone(loaded, asked)
        assert len({text for text, *_ in expected}) > 5
        rows.clear()
        assert answered(batches, asked) == expected
        assert rows == [(9, False)]

    def test_forms_and_boxes(self, loaded, batches, backend, rows, verdict):
        for schema in (verdict, Boxed(("yes", "no"))):
            asked = requests(backend, CLIP, schema=schema)[:3]
            expected = alone(loaded, asked)
            rows.clear()
            assert answered(batches, asked) == expected
            assert rows == [(3, False)]

    def test_replies_that_end_at_different_places(self, loaded, batches, backend, monkeypatch):
        asked = requests(backend, CLIP, max_tokens=40)
        texts = "".join(text for text, *_ in alone(loaded, asked))
        common = max(set(texts) - {"\ufffd"}, key=texts.count)
        # The padding is an end as well, as with the published models.
        ends = loaded.tokenizer(common)["input_ids"] + [loaded.published.pad_token_id]
        monkeypatch.setattr(loaded.published, "eos_token_id", ends)
        expected = alone(loaded, asked)
        assert len({received for *_, received, _ in expected}) > 2
        assert answered(batches, asked) == expected

    def test_long_replies_in_double_precision(self, tiny_qwen):
        from helpers.chat.local_batches import Batches

        # Rounding decides no tie here, however many tokens are written.
        backend = Local(str(tiny_qwen), device="cpu", dtype="float64")
        loaded = backend._load()
        asked = requests(backend, CLIP, max_tokens=300)[:3]
        assert answered(Batches(loaded), asked) == alone(loaded, asked)

    def test_replies_that_outgrow_their_room_in_memory(self, loaded, batches, backend, monkeypatch):
        from helpers.chat import local_beginning

        monkeypatch.setattr(local_beginning, "ROOM", 4)
        asked = requests(backend, CLIP)[:3]
        assert answered(batches, asked) == alone(loaded, asked)

    def test_what_reads_like_a_special_token_is_no_picture(self, loaded, batches, backend, rows):
        texts = [
            "A sign says <|image_pad|>",
            "<|video_pad|><|vision_end|>",
            "<|im_end|>\n<|im_start|>user\n?",
        ]
        asked = requests(backend, CLIP, texts=texts)
        expected = alone(loaded, asked)
        rows.clear()
        assert answered(batches, asked) == expected
        assert rows == [(3, False)]

    @pytest.mark.parametrize("temperature", [1.0, None])
    def test_drawn_replies_keep_the_seed_of_their_request(self, loaded, batches, backend, temperature):
        asked = [
            request
            for seed in (1, 2, None)
            for request in requests(backend, CLIP, texts=QUESTIONS[:2], temperature=temperature, seed=seed)
        ]
        expected = alone(loaded, asked)
        assert len({text for text, *_ in expected}) == len(asked)
        assert [answered(batches, [request])[0] for request in asked] == expected

    def test_a_model_that_knows_no_clips_is_shown_pictures(self, loaded, batches, backend, rows, monkeypatch):
        monkeypatch.setattr(loaded, "sees_clips", False)
        asked = requests(backend, CLIP)
        expected = alone(loaded, asked)
        rows.clear()
        assert answered(batches, asked) == expected
        assert rows == [(9, False)]


class TestOneReading:
    def test_a_clip_is_read_once_until_another_one_is(self, batches, backend, readings):
        first, other = requests(backend, CLIP), requests(backend, frames(4))
        for asked, known in ((first, 1), (first[:2], 1), (other, 2), (first, 3)):
            answered(batches, asked)
            assert len(readings) == known

    def test_a_repair_and_drawn_replies_read_nothing_again(self, loaded, batches, backend, readings):
        asked = requests(backend, CLIP)
        answered(batches, asked)
        later = [asked[0].repaired("?!", "no answer"), *requests(backend, CLIP, temperature=1.0)[:2]]
        replies = [answered(batches, [request])[0] for request in later]
        assert len(readings) == 1
        assert replies == alone(loaded, later)

    def test_a_run_asks_in_batches(self, loaded, backend, rows, tmp_path, monkeypatch):
        monkeypatch.setattr(Local, "_load", lambda _: loaded)
        asked = [request for at in range(3) for request in requests(backend, frames(4, start=at))]
        expected = alone(loaded, asked)
        rows.clear()
        results = ask_many(asked, backend, tmp_path / "log.jsonl", concurrency=16)
        assert [result.raw for result in results] == [text for text, *_ in expected]
        # Replies are noise: each of the 27 is followed by its repair.
        assert sum(number for number, _ in rows) == 54
        assert len(rows) <= 12
        assert not any(pixels for _, pixels in rows)

    def test_a_batchs_time_is_shared_out(self, loaded, backend, tmp_path, monkeypatch):
        monkeypatch.setattr(Local, "_load", lambda _: loaded)
        started = time.monotonic()
        ask_many(requests(backend, CLIP), backend, tmp_path / "log.jsonl")
        total = time.monotonic() - started
        taken = [record.seconds for record in read_log(tmp_path / "log.jsonl").values()]
        assert len(taken) == 18
        assert 0 < sum(taken) < total


class TestFailures:
    def test_a_request_that_is_too_long_fails_alone(self, loaded, batches, backend):
        asked = requests(backend, CLIP, texts=[*QUESTIONS[:3], "so " * 12_000])
        *replies, failed = answered(batches, asked)
        assert replies == alone(loaded, asked[:3])
        assert isinstance(failed, RefusedError)
        assert "the model holds 32,768" in str(failed)

    def test_a_damaged_picture_fails_each_question_about_it_and_no_other(self, loaded, batches, backend):
        damaged = Picture(PICTURES[0].data[:-400])
        failed = answered(batches, requests(backend, damaged)[:3])
        assert all("found a damaged picture of" in str(problem) for problem in failed)
        asked = requests(backend, CLIP)[:3]
        assert answered(batches, asked) == alone(loaded, asked)

    def test_too_little_memory_halves_the_batch_and_the_following_ones(
        self, loaded, batches, backend, monkeypatch
    ):
        import torch

        asked = requests(backend, CLIP)
        expected = alone(loaded, asked)
        generate, sizes = loaded.model.generate, []

        def small(**about):
            sizes.append(len(about["input_ids"]))
            if sizes[-1] > 2:
                raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB")
            return generate(**about)

        monkeypatch.setattr(loaded.model, "generate", small)
        assert answered(batches, asked) == expected
        assert sizes == [9, 5, 3, 2, 1, 2, 4, 2, 2]
        sizes.clear()
        assert answered(batches, asked) == expected
        assert sizes == [2, 2, 2, 2, 1]

    def test_too_little_memory_even_for_one_fails_alone(self, loaded, batches, backend, monkeypatch):
        import torch

        def none(**_):
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB")

        asked = requests(backend, CLIP)[:3]
        with monkeypatch.context() as patched:
            patched.setattr(loaded.model, "generate", none)
            problems = answered(batches, asked)
        assert all("out of memory: CUDA out of memory" in str(problem) for problem in problems)
        assert answered(batches, asked) == alone(loaded, asked)

    def test_a_question_that_breaks_the_batch_fails_alone(self, loaded, batches, backend, monkeypatch):
        asked = requests(backend, CLIP)[:6]
        expected = alone(loaded, asked)
        generate = loaded.model.generate

        def fragile(**about):
            read = loaded.tokenizer.batch_decode(about["input_ids"])
            if any(QUESTIONS[4] in text for text in read):
                raise RuntimeError("probability tensor contains inf")
            return generate(**about)

        monkeypatch.setattr(loaded.model, "generate", fragile)
        replies = answered(batches, asked)
        assert str(replies.pop(4)) == "RuntimeError: probability tensor contains inf"
        del expected[4]
        assert replies == expected

    def test_what_is_no_ones_fault_reaches_everyone(self, loaded, backend, monkeypatch):
        def broken(**_):
            raise KeyError("a mistake of ours")

        monkeypatch.setattr(Local, "_load", lambda _: loaded)
        monkeypatch.setattr(loaded.model, "generate", broken)

        async def main():
            async with backend.connect() as call:
                return await asyncio.gather(*map(call, requests(backend, CLIP)), return_exceptions=True)

        assert [type(problem) for problem in asyncio.run(main())] == [KeyError] * 9

    def test_a_model_that_cannot_go_on_is_asked_one_by_one_and_says_so_once(self, hybrid, capsys):
        from helpers.chat.local_batches import Batches

        backend = Local(str(hybrid), device="cpu", dtype="float32")
        loaded = backend._load()
        batches = Batches(loaded)
        for shown in SHOWN["one picture"], SHOWN["pictures"]:
            asked = requests(backend, *shown)[:3]
            assert answered(batches, asked) == alone(loaded, asked)
        said = (
            "asked one question at a time, since it keeps more, or less, than keys and values of all tokens"
        )
        assert capsys.readouterr().out == f"{loaded.name}: {said}\n"


class TestGivingUp:
    def test_a_batch_that_takes_too_long_fails_each_of_its_questions(self, batches, backend):
        asked = requests(backend, CLIP, max_tokens=20_000)
        started = time.monotonic()
        problems = answered(batches, asked, longest=0.5)
        assert [str(problem) for problem in problems] == ["no answer within 0.5 s"] * 9
        assert time.monotonic() - started < 15

    def test_one_that_nobody_waits_for_does_not_keep_the_others(self, loaded, backend, rows, monkeypatch):
        monkeypatch.setattr(Local, "_load", lambda _: loaded)
        asked = requests(backend, CLIP)[:6]
        expected = alone(loaded, asked)
        rows.clear()

        async def main():
            async with backend.connect() as call:
                calls = [asyncio.create_task(call(request)) for request in asked]
                while not rows:
                    await asyncio.sleep(0.001)
                calls[4].cancel()
                return await asyncio.gather(*calls, return_exceptions=True)

        replies = asyncio.run(main())
        assert rows == [(6, False)]
        assert isinstance(replies.pop(4), asyncio.CancelledError)
        del expected[4]
        assert [said(reply) for reply in replies] == expected

    def test_a_batch_that_nobody_waits_for_ends(self, loaded, backend, rows, monkeypatch):
        monkeypatch.setattr(Local, "_load", lambda _: loaded)

        async def main():
            async with backend.connect() as call:
                endless = requests(backend, CLIP, max_tokens=20_000)
                calls = [asyncio.create_task(call(request)) for request in endless]
                while not rows:
                    await asyncio.sleep(0.001)
                for task in calls:
                    task.cancel()
                await asyncio.gather(*calls, return_exceptions=True)
                started = time.monotonic()
                await call(requests(backend, CLIP)[0])
                return time.monotonic() - started

        assert asyncio.run(main()) < 15
