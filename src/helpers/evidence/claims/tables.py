"""Checks of the design, of the number of questions, and of the tables against each other."""

from helpers.evidence.claims.paper import Check, Paper
from helpers.evidence.questions import CELL, HALF_DIGIT, RUN, VEO, country_percentages, pooled, recomputed
from helpers.published import MODELS
from helpers.stats.proportions import consistent_counts

LTX, WAN, _ = MODELS["culturescore"]
WAN_FRAME_RATE = 16
"""Frames a second that Wan 2.2's published configuration (sample_fps) writes."""


def checks(paper: Paper) -> list[Check]:
    """The checks of this module."""
    parts = (_design, _questions, _same_questions, _tables)
    return [check for part in parts for check in part(paper)]


def _design(paper: Paper) -> list[Check]:
    videos = [paper.claim(f"cs-videos-{name}") for name in ("wan", "ltx", "veo")]
    scenarios, total = paper.claim("cs-scenarios"), paper.claim("cs-videos")
    frames, seconds = paper.claim("cs-wan-frames"), paper.claim("cs-duration-wan")
    lasting = frames / WAN_FRAME_RATE
    cells = len(paper.cells[["country", "category"]].drop_duplicates())
    return [
        Check(
            "Abstract, D.1",
            f"{total:,.0f} videos",
            " + ".join(f"{part:,.0f}" for part in videos) + f" = {sum(videos):,.0f}",
            sum(videos) == total,
        ),
        Check(
            "Abstract, D.1",
            f"{paper.claim('cs-prompts'):,.0f} prompts",
            f"{scenarios:.0f} scenarios × 3 variants = {3 * scenarios:,.0f}",
            3 * scenarios == paper.claim("cs-prompts"),
        ),
        Check(
            "D.1",
            f"{frames:.0f} frames are a clip of {seconds:.0f} seconds (Wan 2.2)",
            f"at the {WAN_FRAME_RATE} frames a second of its published configuration: {lasting:.1f} seconds",
            round(lasting) == seconds,
        ),
        Check(
            "D.1",
            f"{videos[2]:.0f} clips of Veo keep the comparison statistically significant",
            f"{videos[2] / 3 / cells:.0f} clips a cell and variant, 5 to 8 questions a dimension; no test is "
            "reported",
            False,
        ),
    ]


def _questions(paper: Paper) -> list[Check]:
    valid, generated = paper.claim("cs-questions-valid"), paper.claim("cs-questions-generated")
    share, total = paper.claim("cs-questions-valid-share"), paper.questions
    return [
        Check(
            "3.2",
            f"{valid:,.0f} of {generated:,.0f} questions are valid, {share} %",
            f"{valid:,.0f} are {100 * valid / generated:.2f} %; the counts behind Tables 11 to 14 add up to "
            f"{total:,}, {100 * total / generated:.2f} %: the tables fit the share, not the count",
            round(100 * valid / generated, 2) == share,
        ),
        Check(
            "C.4",
            f"{generated:,.0f} questions over all prompts and models",
            f"one set serves both models and both variants: {total / paper.claim('cs-scenarios'):.1f} valid "
            "questions a scenario",
            False,
        ),
    ]


def _same_questions(paper: Paper) -> list[Check]:
    odd = paper.counts[paper.counts["odd_run"] != ""].merge(paper.cells, on=CELL)
    odd = odd[odd["model"] + " " + odd["variant"] == odd["odd_run"]]
    pairs = zip(odd["accuracy"], odd["n"], strict=True)
    fewer = [max(k for k in range(1, n + 1) if consistent_counts(percent, k)) for percent, n in pairs]
    places = ", ".join(sorted(set(odd["country"] + " " + odd["category"] + " (" + odd["odd_run"] + ")")))
    return [
        Check(
            "Tables 11-14",
            "LTX-2 and Wan 2.2 answer the same questions with both variants",
            f"not in {places}: {sum(fewer)} questions fit it, {odd['n'].sum()} the other runs, as if "
            "one clip were missing",
            odd.empty,
        )
    ]


def _tables(paper: Paper) -> list[Check]:
    ours = pooled(paper.counted[paper.counted["model"] != VEO], [*RUN, "dimension"])
    last = ours.merge(paper.overall, on=[*RUN, "dimension"], suffixes=("", "_printed"))
    near = (last["accuracy"] - last["accuracy_printed"]).abs() <= HALF_DIGIT
    steps = (paper.countries["extended"] - paper.countries["base"] - paper.countries["gain"]).abs()
    small = steps <= 0.1 + HALF_DIGIT
    return [
        Check(
            "Tables 11-14",
            "overall rows",
            f"{near.sum()} of {len(near)} are the cells' questions, pooled",
            bool(near.all()),
        ),
        Check(
            "Tables 9, 10",
            "gains are extended minus base",
            f"{small.sum()} of {len(small)} within 0.1 (rounded after subtracting)",
            bool(small.all()),
        ),
        _country_table(paper, LTX, "Table 9", "Tables 11 and 12"),
        _country_table(paper, WAN, "Table 10", "Tables 13 and 14"),
    ]


def _country_table(paper: Paper, model: str, table: str, source: str) -> Check:
    both = recomputed(paper.counted, country_percentages(paper.countries))
    rows = both[both["model"] == model]
    off = rows["difference"].abs() > HALF_DIGIT
    gives = f"{(~off).sum()} of {len(rows)} values follow from the cells"
    if off.any():
        worst = rows.loc[rows["difference"].abs().idxmax()]
        place = [*RUN, "country", "dimension"]
        behind = paper.cells[(paper.cells[place] == worst[place]).all(axis=1)]["accuracy"]
        gives += (
            f"; e.g. {worst['country']}, {worst['dimension']}, {worst['variant']}: {worst['table']} there, "
            f"cells from {behind.min()} to {behind.max()} here"
        )
    return Check(f"{table} and {source}", f"{model} by country and by cell: one run", gives, not off.any())
