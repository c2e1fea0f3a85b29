"""The checks against what a reader finds by hand in the paper (section and table named in each case)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import published
from helpers.evidence.claims import Paper, checks
from helpers.evidence.claims.people import agreement_with_ranks, denominators, fits_rankings
from helpers.evidence.questions import country_percentages, question_counts


@pytest.fixture(scope="module")
def tables():
    names = {
        "cells": "cells",
        "overall": "overall_rows",
        "countries": "countries",
        "videoscore": "videoscore",
    }
    tables = {field: published.load(f"culturescore_{name}") for field, name in names.items()}
    printed = country_percentages(tables["countries"])
    anchor = printed[(printed["model"] == "LTX-2") & (printed["dimension"] != "overall")]
    full = tables["cells"][tables["cells"]["model"] != "Veo 3.1 Fast"]
    return tables | {"claims": published.load("claims"), "counts": question_counts(full, anchor)}


@pytest.fixture(scope="module")
def found(tables):
    return checks(Paper(**tables)).set_index("says")


def one(found, words):
    rows = found[found.index.str.contains(words, regex=False)]
    assert len(rows) == 1, f"'{words}' names {len(rows)} checks"
    return rows.iloc[0]


def test_every_check_is_complete_and_said_once(found):
    assert found.index.is_unique
    assert (found[["where", "gives"]].map(len) > 0).all(axis=None)
    assert found["holds"].map(type).eq(bool).all()
    assert not found["gives"].str.contains("nan").any()


@pytest.mark.parametrize(
    ("words", "gives"),
    [
        ("6,180 videos", "2,943 + 2,943 + 294 = 6,180"),  # Appendix D.1
        ("2,943 prompts", "981 scenarios × 3 variants"),  # Appendix D.1
        ("overall rows", "12 of 12"),  # Tables 11-14
        ("gains are extended minus base", "88 of 88"),  # Tables 9, 10
        ("LTX-2 by country", "80 of 80"),  # Tables 9, 11, 12
        ("no model exceeds 52 %", "57 of 147"),  # Tables 12, 14, 16: cells above 52, counted
        ("context is highest", "6 of 6"),  # Tables 11-16, last rows
        ("leads in 8 countries", "Iran and Poland"),  # Section 4.1
        ("highest VideoScore", "10 of 10"),  # Figure 5
        ("6 drops from extended", "6 of 6"),  # Section 4.1
    ],
)
def test_what_holds(found, words, gives):
    row = one(found, words)
    assert row["holds"]
    assert gives in row["gives"]


@pytest.mark.parametrize(
    ("words", "gives"),
    [
        ("49 frames", "3.1 seconds"),  # D.1; 49 / 16
        ("questions are valid", "8,811 are 94.85 %"),  # Section 3.2
        ("answer the same questions", "India family (Wan 2.2 base)"),  # Tables 11-14
        (
            "Wan 2.2 by country",
            "27.0 there, cells from 20.0 to 25.0",
        ),  # Tables 10, 13: South Africa, Behavior
        ("most challenging", "lowest in 1 of 6 runs"),  # Tables 11-16, last rows
        ("identity is LTX-2's second", "identity 45.0, behavior 47.0"),  # Section 4.1
        ("Veo scores highest on behavior", "behavior 51.9, context 59.0"),  # Section 4.1
        ("nine gains", "Wan 2.2, behavior: 15.8 and 15.9"),  # Section 4.1; 49.8 - 33.9
        ("behavior resists", "identity (Veo 3.1 Fast)"),  # Section 4.1; 11.9 < 16.2
        ("gains most on identity", "18.0 and 19.1"),  # Tables 9, 10
        ("already show much", "Veo 30.0, Wan 2.2 33.4"),  # Tables 13, 15
        ("Veo with extended prompts", "42.3, 51.5, 59.2"),  # Table 16
        ("best average 56.8", "55.3 and 50.7"),  # Tables 9, 10
        ("lowest in cultural accuracy", "Veo 50.9, LTX-2 51.4"),  # Section 4.1
        ("consistently worst", "5 of 10"),
        ("inversely related", "exact p = 0.33"),
        ("LTX-2's average VideoScore", "3.44 (base), 3.35 (extended), 3.30 (no_country)"),
        ("Veo is reduced most", "LTX-2 -33.5, Veo -27.6"),  # Section 4.1
        ("largest drop by country", "-26.5"),  # Section 4.1; (25.8 + 20.3 + 33.5) / 3
        ("most divisive", "etiquette 0.415"),  # Appendix A.2
        ("human ranks align", "-0.50 and -0.50"),
        ("ranks highest on human preference", "1.66"),  # Section 4.2
        ("strongest predictor", "-0.5 for identity, +1.0 for behavior"),
        ("people's answers confirm", "context 51.2, behavior 53.7, identity 63.0"),  # Section 4.2
        ("varies most between countries", "identity 33.3 to 88.9"),  # Section 4.2
        ("45 raters", "45 × 9 = 405"),  # Section 4.2
        ("mean ranks", "135 complete rankings cannot"),
        ("relevance by country", "93.3 % is one of 15 but not of 18"),
        ("0.656", "no share of 27"),
    ],
)
def test_what_does_not_hold(found, words, gives):
    row = one(found, words)
    assert not row["holds"]
    assert gives in row["gives"]


@pytest.mark.parametrize(
    ("claim_id", "value", "words"),
    [
        ("cs-questions-valid", 8817, "questions are valid"),
        ("cs-rank-observations", 405, "45 raters"),
        ("cs-rank-wan", 1.5, "ranks highest on human preference"),
        ("cs-similarity-etiquette", 0.5, "most divisive"),
        ("cs-average-veo", 52.0, "lowest in cultural accuracy"),
        ("cs-wan-frames", 81, "frames are a clip"),
        ("cs-videoscore-average-wan", 2.71, "Wan 2.2's average VideoScore"),
        ("cs-accuracy-ltx-ext-identity", 48.0, "identity is LTX-2's second"),
        ("cs-accuracy-veo-ext-behavior", 60.0, "Veo scores highest on behavior"),
    ],
)
def test_a_corrected_number_would_hold(tables, claim_id, value, words):
    claims = tables["claims"].copy()
    claims.loc[claims["claim_id"] == claim_id, "value"] = value
    assert one(checks(Paper(**tables | {"claims": claims})).set_index("says"), words)["holds"]


def test_a_wrong_sum_would_not_hold(tables):
    claims = tables["claims"].copy()
    claims.loc[claims["claim_id"] == "cs-videos-veo", "value"] = 300
    assert not one(checks(Paper(**tables | {"claims": claims})).set_index("says"), "6,180 videos")["holds"]


# People.


def test_agreement_with_ranks_by_hand(tables):
    # Preference: Veo, Wan 2.2, LTX-2. VideoScore LTX-2, Veo, Wan 2.2: squared differences 1 + 1 + 4, so
    # 1 - 6 x 6 / 24 = -0.50, as Section 4.2 prints; behavior orders the models as people do.
    found = agreement_with_ranks(Paper(**tables)).set_index("score")
    assert found["rho"].to_dict() == {
        "VideoScore": -0.5,
        "CultureScore": -0.5,
        "identity": -0.5,
        "behavior": 1.0,
        "context": -0.5,
    }
    # Two of six orders are perfect.
    assert found.loc["behavior", "p"] == pytest.approx(1 / 3)


def test_denominators_by_hand(tables):
    found = denominators(Paper(**tables), [15, 18]).set_index(["country", "dimension"])
    # 14 of 15, 17 of 18, 12 of 18 or 10 of 15.
    assert found.loc[("Germany", "behavior"), ["15", "18"]].tolist() == [True, False]
    assert found.loc[("India", "context"), ["15", "18"]].tolist() == [False, True]
    assert found.loc[("India", "behavior"), ["15", "18"]].tolist() == [True, True]


def test_the_mean_ranks_of_section_4_2_are_not_those_of_135_rankings():
    # By hand: 224, 262 and 323 are the largest totals that print as 1.66, 1.94 and 2.39; 135 x 6 = 810.
    assert not fits_rankings([1.66, 1.94, 2.39], 135)


@given(st.lists(st.permutations([1, 2, 3]), min_size=1, max_size=200))
@settings(max_examples=30)
def test_real_rankings_always_fit(rankings):
    assert fits_rankings(np.mean(rankings, axis=0).round(2).tolist(), len(rankings))
