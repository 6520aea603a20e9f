"""Small decision trees over the measures of a sentence; what their leaves hold adds up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

from plumbrule.errors import InputError

# A branch names its measure, the limit up to which the first part holds, and both parts; a leaf is a number.
Node = tuple[int, float, "Node", "Node"] | float


@dataclass(frozen=True, slots=True, kw_only=True)
class Trees:
    """Trees as the model's data has them."""

    names: tuple[str, ...]  # of the measures, in the order in which branches count them
    decimals: int  # of a measure: what comes after them tips no branch
    roots: tuple[Node, ...]

    def total(self, measures: Mapping[str, float]) -> float:
        """Return the sum of the leaves that these measures lead to; a measure that is not there is 0."""
        values = [round(measures.get(name, 0.0), self.decimals) for name in self.names]
        leaves = []
        for root in self.roots:
            node = root
            while isinstance(node, tuple):
                node = node[2] if values[node[0]] <= node[1] else node[3]
            leaves.append(node)
        return fsum(leaves)

    def to_dict(self) -> dict[str, Any]:
        """Return the trees as the model's data has them."""
        return {"names": [*self.names], "decimals": self.decimals, "roots": [_plain(root) for root in self.roots]}


def trees_of(raw: Mapping[str, Any]) -> Trees:
    """Return the trees that the model's data describes."""
    names = tuple(raw["names"])
    roots = tuple(_node(root, len(names)) for root in raw["roots"])
    return Trees(names=names, decimals=raw["decimals"], roots=roots)


def _node(raw: float | Sequence[Any], measures: int) -> Node:
    if isinstance(raw, int | float):
        return float(raw)
    measure, limit, low, high = raw
    if not 0 <= measure < measures:
        raise InputError(f"binding.json: a branch of a tree asks for measure {measure}, and there are {measures}")
    return measure, float(limit), _node(low, measures), _node(high, measures)


def _plain(node: Node) -> float | list[Any]:
    return [node[0], node[1], _plain(node[2]), _plain(node[3])] if isinstance(node, tuple) else node
