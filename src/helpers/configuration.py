"""YAML files that people write, read into pydantic models; messages name the line and the nearest key."""

import re
from pathlib import Path
from typing import Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, ValidationError
from yaml.constructor import ConstructorError

from helpers.checking import DataError, nearest
from helpers.paths import shown

Model = TypeVar("Model", bound=BaseModel)


class _NamesLines:
    """A value that is none, such as the 30th of February, as an error with its line."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """As PyYAML's, where it raises an error without a line."""
        try:
            return super().construct_object(node, deep)
        except ValueError as error:
            problem = f"found {node.value!r}; {error}"
            raise ConstructorError(None, None, problem, node.start_mark) from None


class _ValueLoader(_NamesLines, yaml.SafeLoader):
    pass


class _TextLoader(_NamesLines, yaml.BaseLoader):
    pass


def read_yaml(path: Path | str, model: type[Model], *, what: str, as_text: bool = False) -> Model:
    """Read and check a YAML file.

    Args:
        path: the file.
        model: its schema; a model that forbids extra keys reports unknown ones with the nearest valid key.
        what: what the file is, for messages ("a study file").
        as_text: read every value as text, so that an unquoted `no` or `1` stays "no" or "1".

    Raises:
        DataError: no such file, no YAML, unknown or missing keys, or values that do not fit; all problems in
            one message, each with the file, the line, the key, what was found and what was expected.
    """
    path = Path(path)
    loader = _TextLoader if as_text else _ValueLoader
    try:
        content = path.read_text(encoding="utf-8")
        tree = yaml.compose(content, Loader=loader)
        _check_keys(tree)
        values = yaml.load(content, Loader=loader)
    except OSError as error:
        reason = "no such file" if isinstance(error, FileNotFoundError) else error.strerror
        raise DataError(f"{shown(path)}: {reason}; expected {what} (YAML)") from None
    except UnicodeDecodeError as error:
        raise DataError(f"{shown(path)}: byte {error.start} is not UTF-8; expected {what} (YAML)") from None
    except ConstructorError as error:
        line = error.problem_mark.line + 1
        raise DataError(f"{shown(path)}: line {line}: {error.problem}; expected {what} (YAML)") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f"line {mark.line + 1} is " if mark else ""
        raise DataError(f"{shown(path)}: {line}not YAML; expected `key: value` lines") from None
    if not isinstance(values, dict):
        keys = ", ".join(model.model_fields)
        raise DataError(f"{shown(path)}: found {values!r}, expected {what} with the keys {keys}")
    try:
        return model.model_validate(values)
    except ValidationError as error:
        problems = [_explain(problem, model, tree) for problem in error.errors()]
        raise DataError("\n".join(f"{shown(path)}: {problem}" for problem in problems)) from None


def _check_keys(tree: yaml.Node | None) -> None:
    """Refuse a key that stands twice in one place: PyYAML takes the last one without a word."""
    waiting, seen = [tree], set()
    while waiting:
        node = waiting.pop()
        if not isinstance(node, yaml.CollectionNode) or id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            waiting += node.value
            continue
        lines: dict[str, int] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if isinstance(key, yaml.ScalarNode) and key.value in lines:
                problem = f"key '{key.value}' stands in line {lines[key.value]} already"
                raise ConstructorError(None, None, problem, key.start_mark)
            if isinstance(key, yaml.ScalarNode):
                lines[key.value] = line
            waiting.append(value)


def _explain(problem: dict[str, Any], model: type[BaseModel], tree: yaml.Node) -> str:
    """One pydantic problem as a sentence."""
    location, at = _place(model, problem["loc"])
    key = ".".join(str(part) for part in location)
    if problem["type"] == "missing":
        line = f"line {_line(tree, location)}: " if len(location) > 1 else ""
        return f"{line}key '{key}' is missing"
    line = f"line {_line(tree, location)}: "
    if problem["type"] == "extra_forbidden":
        known = list(at.model_fields)
        hint = nearest(str(location[-1]), known)
        return f"{line}unknown key '{key}'{hint} (expected one of {', '.join(known)})"
    found = "" if isinstance(problem["input"], dict | BaseModel) else f"found {problem['input']!r}; "
    where = f"key '{key}': " if key else ""
    hint = ""
    if problem["type"] == "literal_error":
        hint = nearest(str(problem["input"]), re.findall("'([^']*)'", problem["ctx"]["expected"]))
    return line + where + found + problem["msg"].removeprefix("Value error, ") + hint


def _line(node: yaml.Node, location: tuple) -> int:
    """The line (from 1) of the innermost key of a location that the YAML tree holds."""
    line = node.start_mark.line + 1
    for part in location:
        if isinstance(node, yaml.SequenceNode):
            node = node.value[part]
            line = node.start_mark.line + 1
            continue
        found = [pair for pair in getattr(node, "value", []) if isinstance(pair, tuple)]
        found = [(key, value) for key, value in found if key.value == str(part)]
        if not found:
            break
        key, node = found[0]
        line = key.start_mark.line + 1
    return line


def _place(model: type[BaseModel], location: tuple) -> tuple[tuple, type[BaseModel]]:
    """A location without the names that pydantic gives a union's members, and its innermost model."""
    kept, at = [], model
    options: list[type[BaseModel]] = []
    for number, part in enumerate(location):
        last = number == len(location) - 1
        if isinstance(part, str) and (tagged := [one for one in options if _has_tag(one, part)]) and not last:
            (at, *_), options = tagged, []
            continue
        kept.append(part)
        if isinstance(part, str) and not last:
            inner = at.model_fields[part].annotation if part in getattr(at, "model_fields", ()) else None
            options = options if inner is None else _models(inner)
            at = options[0] if options else at
    return tuple(kept), at


def _has_tag(model: type[BaseModel], tag: str) -> bool:
    """Whether pydantic calls a member of a union so: by its class, or by a literal of one of its fields."""
    literals = [get_args(field.annotation) for field in model.model_fields.values()]
    return model.__name__ == tag or any(tag in values for values in literals)


def _models(annotation: Any) -> list[type[BaseModel]]:
    """The models inside `Model | None`, `list[Model | str]`, `dict[str, Model]` and their like."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for option in get_args(annotation) for model in _models(option)]
