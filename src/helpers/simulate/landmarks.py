"""A simulated landmark study: alignment scores that depend on region, popularity and the prompt's detail."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import logit

from helpers import published
from helpers.geography import AXES, countries
from helpers.schemas import LANDMARK_CRITERIA
from helpers.simulate.latent import mixed, shifted, stream
from helpers.simulate.raters import Rater, check_names, effect_of, rater_tables
from helpers.simulate.study import TEXT, Simulation, checked, joined, taken

VARIANTS = ("short", "detailed")
_GROUPS = ["continent", *AXES, "country"]
# Median and spread (of the natural logarithm) of a landmark's page views; GAP prints neither.
_PAGEVIEWS = (20_000, 1.5)


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A computed number about a clip.

    Attributes:
        name: its name in `metric_values`.
        mean: mean over clips of detailed prompts.
        sd: standard deviation over the clips of one region.
        knowledge: its correlation with the clip's true alignment, −1 to 1. A region whose alignment is better
            by some log-odds scores higher by so many standard deviations times this.
        detail: how much higher a detailed prompt's clip scores than a short one's, on average.
    """

    name: str
    mean: float
    sd: float
    knowledge: float
    detail: float = 0.0

    def __post_init__(self) -> None:
        if not -1 <= self.knowledge <= 1 or self.sd < 0:
            raise ValueError(f"{self.name}: expected a knowledge from -1 to 1 and an sd from 0, found {self}")


# Means and gains by detail as in GAP, Table 4; spreads and knowledge are chosen here, so that popularity
# shows about as much as in its Table 1 and quality says nothing of the place (its Figure 3).
METRICS = (
    Metric(name="patch_clip", mean=0.68, sd=0.05, knowledge=0.8, detail=0.02),
    Metric(name="keypoint_match", mean=0.47, sd=0.12, knowledge=0.4, detail=0.03),
    Metric(name="aigve_macs", mean=3.5, sd=0.5, knowledge=0.0),
)


