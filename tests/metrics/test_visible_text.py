"""Visible text: quoted texts, errors and scripts everywhere; Tesseract itself where it is installed."""

import unicodedata
from functools import cache
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from helpers.geography import COUNTRIES
from helpers.metrics import tesseract, visible_text
from helpers.metrics.cases import Case
from helpers.metrics.measurer import ModelError
from helpers.metrics.quoted_text import (
    UNSPACED,
    character_error_rate,
    fewest_errors,
    normal,
    quoted,
    without_false_spaces,
)
from helpers.metrics.run import measure
from helpers.metrics.scripts import SCRIPTS, country_scripts, letters_by_script
from helpers.metrics.visible_text import VisibleText, holds_text, script_shares
from helpers.paths import ROOT
from helpers.video.write import write_clip

CLIPS = ROOT.parent / "shared" / "data" / "videos"
FONT = Path(mpl.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"
needs_tesseract = pytest.mark.skipif(bool(tesseract.obstacle()), reason=tesseract.obstacle() or "it is here")


def sign(*lines, height=480, width=854):
    """A wall with a sign on it."""
    wall = np.random.default_rng(0).integers(100, 130, (height, width, 3), dtype=np.uint8)
    image = Image.fromarray(wall)
    draw = ImageDraw.Draw(image)
    draw.rectangle((width // 6, height // 5, width * 5 // 6, height * 4 // 5), fill=(240, 240, 230))
    for row, line in enumerate(lines):
        place = (width // 5, height // 4 + row * 80)
        draw.text(place, line, font=ImageFont.truetype(FONT, 40), fill=(20, 20, 60))
    return np.asarray(image)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A clip with a sign that turns blank half-way."""
    written = tmp_path_factory.mktemp("clips") / "sign.mp4"
    write_clip(written, np.stack([sign("Welcome to Lagos", "OPEN 24 HOURS"), sign()]), 2)
    return written


@cache
def letters_named(script):
    """A script's letters, by the names in Python's own Unicode database, which begin with it."""
    start = {"Han": "CJK UNIFIED IDEOGRAPH"}.get(script, f"{script.upper()} ")
    kind = "Lu" if script in {"Latin", "Greek", "Cyrillic"} else "Lo"
    every = [letter for letter in map(chr, range(0x41, 0x30000)) if unicodedata.category(letter) == kind]
    return "".join(letter for letter in every if unicodedata.name(letter, "").startswith(start))


@cache
def levenshtein(a, b):
    """The textbook's recursion."""
    if not a or not b:
        return len(a) + len(b)
    substituted = levenshtein(a[1:], b[1:]) + (a[0] != b[0])
    return min(substituted, levenshtein(a[1:], b) + 1, levenshtein(a, b[1:]) + 1)


class TestQuotedText:
    @pytest.mark.parametrize(
        ("prompt", "texts"),
        [
            ('A sign reads "Welcome to Lagos".', ["Welcome to Lagos"]),
            ("A sign reads “Zócalo” and one „Bäckerei“.", ["Zócalo", "Bäckerei"]),
            ("A banner with 「東京」 and «Привет»", ["東京", "Привет"]),
            ("It's the farmers' market by Ann's stall", []),
            ("The sign 'Joe's bar' hangs over 'Open'", ["Joe's bar", "Open"]),
            ('An empty "" and a blank " " and "!"', []),
            ("A 24\" screen shows 'Hi'", ["Hi"]),
            ("A desert at noon", []),
        ],
    )
    def test_it_is_what_stands_in_quotation_marks(self, prompt, texts):
        assert quoted(prompt) == texts

    @settings(max_examples=200, deadline=None)
    @given(st.text())
    def test_any_prompt_is_taken(self, prompt):
        assert all(text and text == text.strip() for text in quoted(prompt))

    def test_levenshteins_examples(self):
        # Wagner & Fischer's distance on the two pairs that textbooks print.
        assert levenshtein("kitten", "sitting") == 3
        assert levenshtein("saturday", "sunday") == 3

    @settings(max_examples=150, deadline=None)
    @given(st.text("abc", max_size=5), st.text("abcd", max_size=6))
    def test_errors_are_the_least_distance_to_any_part(self, wanted, read):
        ends = range(len(read) + 1)
        parts = [read[a:b] for a in ends for b in ends if a <= b]
        assert fewest_errors(wanted, read) == min(levenshtein(wanted, part) for part in parts)

    @pytest.mark.parametrize(
        ("wanted", "frames", "rate"),
        [
            (["Open"], ["", "OPEN  24 hours"], 0),
            (["Open"], ["0pen", "Qpen"], 1 / 4),
            (["Open"], [], 1),
            (["Open"], ["", ""], 1),
            (["Open", "Closed"], ["closed", "open"], 0),
            # "closed" from "ope": c and l are missing, s is read as p, d is missing.
            (["Open", "Closed"], ["open"], 4 / 10),
            (["ｏｐｅｎ"], ["open"], 0),
            # As Tesseract reads it, by characters; and a prompt that has the spaces.
            (["兰州牛肉面"], ["兰 州 牛 肉 面"], 0),
            (["兰 州 牛 肉 面"], ["兰州牛肉面"], 0),
            (["いらっしゃい"], ["い ら っ しゃ い"], 0),
            # One of five is another, with or without spaces.
            (["兰州牛肉面"], ["兰 州 午 肉 面"], 1 / 5),
            # Korean has its spaces: without them, one of five is missing.
            (["어서 오세"], ["어서오세"], 1 / 5),
        ],
    )
    def test_the_rate_takes_the_best_frame_for_each_text(self, wanted, frames, rate):
        assert character_error_rate(wanted, frames) == pytest.approx(rate)

    def test_normal_keeps_marks_and_drops_case(self):
        assert normal("  ＺÓCALO\n Straße ") == "zócalo strasse"

    @pytest.mark.parametrize(
        ("read", "text"),
        [
            ("兰 州\u3000牛\n肉 面", "兰州牛肉面"),
            ("い ら っ し ゃ い", "いらっしゃい"),
            ("ラ ー メ ン 、 一 つ 。", "ラーメン、一つ。"),
            ("ㄅ ㄆ ㄇ", "ㄅㄆㄇ"),
            ("ข้าว ผัด", "ข้าวผัด"),
            ("ຕະ ຫຼາດ", "ຕະຫຼາດ"),
            ("ផ្ សារ", "ផ្សារ"),
            ("ဈေ း", "ဈေး"),
            ("東 京 Tower 2020 年", "東京 Tower 2020 年"),
            ("어서 오세요", "어서 오세요"),
            ("वडा पाव", "वडा पाव"),
            ("HOT SUYA", "HOT SUYA"),
        ],
    )
    def test_scripts_without_spaces_lose_them_and_others_keep_theirs(self, read, text):
        assert without_false_spaces(read) == text
        assert normal(read) == normal(text)

    @pytest.mark.parametrize("script", sorted({*UNSPACED, *SCRIPTS}))
    def test_letters_close_up_in_scripts_without_spaces_alone(self, script):
        letters = letters_named(script)
        assert len(letters) > 20
        between = "" if script in UNSPACED else " "
        assert without_false_spaces(" ".join(letters)) == between.join(letters)


class TestScripts:
    @pytest.mark.parametrize("script", SCRIPTS)
    def test_letters_are_those_that_unicode_names_after_it(self, script):
        letters = letters_named(script)
        assert len(letters) >= 2
        assert letters_by_script(letters) == {script: len(letters)}

    def test_digits_and_marks_have_none_and_rare_letters_count_as_other(self):
        assert letters_by_script("24 – ! €") == {}
        assert letters_by_script("Tokyo 東京タワー ᚠ") == {"Latin": 5, "Han": 2, "Katakana": 2, "other": 1}

    def test_every_country_has_scripts_and_a_language(self):
        assert {name for country in COUNTRIES for name in country_scripts(country)} <= set(SCRIPTS)
        assert country_scripts("Japan") == ("Han", "Hiragana", "Katakana")
        assert [tesseract.language_of(name) for name in ("China", "India", "Poland")] == [
            "chi_sim",
            "hin",
            "pol",
        ]

    @pytest.mark.parametrize("ask", [country_scripts, tesseract.language_of])
    def test_another_country_is_refused(self, ask):
        with pytest.raises(ValueError, match="found the country 'Atlantis'"):
            ask("Atlantis")


@pytest.fixture
def signs(monkeypatch, tmp_path):
    """A run over clips in which Tesseract, played by a function, reads the words that each stands for."""
    seen = {
        "Japan": ["い", "ら", "っ", "しゃ", "い"],
        "China": ["OPEN", "店"],
        "Russia": ["OTKPbITO"],
        "Iran": [],
    }
    cases = []
    for level, country in enumerate(seen):
        path = tmp_path / f"{country}.mp4"
        write_clip(path, np.full((2, 64, 64, 3), 60 * level, np.uint8), 2)
        cases.append(Case(video_id=country, path=path, prompt="A sign: 「いらっしゃい」"))

    def read_words(picture, languages):
        words = list(seen.values())[round(picture.mean() / 60)]
        return [tesseract.Word(word, 95.0) for word in words]

    monkeypatch.setattr(visible_text, "read_words", read_words)
    monkeypatch.setattr(VisibleText, "load", lambda self: {})
    measurer = VisibleText(["eng", "jpn", "chi_sim", "fas"])
    return measure([measurer], cases, tmp_path / "logs", quiet=True).about


class TestWithWordsGiven:
    def test_characters_read_one_by_one_are_text_and_without_error(self, signs):
        rows = signs[signs["video_id"] == "Japan"].set_index("metric")
        assert rows.at["visible_text_frames", "value"] == 1
        assert rows.at["visible_text_error_rate", "value"] == 0
        assert rows.at["visible_text_frames", "details"]["texts"] == ["いらっしゃい"] * 2

    def test_scripts_found_stand_beside_the_countrys(self, signs):
        shares = script_shares(signs, {name: name for name in ("Japan", "China", "Russia", "Iran")})
        shares = shares.set_index("country")
        assert shares["found"].to_dict() == {
            "Japan": "Hiragana",
            "China": "Latin, Han",
            "Russia": "Latin",
            "Iran": "",
        }
        assert shares["scripts"].tolist() == ["Han, Hiragana, Katakana", "Han", "Cyrillic", "Arabic"]
        assert shares["letters"].tolist() == [12, 10, 16, 0]
        assert shares["share"].tolist() == pytest.approx([1, 1 / 5, np.nan, np.nan], nan_ok=True)
        assert shares["status"].tolist() == ["ok", "ok", "unscored", "missing"]


@pytest.mark.parametrize(
    ("words", "is_text"),
    [
        ("", False),
        ("A", False),
        ("4 i", False),
        ("A. -", False),
        ("24", True),
        ("a Om", True),
        ("店", True),
        ("ም", False),
    ],
)
def test_single_letters_are_no_text_but_a_chinese_character_is(words, is_text):
    assert holds_text(words) == is_text


class TestWithoutTesseract:
    def test_its_absence_is_said_with_what_mends_it(self, monkeypatch, tmp_path):
        monkeypatch.setenv("PATH", str(tmp_path))
        assert "apt-get install tesseract-ocr" in tesseract.obstacle()
        with pytest.raises(ModelError, match="found no program 'tesseract'"):
            VisibleText().load()


@needs_tesseract
class TestWithTesseract:
    def test_print_is_read(self):
        words = [word.text for word in tesseract.read_words(sign("Welcome to Lagos", "OPEN 24 HOURS"))]
        assert words == ["Welcome", "to", "Lagos", "OPEN", "24", "HOURS"]

    @pytest.mark.parametrize("kind", ["blank", "noise", "tiny", "grey"])
    def test_nothing_is_read_where_nothing_is_written(self, kind):
        pictures = {
            "blank": np.zeros((480, 854, 3), np.uint8),
            "noise": np.random.default_rng(0).integers(0, 256, (480, 854, 3), dtype=np.uint8),
            "tiny": np.full((10, 10, 3), 200, np.uint8),
            "grey": sign(),
        }
        assert tesseract.read_words(pictures[kind]) == []

    def test_a_run_goes_from_a_file_to_rows(self, path, tmp_path):
        prompts = {"right": 'A sign: "Welcome to Lagos"', "wrong": "A sign: “Bem-vindo”", "none": "A sign"}
        cases = [Case(video_id=name, path=path, prompt=text) for name, text in prompts.items()]
        results = measure([VisibleText()], cases, tmp_path, quiet=True)
        table = results.table.pivot(index="video_id", columns="metric", values="value")
        assert table["visible_text_frames"].tolist() == [0.5] * 3
        assert table.at["right", "visible_text_error_rate"] == 0
        assert table.at["wrong", "visible_text_error_rate"] > 0.5
        metrics = results.table.groupby("video_id")["metric"].agg(list).to_dict()
        assert metrics["none"] == ["visible_text_frames"]
        assert metrics["right"] == metrics["wrong"] == ["visible_text_frames", "visible_text_error_rate"]
        assert set(results.table["status"]) == {"ok"}
        shares = script_shares(
            results.about, {"right": "Nigeria", "wrong": "Italy", "none": "Nigeria"}
        ).set_index("video_id")
        assert shares["status"].to_dict() == {"right": "ok", "wrong": "unscored", "none": "ok"}
        assert shares.at["right", "share"] == 1

    def test_a_clip_without_text_has_no_script(self, tmp_path):
        write_clip(tmp_path / "wall.mp4", np.stack([sign()] * 2), 2)
        cases = [Case(video_id="a", path=tmp_path / "wall.mp4", prompt="A wall")]
        about = measure([VisibleText()], cases, tmp_path / "logs", quiet=True).about
        assert script_shares(about, {"a": "Nigeria"})["status"].tolist() == ["missing"]

    def test_a_language_that_is_not_installed_is_named(self):
        with pytest.raises(ModelError, match="lacks xyz; on Debian, apt-get install tesseract-ocr-xyz"):
            VisibleText(["eng", "xyz"]).load()

    def test_taking_too_long_fails_that_clip_alone(self, path, tmp_path, monkeypatch):
        monkeypatch.setattr(tesseract, "LONGEST", 0.001)
        monkeypatch.setattr(VisibleText, "load", lambda self: {})
        cases = [Case(video_id="a", path=path, prompt="A sign")]
        about = measure([VisibleText()], cases, tmp_path, quiet=True).about
        assert set(about["status"]) == {"failed"}
        assert about["reason"].str.contains("more than 0.001 s").all()

    @pytest.mark.slow
    def test_no_text_is_seen_in_a_generated_mountain(self, tmp_path):
        if not (CLIPS / "cogvideox_12.mp4").exists():
            pytest.skip("cogvideox_12.mp4 is not here")
        cases = [Case(video_id="a", path=CLIPS / "cogvideox_12.mp4", prompt="A mountain")]
        table = measure([VisibleText()], cases, tmp_path, quiet=True).table
        assert table["value"].tolist()[0] == 0
