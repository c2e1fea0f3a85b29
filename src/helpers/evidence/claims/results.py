"""Checks of dimensions, gains, averages and countries (Section 4.1 against Tables 9 to 16)."""

import pandas as pd

from helpers.evidence.claims.paper import Check, Paper
from helpers.evidence.claims.tables import LTX, WAN
from helpers.evidence.questions import CELL, HALF_DIGIT, VEO, averages, pooled
from helpers.published import DIMENSIONS, MODELS


def checks(paper: Paper) -> list[Check]:
    """The checks of this module."""
    parts = (_weakest, _order, _gains, _gain_order, _veo, _averages, _countries)
    return [check for part in parts for check in part(paper)]


def _weakest(paper: Paper) -> list[Check]:
    rows = paper.last_rows
    lowest = rows.idxmin(axis=1)
    behavior = paper.extended.query("dimension == 'behavior'")["accuracy"]
    by_country = paper.countries.query("level == 'country' and dimension == 'behavior'")["extended"]
    return [
        Check(
            "Abstract, 4.2",
            "behavior is the most challenging, the weakest dimension",
            f"lowest in {(lowest == 'behavior').sum()} of {len(rows)} runs; identity is lowest in "
            f"{(lowest == 'identity').sum()} (last rows of Tables 11 to 16)",
            bool((lowest == "behavior").all()),
        ),
        Check(
            "Abstract, 4.1",
            "no model exceeds 52 % on behavior",
            f"true of averages ({rows['behavior'].max()} at most); over 52 are {(by_country > 52).sum()} of "
            f"{len(by_country)} country values (Tables 9, 10) and {(behavior > 52).sum()} of {len(behavior)} "
            f"cells, up to {behavior.max()}",
            bool(rows["behavior"].max() <= 52),
        ),
    ]


def _order(paper: Paper) -> list[Check]:
    ltx, veo = paper.text.loc[LTX, "extended"], paper.text.loc[VEO, "extended"]
    highest = paper.last_rows.idxmax(axis=1)
    cells = paper.extended.pivot_table(
        index=["model", "country", "category"], columns="dimension", values="accuracy"
    )
    top = (cells["context"] >= cells.max(axis=1)).groupby("model").sum()
    return [
        Check(
            "4.1",
            "identity is LTX-2's second dimension",
            f"identity {ltx['identity']}, behavior {ltx['behavior']}, context {ltx['context']}: third",
            ltx.idxmin() != "identity",
        ),
        Check(
            "4.1",
            "Veo scores highest on behavior",
            f"behavior {veo['behavior']}, context {veo['context']}",
            veo.idxmax() == "behavior",
        ),
        Check(
            "4.1, Figure 4",
            "context is highest in each model",
            f"on average in {(highest == 'context').sum()} of {len(highest)} runs; of 49 cells with extended "
            f"prompts in {_by_model(top)}",
            bool((highest == "context").all()),
        ),
    ]


def _gains(paper: Paper) -> list[Check]:
    printed = paper.quantity("gain from base to extended").set_index(["model", "dimension"])["value"]
    gains = (paper.by_dimension["extended"] - paper.by_dimension["base"]).loc[printed.index]
    cells = paper.cells.pivot_table(index=["model", *CELL], columns="variant", values="accuracy")
    flat = (cells["extended"] <= cells["base"]).groupby("model").sum()
    same = (printed - gains).abs() < HALF_DIGIT
    differing = [
        f"{model}, {dimension}: {printed[model, dimension]} and {gains[model, dimension]:.1f}"
        for model, dimension in same.index[~same]
    ]
    least = pd.Series({model: printed[model].idxmin() for model in MODELS["culturescore"]})
    return [
        Check(
            "4.1 and Tables 11-16",
            "nine gains of extended over base prompts",
            f"{same.sum()} of {len(same)} follow from the last rows; text and tables differ in "
            + "; ".join(differing),
            bool(same.all()),
        ),
        Check(
            "4.1",
            "gains are consistent over models and dimensions",
            f"cells without gain, of {len(cells) // 3}: {_by_model(flat)}",
            bool((flat == 0).all()),
        ),
        Check(
            "4.1",
            "behavior resists longer prompts most",
            f"smallest gain: {_by_model(least)}",
            set(least) == {"behavior"},
        ),
    ]


def _gain_order(paper: Paper) -> list[Check]:
    text = paper.quantity("gain from base to extended").set_index(["model", "dimension"])["value"]
    tables = paper.countries.query("level == 'average'").set_index(["model", "dimension"])["gain"]
    ltx, wan = (LTX, "identity"), (WAN, "identity")
    base = paper.by_dimension["base"].xs("identity", level="dimension")
    return [
        Check(
            "4.1 and Tables 9, 10",
            "LTX-2 gains most on identity, Wan 2.2 follows",
            f"{text[ltx]} and {text[wan]} in the text, {tables[ltx]} and {tables[wan]} in the tables that it "
            "cites: the order turns round",
            bool(tables[ltx] > tables[wan]),
        ),
        Check(
            "4.1",
            "Veo gains least on identity because base prompts already show much of it",
            f"identity with base prompts: Veo {base[VEO]}, Wan 2.2 {base[WAN]}, which gains more",
            base.idxmax() == VEO,
        ),
    ]