def landmarks_study(
    *,
    seed: int,
    judges: Sequence[Rater] = (Rater(rater_id="simulated-judge"),),
    people: Sequence[Rater] = (),
    landmarks: Mapping[str, int] | None = None,
    pairs: int = 50,
    effects: Mapping[str, float] | None = None,
    popularity: float = 0.3,
    detail: float = 0.29,
    landmark_share: float = 0.5,
    clip_share: float = 0.25,
    metrics: Sequence[Metric] = METRICS,
) -> Simulation:
    """Simulate GAP's study with the published continent means as true rates.

    A clip's true rate is the mean of score/5 over raters without bias. For detailed prompts it is its
    continent's (Table 2), moved by `effects`; short prompts score lower by `detail`. Clips of one landmark
    share a part of their variance, in which `popularity` has its part. Landmarks stand in countries of
    `helpers.geography`, drawn within their continent.

    Args:
        seed: the same seed gives the same study; changing one dial leaves all other draws as they were.
        judges: raters of every clip.
        people: raters of every clip, as in the paper; none has a country.
        landmarks: how many in each continent; Table 2's 381 where left out.
        pairs: landmarks, drawn at random, that also have a clip of a short prompt (50 in GAP, 5.4).
        effects: log-odds by continent, "Global North" and the like, or country.
        popularity: correlation of a clip's alignment (before rounding to scores) with log page views.
        detail: log-odds of a detailed against a short prompt; Table 4's judge went from 3.49 to 3.78 of 5.
        landmark_share: share of the alignment's variance that a landmark's clips share, popularity included.
        clip_share: share of a score's variance that a clip's two criteria share; with 0.25, the mean of the
            two spreads about as in Table 2.
        metrics: computed numbers.

    Returns:
        Tables landmarks, prompts, videos, raters, ratings (two criteria, 0 to 5) and metric_values. Truth:
        `landmarks` (landmark_id, continent, axes, country, log_pageviews, rate of a detailed prompt),
        `regions` (grouping, region, n, rate), `metrics` (metric, all dials, and spearman: rank
        correlation with page views within a region) and `raters` (all dials).

    Raises:
        ValueError: unknown names, more pairs than landmarks, shares or correlations that do not fit.
    """
    sizes = _published_sizes() if landmarks is None else pd.Series(landmarks, dtype=int)
    means = _published_means()
    places = countries()
    groups = {name for group in _GROUPS for name in places[group]}
    check_names(sizes.to_dict(), means.index, "landmarks")
    check_names(effects or {}, groups, "effects")
    if not 0 <= pairs <= sizes.sum():
        raise ValueError(f"pairs: found {pairs}, expected 0 to {sizes.sum()}, the number of landmarks")
    if popularity**2 > landmark_share:
        raise ValueError(f"popularity: {popularity} squared is more than landmark_share = {landmark_share}")
    for rater in (*judges, *people):
        check_names(
            rater.bias, (*np.unique(places[_GROUPS]), *LANDMARK_CRITERIA), f"bias of {rater.rater_id}"
        )
    raters, dials = rater_tables([*judges, *people])
    sites = _sites(sizes, places, seed)
    rate = shifted(sites["continent"].map(means).to_numpy(float), effect_of(effects or {}, sites[_GROUPS]))
    clips = _clips(sites, pairs, seed)
    site, short = clips["site"].to_numpy(), clips["variant"].eq("short").to_numpy()
    alignment = mixed(
        (popularity**2, np.copysign(1, popularity) * sites["popular"].to_numpy()[site]),
        (landmark_share - popularity**2, stream(seed, "landmark").standard_normal(len(sites))[site]),
        (1 - landmark_share, stream(seed, "clip").standard_normal(len(clips))),
    )
    rates = shifted(rate[site], -detail * short)
    region = logit(rate) - logit(rate).mean()
    tables = _tables(sites, clips, metrics, alignment, region[site], seed) | {"raters": raters}
    asked = [
        _ratings(rater, clips, sites, rates, alignment, clip_share, seed) for rater in (*judges, *people)
    ]
    tables["ratings"] = pd.concat(asked, ignore_index=True)
    truth = sites[["landmark_id", *_GROUPS]].assign(log_pageviews=np.log(sites["pageviews"]), rate=rate)
    return Simulation(
        checked(tables),
        {
            "landmarks": truth,
            "regions": _regions(truth),
            "metrics": _metric_truth(metrics, popularity),
            "raters": dials,
        },
    )


def _published_sizes() -> pd.Series:
    regions = published.load("landmarks_regions")
    return regions[regions["grouping"].eq("continent")].set_index("region")["n"].astype(int)


def _published_means() -> pd.Series:
    regions = published.load("landmarks_regions")
    return regions[regions["grouping"].eq("continent")].set_index("region")["mean"] / 5


def _sites(sizes: pd.Series, places: pd.DataFrame, seed: int) -> pd.DataFrame:
    """One row a landmark: its groups, its popularity as a standard normal score, its page views."""
    continents = np.repeat(sizes.index.to_numpy(), sizes)
    draw = stream(seed, "country")
    within = {name: rows["country"].to_numpy() for name, rows in places.groupby("continent")}
    country = [draw.choice(within[name]) for name in continents]
    sites = pd.DataFrame({"country": country}).merge(places[_GROUPS], on="country", how="left")
    popular = stream(seed, "popularity").standard_normal(len(sites))
    number = pd.Series(np.arange(1, len(sites) + 1))
    return sites.assign(
        landmark_id="landmark-" + number.astype(str),
        name="Simulated landmark " + number.astype(str),
        popular=popular,
        pageviews=np.round(_PAGEVIEWS[0] * np.exp(_PAGEVIEWS[1] * popular)).astype(np.int64) + 1,
    )


