"""Whole clips at the HTTP layer: Gemini inline and uploaded, and vLLM's `video_url`."""

import base64
import re

import pytest

from helpers import tables
from helpers.chat.ask import CannotAskError, ask_many
from helpers.chat.caller import Patience
from helpers.chat.gemini import Gemini
from helpers.chat.gemini_files import Watch
from helpers.chat.messages import user
from helpers.chat.openai_compatible import OpenAICompatible
from helpers.chat.request import Request
from helpers.judging.clips import Clips
from helpers.judging.judge import Judge
from helpers.judging.run import Pace
from helpers.judging.study import judge_study
from judging.replies import fitting

HASTY = Patience(tries=2, first=0.01, longest=1.0)


class GoogleFiles:
    """The part of Google's Files API that an upload goes through; a file becomes ready after some looks."""

    def __init__(self, server, candidate, looks: int = 2, end: str = "ACTIVE") -> None:
        self.server, self.candidate, self.looks, self.end = server, candidate, looks, end
        self.files: dict[str, bytes] = {}
        self.seen: dict[str, int] = {}
        self.deleted: list[str] = []
        server.answer = self.answer

    def file(self, name: str) -> dict:
        self.seen[name] = self.seen.get(name, -1) + 1
        state = self.end if self.seen[name] >= self.looks else "PROCESSING"
        about = {"name": name, "uri": f"https://google.example/v1beta/{name}", "state": state}
        return about | ({"error": {"message": "Unsupported codec"}} if state == "FAILED" else {})

    def answer(self, asked):
        import stub_server

        name = "/".join(asked.path.partition("?")[0].split("/")[-2:])
        if asked.path.startswith("/upload") and asked.headers.get("x-goog-upload-command") == "start":
            new = f"files/{len(self.files) + 1}"
            self.files[new] = b""
            return stub_server.Answer({}, headers={"X-Goog-Upload-URL": f"{self.server.address}/put/{new}"})
        if asked.path.startswith("/put"):
            self.files[name] = asked.data
            return stub_server.Answer({"file": self.file(name)}, headers={"X-Goog-Upload-Status": "final"})
        if asked.method == "GET":
            return stub_server.Answer(self.file(name))
        if asked.method == "DELETE":
            self.deleted.append(name)
            return stub_server.Answer({})
        return self.candidate(fitting(asked.text))

    @property
    def questions(self) -> list:
        return [asked for asked in self.server.asked if "generateContent" in asked.path]


@pytest.fixture
def gemini(server, monkeypatch):
    monkeypatch.setenv("GEMINI_API_KEY", "canary-0123456789")

    def gemini(**about) -> Gemini:
        about = {"timeout": 20.0, "watch": Watch(first=0.01, longest=0.02, deadline=5.0)} | about
        return Gemini(base_url=server.address, **about)

    return gemini


def hearing(backend) -> Judge:
    return Judge(rater_id="Gemini", model="gemini-judge", backend=backend, whole=True, hears=True)


class TestInline:
    def test_a_clip_travels_with_its_frames_a_second_and_the_text_after_it(
        self, server, candidate, gemini, study
    ):
        server.answer = lambda asked: candidate(fitting(asked.text))
        report = judge_study(study, hearing(gemini()), pace=Pace(patience=HASTY))
        assert report.count(status="ok") == 10
        asked = next(asked for asked in server.asked if "Cultural element" in asked.text)
        clip, text = asked.parts
        assert clip["videoMetadata"] == {"fps": 5.333}  # 16 frames in 3 s; Google's own would be 1 a second
        assert "heard in its sound" in text["text"]
        sent = base64.urlsafe_b64decode(clip["inlineData"]["data"])
        assert sent in [path.read_bytes() for path in (study / "videos").glob("cv-*")]
        ratings = tables.read(study, "ratings")
        assert ratings["criterion"].eq("audio_alignment").sum() == 2

    def test_questions_go_with_a_silent_clip_and_places_with_frames(self, server, candidate, gemini, study):
        server.answer = lambda asked: candidate(fitting(asked.text))
        judge_study(study, hearing(gemini()), pace=Pace(patience=HASTY))
        shown = {len(asked.parts) for asked in server.asked if "photograph of a real place" in asked.text}
        assert shown == {1 + 2 * 5 + 1}  # the photograph, five times and frames, the question
        questions = [asked for asked in server.asked if "Question: " in asked.text]
        assert {len(asked.parts) for asked in questions} == {2}


