"""A benchmark's clips as a list that is narrowed and sorted, and the rows of all tables about one of them."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

import pandas as pd

from helpers.reports.evidence import clip_scores
from helpers.reports.judged import Judged

# How clips may be sorted: the column, and whether its lowest value comes first.
ORDERS: Mapping[str, tuple[str, bool] | None] = {
    "lowest score first": ("score", True),
    "judge and people furthest apart first": ("from_people", False),
    "judges furthest apart first": ("from_judges", False),
    "highest score first": ("score", False),
    "as in the table": None,
}
# The columns by which clips are narrowed, from the widest to the narrowest.
FILTERS = ("country", "group", "model", "variant")
_BY_CLIP = ("answers", "ratings", "metric_values")


class Clips:
    """All clips of a benchmark, as one judge sees them.

    Args:
        judged: the benchmark's judgements.
        judge: a judge's name; the first one where left out.

    Attributes:
        judged: the same.
        judge: whose scores sort the list; None where the study has no judge, and people's sort it.
        metrics: those that any of the clips has a row of.

    Raises:
        ValueError: no judge of that name, or tables that contradict each other.
    """

    def __init__(self, judged: Judged, judge: str = ""):
        self.judged = judged
        self.judge = judged.judge(judge)
        tables = judged.page.tables
        self._rows = {name: tables[name].groupby("video_id").indices for name in _BY_CLIP}
        self._place = pd.Index(tables["videos"]["video_id"])
        self.metrics = sorted(tables["metric_values"]["metric"].unique())

    @cached_property
    def scores(self) -> dict[str, pd.DataFrame]:
        """By each other panel's title ("" where there is none), `clip_scores` of the judge and that panel."""
        others = [panel for panel in self.judged.panels if panel != self.judge]
        found = {panel.title: clip_scores(self.judged, self.judge, panel) for panel in others}
        return found or {"": clip_scores(self.judged, self.judge, None)}

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row a clip, in the order of the table videos.

        Columns video_id, prompt_id, model, country, group (category, aspect or the landmark's name), variant,
        status, score (mean over criteria, 0 to 1; missing where not scored), from_people and from_judges
        (the judge's largest distance from people or from any other judge under one criterion; missing without
        both).
        """
        tables = self.judged.page.tables
        prompts = tables["prompts"].assign(group=_groups(tables, self.judged.framework.group))
        about = prompts[["prompt_id", "country", "group", "variant"]]
        videos = tables["videos"][["video_id", "prompt_id", "model", "status"]]
        clips = videos.merge(about, on="prompt_id", how="left")
        clips[["group", "variant"]] = clips[["group", "variant"]].fillna("none")
        people = [panel.title for panel in self.judged.panels if panel.people]
        judges = [panel.title for panel in self.judged.panels if not panel.people]
        said = {
            "score": self._means(),
            "from_people": self._apart(people),
            "from_judges": self._apart(judges),
        }
        return clips.assign(**{name: clips["video_id"].map(values) for name, values in said.items()})

    def one(self, video_id: str) -> Judged:
        """The same judgements with the rows about one clip only, in the tables that are long."""
        tables = dict(self.judged.page.tables)
        for name, rows in self._rows.items():
            tables[name] = tables[name].iloc[rows.get(video_id, [])]
        tables["videos"] = tables["videos"].iloc[[self._place.get_loc(video_id)]]
        return replace(self.judged, page=replace(self.judged.page, tables=tables))

    def video(self, video_id: str) -> pd.Series:
        """A clip's row of the table videos."""
        return self.judged.page.tables["videos"].iloc[self._place.get_loc(video_id)]

    def scores_of(self, video_id: str) -> dict[str, pd.DataFrame]:
        """One clip's rows of `scores`."""
        return {title: rows.loc[rows["video_id"].eq(video_id)] for title, rows in self.scores.items()}

    def _means(self) -> pd.Series:
        whose = "people" if self.judge is None else "judge"
        return next(iter(self.scores.values())).groupby("video_id")[whose].mean()

    def _apart(self, titles: list[str]) -> pd.Series:
        pairs = [self.scores[title] for title in titles if title in self.scores]
        if self.judge is None or not pairs:
            return pd.Series(dtype=float)
        rows = pd.concat(pairs)
        return rows["apart"].abs().groupby(rows["video_id"]).max()


def narrowed(clips: pd.DataFrame, chosen: Mapping[str, str]) -> pd.DataFrame:
    """The clips whose columns have the chosen values; an empty value takes all."""
    for column, value in chosen.items():
        if value:
            clips = clips[clips[column].eq(value)]
    return clips


def ordered(clips: pd.DataFrame, order: str) -> pd.DataFrame:
    """The clips by one of `ORDERS`; equals stay as they are, and clips without the value come last."""
    by = ORDERS[order]
    if by is None:
        return clips
    column, rising = by
    return clips.sort_values(column, ascending=rising, kind="stable", na_position="last")


def judge_names(judged: Judged) -> dict[str, str]:
    """The judges' titles and their names."""
    return {panel.title: panel.who for panel in judged.panels if not panel.people}


def _groups(tables: Mapping[str, pd.DataFrame], column: str | None) -> pd.Series:
    """What divides a country's prompts: their category, aspect or landmark."""
    if column:
        return tables["prompts"][column]
    names = tables["landmarks"].set_index("landmark_id")["name"]
    places = tables["prompts"]["landmark_id"]
    return places.map(names).fillna(places)
