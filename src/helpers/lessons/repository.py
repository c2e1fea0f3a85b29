"""Where on GitHub the project lies, if that is known: for what opens a notebook in Colab or Binder."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import yaml

from helpers.checking import DataError
from helpers.paths import ROOT, shown

CONFIGURATION = ROOT / "_config.yml"


@dataclass(frozen=True, kw_only=True, slots=True)
class Repository:
    """Where on GitHub the project lies.

    Attributes:
        name: "owner/name".
        branch: the branch that readers get.
    """

    name: str
    branch: str

    @classmethod
    def configured(cls, configuration: Path = CONFIGURATION) -> Self | None:
        """The address that the book's configuration gives under `repository`; None where it gives none.

        The configuration and not git's `origin`: what is made from it is committed, and each clone has
        another origin.

        Raises:
            DataError: an address that is not `https://github.com/OWNER/NAME`.
        """
        given = yaml.safe_load(configuration.read_text(encoding="utf-8")).get("repository") or {}
        if not given.get("url"):
            return None
        fits = re.fullmatch(r"https://github\.com/([\w.-]+/[\w.-]+?)(\.git)?/?", str(given["url"]))
        if not fits:
            raise DataError(
                f"{shown(configuration)}: repository: found the url '{given['url']}', expected "
                "https://github.com/OWNER/NAME"
            )
        return cls(name=fits[1], branch=str(given.get("branch", "main")))

    @property
    def url(self) -> str:
        """What git clones."""
        return f"https://github.com/{self.name}"

    def launchers(self, path: str) -> dict[str, str]:
        """By service, the address that opens a notebook of the project there."""
        return {
            "Colab": f"https://colab.research.google.com/github/{self.name}/blob/{self.branch}/{path}",
            "Binder": f"https://mybinder.org/v2/gh/{self.name}/{self.branch}?urlpath=lab/tree/{path}",
        }