class TestUploaded:
    @pytest.fixture
    def ask(self, study, tmp_path):
        clips = Clips(tables.read(study, "videos"), study)

        def ask(backend, number=3, names=("cv-0-clip",), **about):
            asked = [
                Request(
                    model="gemini-judge",
                    messages=(user(clips.whole(name, 16, sound=True), f"Question {i}? boxed"),),
                )
                for name in names
                for i in range(number)
            ]
            return ask_many(asked, backend, tmp_path / "log.jsonl", patience=HASTY, **about)

        return ask

    def test_it_is_uploaded_once_waited_for_asked_about_and_deleted(
        self, server, candidate, gemini, ask, study
    ):
        google = GoogleFiles(server, candidate)
        results = ask(gemini(inline=10))
        assert {result.status for result in results} == {"ok"}
        assert google.files == {"files/1": (study / "videos/cv-0-clip.mp4").read_bytes()}
        assert google.deleted == ["files/1"]
        for asked in google.questions:
            part = asked.parts[0]
            assert part["fileData"]["file_uri"] == "https://google.example/v1beta/files/1"
            assert part["videoMetadata"] == {"fps": 5.333}
        # Nobody asked before it was ready, and it was deleted last.
        kinds = [asked.method if asked.method != "POST" else asked.path for asked in server.asked]
        first = next(at for at, kind in enumerate(kinds) if "generateContent" in kind)
        assert kinds[:first].count("GET") == 2
        assert kinds[-1] == "DELETE"

    def test_what_google_cannot_prepare_fails_alone_with_its_reason(self, server, candidate, gemini, ask):
        google = GoogleFiles(server, candidate, end="FAILED")
        (result,) = ask(gemini(inline=10), number=1)
        assert result.status == "failed"
        assert "cannot prepare the clip: Unsupported codec" in result.reason
        assert google.deleted == ["files/1"]

    def test_one_that_is_never_ready_is_given_up_and_deleted(self, server, candidate, gemini, ask):
        google = GoogleFiles(server, candidate, looks=10**6)
        backend = gemini(inline=10, watch=Watch(first=0.01, longest=0.02, deadline=0.1))
        (result,) = ask(backend, number=1)
        assert (result.status, "not ready after 0.1 s" in result.reason) == ("failed", True)
        assert sorted(google.deleted) == ["files/1", "files/2"]  # it was tried twice

    def test_no_more_than_a_few_idle_clips_lie_there(self, server, candidate, gemini, ask, study):
        google = GoogleFiles(server, candidate, looks=0)
        names = tables.read(study, "videos")["video_id"]
        ask(gemini(inline=10), number=1, names=names, concurrency=1)
        uploads = [asked.path.startswith("/put") for asked in server.asked]
        deletions = [asked.method == "DELETE" for asked in server.asked]
        assert sum(uploads) == sum(deletions) == len(names) == 6
        most = max(sum(uploads[:at]) - sum(deletions[:at]) for at in range(len(uploads)))
        assert most <= 5
        assert sorted(google.deleted) == sorted(google.files)

    def test_a_wrong_key_at_the_upload_ends_the_run(self, server, answer, gemini, ask):
        details = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]
        error = {"code": 400, "message": "API key not valid", "details": details}
        server.answer = lambda asked: answer({"error": error}, status=400)
        with pytest.raises(CannotAskError, match="API key not valid"):
            ask(gemini(inline=10), number=40, concurrency=2)
        assert len(server.asked) <= 4

    def test_a_clip_that_vanished_fails_alone(self, server, candidate, gemini, ask, study):
        GoogleFiles(server, candidate)
        (study / "videos/cv-0-clip.mp4").unlink()
        results = ask(gemini(), number=1, names=("cv-0-clip", "cv-1-clip"))
        assert [result.status for result in results] == ["failed", "ok"]


class TestVllm:
    @pytest.fixture
    def asked(self, server, completion, study, tmp_path):
        def asked(judge: Judge):
            server.answer = lambda asked: completion(fitting(asked.text))
            judge_study(study, judge, pace=Pace(patience=HASTY))
            return next(one for one in server.asked if "Cultural element" in one.text)

        return asked

    def test_a_whole_clip_is_a_video_url_with_its_frames_a_second(self, server, asked, study):
        backend = OpenAICompatible(base_url=f"{server.address}/v1")
        one = asked(Judge(rater_id="Qwen", model="qwen", backend=backend, whole=True))
        assert one.body["mm_processor_kwargs"] == {"fps": 5.333, "do_sample_frames": True}
        clip, text = one.parts
        assert (clip["type"], text["type"]) == ("video_url", "text")
        assert re.match(r"data:video/mp4;base64,", clip["video_url"]["url"])

    def test_a_judge_that_hears_is_sent_the_sound(self, server, asked):
        backend = OpenAICompatible(base_url=f"{server.address}/v1")
        one = asked(Judge(rater_id="Omni", model="omni", backend=backend, whole=True, hears=True))
        assert one.body["mm_processor_kwargs"]["use_audio_in_video"] is True

    def test_frames_go_as_pictures_after_their_times(self, server, asked, judge):
        one = asked(judge)
        assert "mm_processor_kwargs" not in one.body
        assert [part["type"] for part in one.parts[:4]] == ["text", "image_url", "text", "image_url"]
        assert one.parts[0]["text"] == "t = 0.00 s"

    def test_openai_itself_takes_none(self, clips, tmp_path, monkeypatch):
        backend = OpenAICompatible(base_url="https://api.openai.com/v1")
        request = Request(model="m", messages=(user(clips.whole("cv-0-clip", 16, sound=False), "What?"),))
        with pytest.raises(ValueError, match="takes no whole clips"):
            backend._body(request)


def test_a_judge_that_is_sent_frames_hears_nothing(judge):
    with pytest.raises(ValueError, match="frames have no sound"):
        Judge(rater_id="A", model="a", backend=judge.backend, hears=True)
