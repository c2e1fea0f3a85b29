"""Report cards of countries and models as pages."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from IPython.display import HTML
from markupsafe import Markup

from helpers.checking import nearest
from helpers.reports.clip_cards import clip_cards
from helpers.reports.elements import notice, score_cell, shown, table, tag
from helpers.reports.frameworks import title
from helpers.reports.materials import Material
from helpers.reports.profiles import extremes, outcomes
from helpers.reports.selection import examples
from helpers.reports.settings import settings_of

MOST_GROUPS = 3
# Cards on one page, so that it stays below 3 MB; further ones have to be asked for by name.
MOST_CARDS = {"country": 40, "model": 15}


def country_cards(materials: Sequence[Material], countries: Sequence[str] = (), *, each: int = 1) -> HTML:
    """A card for each country, in alphabetical order.

    Args:
        materials: of the benchmarks, by "country".
        countries: of those, only these.
        each: how many examples of high and of low clips a benchmark has on a card.
    """
    names, told = _chosen(materials, countries, "country")
    clips = [_example_cards(part, names, each) for part in materials]
    cards = []
    for name in names:
        sections = [
            _section(part, name, found[name])
            for part, found in zip(materials, clips, strict=True)
            if name in part.names
        ]
        cards.append(_card(name, name, "country", sections))
    return shown(*told, _links(names, names, "country"), *cards)


def model_cards(materials: Sequence[Material], models: Sequence[str] = (), *, each: int = 1) -> HTML:
    """A card for each model, in alphabetical order: also by country and variant, metrics, settings, failures.

    Args:
        materials: of the benchmarks, by "model".
        models: of those, only these.
        each: as `country_cards`.
    """
    names, told = _chosen(materials, models, "model")
    label = materials[0].judged.label if materials else str
    clips = [_example_cards(part, names, each) for part in materials]
    cards = []
    for name in names:
        sections = [
            [*_section(part, name, found[name]), *_of_model(part, name)]
            for part, found in zip(materials, clips, strict=True)
            if name in part.names
        ]
        cards.append(_card(name, label(name), "model", sections))
    return shown(*told, _links(names, [label(name) for name in names], "model"), *cards)


def _chosen(
    materials: Sequence[Material], wanted: Sequence[str], column: str
) -> tuple[list[str], list[Markup]]:
    """The names that get a card, and a sentence where there are too many for one page."""
    known = sorted({name for part in materials for name in part.names})
    for name in wanted:
        if name not in known:
            raise ValueError(f"found no '{name}'{nearest(name, known)}; expected some of {', '.join(known)}")
    if wanted:
        return [name for name in known if name in wanted], []
    kept, kind = known[: MOST_CARDS[column]], {"country": "countries", "model": "models"}[column]
    told = f"The first {len(kept)} of {len(known)} {kind} by name; the parameter `{kind}` asks for others."
    return kept, [notice(told)] if len(kept) < len(known) else []


def _links(names: Sequence[str], titles: Sequence[str], kind: str) -> Markup:
    links = [
        tag("li", tag("a", text, href=f"#{_identifier(kind, name)}"))
        for name, text in zip(names, titles, strict=True)
    ]
    return tag("nav", tag("ul", *links, class_="profile-links"), aria_label=f"Cards by {kind}")


def _card(name: str, text: str, kind: str, sections: Sequence[Sequence[Markup]]) -> Markup:
    identifier = _identifier(kind, name)
    heading = tag("h3", text, id=identifier)
    inner = [piece for section in sections for piece in section]
    return tag("section", heading, *inner, class_="profile", aria_labelledby=identifier)


def _identifier(kind: str, name: str) -> str:
    """An anchor for any name; letters and digits stay, every other character becomes its number."""
    return f"{kind}-" + "".join(c if c.isalnum() and c.isascii() else f"-{ord(c):x}-" for c in name)


def _example_cards(part: Material, names: Sequence[str], each: int) -> dict[str, list[Markup]]:
    """By name, cards of its examples; what was said of all of them is read at once."""
    clips = {name: examples(part.scores, part.column, name, each=each) for name in names}
    every = [clip for found in clips.values() for clip in found]
    judge = None if part.judge.people else part.judge
    cards = dict(zip(every, clip_cards(part.judged, every, judge, part.scores), strict=True))
    return {name: [cards[clip] for clip in found] for name, found in clips.items()}


def _section(part: Material, name: str, clips: Sequence[Markup]) -> list[Markup]:
    pieces = [_overall(part, name)]
    if len(part.groups):
        pieces.append(_groups(part, name))
    if clips:
        told = f"{part.judged.framework.title}: highest and lowest clips by {part.judge.title}"
        pieces.append(tag("p", tag("b", told)))
        pieces.append(tag("div", *clips, class_="profile-clips"))
    return pieces


def _overall(part: Material, name: str) -> Markup:
    """A row for each panel, and the text-video similarity where judges do not say how hard it was."""
    framework = part.judged.framework
    rows = []
    for who, cells in part.overall.items():
        own = _by_score(cells[cells[part.column].eq(name)]) if len(cells) else {}
        variant = next((row.variant for row in own.values()), "")
        first = f"{who}, {title(variant)} prompts" if variant else who
        rows.append(
            [first, *(score_cell(own.get(score), _ends(framework, score)) for score in framework.card)]
        )
    header = ["judged by", *(title(score) for score in framework.card)]
    caption = f"{part.judged.page.told}. {framework.title}: {framework.unit}, with 95 % intervals"
    if part.column == "country":
        caption += part.left_out
    similar = part.similarity[part.similarity[part.column].eq(name)] if len(part.similarity) else []
    if len(similar):
        row = next(iter(similar.itertuples()))
        caption += (
            f". How well its clips fit their texts ({title(row.score)}, a computed metric): "
            f"{row.estimate:.2f} ({row.low:.2f} to {row.high:.2f}), n = {row.n:,}"
        )
    return table(caption, header, rows, label=f"{framework.title}, {name}")


def _groups(part: Material, name: str) -> Markup:
    """Where the scores are highest and lowest, each beside its semantic score and that of everybody.

    A sentence takes its place where there are no two scores to compare.
    """
    framework = part.judged.framework
    group, headline = framework.group, framework.headline
    own = part.groups[part.groups[part.column].eq(name)]
    kinds = "categories" if group == "category" else "aspects"
    count = own.loc[own["score"].eq(headline), "estimate"].notna().sum()
    if count < 2:
        told = f"no highest and lowest {kinds}, as fewer than two have a score"
        return tag("p", f"{framework.title} by {part.judge.title}: {told}.")
    high, low = extremes(own, headline, MOST_GROUPS)
    scores = [headline, *([framework.semantic] if framework.semantic else [])]
    everywhere = _by_score(part.everywhere, group)
    mine = _by_score(own, group)
    rows = []
    for word, found in (("high", high), ("low", low)):
        for row in found.itertuples():
            value = getattr(row, group)
            cells = [score_cell(mine.get((value, score)), (0, framework.top)) for score in scores]
            beside = [score_cell(everywhere.get((value, headline)))] if len(part.names) > 1 else []
            rows.append([f"{word}: {title(value)}", *cells, *beside])
    others = "all countries" if part.column == "country" else "all models"
    header = [group, *(title(score) for score in scores)]
    if len(part.names) > 1:
        header.append(f"{title(headline)}, {others}")
    caption = (
        f"{part.judged.page.told}. {framework.title} by {part.judge.title}: the highest and lowest of "
        f"{count} scored {kinds}"
    )
    if part.column == "model":
        caption += part.left_out
    return table(caption, header, rows, label=f"{framework.title}, {name}, by {group}")


def _of_model(part: Material, name: str) -> list[Markup]:
    """What only a model's card has."""
    judged, framework = part.judged, part.judged.framework
    pieces = [_by_country(part, name)]
    metrics = part.metrics[part.metrics["model"].eq(name)]
    if len(metrics):
        rows = [[title(row.score), score_cell(row, form="{:.3g}")] for row in metrics.itertuples()]
        caption = f"{judged.page.told}. {framework.title}: computed metrics, each in its own unit"
        pieces.append(table(caption, ["metric", "mean"], rows, label=f"{framework.title}, {name}: metrics"))
    became = outcomes(judged, name)
    rows = [[row[0], *(f"{count:,}" for count in row[1:])] for row in became.itertuples(index=False)]
    caption = f"{judged.page.told}. {framework.title}: what became of the model's clips and of what was asked"
    pieces.append(table(caption, list(became), rows, label=f"{framework.title}, {name}: outcomes"))
    made = settings_of(judged.page.tables["videos"], name)
    if len(made):
        rows = [list(row) for row in made.itertuples(index=False)]
        inner = table(
            "As the clips' rows say", ["setting", "value"], rows, label=f"{framework.title}, {name}: settings"
        )
        summary = tag("summary", f"How its clips were made ({framework.title})")
        pieces.append(tag("details", summary, inner))
    return pieces


