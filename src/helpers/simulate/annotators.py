"""Scripted people before the annotation page: what they mean to reply, and how they press it."""

from collections.abc import Mapping

import pandas as pd

from helpers.simulate.latent import stream
from helpers.simulate.raters import Rater
from helpers.widgets.annotation import Annotation
from helpers.widgets.asking import NONE, NOT_APPLICABLE
from helpers.widgets.screens import AGREEMENT, Screen

Meant = dict[str, pd.DataFrame]


def triplet_replies(person: Rater, sheet: pd.DataFrame, truth: pd.DataFrame, seed: int) -> Meant:
    """What a person means to say about the triplets on a sheet.

    Args:
        person: with their dials; only sensitivity, specificity, reliability and leniency act.
        sheet: rows of a table `assignments`; one row a clip and tier.
        truth: video_id, question_id, answer and relevant (true or not), quality (standardised, of the clip).
        seed: the same seed gives the same replies.

    Returns:
        relevance (question_id, relevant), answers (video_id, question_id, answer) and rankings (prompt_id,
        video_id, rank).
    """
    known = truth[["video_id", "question_id", "answer", "relevant", "quality"]]
    asked = sheet[sheet["tier"].eq("accuracy")].merge(known, on=["video_id", "question_id"])
    questions = asked.drop_duplicates("question_id")
    about = pd.DataFrame(index=asked.index)
    votes = person.answers(
        questions["relevant"].to_numpy(bool), about.loc[questions.index], seed, "relevance"
    )
    answers = person.answers(asked["answer"].to_numpy(bool), about, seed)
    seen = pd.Series(person.ranks(asked["quality"].to_numpy(float), about, seed), asked.index)
    ranks = seen.groupby(asked["prompt_id"]).rank(method="first", ascending=False).astype(int)
    return {
        "relevance": questions[["question_id"]].assign(relevant=votes["answer"].to_numpy(bool)),
        "answers": asked[["video_id", "question_id"]].assign(answer=answers["answer"].to_numpy(bool)),
        "rankings": asked[["prompt_id", "video_id"]].assign(rank=ranks),
    }


def grade_replies(person: Rater, truth: pd.DataFrame, seed: int) -> Meant:
    """What a person means to say about clips under graded criteria.

    Args:
        person: with their dials.
        truth: video_id, criterion, rate (the true mean of the grade, from 0 for the lowest to 1) and applies
            (whether the clip shows what the criterion grades).
        seed: the same seed gives the same replies; each clip has its own luck under each criterion, which all
            people share.

    Returns:
        ratings (video_id, criterion, score; missing where "not applicable").
    """
    luck = stream(seed, "clips").standard_normal(len(truth))
    about, applies = truth[["criterion"]], truth["applies"].to_numpy(bool)
    scores = person.scores(truth["rate"].to_numpy(float), luck, about, applies, seed)
    return {"ratings": truth[["video_id", "criterion"]].assign(score=scores["score"].array)}


def fill(page: Annotation, meant: Mapping[str, pd.DataFrame], *, attentive: bool = True) -> None:
    """Press what a person means into the page, screen by screen, to its end.

    Args:
        page: the page; screens that are complete stay as they are.
        meant: as `triplet_replies` and `grade_replies` return them.
        attentive: whether attention checks are passed.

    Raises:
        KeyError: the page asks for something that nothing is meant about.
    """
    for number, screen in enumerate(page.replies.screens):
        if page.replies.is_complete(number):
            continue
        page.show(number)
        for about, question in screen.questions.items():
            reply = _reply(screen, about, meant, attentive)
            for row in range(len(question.rows)):
                for option in question.lit(reply, row):
                    page.press(about, row, option)
    page.show(len(page.replies.screens))


def _reply(screen: Screen, about: str, meant: Mapping[str, pd.DataFrame], attentive: bool) -> str:
    clips, question = screen.video_ids, screen.question_id
    if screen.tier == "attention":
        return AGREEMENT[0 if attentive else 2]
    if screen.tier == "relevance":
        relevant = meant["relevance"].set_index("question_id")["relevant"]
        return "yes" if relevant[question] else "no"
    if screen.tier == "accuracy":
        answers = meant["answers"].set_index(["video_id", "question_id"])["answer"]
        ticked = [str(place) for place, clip in enumerate(clips, start=1) if answers[clip, question]]
        return ",".join(ticked) or NONE
    if screen.tier == "ranking":
        ranks = meant["rankings"].set_index("video_id")["rank"]
        return ",".join(str(ranks[clip]) for clip in clips)
    score = meant["ratings"].set_index(["video_id", "criterion"])["score"][clips[0], about]
    return NOT_APPLICABLE if pd.isna(score) else str(score)
