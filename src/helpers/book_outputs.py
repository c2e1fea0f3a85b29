"""A book's files where a study's `outputs` leave notebooks out: no entry in the contents, links as words."""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from helpers.lessons.plain import heading
from helpers.study import Study

CONTENTS = "_toc.yml"
# {doc}`words <notebooks/01_name>` or {doc}`01_name`
LINK = re.compile(r"\{doc\}`(?:([^`]+?)\s*<)?[^`<>]*?\b(\d\d_\w+)\s*>?\s*`")


def left_out(study: Study, notebooks: Iterable[Path]) -> dict[str, str]:
    """The notebooks that a study's book leaves out: each one's title by its name.

    Args:
        study: the study.
        notebooks: all source notebooks.
    """
    return {notebook.stem: heading(notebook) for notebook in notebooks if not study.shows(notebook.stem)}


def shortened(file: Path, titles: Mapping[str, str]) -> bytes:
    """What a file of the book holds once notebooks are left out.

    Args:
        file: the table of contents, a page, a notebook or a file of another kind, which stays as it is.
        titles: of the notebooks that are left out, by their names; without any, every file stays as it is.
    """
    content = file.read_bytes()
    if not titles:
        return content
    if file.name == CONTENTS:
        contents = yaml.safe_load(content)
        kept = {key: _without(contents[key], titles) for key in ("parts", "chapters") if key in contents}
        return yaml.safe_dump(contents | kept, sort_keys=False).encode()
    if file.suffix == ".md":
        return _unlinked(content.decode(), titles).encode()
    if file.suffix == ".ipynb":
        notebook = json.loads(content)
        for cell in notebook["cells"]:
            if cell["cell_type"] == "markdown":
                cell["source"] = _unlinked("".join(cell["source"]), titles)
        return json.dumps(notebook).encode()
    return content


def _unlinked(text: str, titles: Mapping[str, str]) -> str:
    def words(link: re.Match[str]) -> str:
        said, name = link.groups()
        return (said or titles[name]) if name in titles else link[0]

    return LINK.sub(words, text)


def _without(entries: Iterable[dict[str, Any]], titles: Mapping[str, str]) -> list[dict[str, Any]]:
    """Entries of the table of contents and those below them; a part of which nothing is left goes too."""
    kept = []
    for entry in entries:
        below = {key: _without(entry[key], titles) for key in ("chapters", "sections") if key in entry}
        if Path(entry.get("file", "")).name in titles:
            kept += below.get("sections", [])
        elif below.get("chapters") != []:
            kept.append({key: value for key, value in (entry | below).items() if value})
    return kept
