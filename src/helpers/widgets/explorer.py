"""The explorer: from a study to a country, an aspect and a clip, with all that was said of it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import ipywidgets
import pandas as pd
from IPython.display import Javascript, display

from helpers.checking import DataError
from helpers.explore.clip_page import about, judgements, styled
from helpers.explore.clips import FILTERS, ORDERS, Clips, judge_names, narrowed, ordered
from helpers.explore.pictures import clip_file, frames
from helpers.explore.studies import benchmarks_of, found_study, studies_in
from helpers.paths import STUDIES, shown
from helpers.reports.elements import number, tag
from helpers.reports.frameworks import FRAMEWORKS, title
from helpers.reports.judged import Judged, open_judged
from helpers.reports.words import harmless
from helpers.widgets.media import clip_player

KEYS = Path(__file__).with_name("explorer.js")
# Clips in the list at once; a browser is slow with thousands of options.
LISTED = 50
# Bytes of a clip that is played inside the page.
LARGEST = 64 * 2**20
_ALL = "all"
_STYLE = """<style>
.explorer { padding: 8px; --pst-color-background: var(--jp-layout-color1, #fff); }
.explorer:focus { outline: none; }
.explorer select:focus-visible, .explorer input:focus-visible, .explorer button:focus-visible {
  outline: 3px solid #b3400a; outline-offset: 1px;
}
.explorer .report-notice { white-space: pre-line; }
</style>"""
_SHORTCUTS = (
    "After a click into the page, the right arrow shows the next clip, the left arrow the one before, and p "
    "loads the video. Within a menu, a number or a table, arrows do what they always do."
)


class Explorer:
    """One clip after the other, chosen by menus, with its frames and everything that was said of it.

    Whatever cannot be read, such as a broken table, says so on the page; another study can then be chosen.

    Args:
        studies: a study's folder, or several; all of the project's that have tables where left out.

    Attributes:
        box: the page without its keyboard shortcuts; an explorer as the last expression of a cell has them.
        menus: the menus by name: study, benchmark, judge, order and the filters country, group, model and
            variant. Setting a menu's value is choosing from it.
        clips: the chosen benchmark's; None where it cannot be read.
        listed: the chosen clips in their order, rows of `Clips.table`.
        number: the place of the clip shown, from 0.
    """

    def __init__(self, studies: Path | str | Sequence[Path | str] | None = None):
        if isinstance(studies, Path | str):
            studies = [studies]
        self._folders = _named(studies_in() if studies is None else studies)
        self._opened: dict[tuple[str, str], Judged] = {}
        self._made: dict[tuple[str, str, str], Clips] = {}
        self.clips: Clips | None = None
        self.listed = pd.DataFrame()
        self.number = 0
        self._still = False
        self._build()
        self._fill("study", {name: name for name in self._folders})
        self._tried(self._open_study)

    @property
    def video_id(self) -> str | None:
        """The clip shown; None where there is none."""
        return self.listed["video_id"].iloc[self.number] if len(self.listed) else None

    def show(self, number: int) -> None:
        """Show a clip by its place in the list, from 0; the last one where there is none so late."""
        self.number = min(max(number, 0), max(len(self.listed) - 1, 0))
        self._show()

    def next(self) -> None:
        """Show the next clip."""
        self.show(self.number + 1)

    def back(self) -> None:
        """Show the clip before."""
        self.show(self.number - 1)

    def load(self) -> None:
        """Load the video of the clip shown: a small copy inside the page, or where a large one lies."""
        if self.clips is None or self.video_id is None:
            return
        judged, video = self.clips.judged, self.clips.video(self.video_id)
        label = harmless(f"The clip by {judged.label(video['model'])}")
        try:
            path = clip_file(judged.page.folder, video)
            if path.stat().st_size > LARGEST:
                self._video.value = tag("p", f"Too large to be played here; it lies at {shown(path)}.")
            else:
                self._video.value = clip_player(path, label, muted=judged.page.benchmark == "culturescore")
        except (DataError, OSError) as error:
            self._video.value = tag("p", f"No video: {harmless(str(error))}")

    def _ipython_display_(self) -> None:
        display(self.box, Javascript(KEYS.read_text(encoding="utf-8")))

    def _build(self) -> None:
        names = {"study": "Study", "benchmark": "Benchmark"} | {name: name.capitalize() for name in FILTERS}
        names |= {"judge": "Judge", "order": "Order"}
        self.menus = {name: _menu(label) for name, label in names.items()}
        self._fill("order", {name: name for name in ORDERS})
        self._list = ipywidgets.Select(description="Clips", rows=6, layout={"width": "100%"})
        self._place = ipywidgets.BoundedIntText(description="Clip", min=1, layout={"width": "160px"})
        self._of, self._about, self._frames, self._video, self._below, self._status = (
            ipywidgets.HTML() for _ in range(6)
        )
        back, following, load = (
            ipywidgets.Button(description=name) for name in ("Back", "Next", "Load the video")
        )
        for button, act in ((back, self.back), (following, self.next), (load, self.load)):
            button.on_click(lambda _, act=act: self._tried(act))
            button.add_class(f"explorer-{button.description.split()[0].lower()}")
        for name, act in (
            ("study", self._open_study),
            ("benchmark", self._open_benchmark),
            ("judge", self._sort_by_judge),
            ("order", self._narrow),
            *((name, self._narrow) for name in FILTERS),
        ):
            self.menus[name].observe(self._on_change(act), "value")
        self._list.observe(self._on_change(lambda: self.show(self._list.value or 0)), "value")
        self._place.observe(self._on_change(lambda: self.show(self._place.value - 1)), "value")
        wrapped = {"flex_flow": "row wrap"}
        head = ipywidgets.HTML(f"{_STYLE}<details><summary>Keys</summary><p>{_SHORTCUTS}</p></details>")
        menus = ipywidgets.HBox(list(self.menus.values()), layout=wrapped)
        steps = ipywidgets.HBox([self._place, self._of, back, following, load], layout=wrapped)
        shown_parts = [self._status, self._about, self._frames, self._video, self._below]
        self.box = ipywidgets.VBox([head, menus, self._list, steps, *shown_parts]).add_class("explorer")

    def _on_change(self, act: Callable[[], None]) -> Callable[[object], None]:
        """What a menu does when a person changes it; nothing while the page fills it itself."""

        def changed(_: object) -> None:
            if not self._still:
                self._tried(act)

        return changed

    def _tried(self, act: Callable[[], None]) -> None:
        """Do something, and say on the page why it cannot be done; nobody sees a menu's errors."""
        try:
            act()
        except (ValueError, OSError) as error:
            self.clips, self.listed = None, pd.DataFrame()
            self._empty_menus("judge", *FILTERS)
            self._show(str(error))

    @contextmanager
    def _filling(self) -> Iterator[None]:
        """While this lasts, changes of menus and lists are the page's own."""
        before, self._still = self._still, True
        try:
            yield
        finally:
            self._still = before

    def _fill(self, name: str, options: Mapping[str, str]) -> None:
        """Give a menu its options, keeping what was chosen where it is still there."""
        menu = self.menus[name]
        kept = menu.value
        with self._filling():
            menu.options = list(options.items())
            if kept in options.values():
                menu.value = kept
            elif options:
                menu.value = next(iter(options.values()))
            menu.disabled = not options

    def _open_study(self) -> None:
        if not self._folders:
            self._show(f"There is no study with tables in {shown(STUDIES)}.")
            return
        folder = self._folders[self.menus["study"].value]
        self._say(f"Reading the study {folder.name} …")
        self._empty_menus("benchmark")
        names = benchmarks_of(folder)
        if not names:
            raise DataError(f"The study {folder.name} has no clip of any of its prompts.")
        self._fill("benchmark", {FRAMEWORKS[name].title: name for name in names})
        self._open_benchmark()

    def _empty_menus(self, *names: str) -> None:
        for name in names:
            self._fill(name, {})

    def _open_benchmark(self) -> None:
        study, benchmark = self.menus["study"].value, self.menus["benchmark"].value
        if (study, benchmark) not in self._opened:
            self._say(f"Reading {FRAMEWORKS[benchmark].title} of the study {study} …")
            self._opened[study, benchmark] = open_judged(found_study(self._folders[study]), benchmark)
        self._fill("judge", judge_names(self._opened[study, benchmark]))
        self.menus["group"].description = (FRAMEWORKS[benchmark].group or "landmark").capitalize()
        self._sort_by_judge()

    def _sort_by_judge(self) -> None:
        chosen = tuple(self.menus[name].value or "" for name in ("study", "benchmark", "judge"))
        if chosen not in self._made:
            self._made[chosen] = Clips(self._opened[chosen[:2]], chosen[2])
        self.clips = self._made[chosen]
        self._narrow()

    def _narrow(self) -> None:
        """Fill the filters, each with what the ones before it leave, and list the clips that fit all."""
        if self.clips is None:
            return
        rows, chosen = self.clips.table, {}
        for name in FILTERS:
            left = narrowed(rows, chosen)
            self._fill(name, {_ALL: ""} | self._options(name, sorted(left[name].unique())))
            chosen[name] = self.menus[name].value
        self.listed = ordered(narrowed(rows, chosen), self.menus["order"].value)
        self.show(0)

    def _options(self, name: str, values: list[str]) -> dict[str, str]:
        if name == "model":
            return {self.clips.judged.label(value): value for value in values}
        return {title(value) if name == "group" else value: value for value in values}

    def _show(self, problem: str = "") -> None:
        """Fill the page: words at once, then what has to be decoded."""
        self._video.value = ""
        self._fill_list()
        if problem or self.video_id is None:
            self._about.value = self._frames.value = self._below.value = ""
            self._say(problem or "No clip fits all menus.", problem=True)
            return
        self._status.value = ""
        clips, video_id = self.clips, self.video_id
        self._about.value = styled(about(clips, video_id)).data
        self._below.value = styled(*judgements(clips, video_id)).data
        self._frames.value = styled(frames(clips, video_id)).data

    def _fill_list(self) -> None:
        """The part of the list around the clip shown, and its number."""
        total = len(self.listed)
        start = self.number - self.number % LISTED
        rows = self.listed.iloc[start : start + LISTED].to_dict("records")
        labels = [(self._label(row, start + at), start + at) for at, row in enumerate(rows)]
        with self._filling():
            if self._list.options != tuple(labels):
                self._list.options = labels
            self._list.value = self.number if total else None
            self._place.max = max(total, 1)
            self._place.value = self.number + 1
        self._of.value = f"of {total:,}"

    def _label(self, row: Mapping[str, str], number_: int) -> str:
        words = [self.clips.judged.label(row["model"]), row["country"], title(row["group"]), row["variant"]]
        status = "" if row["status"] == "ok" else f" ({row['status']})"
        return f"{number_ + 1}: {number(row['score'])} · {' · '.join(words)}{status}"

    def _say(self, words: str, *, problem: bool = False) -> None:
        role = {"role": "alert", "class_": "report-notice"} if problem else {"role": "status"}
        self._status.value = styled(tag("p", words, **role)).data


def _named(folders: Sequence[Path | str]) -> dict[str, Path]:
    """Folders by their names; by their paths where two have the same name."""
    paths = [Path(folder).resolve() for folder in folders]
    names = [path.name for path in paths]
    return {path.name if names.count(path.name) == 1 else shown(path): path for path in paths}


def _menu(label: str) -> ipywidgets.Dropdown:
    return ipywidgets.Dropdown(description=label, layout={"width": "300px"})
