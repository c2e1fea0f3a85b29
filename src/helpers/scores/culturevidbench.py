"""CultureVidBench's scores from ratings: criteria, groups, culture and its drop (Han et al. 2026).

The order of averaging. Ratings of one clip and criterion are averaged over raters (4.3) and brought from 1-5
to 0-1 (5.1); clips are averaged, which gives the criteria as in Table 1; criteria are averaged to groups and
groups to the cultural score. "NA" is left out at the first step. The paper does not say whether its cultural
scores (Figures 6 and 8) average criteria within clips first, nor whether "averaged over cultural faithfulness
and multimodal cultural rendering" means the two groups or their four criteria. Clips before criteria is what
a reader can redo from Table 1; of the second, both readings are given: they agree unless a criterion is
missing.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from helpers.criteria import of_framework
from helpers.people.rules import mean_rating
from helpers.published import ASPECTS, AUDIO_ASPECTS
from helpers.scores.cells import LEAST_SHARE, score_cells
from helpers.scores.outcomes import as_cases, outcomes
from helpers.scores.raters import chosen, ratings_of
from helpers.scores.score import Score, Scores

CRITERIA = of_framework("culturevidbench")
GROUPS = {
    group: tuple(name for name, criterion in CRITERIA.items() if criterion.group == group)
    for group in dict.fromkeys(criterion.group for criterion in CRITERIA.values())
}
CULTURE = (GROUPS["cultural_faithfulness"], GROUPS["multimodal_rendering"])
MAY_LACK = frozenset(name for name, criterion in CRITERIA.items() if criterion.not_applicable)
_DROP = {"against": GROUPS["semantic_adherence"], "bounds": (-np.inf, 1.0), "may_lack": MAY_LACK}
SCORES = (
    *(Score(name=name, groups=((name,),), may_lack=MAY_LACK) for name in CRITERIA),
    *(Score(name=group, groups=(parts,), may_lack=MAY_LACK) for group, parts in GROUPS.items()),
    Score(name="cultural_by_groups", groups=CULTURE, may_lack=MAY_LACK),
    Score(name="cultural_by_criteria", groups=(CULTURE[0] + CULTURE[1],), may_lack=MAY_LACK),
    Score(name="drop_by_groups", groups=CULTURE, **_DROP),
    Score(name="drop_by_criteria", groups=(CULTURE[0] + CULTURE[1],), **_DROP),
)


def graded_clips(tables: Mapping[str, pd.DataFrame], who: str = "judge") -> pd.DataFrame:
    """Every clip under every criterion, with its score by some raters and what became of it.

    A judge is to grade all clips, people those on their sheets (or, with no table assignments, those that
    they graded); a clip that some of the raters scored counts by those. Leave raters who failed a check out
    beforehand (`helpers.people.rules.apply_rules`).

    Args:
        tables: prompts, videos, raters, ratings; if there, assignments.
        who: a rater_id, or a kind: "judge" or "human".

    Returns:
        One row a clip and criterion: video_id, prompt_id, model, country, aspect, category (the aspect's),
        matched_set, criterion, part (the criterion), value (0 to 1, missing unless scored), weight (1) and
        outcome. Set aside are "not_applicable" (all who replied said so), "no_sound" (the aspect has none to
        be judged, the model makes none, or the clip is silent) and "not_asked" (criteria under which these
        raters rated no clip at all, such as the sound by a judge that sees frames only).

    Raises:
        ValueError: nobody of that name or kind.
    """
    raters = chosen(tables, who)
    given, clips = ratings_of(tables, raters, _clips(tables), CRITERIA)
    cases = clips.loc[clips.index.repeat(len(CRITERIA))].reset_index(drop=True)
    names = pd.CategoricalDtype(list(CRITERIA))
    cases["criterion"] = pd.Series(np.tile(list(CRITERIA), len(clips)), dtype=names)
    keys = ["video_id", "criterion"]
    # One row a clip and criterion; of several useless replies the first says why.
    why = given[given["status"].ne("ok")].drop_duplicates(keys)[[*keys, "status"]]
    means = mean_rating(given)[[*keys, "score", "n", "not_applicable"]].merge(why, on=keys, how="left")
    means["status"] = means["status"].mask(means["n"].gt(0), "ok")
    cases = cases.astype({"criterion": str}).merge(means, on=keys, how="left").astype({"criterion": names})
    score = cases["score"].to_numpy(float, na_value=np.nan)
    all_na = cases["n"].eq(0) & cases["not_applicable"].gt(0) & cases["status"].isna()
    rules = [
        ("no_sound", cases["criterion"].eq("audio_alignment") & ~cases["sounds"]),
        ("not_asked", ~cases["criterion"].isin(given["criterion"].unique())),
        ("not_applicable", all_na),
        ("no_clip", cases["clip_status"].ne("ok") & np.isnan(score)),
    ]
    became = outcomes(cases["status"], rules)
    low, high = (cases["criterion"].map(ends).astype(float) for ends in _ends())
    about = cases.drop(columns=["score", "n", "not_applicable", "status", "sounds", "clip_status"])
    return as_cases(about, cases["criterion"], (score - low) / (high - low), became)


def culturevidbench(
    cases: pd.DataFrame,
    by: Sequence[str] = ("model",),
    *,
    cluster: str = "prompt_id",
    least_share: float = LEAST_SHARE,
    level: float = 0.95,
) -> Scores:
    """The eight criteria, four groups, the cultural score both ways, and its drop from semantic adherence.

    Args:
        cases: as `graded_clips` returns them.
        by: columns whose combinations are the cells: model, country, aspect, category, … Clips of several
            models in one cell count equally.
        cluster: "prompt_id" for a claim about further prompts, "country" for one about further countries.
        least_share: as `helpers.scores.cells.score_cells`; an average needs it under every criterion.
        level: confidence level of the intervals.

    Returns:
        Scores from 0 to 1. Text or sound that was nowhere to be judged in a cell is left out of the averages,
        and the status names it: such a cell is an average of fewer criteria than its neighbours.
        `drop_by_groups` and `drop_by_criteria` are 1 - cultural/semantic (Figure 8), below 0 for a rise.

    Raises:
        ValueError: as `score_cells`.
    """
    return score_cells(cases, by, SCORES, cluster=cluster, least_share=least_share, level=level)


def _clips(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The clips of CultureVidBench's prompts, and whether their sound is to be judged (4.1)."""
    prompts, videos = tables["prompts"], tables["videos"]
    told = prompts.loc[
        prompts["benchmark"].eq("culturevidbench"), ["prompt_id", "country", "aspect", "matched_set"]
    ]
    clips = videos[["video_id", "prompt_id", "model", "audio", "status"]].merge(told, on="prompt_id")
    makes_sound = clips["model"].isin(clips.loc[clips["audio"].fillna(False), "model"].unique())
    # A clip that was never made would have sounded, if the model's others do.
    sounds = clips["audio"].fillna(makes_sound & clips["status"].ne("ok")).astype(bool)
    clips = clips.assign(
        category=clips["aspect"].map(ASPECTS),
        sounds=sounds & clips["aspect"].isin(AUDIO_ASPECTS),
        clip_status=clips["status"],
    )
    return clips.drop(columns=["audio", "status"])


def _ends() -> tuple[dict[str, int], dict[str, int]]:
    """Each criterion's lowest and highest score."""
    return tuple({name: getattr(each, end) for name, each in CRITERIA.items()} for end in ("low", "high"))
