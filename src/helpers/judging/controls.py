"""Controls of a judge: the same questions about clips that should be judged otherwise, or just the same.

A score says little while a judge may like blank clips, questions about other clips, or the word "yes". Each
control changes one thing about a sample of cases; `helpers.judging.control_results` compares the replies with
those about the clips as they are. Muting and swapping the sound tell whether audible criteria are heard.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import pandas as pd

from helpers.geography import countries
from helpers.judging.clips import Clips
from helpers.judging.judge import Judge
from helpers.judging.protocols import (
    CHANGE,
    SHOWN,
    SOUND_OF,
    Protocol,
    culturescore_protocol,
    culturevidbench_protocol,
    landmarks_protocol,
    with_sampling,
)

ALL = ("culturescore", "culturevidbench", "landmarks")
AGAIN = 1_000_003
Changed = Callable[[pd.DataFrame, Clips, np.random.Generator], pd.DataFrame]


def _same(cases: pd.DataFrame, clips: Clips, rng: np.random.Generator) -> pd.DataFrame:
    return cases


@dataclass(frozen=True, kw_only=True)
class Control:
    """One thing that is changed about what a judge is asked.

    Attributes:
        name: what tables and figures call it.
        about: what is changed, in words.
        expected: what a good judge does.
        measures: how the replies are compared, names of `control_results.MEASURES`.
        protocols: where it applies.
        hearing: whether it is for judges that hear alone.
        cases: the changed cases; those that cannot be changed are left out.
        protocol: the changed protocol.
    """

    name: str
    about: str
    expected: str
    measures: tuple[str, ...]
    protocols: tuple[str, ...] = ALL
    hearing: bool = False
    cases: Changed = _same
    protocol: Callable[[Protocol], Protocol] = field(default=lambda protocol: protocol)

    def applies(self, protocol: Protocol, judge: Judge) -> bool:
        """Whether it is for this protocol and judge."""
        return protocol.name in self.protocols and (judge.hears or not self.hearing)


def _changed(change: str) -> Changed:
    return lambda cases, clips, rng: cases.assign(**{CHANGE: change})


def _shuffled(cases: pd.DataFrame, clips: Clips, rng: np.random.Generator) -> pd.DataFrame:
    """Each clip's questions asked of a clip of another scene."""
    return _with_other(cases, SHOWN, rng, pd.Series(True, index=cases.index), "scene")


def _other_sound(cases: pd.DataFrame, clips: Clips, rng: np.random.Generator) -> pd.DataFrame:
    """Each clip with the sound of a clip from another country."""
    sounding = cases["video_id"].map(clips.has_sound).astype(bool)
    chosen = _with_other(cases[sounding], SOUND_OF, rng, sounding[sounding], "country")
    return chosen.assign(**{CHANGE: "swapped sound"})


def _with_other(
    cases: pd.DataFrame, column: str, rng: np.random.Generator, usable: pd.Series, apart: str
) -> pd.DataFrame:
    """The cases with the id of another clip that differs in a column; those without such a clip go."""
    sample = cases[usable].drop_duplicates("video_id")
    others = {}
    for clip in sample.itertuples():
        choice = sample.loc[sample[apart].ne(getattr(clip, apart)), "video_id"]
        if len(choice):
            others[clip.video_id] = choice.iloc[rng.integers(len(choice))]
    kept = cases[cases["video_id"].isin(others)]
    return kept.assign(**{column: kept["video_id"].map(others)})


def _silent(cases: pd.DataFrame, clips: Clips, rng: np.random.Generator) -> pd.DataFrame:
    sounding = cases["video_id"].map(clips.has_sound).astype(bool)
    return cases[sounding].assign(**{CHANGE: "muted"})


def _other_country(cases: pd.DataFrame, clips: Clips, rng: np.random.Generator) -> pd.DataFrame:
    """Each case told with another country of the sample: the name, and its words in the text.

    A question that names no country stays as it is, and is left out.
    """
    names = sorted(cases["country"].unique())
    if len(names) < 2:
        return cases.iloc[:0]
    pairs = {name: rng.choice([other for other in names if other != name]) for name in names}
    other = cases["country"].map(pairs)
    texts = [
        told(text, country, instead)
        for text, country, instead in zip(cases["text"], cases["country"], other, strict=True)
    ]
    swapped = cases.assign(text=texts, country=other)
    return swapped if "element" in cases else swapped[swapped["text"].ne(cases["text"])]


def told(text: str, country: str, instead: str) -> str:
    """A text with the name and demonyms of one country replaced by another's; other words stay."""
    demonyms, pairs = _demonyms(), {country: instead}
    if country in demonyms and instead in demonyms:
        pairs |= dict.fromkeys(demonyms[country], demonyms[instead][0])
    words = "|".join(re.escape(word) for word in sorted(pairs, key=len, reverse=True))
    return re.sub(rf"\b({words})\b", lambda match: pairs[match[1]], text)


@cache
def _demonyms() -> dict[str, list[str]]:
    return countries().set_index("country")["demonyms"].str.split(";").to_dict()


def _negated(protocol: Protocol) -> Protocol:
    return culturescore_protocol(negated=True, frames=protocol.frames)


def _backwards(protocol: Protocol) -> Protocol:
    if protocol.name == "landmarks":
        return landmarks_protocol(backwards=True, frames=protocol.frames)
    targets = "without" not in protocol.template.path.stem
    return culturevidbench_protocol(targets=targets, backwards=True, frames=protocol.frames)


CONTROLS = (
    Control(
        name="shuffled prompts",
        about="what is asked of a clip belongs to a clip of another scene",
        expected="a large drop",
        measures=("level", "drop"),
        cases=_shuffled,
    ),
    Control(
        name="blank clip",
        about="every picture is grey",
        expected="no yes, and the lowest grades",
        measures=("level", "drop"),
        cases=_changed("blank"),
    ),
    Control(
        name="the same call twice",
        about="nothing but the seed",
        expected="the same replies",
        measures=("agreement",),
        protocol=lambda protocol: with_sampling(protocol, seed=AGAIN),
    ),
    Control(
        name="reversed clip",
        about="the pictures run backwards",
        expected="a drop in behavior and action alone",
        measures=("drop",),
        protocols=("culturescore", "culturevidbench"),
        cases=_changed("reversed"),
    ),
    Control(
        name="country swapped",
        about="the judge is told another country",
        expected="a drop in what is about culture",
        measures=("drop",),
        protocols=("culturescore", "culturevidbench"),
        cases=_other_country,
    ),
    Control(
        name="sound muted",
        about="the clip is sent without its sound",
        expected="no change but in the sound",
        measures=("drop", "not applicable"),
        protocols=("culturevidbench",),
        hearing=True,
        cases=_silent,
    ),
    Control(
        name="sound swapped",
        about="the clip has the sound of a clip from another country",
        expected="a drop in the sound alone",
        measures=("drop",),
        protocols=("culturevidbench",),
        hearing=True,
        cases=_other_sound,
    ),
    Control(
        name="criteria backwards",
        about="the criteria are asked in the opposite order",
        expected="no change",
        measures=("drop", "agreement"),
        protocols=("culturevidbench", "landmarks"),
        protocol=_backwards,
    ),
    Control(
        name="negated question",
        about="the question is whether the clip fails to show it",
        expected="yes and negated yes add up to 1",
        measures=("sum", "contradiction"),
        protocols=("culturescore",),
        protocol=_negated,
    ),
)
