"""Small decision trees over the measures of a sentence; what their leaves hold adds up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
    _made: "list[_NodeTable]" = field(default_factory=list, init=False, repr=False, compare=False)

    def total(self, measures: Mapping[str, float]) -> float:
        """Return the sum of the leaves that these measures lead to; a measure that is not there is 0."""
        if not self._made:
            self._made.append(_NodeTable(self.names, self.roots))
        return fsum(self._made[0].leaves({name: round(amount, self.decimals) for name, amount in measures.items()}))

    def to_dict(self) -> dict[str, Any]:
        """Return the trees as the model's data has them."""
        return {"names": [*self.names], "decimals": self.decimals, "roots": [_plain(root) for root in self.roots]}


class _NodeTable:
    """The nodes of all trees in one table, so that every tree is taken one branch further at once."""

    def __init__(self, names: Sequence[str], roots: Sequence[Node]) -> None:
        import numpy as np  # noqa: PLC0415 - it loads slowly

        self._np, self._places = np, {name: place for place, name in enumerate(names)}
        nodes: list[Node] = list(roots)
        lows: list[int] = []
        highs: list[int] = []
        for at, node in enumerate(nodes):  # the parts of each branch are added while the loop goes on
            if isinstance(node, tuple):
                lows.append(len(nodes))
                highs.append(len(nodes) + 1)
                nodes += node[2:]
            else:  # a leaf leads to itself
                lows.append(at)
                highs.append(at)
        self._depth = max([_depth(root) for root in roots], default=0)
        self._roots = np.arange(len(roots))
        self._measures = np.array([node[0] if isinstance(node, tuple) else 0 for node in nodes], dtype=np.intp)
        self._limits = np.array([node[1] if isinstance(node, tuple) else 0.0 for node in nodes], dtype=np.float64)
        self._lows, self._highs = np.array(lows, dtype=np.intp), np.array(highs, dtype=np.intp)
        self._leaves = np.array([0.0 if isinstance(node, tuple) else node for node in nodes], dtype=np.float64)

    def leaves(self, measures: Mapping[str, float]) -> list[float]:
        """Return the leaf of each tree that these measures lead to."""
        values = self._np.zeros(len(self._places) or 1)
        for name, amount in measures.items():
            place = self._places.get(name)
            if place is not None:
                values[place] = amount
        steps = self._np.where(values[self._measures] <= self._limits, self._lows, self._highs)
        at = self._roots
        for _ in range(self._depth):
            at = steps[at]
        found: list[float] = self._leaves[at].tolist()
        return found


def _depth(node: Node) -> int:
    return 1 + max(_depth(node[2]), _depth(node[3])) if isinstance(node, tuple) else 0


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
