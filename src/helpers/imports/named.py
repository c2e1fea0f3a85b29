"""A folder of finished clips as a study file names it; nothing here opens a file."""

from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from helpers.imports.layout import BY_ID, Layout
from helpers.paths import found_at


class ClipFolder(BaseModel):
    """Clips that were made elsewhere, by a service or by hand.

    Attributes:
        folder: a folder, or a CSV manifest with the columns path, model, prompt_id and perhaps seed; a
            relative path starts at the current folder or else at the project's root.
        model: the model of all clips, for a pattern without `{model}`; a manifest names its own.
        pattern: how the paths in the folder are made, see `layout.Layout`. Without it the files are named
            after their prompts' ids, below one folder a model where `model` is left out.
        names: names of models by the names that folders or the manifest give them.
        copies: readable clips are copied into the study; otherwise it records where they lie.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    folder: str = Field(min_length=1)
    model: str | None = Field(None, min_length=1)
    pattern: str | None = None
    names: dict[str, str] = {}
    copies: bool = False

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        if self.is_manifest:
            if self.model is not None or self.pattern is not None:
                raise ValueError(
                    "a manifest names model and prompt of each clip; expected no model or pattern beside it"
                )
        elif Layout(self.layout, ()).has_model == (self.model is not None):
            found = "both" if self.model else "neither"
            raise ValueError(
                f"found {found} {{model}} in the pattern '{self.layout}' and a model, expected one"
            )
        return self

    @property
    def is_manifest(self) -> bool:
        """Whether it is a file that lists clips."""
        return self.folder.lower().endswith(".csv")

    @property
    def layout(self) -> str:
        """The pattern that its files are read with."""
        return self.pattern or (BY_ID if self.model is None else BY_ID.removeprefix("{model}/"))

    @property
    def path(self) -> Path:
        """Where it lies."""
        return found_at(self.folder)
