"""A metric of one's own: a measurer in a Python file that a study file names."""

import json
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from numbers import Real
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from helpers.checking import DataError, nearest
from helpers.metrics.measurer import Clip, Measurer, ModelError, Outcome
from helpers.metrics.named_kinds import Own
from helpers.metrics.registry import Metric, declared
from helpers.paths import file_hash, found_at, shown

NEEDED = ("name", "metrics", "settings", "load", "measure")


class OwnMeasurer:
    """A measurer from a file, which is among its settings: where it has changed, clips are measured again.

    Whatever its code raises about a clip, or returns instead of an outcome, is a reason for that clip to have
    no value, and no reason for the run to end.
    """

    def __init__(self, measurer: Measurer, path: Path) -> None:
        self.name, self.metrics = measurer.name, measurer.metrics
        self.settings = {**measurer.settings, "sha256": file_hash(path)}
        self._own, self._path = measurer, path

    def load(self) -> Mapping[str, Any]:
        """As `Measurer.load`; whatever its code raises is a `ModelError`."""
        try:
            return _as_json(dict(self._own.load()))
        except Exception as error:  # whatever that code may raise
            raise ModelError(_said(self._path, error)) from error

    def measure(self, clips: Sequence[Clip]) -> list[Outcome]:
        """As `Measurer.measure`; whatever its code raises, but for `ModelError`, is a RuntimeError."""
        try:
            outcomes = list(self._own.measure(clips))
            if len(outcomes) != len(clips):
                raise ValueError(f"found {len(outcomes)} outcomes of {len(clips)} clips, expected one each")
            return [self._checked(outcome) for outcome in outcomes]
        except ModelError:
            raise
        except Exception as error:  # whatever that code may raise
            raise RuntimeError(_said(self._path, error)) from error

    def _checked(self, outcome: Any) -> Outcome:
        if not isinstance(outcome, Outcome):
            raise TypeError(f"found {type(outcome).__name__} {outcome!r:.60}, expected an Outcome")
        declared = [metric.name for metric in self.metrics]
        for name, value in outcome.values.items():
            if name not in declared:
                raise ValueError(f"found the value '{name}'{nearest(name, declared)}")
            if value is not None and not isinstance(value, Real):
                raise TypeError(f"found {name} {value!r:.60}, expected a number or None")
        return replace(outcome, notes=tuple(outcome.notes), details=_as_json(dict(outcome.details)))


def own_measurer(named: Own) -> Measurer:
    """The measurer that a metric of one's own names; its file is run, no model is loaded.

    Args:
        named: as the study file names it.

    Raises:
        DataError: no such file, code in it that fails, no such class there, a class that is no measurer, or
            one whose name or metrics' names are others' or not as the study file says.
    """
    path = found_at(named.file)
    if not path.is_file():
        raise DataError(
            f"{named.place(named.file)}{shown(path)}: no such file; expected a Python file with the class "
            f"{named.measurer}"
        )
    try:
        module = _module(path)
        kind = getattr(module, named.measurer, None)
        measurer = kind() if isinstance(kind, type) else None
    except Exception as error:  # whatever that code may raise
        raise DataError(_said(path, error)) from error
    if measurer is None:
        classes = [name for name, value in vars(module).items() if isinstance(value, type)]
        raise DataError(
            f"{shown(path)}: there is no class '{named.measurer}'{nearest(named.measurer, classes)}"
        )
    _check(measurer, named, f"{shown(path)}: {named.measurer}")
    return OwnMeasurer(measurer, path)


def _said(path: Path, error: Exception) -> str:
    """What went wrong in a file's code, and in which of its lines."""
    lines = [at.lineno for at in traceback.extract_tb(error.__traceback__) if at.filename == str(path)]
    where = f"line {lines[-1]}: " if lines else ""
    return f"{shown(path)}: {where}{type(error).__name__}: {error}"


def _as_json(content: dict[str, Any]) -> dict[str, Any]:
    """What JSON makes of content, NumPy's numbers and arrays as plain ones.

    Raises:
        TypeError: it holds something else.
    """
    return json.loads(json.dumps(content, default=_plain))


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"found {type(value).__name__} {value!r:.60}, expected what JSON can hold")


def _module(path: Path) -> ModuleType:
    """The file's module, under a name that no library has."""
    spec = spec_from_file_location(f"own_metric_{path.stem}", path)
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _check(measurer: Measurer, named: Own, where: str) -> None:
    if lacking := [name for name in NEEDED if not hasattr(measurer, name)]:
        raise DataError(f"{where} has no {' and no '.join(lacking)}; a measurer has {', '.join(NEEDED)}")
    if measurer.name != named.name:
        raise DataError(
            f"{where} calls itself '{measurer.name}', the study file '{named.name}'; expected one name"
        )
    if not measurer.metrics or not all(isinstance(metric, Metric) for metric in measurer.metrics):
        raise DataError(
            f"{where} declares the metrics {measurer.metrics!r:.60}; expected one Metric at least"
        )
    try:
        _as_json(dict(measurer.settings))
    except (TypeError, ValueError) as error:
        raise DataError(f"{where}.settings: {error}") from error
    for metric in measurer.metrics:
        if metric.name in declared():
            raise DataError(f"{where}: there is a metric '{metric.name}' already; expected another name")
