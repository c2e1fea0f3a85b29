"""What a study's tables hold of clips that its file no longer asks for."""

from collections.abc import Collection, Iterable

from helpers.generation.journal import Row


def said_left_over(
    rows: Iterable[Row], *, models: Collection[str], prompts: Collection[str], seeds: Collection[int]
) -> str:
    """How many clips that the study made it no longer asks for, and why; empty where there are none.

    Args:
        rows: of the study's journals; imported clips are left out.
        models: the names of those that the study file asks to make clips.
        prompts: the prompt_id of each prompt that it chooses.
        seeds: the seeds that each prompt is shown with.
    """
    made = [row for row in rows if row.origin != "imported"]
    of_models = [row for row in made if row.model not in models]
    others = [row for row in made if row.model in models]
    of_prompts = [row for row in others if row.prompt_id not in prompts]
    of_seeds = [row for row in others if row.prompt_id in prompts and row.seed not in seeds]
    names = ", ".join(sorted({row.model for row in of_models}))
    why = [
        f"{len(found):,} of {what}"
        for found, what in (
            (of_models, f"models that it does not name ({names})"),
            (of_prompts, "prompts that it does not choose"),
            (of_seeds, "other seeds"),
        )
        if found
    ]
    if not why:
        return ""
    return (
        f"in the tables stay clips that the study file no longer asks for: {', '.join(why)}; "
        "book/running.md says how to take them out"
    )
