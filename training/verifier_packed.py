"""MiniLM over questions with all their answers at once: the evidence is read once, and it never reads an answer.

A row is the evidence and then each answer of the question. An answer's tokens read the evidence and their own answer,
so an answer has the logit that it has alone, for a third of the work. Where a token of an answer stands in the
evidence, a number that is learned for each head points the one to the other.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch.nn import functional

from training.verifier_export import MATCH, MATCHED_FROM
from training.verifier_model import Weights, count_layers, layer_of, normed

_FAR = -1e4
_PAD = -1
_MOST_ANSWERS = 64  # of one question
_POINTS = (0.0, 0.0, 0.0, 0.0, 0.5, 0.5, 1.0, 1.0, 1.5, 1.5, 2.0, 2.0)  # of the heads, before the fit


class Question(NamedTuple):
    """The tokens of the evidence and of each answer, and which answers are right."""

    evidence: list[int]
    answers: list[list[int]]
    right: list[bool]

    @property
    def length(self) -> int:
        """How many tokens it takes."""
        return len(self.evidence) + sum(map(len, self.answers))


def with_match(weights: Weights) -> Weights:
    """Return the weights with those that point an answer's tokens to the evidence."""
    width = weights["head.weight"].shape[1] // 2
    points = torch.tensor(_POINTS).repeat(count_layers(weights), 1).contiguous()
    return {**weights, MATCH: points, "match.embedding": torch.zeros(2, width)}


def pack(questions: Sequence[Question]) -> tuple[Any, Any, Any]:
    """Return ids, positions and parts: 0 for evidence, the number of the answer from 1 on, -1 where nothing stands."""
    shape = len(questions), max(question.length for question in questions)
    ids, places, parts = (
        torch.zeros(shape, dtype=torch.long),
        torch.zeros(shape, dtype=torch.long),
        torch.full(shape, _PAD),
    )
    for row, question in enumerate(questions):
        at, first = 0, len(question.evidence)
        for number, tokens in enumerate([question.evidence, *question.answers]):
            here = slice(at, at + len(tokens))
            ids[row, here], parts[row, here] = torch.tensor(tokens), number
            places[row, here] = torch.arange(len(tokens)) + (first if number else 0)
            at += len(tokens)
    return ids, places, parts


def packed_logits(weights: Weights, ids: Any, places: Any, parts: Any, *, drop: float = 0.0) -> tuple[Any, Any]:
    """Return the logit of support of each answer, and the row that it stands in."""
    heads = weights[MATCH].shape[1]
    of, by = parts[:, :, None], parts[:, None, :]
    shut = ~(((by == 0) | (of == by)) & (by != _PAD)) & ~torch.eye(ids.shape[1], dtype=torch.bool)
    far = torch.zeros(shut.shape).masked_fill(shut, _FAR)[:, None]
    alike = (ids[:, :, None] == ids[:, None, :]) & (of > 0) & (by == 0)
    own = parts > 0
    with torch.no_grad():  # the embeddings and the lowest layers stay as they are
        x = (
            weights["embeddings.word_embeddings.weight"][ids]
            + weights["embeddings.token_type_embeddings.weight"][own.long()]
            + weights["embeddings.position_embeddings.weight"][places]
        )
        x = normed(weights, "embeddings.LayerNorm", x)
        for layer in range(MATCHED_FROM):
            x = layer_of(weights, f"encoder.layer.{layer}.", x, far, heads=heads, drop=0.0)
    x = x + weights["match.embedding"][alike.any(2).long()] * own[:, :, None]
    for layer in range(MATCHED_FROM, count_layers(weights)):
        near = far + alike[:, None] * weights[MATCH][layer][None, :, None, None]
        x = layer_of(weights, f"encoder.layer.{layer}.", x, near, heads=heads, drop=drop)
    numbers, place, counts = torch.unique_consecutive(
        (torch.arange(len(ids))[:, None] * _MOST_ANSWERS + parts)[own], return_inverse=True, return_counts=True
    )
    x, width = x[own], x.shape[2]
    mean = torch.zeros(len(counts), width).index_add(0, place, x) / counts[:, None]
    most = torch.full((len(counts), width), _FAR).scatter_reduce(0, place[:, None].expand(-1, width), x, "amax")
    pooled = functional.dropout(torch.cat([mean, most], 1), drop, training=drop > 0)
    rows = torch.div(numbers, _MOST_ANSWERS, rounding_mode="floor")
    return (pooled @ weights["head.weight"].T + weights["head.bias"])[:, 0], rows