def _by_country(part: Material, name: str) -> Markup:
    """The headline (and semantic) score in every country, and under every variant of the prompts."""
    judged, framework = part.judged, part.judged.framework
    scores = [framework.headline, *([framework.semantic] if framework.semantic else [])]
    cells = part.countries[part.countries["model"].eq(name)]
    found = _by_score(cells, "country")
    rows = [
        [country, *(score_cell(found.get((country, score)), (0, framework.top)) for score in scores)]
        for country in sorted(cells["country"].unique())
    ]
    if len(part.variants):
        found = _by_score(part.variants[part.variants["model"].eq(name)], "variant")
        for variant in dict.fromkeys(part.variants["variant"]):
            cells = [score_cell(found.get((variant, score)), (0, framework.top)) for score in scores]
            rows.append([f"all, {title(variant)} prompts", *cells])
    caption = f"{judged.page.told}. {framework.title} by {part.judge.title}: countries in alphabetical order"
    header = ["country", *(title(score) for score in scores)]
    inner = table(caption, header, rows, label=f"{framework.title}, {name}, by country")
    return tag("details", tag("summary", f"By country ({framework.title})"), inner, open=True)


def _by_score(cells: pd.DataFrame, column: str | None = None) -> dict[Any, Any]:
    """Rows by score, or by the value of a column and score."""
    rows = cells.itertuples()
    return {(row.score if column is None else (getattr(row, column), row.score)): row for row in rows}


def _ends(framework: Any, score: str) -> tuple[float, float]:
    """A drop can be negative; it is drawn from -1 to 1."""
    return (-1.0, 1.0) if score.startswith("drop") else (0.0, framework.top)
