"""Answers in a box: read where there is exactly one, refused where there is none or several."""

import pytest

from helpers.chat.boxed import Boxed, BoxError

YES_NO = Boxed(("yes", "no"))

READ = {
    "box": (r"I see a bow. \boxed{yes}", "yes", "strict"),
    "capital letters": (r"\boxed{NO}", "no", "strict"),
    "text command": (r"So: $\boxed{\text{Yes}}$.", "yes", "strict"),
    "bold command": (r"\boxed{\textbf{no}}", "no", "strict"),
    "marks inside": (r"\boxed{**Yes.**}", "yes", "strict"),
    "lost backslash": ("boxed{no}", "no", "strict"),
    "two boxes that agree": (r"\boxed{yes} … thus \boxed{yes}", "yes", "strict"),
    "reasoning says otherwise": ("<think>maybe \\boxed{no}</think>\\boxed{yes}", "yes", "strict"),
    "opening tag in the prompt": ("hm, no\n</think>\n\\boxed{yes}", "yes", "strict"),
    "a step's own no before the box": ("4. Stand-ins:\nNo.\n\\boxed{yes}", "yes", "strict"),
    "other marks of reasoning": ("<thinking>so \\boxed{no}</thinking>\n\\boxed{yes}", "yes", "strict"),
    "a box in a display": ("**Final Answer:**\n\\[\\boxed{no}\\]", "no", "strict"),
    "last line with a lead": ("They do not bow.\n**Final answer: No.**", "no", "tolerant"),
    "the answer alone": ("No.", "no", "tolerant"),
}
REFUSED = {
    "empty": ("", "empty"),
    "blank": (" \n", "empty"),
    "both answers boxed": ("\\boxed{yes}\n\\boxed{no}", "several"),
    "both answers in one box": (r"\boxed{yes and no}", "expected yes or no"),
    "another answer": (r"\boxed{maybe}", "'maybe'"),
    "a grade": (r"\boxed{4}", "'4'"),
    "an empty box": (r"\boxed{}", "expected yes or no"),
    "box and last line differ": ("\\boxed{yes}\nAnswer: no", "follows the box"),
    "line and box differ": ("Answer: no\n\\boxed{yes}", "several"),
    "lines differ": ("Answer: yes\nAnswer: no", "several"),
    "a step's own no": ("1. Evidence: men bow.\n4. Stand-ins:\nNo.", "no box"),
    "a question's yes": ("Is it visible?\nYes", "no box"),
    "two lines of one sentence": ("The answer is\nyes or\nno", "no box"),
    "taken back below": ("\\boxed{yes}\n**Correction:** no.", "follows the box"),
    "taken back behind": (r"I would say \boxed{yes}, but the answer is no.", "follows the box"),
    "a verdict below": ("\\boxed{yes}\nFinal verdict: no", "follows the box"),
    "not in front": (r"not \boxed{yes}", "within a sentence"),
    "within a sentence": (r"The answer is not \boxed{yes}", "within a sentence"),
    "a nested box beside": (r"\boxed{\text{\textbf{\mathrm{no}}}} \boxed{yes}", "cannot be read"),
    "another kind of box": (r"\fbox{no} \boxed{yes}", "cannot be read"),
    "square brackets": (r"\boxed{yes} \boxed[no]", "cannot be read"),
    "reasoning alone": (r"<thinking>\boxed{yes}</thinking> I can't decide", "no box"),
    "reasoning in brackets alone": (r"[THINK]\boxed{yes}[/THINK] I refuse", "no box"),
    "reasoning that never closes": (r"<|begin_of_thought|>\boxed{yes}", "within its reasoning"),
    "an answer within a sentence": ("Yes, they bow.", "no box"),
    "another language": ("Ja", "no box"),
    "a grade alone": ("5/5", "no box"),
    "not applicable": ("N/A", "no box"),
    "markup": ("<b>yes</b><script>alert(1)</script>", "no box"),
    "never ends": ("<think>they bow, so \\boxed{yes}", "within its reasoning"),
    "negated": ("not yes", "no box"),
}


@pytest.mark.parametrize(("text", "answer", "reading"), READ.values(), ids=list(READ))
def test_one_answer_is_read(text, answer, reading):
    verdict = YES_NO.read(text)
    assert (verdict.answer, verdict.reading) == (answer, reading)


@pytest.mark.parametrize(("text", "why"), REFUSED.values(), ids=list(REFUSED))
def test_anything_else_is_refused(text, why):
    with pytest.raises(BoxError, match=why):
        YES_NO.read(text)


def test_the_reasoning_is_kept_with_what_was_thought():
    assert YES_NO.read("<think>They bow.</think>\nSo \\boxed{yes}").reasoning == "They bow.\nSo \\boxed{yes}"


def test_the_model_is_told_both_boxes():
    assert r"\boxed{yes} or \boxed{no}" in YES_NO.description
