"""What axe-core finds in a page that is open in a browser."""

from importlib.util import find_spec
from pathlib import Path

import pytest
from playwright.sync_api import Page

# Of axe's experimental rules the one that people who speak to their computer depend on.
OPTIONS = {"resultTypes": ["violations"], "rules": {"label-content-name-mismatch": {"enabled": True}}}


def serious(page: Page, inside: str = "html", *, only: str | None = None) -> list[str]:
    """The rules that an element breaks seriously, each with the first such element.

    Args:
        page: the page, loaded.
        inside: a CSS selector of the part that is looked at.
        only: the one rule that is asked; without it, all.
    """
    found = find_spec("axe_playwright_python")
    if found is None:
        pytest.skip("axe-core is not installed (the package `axe-playwright-python` carries it)")
    page.add_script_tag(path=Path(found.origin).with_name("axe.min.js"))
    options = OPTIONS | {"runOnly": [only]} if only else OPTIONS
    result = page.evaluate(
        "([inside, options]) => axe.run(document.querySelector(inside), options)", [inside, options]
    )
    return [
        f"{each['id']}: {each['nodes'][0]['html'][:200]}"
        for each in result["violations"]
        if each["impact"] in ("serious", "critical")
    ]
