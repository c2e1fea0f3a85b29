import pandas as pd
import pytest

from helpers import tables
from helpers.explore.clips import Clips
from helpers.explore.studies import found_study
from helpers.reports.judged import open_judged
from reports.report_study import write_study


@pytest.fixture(scope="session")
def traps(tmp_path_factory):
    """The folder of a study full of traps, with a few metric values."""
    root = tmp_path_factory.mktemp("explored")
    write_study(root)
    folder = root / "traps"
    clips = tables.read(folder, "videos")["video_id"]
    rows = clips.to_frame().assign(metric="motion", value=0.25, status="ok")
    rows.loc[0, ["value", "status"]] = None, "failed"
    own = clips.to_frame().assign(metric="<b>own</b>", value=1.5, status="ok").head(1)
    tables.write(folder, "metric_values", pd.concat([rows, own], ignore_index=True))
    return folder


@pytest.fixture(scope="session")
def questions(traps):
    return Clips(open_judged(found_study(traps), "culturescore"))


@pytest.fixture(scope="session")
def grades(traps):
    return Clips(open_judged(found_study(traps), "culturevidbench"))
