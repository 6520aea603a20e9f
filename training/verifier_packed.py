"""A BERT over questions with all their answers at once: the evidence is read once, and it never reads an answer.

An answer's tokens read the evidence and their own answer, so an answer has the logit that it has alone, for a third of
the work. Where a token of an answer stands in the evidence, a number that is learned for each head points the one to
the other. All tokens of a batch lie in one row without gaps; evidence and answers are laid out in tables only where
tokens read each other, and only what reads is multiplied with what is read.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch.nn import functional

from training.verifier_export import DISTANCES, MATCH, matched_from
from training.verifier_model import Weights, count_layers, linear, normed

ERRORS = "token.weight"  # tells the error of a token; in the fit only
_FAR = -1e4
_RARE = -2.5  # log-odds of a wrong token, before the fit
_POINTS = (0.0, 0.0, 0.0, 0.0, 0.5, 0.5, 1.0, 1.0, 1.5, 1.5, 2.0, 2.0)  # of the heads, before the fit


class Question(NamedTuple):
    """The tokens of the evidence and of each answer, which answers are right, and which of their tokens."""

    evidence: list[int]
    answers: list[list[int]]
    right: list[bool]
    marks: list[list[int]]

    @property
    def length(self) -> int:
        """How many tokens it takes."""
        return len(self.evidence) + sum(map(len, self.answers))


def with_match(weights: Weights) -> Weights:
    """Return the weights with those that point an answer's tokens to the evidence."""
    width = weights["head.weight"].shape[1] // 2
    points = torch.tensor(_POINTS).repeat(count_layers(weights), 1).contiguous()
    return {**weights, MATCH: points, "match.embedding": torch.zeros(2, width)}


def with_tokens(weights: Weights) -> Weights:
    """Return the weights with those that tell which tokens of an answer are wrong, if they are not there."""
    if ERRORS in weights:
        return weights
    width = weights["head.weight"].shape[1] // 2
    return {**weights, ERRORS: torch.zeros(width), "token.bias": torch.full((), _RARE)}


class _Batch:
    """Where the tokens of some questions lie: in one row, and in the tables of evidence and of answers."""

    def __init__(self, questions: Sequence[Question]) -> None:
        self.ids = torch.tensor(
            [token for each in questions for text in (each.evidence, *each.answers) for token in text]
        )
        self.places = torch.zeros_like(self.ids)
        longest = max(len(each.evidence) for each in questions)
        most, wide = (
            max(len(each.answers) for each in questions),
            max(len(text) for each in questions for text in each.answers),
        )
        nowhere = len(self.ids)  # a row of zeros is put there
        self.evidence = torch.full((len(questions), longest), nowhere)
        self.answers = torch.full((len(questions), most, wide), nowhere)
        at = 0
        for row, question in enumerate(questions):
            first = len(question.evidence)
            for number, text in enumerate((question.evidence, *question.answers)):
                here = torch.arange(at, at + len(text))
                table = self.answers[row, number - 1] if number else self.evidence[row]
                table[: len(text)] = here
                self.places[here] = torch.arange(len(text)) + (first if number else 0)
                at += len(text)
        self.read = self.evidence < nowhere
        self.filled = self.answers < nowhere
        self.own = torch.zeros(nowhere, dtype=torch.bool)
        self.own[self.answers[self.filled]] = True
        self.shut_evidence = torch.zeros(self.read.shape).masked_fill(~self.read, _FAR)[:, None, None]
        self.shut_answers = torch.zeros(self.filled.shape).masked_fill(~self.filled, _FAR)[:, None, :, None]
        held = torch.cat([self.ids, torch.tensor([-1])])
        alike = held[self.answers].flatten(1)[:, :, None] == held[self.evidence][:, None]
        alike &= self.filled.flatten(1)[:, :, None]
        self.alike = alike.float()[:, None]
        self.evidence_places = torch.arange(longest)
        self.answer_places = self.evidence_places.new_tensor([len(each.evidence) for each in questions])[
            :, None
        ] + torch.arange(wide).repeat(most)
        self.found = torch.zeros(nowhere, dtype=torch.long)  # 1 for a token of an answer that stands in the evidence
        self.found[self.answers[self.filled]] = alike.any(2)[self.filled.flatten(1)].long()
        order = torch.cat([self.evidence[self.read], self.answers[self.filled]])
        self._back = torch.empty_like(order)
        self._back[order] = torch.arange(nowhere)

    def shut_by(self, distances: Any) -> tuple[Any, Any, Any]:
        """Return what is added to what tokens think of others: in the evidence, of the evidence, in an answer.

        ``distances`` has a number of each head for each distance, if the model has.
        """
        if distances is None:
            return self.shut_evidence, self.shut_evidence, self.shut_answers
        middle = distances.shape[1] // 2
        places, asking = self.evidence_places, self.answer_places
        among = distances[:, places[None] - places[:, None] + middle]
        towards = distances[:, places[None, None] - asking[:, :, None] + middle].transpose(0, 1)
        within = torch.arange(self.answers.shape[2])
        own = distances[:, within[None] - within[:, None] + middle][:, None]
        return among + self.shut_evidence, towards + self.shut_evidence, own + self.shut_answers

    def table(self, x: Any, where: Any) -> Any:
        """Return the tokens of one row in a table, with zeros where nothing stands."""
        return torch.cat([x, x.new_zeros(1, x.shape[1])])[where]

    def row(self, evidence: Any, answers: Any) -> Any:
        """Return the tokens of both tables in one row."""
        return torch.cat([evidence[self.read], answers[self.filled]])[self._back]


