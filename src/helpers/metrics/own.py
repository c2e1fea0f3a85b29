"""A metric of one's own: a measurer in a Python file that a study file names."""

import sys
import traceback
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from helpers.checking import DataError, nearest
from helpers.metrics.cases import file_hash
from helpers.metrics.measurer import Measurer
from helpers.metrics.named_kinds import Own
from helpers.metrics.registry import declared
from helpers.paths import found_at, shown

NEEDED = ("name", "metrics", "settings", "load", "measure")


class OwnMeasurer:
    """A measurer from a file, which is among its settings: where it has changed, clips are measured again."""

    def __init__(self, measurer: Measurer, path: Path) -> None:
        self.name, self.metrics = measurer.name, measurer.metrics
        self.load, self.measure = measurer.load, measurer.measure
        self.settings = {**measurer.settings, "sha256": file_hash(path)}


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
            f"{shown(path)}: no such file; expected a Python file with the class {named.measurer}"
        )
    try:
        module = _module(path)
        kind = getattr(module, named.measurer, None)
        measurer = kind() if isinstance(kind, type) else None
    except Exception as error:  # whatever that code may raise
        lines = [at.lineno for at in traceback.extract_tb(error.__traceback__) if at.filename == str(path)]
        where = f"line {lines[-1]}: " if lines else ""
        raise DataError(f"{shown(path)}: {where}{type(error).__name__}: {error}") from error
    if measurer is None:
        classes = [name for name, value in vars(module).items() if isinstance(value, type)]
        raise DataError(
            f"{shown(path)}: there is no class '{named.measurer}'{nearest(named.measurer, classes)}"
        )
    _check(measurer, named, f"{shown(path)}: {named.measurer}")
    return OwnMeasurer(measurer, path)


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
    for metric in measurer.metrics:
        if metric.name in declared():
            raise DataError(f"{where}: there is a metric '{metric.name}' already; expected another name")
