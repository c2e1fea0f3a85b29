"""Judge clips together: each against what is stated, and all against one another."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from helpers.generation.catalogue import Expected
from helpers.imports.candidates import Candidate
from helpers.imports.checks import Reference, deviations
from helpers.imports.expectations import usual
from helpers.imports.problems import Problem
from helpers.video.probe import Probe

# The hash of a file without a byte; such files are broken, each by itself, and not copies of one another.
EMPTY = hashlib.sha256().hexdigest()
# What `video.probe` says of a file that is no whole clip, as kinds of problems; the rest is "unreadable".
_KINDS = {
    "truncated": "truncated",
    "damaged": "damaged",
    "audio_only": "no pictures",
    "picture": "no pictures",
}


@dataclass(frozen=True, kw_only=True)
class Clip(Candidate):
    """A file that shows a known prompt, and what it holds.

    Attributes:
        benchmark: the prompt's benchmark.
        probe: what the file holds.
        sha256: the hash of its bytes; None where it cannot be read.
    """

    benchmark: str
    probe: Probe
    sha256: str | None

    @property
    def status(self) -> str:
        """Its status in the table of videos: ok, failed (not readable) or missing (not there)."""
        if self.probe.status == "ok":
            return "ok"
        return "failed" if self.path.exists() else "missing"

    def problem(self, kind: str, found: str, expected: str) -> Problem:
        """A problem of this clip."""
        about = {"file": self.file, "prompt_id": self.prompt_id, "model": self.model}
        return Problem(kind=kind, found=found, expected=expected, **about)


def review(
    clips: Sequence[Clip], expected: Mapping[str, Mapping[str, Expected]]
) -> tuple[list[Clip], list[Problem]]:
    """What is wrong with clips.

    Args:
        clips: the clips, in the order in which the first of several equal ones is kept.
        expected: what they should be, by benchmark and model.

    Returns:
        The clips without repetitions (equal bytes for the same prompt, model and seed), and the problems.
    """
    kept, problems = _without_repetitions(clips)
    problems += [problem for clip in kept for problem in _file_problems(clip)]
    groups = defaultdict(list)
    for clip in kept:
        if clip.status == "ok":
            groups[clip.benchmark, clip.model].append(clip)
    for (benchmark, model), group in groups.items():
        given = expected.get(benchmark, {}).get(model, Expected(benchmark=benchmark))
        stated = Reference(given, f"its setting in {benchmark}")
        most = usual([clip.probe for clip in group], benchmark)
        others = Reference(most, f"as most of this model's {len(group):,} clips")
        for clip in group:
            problems += [clip.problem(*found) for found in deviations(clip.probe, stated, others)]
    return kept, problems + _takes(kept)


def _file_problems(clip: Clip) -> list[Problem]:
    if clip.status == "missing":
        return [clip.problem("missing", "no such file", "the clip")]
    problems = []
    if clip.status == "failed":
        kind = _KINDS.get(clip.probe.status, "unreadable")
        problems.append(clip.problem(kind, f"{clip.probe.status}: {clip.probe.problem}", "a whole clip"))
    for note in clip.probe.notes:
        if "unequal times" not in note:  # which is a kind of its own
            kind = "wrong extension" if note.startswith("named .") else "unusual"
            problems.append(clip.problem(kind, note, "nothing of the kind"))
    return problems


def _without_repetitions(clips: Sequence[Clip]) -> tuple[list[Clip], list[Problem]]:
    kept, problems = [], []
    seen = defaultdict(dict)
    for clip in clips:
        if clip.sha256 in (None, EMPTY):
            kept.append(clip)
            continue
        alike = seen[clip.sha256]
        shows = clip.model, clip.prompt_id, clip.seed
        if shows in alike:
            found = f"the same bytes as {alike[shows]}"
            problems.append(clip.problem("repeated file", found, "each clip once; the first one counts"))
            continue
        kept.append(clip)
        if alike:
            (model, prompt_id, _), file = next(iter(alike.items()))
            found = f"the same bytes as {file} ({model}, {prompt_id})"
            problems.append(clip.problem("same file", found, "another clip for each model, prompt and seed"))
        alike[shows] = clip.file
    return kept, problems


def _takes(clips: Sequence[Clip]) -> list[Problem]:
    """One note for each model with several clips of a prompt."""
    counts = Counter((clip.model, clip.prompt_id) for clip in clips)
    several = defaultdict(list)
    for (model, _), count in counts.items():
        if count > 1:
            several[model].append(count)
    return [
        Problem(
            kind="takes",
            model=model,
            found=f"up to {max(takes)} clips of {len(takes):,} prompt{'' if len(takes) == 1 else 's'}",
            expected="one clip of a prompt, or several seeds; they are kept apart",
        )
        for model, takes in several.items()
    ]
