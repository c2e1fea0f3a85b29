"""The parameters of a notebook: those that it declares, and whether values given for them fit."""

import ast
import json
import re
from pathlib import Path
from typing import Any

from helpers.chat.keys import check_address, check_variable
from helpers.checking import DataError, nearest
from helpers.paths import shown

SECRET_NAME = re.compile(
    r"passw|pwd|passphrase|secret|credential|bearer|oauth|authori[sz]ation|(^|_)(auth|keys?|token)\d*(_|$)|^tokens$"
    r"|(api|access|open_?ai|gemini|hf|private)_?(keys?|token)"
)
SECRET_VALUE = re.compile(
    r"(?<![\w-])(sk-|hf_|gsk_|r8_|gh[opsu]_|github_pat_|glpat-|xox[abpr]-|AIza|AKIA|ASIA)[\w-]{4}"
    r"|Bearer\s+\S|-----BEGIN |://[^/\s@]+@|[?&]([\w-]*[_-])?(?i:(api)?key|token|secret|password|auth|sig)=|\beyJ[\w-]+\.eyJ"
)
# What notebooks call the variable that holds a key, and the address of a server.
VARIABLES = {"env_variable", "key_variable"}
ADDRESSES = {"endpoint", "base_url"}


def defaults(notebook: Path) -> dict[str, Any]:
    """The parameters of a notebook and their default values.

    Args:
        notebook: an `.ipynb` file with exactly one code cell tagged `parameters`, which holds nothing but
            assignments of literals to names.

    Raises:
        DataError: no such file, no notebook, no or several such cells, or something else than a literal.
    """
    name = shown(notebook)
    try:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    except OSError as error:
        reason = "no such file" if isinstance(error, FileNotFoundError) else error.strerror
        raise DataError(f"{name}: {reason}; expected a notebook (.ipynb)") from None
    except (ValueError, KeyError, TypeError):
        raise DataError(f"{name}: found no notebook; expected a JSON file with 'cells'") from None
    tagged = [cell for cell in cells if "parameters" in cell.get("metadata", {}).get("tags", [])]
    if len(tagged) != 1:
        raise DataError(f"{name}: found {len(tagged)} cells tagged 'parameters', expected exactly one")
    try:
        statements = ast.parse("".join(tagged[0]["source"])).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise DataError(f"{name}: the parameters cell is not Python ({error})") from None
    values = {}
    for statement in statements:
        try:
            (target,) = [statement.target] if isinstance(statement, ast.AnnAssign) else statement.targets
            values[target.id] = ast.literal_eval(statement.value)
        except (AttributeError, TypeError, ValueError):
            raise DataError(
                f"{name}: the parameters cell holds '{ast.unparse(statement)}', expected `name = literal`"
            ) from None
    return values


def checked(notebook: Path, given: dict[str, Any]) -> dict[str, Any]:
    """The given parameters, each known to the notebook, of its default's type, and no secret.

    A whole number is accepted where the default is a float; a default of `None` accepts any literal. What
    names a key's variable or a server's address (`VARIABLES`, `ADDRESSES`) may be empty, but hold no key.

    Raises:
        DataError: names the notebook, the parameter, the value, what was expected and the nearest name.
    """
    declared = defaults(notebook)
    name = shown(notebook)
    for parameter, value in [*declared.items(), *given.items()]:
        if SECRET_NAME.search(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", parameter).lower()):
            raise DataError(
                f"{name}: the parameter '{parameter}' looks like a secret and would be saved in the executed "
                "notebook; expected secrets in environment variables only"
            )
        if SECRET_VALUE.search(str(value)):
            raise DataError(
                f"{name}: the value of '{parameter}' looks like an access key; expected no secrets here"
            )
        try:
            if value and parameter in VARIABLES:
                check_variable(str(value))
            if value and parameter in ADDRESSES:
                check_address(str(value))
        except ValueError as error:
            raise DataError(f"{name}: the parameter '{parameter}' does not fit: {error}") from None
    for parameter, value in given.items():
        if parameter not in declared:
            raise DataError(
                f"{name}: unknown parameter '{parameter}'{nearest(parameter, declared)} "
                f"(expected one of {', '.join(declared)})"
            )
        default = declared[parameter]
        if default is not None and type(value) is not type(default):
            if isinstance(default, float) and type(value) is int:
                continue
            raise DataError(
                f"{name}: parameter '{parameter}': found {value!r} ({type(value).__name__}), "
                f"expected {type(default).__name__} like its default {default!r}"
            )
    return given