def _clips(sites: pd.DataFrame, pairs: int, seed: int) -> pd.DataFrame:
    """One row a clip: the detailed one of every landmark, then the short ones of the pairs."""
    paired = np.sort(stream(seed, "pairs").permutation(len(sites))[:pairs])
    site = np.concatenate([np.arange(len(sites)), paired])
    clips = taken(sites[["landmark_id", "country"]], site)
    variant = pd.Series(np.repeat(VARIANTS[::-1], [len(sites), pairs]))
    prompt = joined(clips["landmark_id"], variant)
    return clips.assign(site=site, variant=variant, prompt_id=prompt, video_id=prompt + "/clip")


def _tables(
    sites: pd.DataFrame,
    clips: pd.DataFrame,
    metrics: Sequence[Metric],
    alignment: np.ndarray,
    region: np.ndarray,
    seed: int,
) -> dict[str, pd.DataFrame]:
    """The tables landmarks, prompts, videos and metric_values."""
    prompts = clips[["prompt_id", "country", "variant", "landmark_id"]]
    short = clips["variant"].eq("short").to_numpy()
    values = [np.empty(0)]
    for metric in metrics:
        own = stream(seed, "metric", metric.name).standard_normal(len(clips))
        z = metric.knowledge * (alignment + region) + np.sqrt(1 - metric.knowledge**2) * own
        values.append(metric.mean - metric.detail * short + metric.sd * z)
    measured = taken(clips[["video_id"]], np.tile(np.arange(len(clips)), len(metrics)))
    return {
        "landmarks": sites[["landmark_id", "name", "country", "pageviews"]],
        "prompts": prompts.assign(benchmark="landmarks", text=TEXT),
        "videos": clips[["video_id", "prompt_id"]].assign(model="Sora 2", status="ok"),
        "metric_values": measured.assign(
            metric=np.repeat(np.array([metric.name for metric in metrics], dtype=object), len(clips)),
            value=np.concatenate(values),
            status="ok",
        ),
    }


def _ratings(
    rater: Rater,
    clips: pd.DataFrame,
    sites: pd.DataFrame,
    rates: np.ndarray,
    alignment: np.ndarray,
    clip_share: float,
    seed: int,
) -> pd.DataFrame:
    """A rater's rows of the table `ratings`: both criteria for every clip."""
    criteria = len(LANDMARK_CRITERIA)
    row = np.repeat(np.arange(len(clips)), criteria)
    about = taken(sites[_GROUPS], clips["site"].to_numpy()[row])
    about["criterion"] = np.tile(LANDMARK_CRITERIA, len(clips))
    z = mixed(
        (clip_share, alignment[row]),
        (1 - clip_share, stream(seed, "criterion").standard_normal(row.size)),
    )
    said = rater.scores(rates[row], z, about, np.full(row.size, True), seed)
    ids = taken(clips[["video_id"]], row).assign(criterion=about["criterion"], rater_id=rater.rater_id)
    return ids.join(said)


def _regions(truth: pd.DataFrame) -> pd.DataFrame:
    """The true mean rate of detailed prompts in every region."""
    found = []
    for grouping in _GROUPS[:-1]:
        means = truth.groupby(grouping)["rate"].agg(n="size", rate="mean")
        found.append(means.rename_axis("region").reset_index().assign(grouping=grouping))
    return pd.concat(found, ignore_index=True)[["grouping", "region", "n", "rate"]]


def _metric_truth(metrics: Sequence[Metric], popularity: float) -> pd.DataFrame:
    """The metrics' dials and true rank correlations with page views, those of normal pairs (Pearson 1907)."""
    rows = [vars(metric) for metric in metrics]
    truth = pd.DataFrame(rows, columns=list(Metric.__dataclass_fields__)).rename(columns={"name": "metric"})
    return truth.assign(spearman=6 / np.pi * np.arcsin(truth["knowledge"] * popularity / 2))
