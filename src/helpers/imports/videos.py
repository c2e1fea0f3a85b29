"""Bring your own: clips in a folder, or listed in a manifest, become rows of a study's table of videos."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from helpers.checking import DataError
from helpers.generation.catalogue import Expected
from helpers.generation.journal import Row, as_frame, check_models
from helpers.imports.candidates import Candidate, Candidates, ModelNames, candidates_of
from helpers.imports.expectations import read_expected
from helpers.imports.layout import BY_ID
from helpers.imports.probes import probe_all
from helpers.imports.problems import Problem, as_table
from helpers.imports.review import Clip, review
from helpers.imports.rows import clip_rows, missing_row, recorded
from helpers.paths import shown
from helpers.schemas import check


@dataclass(frozen=True, kw_only=True)
class Import:
    """What an import found.

    Attributes:
        rows: one for each clip, and one with the status "missing" for each prompt without a clip. A clip that
            cannot be read has the status "failed".
        problems: what is wrong (columns `problems.COLUMNS`), the worst first.
        ignored: files passed over, by what they are: "hidden", or their extension.
        source: the folder or manifest: relative to the study where it lies inside it, else absolute.
    """

    rows: tuple[Row, ...]
    problems: pd.DataFrame
    ignored: Counter
    source: str

    @property
    def videos(self) -> pd.DataFrame:
        """The rows as the table `videos` has them."""
        return check("videos", as_frame(self.rows), self.source)

    @property
    def summary(self) -> pd.DataFrame:
        """One row for each model: prompts, clips, how many can be judged, and how many problems there are."""
        rows = []
        for model, clips in self.videos.groupby("model"):
            found = self.problems[self.problems["model"] == model]["severity"].value_counts()
            rows.append(
                {
                    "model": model,
                    "prompts": clips["prompt_id"].nunique(),
                    "clips": int(clips["status"].ne("missing").sum()),
                    "can_be_judged": int(clips["status"].eq("ok").sum()),
                    "missing": int(clips["status"].eq("missing").sum()),
                    "errors": int(found.get("error", 0)),
                    "warnings": int(found.get("warning", 0)),
                }
            )
        return pd.DataFrame(rows)

    def __str__(self) -> str:
        counts = self.videos["status"].value_counts()
        parts = [f"{count:,} {status}" for status, count in counts.items()]
        parts += [f"{len(self.problems):,} problem{'' if len(self.problems) == 1 else 's'}"]
        if self.ignored:
            kinds = ", ".join(f"{count:,} {kind}" for kind, count in self.ignored.most_common())
            parts.append(f"passed over: {kinds}")
        return f"{self.source}: " + " · ".join(parts)


def import_videos(
    source: Path | str,
    prompts: pd.DataFrame,
    *,
    pattern: str = BY_ID,
    model: str | None = None,
    models: Mapping[str, str] | None = None,
    expected: Mapping[str, Mapping[str, Expected]] | None = None,
    threshold: float = 0.9,
    study: Path | str | None = None,
    copy_to: Path | str | None = None,
    cache: Path | str | None = None,
    workers: int | None = None,
) -> Import:
    """Find out which file shows which prompt, look into each file, and say what is wrong.

    Nothing is changed, and nothing copied unless asked. Several clips of one prompt are kept apart.

    Args:
        source: a folder of clips, or a CSV manifest with the columns path, model, prompt_id and perhaps seed.
        prompts: the table of prompts that clips are looked for.
        pattern: how the paths in the folder are made, see `layout.Layout`; `layout.BY_ID` is the layout of
            CultureVidBench, `layout.BY_TEXT` is for files named after their prompt's text.
        model: the model of all clips, for a pattern without `{model}`.
        models: names of models by the names that folders or the manifest give them. Names of `expected` are
            found without it, whatever their case, spaces and signs.
        expected: what clips should be, by benchmark and model; by default as `data/models.yaml` says.
        threshold: the least similarity of a file's name to a prompt's text, see `texts.PromptTexts`.
        study: the study's folder; paths inside it are recorded relative to it, all others as absolute ones.
        copy_to: a folder that gets a copy of each readable clip, under its video_id; the copies are recorded.
        cache: a JSONL file that remembers what files hold, so that the next import is quick.
        workers: files read at once, see `probes.probe_all`.

    Raises:
        DataError: no such folder or file, a manifest that is none, or not one clip of a known prompt.
        OSError: a clip cannot be copied; those that were copied stay.
        ValueError: a pattern that is none, no model for a pattern without `{model}`, or two for one with it.
    """
    source = Path(source)
    texts = dict(zip(prompts["prompt_id"], prompts["text"], strict=True))
    benchmarks = dict(zip(prompts["prompt_id"], prompts["benchmark"], strict=True))
    if expected is None:
        expected = {name: read_expected(name) for name in set(benchmarks.values())}
    names = ModelNames(models or {}, {name for of_models in expected.values() for name in of_models})
    candidates = candidates_of(source, texts, names, pattern=pattern, model=model, threshold=threshold)
    if not candidates.found:
        raise DataError(_nothing(source, candidates, texts, pattern))
    probed = probe_all(
        [candidate.path for candidate in candidates.found],
        cache=Path(cache) if cache else None,
        workers=workers,
    )
    clips = [
        Clip(
            **vars(candidate),
            benchmark=benchmarks[candidate.prompt_id],
            probe=probed[candidate.path].probe,
            sha256=probed[candidate.path].sha256,
        )
        for candidate in candidates.found
    ]
    check_models(clip.model for clip in clips)
    kept, problems = review(clips, expected)
    missing = _missing(candidates.found, benchmarks)
    problems = [
        *candidates.problems,
        *problems,
        *(
            Problem(kind="missing", model=name, prompt_id=prompt, found="no clip", expected=texts[prompt])
            for name, prompt in missing
        ),
    ]
    place = recorded(source, study)
    rows = [
        *clip_rows(kept, problems, place, copy_to=copy_to, study=study),
        *(missing_row(name, prompt_id, place) for name, prompt_id in missing),
    ]
    return Import(rows=tuple(rows), problems=as_table(problems), ignored=candidates.ignored, source=place)


def _nothing(source: Path, candidates: Candidates, texts: Mapping[str, str], pattern: str) -> str:
    """What to say of a source in which no file shows a known prompt: what was seen, and what was expected."""
    files = sorted({problem.file for problem in candidates.problems if problem.file})
    seen = f"{len(files):,} video files" + (f" such as '{files[0]}'" if files else "")
    passed = ", ".join(f"{count:,} {kind}" for kind, count in candidates.ignored.most_common())
    known = f"one of {len(texts):,} prompts" + (f" (the first id is '{next(iter(texts))}')" if texts else "")
    names = "rows" if source.suffix.lower() == ".csv" else f"names like '{pattern}'"
    return (
        f"{shown(source)}: found {seen}{f', passed over {passed}' if passed else ''}, and no clip of a known "
        f"prompt; expected {names} with {known}{candidates.hint}"
    )


def _missing(found: list[Candidate], benchmarks: Mapping[str, str]) -> list[tuple[str, str]]:
    """The models and prompts without a file, of the benchmarks of which a model has any."""
    have = {(candidate.model, candidate.prompt_id) for candidate in found}
    covered = dict.fromkeys((model, benchmarks[prompt_id]) for model, prompt_id in sorted(have))
    return [
        (model, prompt_id)
        for model, benchmark in covered
        for prompt_id, of in benchmarks.items()
        if of == benchmark and (model, prompt_id) not in have
    ]
