"""YAML files that people write, read into pydantic models; messages name the line and the nearest key."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, ValidationError
from yaml.constructor import ConstructorError

from helpers.checking import DataError, nearest
from helpers.paths import shown

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True)
class YamlSource:
    """The YAML file that a model was read from: the validation context of `read_yaml`.

    A model that can only be checked against something else later on keeps it, to say then where to look.
    All sources are equal: where a model was read is no difference between models.
    """

    path: Path = field(compare=False)
    tree: yaml.Node = field(compare=False, repr=False)

    def place(self, location: tuple, word: str) -> str:
        """The file, and the line with a word below a key, or else the key's own: "study.yaml: line 7"."""
        line, node = _found(self.tree, location)
        return f"{shown(self.path)}: line {_line_of_a_word(node, repr(word)) or line}"


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

    Returns:
        The model; its validators find the file as `YamlSource` in their context.

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
        raise DataError(f"{shown(path)}: {_no_yaml(error)}; expected `key: value` lines") from None
    except RecursionError:
        raise DataError(f"{shown(path)}: nested too deep to be read; expected {what} (YAML)") from None
    if not isinstance(values, dict):
        keys = ", ".join(model.model_fields)
        found = "nothing" if values is None else repr(values)
        raise DataError(f"{shown(path)}: found {found}, expected {what} with the keys {keys}")
    try:
        return model.model_validate(values, context=YamlSource(path, tree))
    except ValidationError as error:
        problems = [_explain(problem, model, tree) for problem in error.errors()]
        raise DataError("\n".join(f"{shown(path)}: {problem}" for problem in problems)) from None


def _no_yaml(error: yaml.YAMLError) -> str:
    """Where a file is no YAML, and why."""
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        return "not YAML"
    line, begins = error.problem_mark.line, error.context_mark
    since = f", in what begins in line {begins.line + 1}" if begins and begins.line < line else ""
    return f"line {line + 1} is not YAML ({error.problem}{since})"


def _nodes(tree: yaml.Node | None) -> Iterator[yaml.Node]:
    """Every node of a tree once, though aliases may lead to it again and again."""
    waiting, seen = [tree], set()
    while waiting:
        node = waiting.pop()
        if node is None or id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        if isinstance(node, yaml.CollectionNode):
            pairs = isinstance(node, yaml.MappingNode)
            waiting += [part for pair in node.value for part in pair] if pairs else node.value


def _check_keys(tree: yaml.Node | None) -> None:
    """Refuse a key that stands twice in one place: PyYAML takes the last one without a word."""
    for node in _nodes(tree):
        lines: dict[str, int] = {}
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            if not isinstance(key, yaml.ScalarNode):
                continue
            if key.value in lines:
                problem = f"key '{key.value}' stands in line {lines[key.value]} already"
                raise ConstructorError(None, None, problem, key.start_mark)
            lines[key.value] = key.start_mark.line + 1


def _explain(problem: dict[str, Any], model: type[BaseModel], tree: yaml.Node) -> str:
    """One pydantic problem as a sentence."""
    location, at = _place(model, problem["loc"])
    key = ".".join(str(part) for part in location)
    if problem["type"] == "missing":
        line = f"line {_found(tree, location)[0]}: " if len(location) > 1 else ""
        return f"{line}key '{key}' is missing"
    line, node = _found(tree, location)
    if problem["type"] == "extra_forbidden":
        known = list(at.model_fields)
        hint = nearest(str(location[-1]), known)
        return f"line {line}: unknown key '{key}'{hint} (expected one of {', '.join(known)})"
    where = f"key '{key}': " if key else ""
    if problem["type"] == "value_error":  # the schemas' own rules say what they found
        said = str(problem["ctx"]["error"])
        return f"line {_line_of_a_word(node, said) or line}: {where}{said}"
    found = "" if isinstance(problem["input"], dict | BaseModel) else f"found {problem['input']!r}; "
    hint = ""
    if problem["type"] == "literal_error":
        hint = nearest(str(problem["input"]), re.findall("'([^']*)'", problem["ctx"]["expected"]))
    return f"line {line}: {where}{found.replace('None', 'nothing')}{_expected(problem['msg'])}{hint}"


# What pydantic says, in the words of YAML.
_WORDS = (
    (r"^Input should be (?=greater|less)", "expected a number "),
    (r"^Input should be ", "expected "),
    (r"a valid dictionary or .*", "keys with values"),
    (r"^String should match pattern", "expected text that matches"),
)


def _expected(message: str) -> str:
    for pattern, words in _WORDS:
        message = re.sub(pattern, words, message)
    return message


def _line_of_a_word(node: yaml.Node, message: str) -> int | None:
    """The first line (from 1) with a word that a message quotes; the words that come first count first."""
    lines: dict[str, int] = {}
    for one in _nodes(node):
        if isinstance(one, yaml.ScalarNode):
            line = one.start_mark.line + 1
            lines[one.value] = min(line, lines.get(one.value, line))
    return next((lines[word] for word in re.findall("'([^']+)'", message) if word in lines), None)


def _found(node: yaml.Node, location: tuple) -> tuple[int, yaml.Node]:
    """The line (from 1) of the innermost key of a location that the YAML tree holds, and its value."""
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
    return line, node


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
