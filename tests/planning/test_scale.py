"""What a study of many clips costs on paper, by hand; and what the benchmark measured."""

import pandas as pd
import pytest

from helpers.paths import DATA
from helpers.planning.scale import Setting, costs, limits, tokens


def test_costs_by_hand():
    # Wan 2.2 makes 81 frames of 1280 x 720; a judge sees 16 of them at 768 x 432, 324 tokens each.
    setting = Setting(words=1000, questions=1)
    sent, received = tokens(10, setting)
    assert sent == pytest.approx(10 * (16 * 324 + 1000))
    assert received == 10 * 900
    found = costs(1000, setting).set_index("what")
    pixels = 1280 * 720
    assert found.loc["clips", "amount"] == pytest.approx(1000 * pixels * 81 * 0.16 / 8 / 1e9)
    assert found.loc["frames", "amount"] == pytest.approx(1000 * 16 * pixels * 3 / 1e9)
    assert found.loc["decode", "amount"] == pytest.approx(1000 * pixels * 81 * 1.8e-9 / 3600)
    assert found.loc["decode", "days"] == pytest.approx(found.loc["decode", "amount"] / 64 / 24)


def test_everything_grows_with_the_clips():
    few, many = costs(1000, Setting()), costs(1_000_000, Setting())
    assert (many["amount"] / few["amount"]).tolist() == pytest.approx([1000.0] * 6)


def test_the_first_limit_follows_the_machines():
    assert limits(10, Setting(), days=30).max() < 1
    assert limits(1_000_000, Setting(), days=30).idxmax() == "generate"
    assert limits(1_000_000, Setting(disk_gb=1), days=30).idxmax() == "disk"
    assert limits(1_000_000, Setting(gpus=10**7, cores=1), days=1).idxmax() == "decode"
    room = limits(1_000_000, Setting(), days=30)["disk"]
    assert limits(1_000_000, Setting(), days=30, keep_frames=True)["disk"] > 10 * room


@pytest.fixture(scope="module")
def measured() -> pd.DataFrame:
    return pd.read_csv(DATA / "bench" / "scale.csv")


def test_a_million_answers_were_measured_and_took_less_than_two_gigabytes(measured):
    largest = measured[measured["answers"].ge(1_000_000)]
    assert set(largest["texts"]) == {True, False}
    assert largest.loc[~largest["texts"], "peak_megabytes"].max() < 2000


def test_cost_grew_no_faster_than_the_answers(measured):
    steps = measured[~measured["texts"] & measured["step"].ne("leaderboards")]
    total = steps.groupby("answers")["seconds"].sum()
    small, large = total.index[-3], total.index[-1]
    assert total[large] / total[small] < 1.3 * large / small
