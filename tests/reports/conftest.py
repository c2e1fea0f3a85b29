import pytest

from helpers.reports.judged import open_all
from reports.report_study import write_study


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A judged study full of traps, in a folder of its own."""
    folder = tmp_path_factory.mktemp("studies")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("helpers.study.STUDIES", folder)
        yield write_study(folder)


@pytest.fixture(scope="module")
def reports(study):
    return open_all(study)
