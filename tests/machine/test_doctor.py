"""What a machine can run: one screen, keys by name only, an exit status that a script can use."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from helpers import doctor
from helpers.machine import hardware, reach, software
from helpers.machine.finding import Finding
from helpers.metrics.scripts import SCRIPTS
from helpers.paths import ROOT
from helpers.weights import in_cache

KEY = "sk-a-secret-that-nobody-may-see"


@pytest.fixture
def no_models(monkeypatch):
    """Without torch, which takes seconds to import."""
    found = Finding(what="GPU", found="not looked for", there=False)
    monkeypatch.setattr(hardware, "gpu", lambda needed=False: found)


@pytest.fixture
def write(tmp_path):
    def make(text: str = "") -> str:
        path = tmp_path / "study.yaml"
        path.write_text(f"name: small\nseed: 1\n{text}", encoding="utf-8")
        return str(path)

    return make


def test_without_a_study_it_says_what_is_there_and_is_content(no_models, capsys):
    assert doctor.main([]) == 0
    said = capsys.readouterr().out
    for what in ("Python", "memory", "disk", "codecs", "fonts", "tesseract", "OPENAI_API_KEY", "Wan 2.2"):
        assert what in said
    lines = said.splitlines()
    assert len(lines) < 60
    assert max(map(len, lines)) <= doctor.WIDTH
    assert str(Path.home()) not in said
    assert str(ROOT) not in said


def test_keys_are_named_and_never_shown(no_models, write, capsys, monkeypatch):
    file = write("judges: [{name: J, kind: gemini, model: m, key_variable: MY_KEY}]\n")
    monkeypatch.delenv("MY_KEY", raising=False)
    assert doctor.main([file]) == 1
    assert "small lacks: MY_KEY" in capsys.readouterr().out
    monkeypatch.setenv("MY_KEY", KEY)
    assert doctor.main([file]) == 0
    said = capsys.readouterr().out
    assert "MY_KEY             set" in said
    assert KEY not in said


def test_servers_are_asked_without_a_key(no_models, write, server, capsys, monkeypatch):
    monkeypatch.setenv("MY_KEY", KEY)
    at = f"base_url: '{server.address}/v1', key_variable: MY_KEY"
    file = write(f"judges: [{{name: J, kind: server, model: m, {at}}}]\n")
    assert doctor.main([file]) == 0
    assert "answers (" in capsys.readouterr().out


def test_a_server_that_is_not_there_is_what_the_study_lacks(no_models, write, capsys):
    file = write("judges: [{name: J, kind: server, model: m, base_url: 'http://localhost:9/v1'}]\n")
    assert doctor.main([file]) == 1
    assert "no answer (Connection refused)" in capsys.readouterr().out


def test_folders_and_files_that_the_study_names(no_models, write, capsys, tmp_path):
    file = write(
        "clips: [{folder: /nowhere/clips, model: A}]\n"
        f"surveys: [{{name: s, file: {tmp_path / 'study.yaml'}, format: table, table: ratings}}]\n"
        "judges: [{name: J, kind: local, model: /nowhere/judge}]\n"
        "metrics: [{kind: patches, backbone: /nowhere/dino}, {kind: text_video}, {kind: patches}]\n"
    )
    assert doctor.main([file]) == 1
    said = capsys.readouterr().out
    assert "small lacks: J, patch-dino-paper, /nowhere/clips" in said
    assert "hf download facebook/dinov2-large" in said


def test_what_the_study_has_tesseract_read(no_models, write, capsys):
    file = write("metrics: [{kind: visible_text, languages: [eng, xyz]}]\n")
    assert doctor.main([file]) == 1
    assert "xyz" in capsys.readouterr().out


def test_a_bad_study_file_is_refused(write, capsys):
    assert doctor.main([write("sead: 1\n")]) == 2
    assert "did you mean 'seed'?" in capsys.readouterr().err


def test_letters_stand_for_the_scripts_that_models_write():
    # Unicode's own names, by its property Script.
    import regex

    assert tuple(software.LETTERS) == SCRIPTS
    assert all(regex.fullmatch(rf"\p{{Script={name}}}", letter) for name, letter in software.LETTERS.items())


def test_a_script_without_a_font_is_named(monkeypatch):
    monkeypatch.setattr(software, "scripts_with_font", lambda: frozenset(software.LETTERS) - {"Thai"})
    found = software._fonts()
    assert "no Thai" in found.found
    assert found.there is False


def test_a_missing_codec_is_named(monkeypatch):
    there = software.codecs() | {"av1 decoder": False}
    monkeypatch.setattr(software, "codecs", lambda: there)
    found = software._codecs()
    assert found.found.startswith("reads h264, hevc, vp9; writes")
    assert not found.needed


def test_weights_are_found_in_the_hubs_cache(monkeypatch, tmp_path):
    # huggingface_hub, "Understand caching": models--<owner>--<name>/snapshots/<commit>/<files>.
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    assert not in_cache("owner/name")
    file = tmp_path / "models--owner--name" / "snapshots" / "abc" / "unet" / "model.safetensors"
    file.parent.mkdir(parents=True)
    assert not in_cache("owner/name")
    file.write_bytes(b"weights")
    assert in_cache("owner/name")
    assert not in_cache("just-a-name")
    assert reach.Weights("A", "owner/name", "clips").finding().found == "in the cache"


def test_a_gpu_is_named_with_its_memory(monkeypatch):
    card = SimpleNamespace(name="A card", total_memory=80e9)
    cuda = SimpleNamespace(
        is_available=lambda: True,
        device_count=lambda: 2,
        get_device_properties=lambda number: card,
        mem_get_info=lambda: (60e9, 80e9),
    )
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda, __version__="2"))
    found = hardware.gpu(needed=True)
    assert found.found == "A card with 80 GB, A card with 80 GB; 60 GB free on the first"
    assert found.mark == "+"
    cuda.is_available = lambda: False
    assert hardware.gpu(needed=True).mark == "!"
    monkeypatch.setitem(sys.modules, "torch", None)
    assert hardware.gpu().found == "torch is not installed"


@pytest.mark.slow
def test_the_command_runs():
    done = subprocess.run(
        [sys.executable, "-m", "helpers.doctor"], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert "GPU" in done.stdout
