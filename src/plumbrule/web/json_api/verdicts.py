"""Verdicts by the JSON API; nothing is kept."""

from typing import Annotated, Any, Literal

from fastapi import Body
from pydantic import BaseModel, ConfigDict, Field

from plumbrule.api.scoring import score
from plumbrule.verdicts.verdict_json import VerdictJson
from plumbrule.web.access.roles import Role, Scope
from plumbrule.web.routes import Routes

routes = Routes(tags=["verdicts"])

MOST_TEXT = 500_000
MOST_CONTEXTS = 200


class Answer(BaseModel):
    """An answer with the question and the contexts that it is held against."""

    model_config = ConfigDict(extra="forbid")

    question: Annotated[Annotated[str, Field(max_length=MOST_TEXT)] | None, Field(examples=["What is the fee?"])] = None
    answer: Annotated[str, Field(max_length=MOST_TEXT, examples=["It is $30."])]
    contexts: Annotated[
        list[Annotated[str, Field(max_length=MOST_TEXT)]],
        Field(max_length=MOST_CONTEXTS, examples=[["The fee is $25."]]),
    ] = []
    rubric: Literal["verdict", "recommended"] = "verdict"


@routes.call(
    "/score",
    role=Role.VIEWER,
    method="POST",
    scope=Scope.READ,
    result=VerdictJson,
    python='score(question="What is the fee?", answer="It is $30.", contexts=["The fee is $25."])',
)
def score_answer(given: Annotated[Answer, Body()]) -> Any:  # noqa: ANN401 - as the verdict's own writer has it
    """Return the verdict on one answer."""
    rubric = None if given.rubric == "verdict" else given.rubric
    return score(question=given.question, answer=given.answer, contexts=given.contexts, rubric=rubric).to_dict()
