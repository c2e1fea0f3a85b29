"""Which of a study's prompts to show: by what they are about, by name, or just the first few."""

from collections.abc import Iterable
from typing import Annotated, Self

import pandas as pd
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationInfo,
    model_validator,
)

from helpers.checking import DataError, nearest
from helpers.configuration import YamlSource
from helpers.geography import nearest_country

Words = Annotated[
    list[str],
    Field(min_length=1),
    BeforeValidator(lambda value: [value] if isinstance(value, str) else value),
]

# Who writes the prompts of each benchmark.
NOTEBOOKS = {
    "culturescore": "11_culturescore_prompts",
    "culturevidbench": "12_culturevidbench_prompts",
    "landmarks": "13_landmarks",
}
# What a prompt is of one kind with another by.
_KINDS = ("benchmark", "country", "category", "aspect", "landmark_id", "variant")


class PromptChoice(BaseModel):
    """The key `prompts` of a study file; what is left out does not restrict.

    A single word may stand without the brackets of a list.

    Attributes:
        benchmark: keep these.
        country: keep these.
        category: keep these.
        aspect: keep these.
        variant: keep these.
        ids: keep these prompts.
        first: of what is left, the first so many in the table's order.
        first_of_each: of each country and category, aspect or landmark, and variant, the first so many.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    benchmark: Words | None = None
    country: Words | None = None
    category: Words | None = None
    aspect: Words | None = None
    variant: Words | None = None
    ids: Words | None = None
    first: int | None = Field(default=None, ge=1)
    first_of_each: int | None = Field(default=None, ge=1)
    _source: YamlSource | None = PrivateAttr(default=None)

    @model_validator(mode="after")
    def _remember_where_it_stands(self, info: ValidationInfo) -> Self:
        self._source = info.context
        return self

    def of(self, prompts: pd.DataFrame) -> pd.DataFrame:
        """The chosen rows of the table `prompts`.

        Raises:
            DataError: a word that no prompt has, or none of the chosen benchmarks, with the nearest one that
                some have; or nothing is left. The message names the line of the study file, if the choice was
                read from one.
        """
        every = of_benchmark = prompts
        for key in ("benchmark", "country", "category", "aspect", "variant", "ids"):
            wanted = getattr(self, key)
            if wanted is None:
                continue
            column = "prompt_id" if key == "ids" else key
            there = every[column].dropna().unique()
            for word in wanted:
                if word not in there:
                    raise DataError(self._unknown(key, word, there))
                if word not in of_benchmark[column].unique():
                    names = " or ".join(self.benchmark)
                    place = self._place(key, word=word)
                    raise DataError(
                        f"{place}prompts.{key}: no prompt of {names} has '{word}'; expected words that some "
                        "of them have (prompts of other benchmarks have it)"
                    )
            prompts = prompts[prompts[column].isin(wanted)]
            if key == "benchmark":
                of_benchmark = prompts
        if prompts.empty:
            wanted = self.model_dump(exclude_none=True)
            raise DataError(f"{self._place()}prompts: none fits {wanted}; expected at least one")
        if self.first_of_each is not None:
            prompts = prompts[prompts.groupby(list(_KINDS), dropna=False).cumcount() < self.first_of_each]
        return prompts.head(self.first or len(prompts))

    def _unknown(self, key: str, word: str, there: Iterable[str]) -> str:
        """What to say of a word that no prompt has."""
        said = f"{self._place(key, word=word)}prompts.{key}: no prompt has '{word}'"
        if key == "benchmark" and word in NOTEBOOKS:
            return (
                f"{said}: the table has none of that benchmark yet; notebooks/{NOTEBOOKS[word]}.ipynb "
                "writes them"
            )
        if key == "benchmark":
            return said + nearest(word, NOTEBOOKS)
        return said + (nearest_country if key == "country" else nearest)(word, there)

    def _place(self, *keys: str, word: str = "") -> str:
        """Where the choice or a word below one of its keys stands; empty where no file is known."""
        return f"{self._source.place(('prompts', *keys), word)}: " if self._source else ""
