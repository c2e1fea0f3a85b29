"""What a study holds of a benchmark, before anything is computed from it."""

from helpers.results.page import Listed, Page


def holdings(page: Page) -> Listed:
    """What a study holds: clips by model and variant, with what became of them, and what was said of them."""
    page.need("prompts", "videos")
    clips = page.tables["videos"].merge(
        page.tables["prompts"][["prompt_id", "variant", "country"]], on="prompt_id"
    )
    groups = clips.groupby(["model", "variant"])
    rows = groups.agg(
        clips=("video_id", "size"),
        made=("status", lambda status: int(status.eq("ok").sum())),
        countries=("country", "nunique"),
    )
    for name in ("answers", "ratings", "metric_values"):
        said = page.tables[name]
        if not said.empty:
            about = clips["video_id"].isin(said["video_id"])
            rows[f"with {name.replace('_', ' ')}"] = about.groupby([clips["model"], clips["variant"]]).sum()
    raters = page.tables["raters"]["kind"].value_counts()
    return Listed(
        rows.reset_index(),
        f"clips of {page.benchmark} and how many of them anything was said about. Raters: "
        f"judges {raters.get('judge', 0)}, people {raters.get('human', 0)}",
    )
