"""The sections of the notebook that compares two runs."""

from pathlib import Path

from IPython.display import HTML

from helpers import figures
from helpers.reports.changes import JudgeChange, Run, changed_most, judge_change
from helpers.reports.clip_cards import clip_cards
from helpers.reports.elements import counted, shown, tag
from helpers.reports.evidence import clip_scores
from helpers.reports.frameworks import title
from helpers.reports.judged import Judged
from helpers.results import plots
from helpers.results.page import lacking


def two_runs(earlier: Judged, later: Judged, first: str = "", second: str = "") -> tuple[Run, Run] | str:
    """The two runs to compare, or why there are none.

    Args:
        earlier: the judgements of the first run; the later's own where both lie in one study.
        later: those of the second.
        first: a judge's name; the first one where left out.
        second: another's; where left out, the same judge in another study, or the next judge in the same.
    """
    for judged in (earlier, later):
        if judged.lacking:
            return judged.lacking
    before = [panel for panel in earlier.panels if not panel.people]
    after = [panel for panel in later.panels if not panel.people]
    old = next((panel for panel in before if panel.who == (first or panel.who)), None)
    wanted = second or (old.who if old and earlier is not later else "")
    new = next((panel for panel in after if panel.who == wanted or (not wanted and panel != old)), None)
    if old is None or new is None:
        named = ", ".join(panel.title for panel in dict.fromkeys([*before, *after])) or "none"
        return f"Two runs of judges of {later.framework.title} are needed; found the judges {named}" + (
            f", wanted '{first}' and '{second}'." if first or second else "."
        )
    return Run(earlier, old), Run(later, new)


def judges(runs: tuple[Run, Run] | str) -> JudgeChange | str:
    """What changed between two runs, or why nothing can be said."""
    if isinstance(runs, str):
        return runs
    change = judge_change(*runs)
    if change.clips.empty:
        return f"No clip of {runs[1].judged.framework.title} was scored in both runs."
    return change


def score_changes(runs: tuple[Run, Run] | str, change: JudgeChange | str, folder: Path) -> HTML:
    """Differences by score, as a figure."""
    if isinstance(change, str):
        return lacking(change)
    first, second = runs
    framework, page = second.judged.framework, second.judged.page
    rows = change.differences[change.differences["estimate"].notna()]
    left_out = len(change.differences) - len(rows)
    largest = rows.loc[rows["estimate"].abs().idxmax()]
    lines = rows["score"].map(title)
    names = [plots.plain(run.panel.title) for run in (second, first)]
    drawn = plots.dots(
        rows.assign(line=lines, what="difference"), down="line", by="what", order=list(lines), zero=0,
        label=f"{names[0]}\nminus {names[1]}\n({framework.unit})",
    )  # fmt: skip
    return figures.show(
        drawn,
        folder / f"85-{framework.name}-scores.png",
        caption=f"{page.told}: {framework.title}, paired differences on {len(change.clips):,} clips that "
        f"both scored, 95 % t intervals over {int(rows['clusters'].max()):,} independent prompts or scenes"
        + (f"; left out: {counted(left_out, 'scores')} that nobody could give" if left_out else ""),
        alt="Dot plot of differences by score with intervals and a line at zero. The largest is "
        f"{title(largest['score'])} with {largest['estimate']:+.2f}.",
        simulated=page.simulated,
    )


def outcome_table(runs: tuple[Run, Run] | str, change: JudgeChange | str) -> HTML:
    """How many questions or grades ended how in each run."""
    if isinstance(change, str):
        return lacking(change)
    first, second = runs
    names = {"first": first.panel.title, "second": second.panel.title}
    told = f"{second.judged.page.told}: {second.judged.framework.title}"
    return figures.table(
        change.outcomes.rename(columns=names), caption=f"{told}, what became of each question or grade"
    )


def changed_clips(runs: tuple[Run, Run] | str, change: JudgeChange | str, most: int, seed: int) -> HTML:
    """The clips whose scores changed most, with what both judges said where both are of one study."""
    if isinstance(change, str):
        return lacking(change)
    first, second = runs
    clips = changed_most(change.clips, most, seed)
    if not clips:
        return lacking("No clip's score changed.")
    judged = second.judged
    other = first.panel if first.judged is judged else None
    scores = clip_scores(judged, second.panel, other)
    moved = change.clips["change"].ne(0).sum()
    name = judged.framework.title
    told = f"{len(clips)} of {moved:,} clips of {name} whose score changed, the largest changes first"
    cards = clip_cards(judged, clips, second.panel, scores, other=other)
    return shown(tag("p", tag("b", told)), tag("div", *cards, class_="profile-clips"))
