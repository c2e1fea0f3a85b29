import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from helpers import figures


@pytest.fixture
def figure():
    figures.use_style()
    figure, axes = plt.subplots()
    axes.plot([1, 2])
    return figure


def test_a_shown_figure_is_saved_closed_captioned_and_escaped(figure, tmp_path):
    path = tmp_path / "figures" / "line.png"
    shown = figures.show(figure, path, caption="n < 3 & more", alt='A "line"').data
    assert path.read_bytes().startswith(b"\x89PNG")
    assert not plt.fignum_exists(figure.number)
    assert "<figcaption>n &lt; 3 &amp; more</figcaption>" in shown
    assert 'alt="A &quot;line&quot;"' in shown


def test_simulated_data_say_so_on_the_picture_itself(figure, tmp_path):
    figures.show(figure, tmp_path / "line.png", caption="n = 2", alt="A line", simulated=True)
    assert {text.get_text() for text in figure.texts} == {figures.SIMULATED}


@pytest.mark.parametrize("words", [{"caption": " ", "alt": "A line"}, {"caption": "n = 2", "alt": ""}])
def test_a_figure_without_caption_or_alternative_is_refused(figure, tmp_path, words):
    with pytest.raises(ValueError, match="expected both"):
        figures.show(figure, tmp_path / "line.png", **words)
    plt.close(figure)


@pytest.mark.parametrize("formats", ["{:.1f}", {"d_z' < 1": "{:.1f}"}])
def test_a_table_escapes_what_it_shows_and_says_where_a_value_is_missing(formats):
    columns = {"<b>": ["<script>alert(1)</script>", ["<script>"]], "d_z' < 1": [0.123, np.nan]}
    frame = pd.DataFrame(columns, index=[7, 7])
    shown = figures.table(frame, caption="n = 2 <i>", formats=formats).data
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
    assert "&lt;b&gt;" in shown
    assert "d z&#x27; &lt; 1" in shown
    assert "n = 2 &lt;i&gt;" in shown
    assert ">0.1<" in shown
    assert ">–<" in shown


def test_a_table_without_a_caption_is_refused():
    with pytest.raises(ValueError, match="empty caption"):
        figures.table(pd.DataFrame({"a": [1]}), caption="")


def test_the_versions_stamp_names_what_is_installed():
    assert f"numpy {np.__version__}" in figures.versions("numpy").data