def _veo(paper: Paper) -> list[Check]:
    text = paper.text.loc[VEO, "extended"].loc[list(DIMENSIONS)].tolist()
    table = paper.last_rows.loc[(VEO, "extended")].tolist()
    return [
        Check(
            "4.1, Figure 4 and Table 16",
            f"Veo with extended prompts: {', '.join(map(str, text))} (identity, behavior, context)",
            f"Table 16 ends in {', '.join(map(str, table))}",
            text == table,
        )
    ]


def _averages(paper: Paper) -> list[Check]:
    names = {LTX: "ltx", WAN: "wan", VEO: "veo"}
    text = pd.Series({model: paper.claim(f"cs-average-{name}") for model, name in names.items()})
    rows = paper.last_rows.xs("extended", level="variant").mean(axis=1).round(1)
    counted = paper.counted[paper.counted["variant"] == "extended"]
    questions = pooled(counted, ["model"]).set_index("model")["accuracy"]
    tables = paper.countries.query("level == 'average' and dimension == 'overall'")
    tables = tables.set_index("model")["extended"]
    veo = averages(counted, ["model"], _per_clip(paper)).set_index("model").loc[VEO]
    return [
        Check(
            "Abstract, 4.1 and Tables 9, 10",
            f"best average {text[WAN]} (Wan 2.2); LTX-2 {text[LTX]}",
            f"means of three dimensions: {rows[WAN]} and {rows[LTX]}; all questions pooled: "
            f"{questions[WAN]:.1f} and {questions[LTX]:.1f}; Tables 10 and 9 end in {tables[WAN]} and "
            f"{tables[LTX]}, means of ten countries",
            bool(tables[WAN] == text[WAN] and tables[LTX] == text[LTX]),
        ),
        Check(
            "4.1",
            f"Veo has the lowest average ({text[VEO]})",
            f"{text[LTX] - text[VEO]:.1f} below LTX-2; Table 16 gives {rows[VEO]}, and even with independent "
            f"questions the interval is {veo['low']:.1f} to {veo['high']:.1f}",
            bool(veo["high"] < text[LTX]),
        ),
        Check(
            "Conclusion",
            "LTX-2 is lowest in cultural accuracy",
            f"Section 4.1: Veo {text[VEO]}, LTX-2 {text[LTX]}",
            text.idxmin() == LTX,
        ),
    ]


def _countries(paper: Paper) -> list[Check]:
    means = paper.extended.pivot_table(index="country", columns="model", values="accuracy")
    first, last = means.idxmax(axis=1), means.idxmin(axis=1)
    leads = list(first.index[first == VEO])
    counted = paper.counted[paper.counted["variant"] == "extended"]
    found = averages(counted, ["model", "country"], _per_clip(paper)).set_index(["model", "country"]).loc[VEO]
    veo = [f"{means.loc[c, VEO]:.1f} [{found.loc[c, 'low']:.0f}, {found.loc[c, 'high']:.0f}]" for c in leads]
    parts = paper.extended.pivot_table(index=["dimension", "country"], columns="model", values="accuracy")
    best = parts.idxmax(axis=1)
    wins = {d: int((best[d] == (VEO if d == "behavior" else WAN)).sum()) for d in DIMENSIONS}
    return [
        Check(
            "4.1",
            "Wan 2.2 leads in 8 countries, Veo in Iran (51.6) and Poland (52.0)",
            f"means of cells: Wan 2.2 in {(first == WAN).sum()}, Veo in {' and '.join(leads)}, "
            f"{', '.join(veo)}: intervals that cover the other models",
            leads == ["Iran", "Poland"] and (first == WAN).sum() == 8,
        ),
        Check(
            "Figure 5",
            "LTX-2 is consistently worst in cultural faithfulness, in all regions",
            f"lowest in {(last == LTX).sum()} of {len(last)} countries (means of cells)",
            bool((last == LTX).all()),
        ),
        Check(
            "D.3",
            "Wan 2.2 is consistently best on identity and context, Veo on behavior",
            ", ".join(f"{dimension} in {count}" for dimension, count in wins.items()) + f" of {len(last)}",
            min(wins.values()) == len(last),
        ),
    ]


def _per_clip(paper: Paper) -> float:
    return paper.questions / paper.claim("cs-scenarios")


def _by_model(values: pd.Series) -> str:
    return ", ".join(f"{values[model]} ({model})" for model in MODELS["culturescore"])