class Logits(NamedTuple):
    """What is said of the answers to some questions, and of each of their tokens where the weights can tell."""

    answers: Any  # of support
    rows: Any  # the place of an answer's question
    tokens: Any = None  # of an error; question, answer and token in their order


def packed_logits(weights: Weights, questions: Sequence[Question], *, drop: float = 0.0) -> Logits:
    """Return the logit of support of each answer, and the place of its question."""
    batch, layers = _Batch(questions), count_layers(weights)
    first = matched_from(layers)
    with torch.no_grad():  # the embeddings and the lowest layers stay as they are
        x = (
            weights["embeddings.word_embeddings.weight"][batch.ids]
            + weights["embeddings.token_type_embeddings.weight"][batch.own.long()]
            + weights["embeddings.position_embeddings.weight"][batch.places]
        )
        x = normed(weights, "embeddings.LayerNorm", x)
        shut = batch.shut_by(weights.get(DISTANCES))
        for layer in range(first):
            x = _layer(weights, layer, x, batch, shut, drop=0.0, matched=False)
    x = x + weights["match.embedding"][batch.found] * batch.own[:, None]
    for layer in range(first, layers):
        x = _layer(weights, layer, x, batch, shut, drop=drop, matched=True)
    real = batch.filled.any(2)
    filled = batch.filled[real][:, :, None].float()
    x = batch.table(x, batch.answers)[real]
    mean = (x * filled).sum(1) / filled.sum(1)
    most = (x + (1 - filled) * _FAR).amax(1)
    pooled = functional.dropout(torch.cat([mean, most], 1), drop, training=drop > 0)
    rows = torch.arange(len(questions))[:, None].expand(real.shape)[real]
    answers = (pooled @ weights["head.weight"].T + weights["head.bias"])[:, 0]
    if ERRORS not in weights:
        return Logits(answers, rows)
    return Logits(answers, rows, x[batch.filled[real]] @ weights[ERRORS] + weights["token.bias"])


def _layer(
    weights: Weights, layer: int, x: Any, batch: _Batch, shut: tuple[Any, Any, Any], *, drop: float, matched: bool
) -> Any:
    """Return what one layer makes of the tokens."""
    shut_evidence, shut_near, shut_own = shut
    at, heads, width = f"encoder.layer.{layer}.", weights[MATCH].shape[1], x.shape[1]
    deep = width // heads
    rows, longest = batch.evidence.shape
    _, most, wide = batch.answers.shape
    three = torch.cat([linear(weights, f"{at}attention.self.{part}", x) for part in ("query", "key", "value")], 1)
    query, key, value = (
        batch.table(three, batch.evidence).view(rows, longest, 3, heads, deep).permute(2, 0, 3, 1, 4)
    )  # each: question, head, token, number
    evidence = _shares(query * deep**-0.5 @ key.transpose(-1, -2), shut_evidence) @ value
    asking, own_key, own_value = (
        batch.table(three, batch.answers.flatten(1)).view(rows, most * wide, 3, heads, deep).permute(2, 0, 3, 1, 4)
    )
    asking = asking * deep**-0.5
    if matched:
        shut_near = shut_near + batch.alike * weights[MATCH][layer][:, None, None]
    near = asking @ key.transpose(-1, -2)
    by_answer = (rows, heads, most, wide)
    own = asking.reshape(*by_answer, deep) @ own_key.reshape(*by_answer, deep).transpose(-1, -2)
    far = torch.cat([shut_near.expand_as(near).view(*by_answer, longest), shut_own.expand_as(own)], -1)
    shares = _shares(torch.cat([near.view(*by_answer, longest), own], -1), far)
    near, own = shares.split([longest, wide], -1)
    from_evidence = near.reshape(rows, heads, most * wide, longest) @ value
    answers = from_evidence.view(*by_answer, deep) + own @ own_value.reshape(*by_answer, deep)
    met = batch.row(
        evidence.transpose(1, 2).reshape(rows, longest, width),
        answers.permute(0, 2, 3, 1, 4).reshape(rows, most, wide, width),
    )
    met = functional.dropout(linear(weights, f"{at}attention.output.dense", met), drop, training=drop > 0)
    x = normed(weights, f"{at}attention.output.LayerNorm", x + met)
    more = linear(weights, f"{at}output.dense", functional.gelu(linear(weights, f"{at}intermediate.dense", x)))
    return normed(weights, f"{at}output.LayerNorm", x + functional.dropout(more, drop, training=drop > 0))


def _shares(scores: Any, shut: Any) -> Any:
    """Return what tokens read of others by what they think of them, in numbers as long as the scores."""
    with torch.autocast("cpu", enabled=False):
        return (scores + shut.to(scores.dtype)).softmax(-1)
