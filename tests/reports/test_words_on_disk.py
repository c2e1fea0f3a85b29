"""Reports read what judges wrote for the clips that they show, and show it as if all of it had been read."""

from dataclasses import replace

import pandas as pd
import pytest

from helpers import tables
from helpers.reports.evidence import evidence
from helpers.reports.sections import report_cards
from helpers.results import page as pages
from helpers.results.page import SAID_IN


@pytest.fixture(params=[0, 1], ids=["answers", "ratings"])
def judged(request, reports):
    return reports[request.param]


def test_evidence_is_that_of_a_page_which_holds_all_words(judged, study):
    name = SAID_IN[judged.framework.name]
    whole = tables.read(study.folder, name)
    assert "raw" not in judged.page.tables[name]
    everything = replace(judged, page=replace(judged.page, tables={**judged.page.tables, name: whole}))
    clips = judged.page.tables["videos"]["video_id"].iloc[[4, 1]]
    found = evidence(judged, clips, judged.panels)
    assert set(found["video_id"]) == set(clips)
    assert found["words"].ne("").any()
    pd.testing.assert_frame_equal(found, evidence(everything, clips, judged.panels))


def test_the_words_on_all_cards_are_read_at_once(reports, monkeypatch):
    read, asked = pages.read_about, []

    def counted(folder, name, clips):
        asked.append((name, len(clips)))
        return read(folder, name, clips)

    monkeypatch.setattr(pages, "read_about", counted)
    page = report_cards(reports, "country", each=2).data
    assert [name for name, _ in asked] == ["answers", "ratings"]
    assert page.count('class="clip-card"') == sum(clips for _, clips in asked)
