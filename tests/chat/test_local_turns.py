import threading
import time

import numpy as np
import pytest

from helpers.chat import local_turns
from helpers.chat.clips import HeldFrames
from helpers.chat.local_turns import MOST, Turn, Waiting, beginning
from helpers.chat.messages import system, user
from helpers.chat.pictures import Picture
from helpers.chat.request import Request, Sampling

RNG = np.random.default_rng(0)
FIRST, SECOND = (Picture.encode(RNG.integers(0, 256, (32, 32, 3), dtype=np.uint8)) for _ in range(2))
CLIP = HeldFrames((FIRST, SECOND), (0.0, 0.5), 10, 20)


def request(*parts, before="Be brief.", extra=None, **sampling):
    return Request(
        model="local",
        messages=(system(before), user(*parts)),
        sampling=Sampling(**sampling),
        extra=extra or {},
    )


def waiting(*requests):
    room = Waiting()
    turns = [Turn.of(each) for each in requests]
    for turn in turns:
        room.add(turn)
    return room, turns


class TestFits:
    @pytest.mark.parametrize("shown", [(FIRST,), (FIRST, "and", SECOND), (CLIP,), ("This:", CLIP)], ids=len)
    def test_only_what_follows_the_last_picture_may_differ(self, shown):
        one, other = Turn.of(request(*shown, "A?")), Turn.of(request(*shown, "B?", "C?"))
        assert one.fits(other)
        assert other.fits(one)

    @pytest.mark.parametrize(
        "other",
        [
            request(SECOND, "A?"),
            request(FIRST, SECOND, "A?"),
            request("Look.", FIRST, "A?"),
            request(CLIP, "A?"),
            request(FIRST, "A?", before="Be long."),
            request(FIRST, "A?", extra={"chat_template_kwargs": {"enable_thinking": False}}),
            request(FIRST, "A?", max_tokens=7),
            request("A?"),
        ],
        ids=range(8),
    )
    def test_anything_else_may_not(self, other):
        assert not Turn.of(request(FIRST, "A?")).fits(Turn.of(other))

    def test_a_seed_matters_only_where_something_is_drawn(self):
        def pair(**about):
            return [Turn.of(request(FIRST, "A?", seed=seed, **about)) for seed in (1, 2)]

        greedy, drawn = pair(), pair(temperature=0.5)
        assert greedy[0].fits(greedy[1])
        assert not drawn[0].fits(drawn[1])
        assert not drawn[0].fits(drawn[0])

    def test_without_pictures_nothing_is_shared(self):
        assert beginning(request("A?")) is None
        assert not Turn.of(request("A?")).fits(Turn.of(request("A?")))


class TestTake:
    def test_those_who_fit_go_together_and_the_others_in_their_order(self):
        room, turns = waiting(
            *[request(shown, f"{i}?") for i in range(3) for shown in (FIRST, "text", SECOND)]
        )
        groups = [room.take() for _ in range(6)]
        assert groups[:2] == [turns[::3], [turns[1]]]
        assert groups[2:] == [turns[2::3], [turns[4]], [turns[7]], []]

    def test_a_batch_has_its_bounds(self):
        room, turns = waiting(*[request(FIRST, f"{i}?") for i in range(MOST + 3)])
        assert room.take() == turns[:MOST]
        assert room.take() == turns[MOST:]

    def test_who_asks_about_the_same_pictures_comes_first(self):
        room, turns = waiting(request(FIRST, "A?"), request(SECOND, "B?"))
        assert room.take() == turns[:1]
        repair, drawn = (
            Turn.of(request(FIRST, "C?", max_tokens=9)),
            Turn.of(request(FIRST, "D?", temperature=1)),
        )
        room.add(drawn)
        room.add(repair)
        assert [room.take() for _ in range(3)] == [[drawn], [repair], turns[1:]]

    def test_it_waits_for_those_who_come_one_after_another(self, monkeypatch):
        monkeypatch.setattr(local_turns, "QUIET", 0.4)
        room, turns = waiting(request(FIRST, "0?"))
        later = [Turn.of(request(FIRST, f"{i}?")) for i in range(1, 6)]

        def come():
            for turn in later:
                time.sleep(0.02)
                room.add(turn)

        thread = threading.Thread(target=come)
        thread.start()
        assert room.take() == turns + later
        thread.join()

    def test_who_left_is_passed_over(self):
        room, turns = waiting(*[request(FIRST, f"{i}?") for i in range(3)])
        turns[1].future.cancel()
        assert room.take() == [turns[0], turns[2]]
