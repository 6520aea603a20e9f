"""What was made at some cost and is asked for again: kept while it is as new as its source, and while there is room."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Made = TypeVar("Made")


@dataclass(slots=True)
class _Place(Generic[Made]):
    making: threading.Lock = field(default_factory=threading.Lock)
    stamp: Hashable = None
    made: Made | None = None
    weight: int = 0


class BoundedCache(Generic[Made]):
    """Keeps the last asked for, up to a weight in all; one that is asked for twice at a time is made once."""

    def __init__(self, *, most: int, weigh: Callable[[Made], int] = lambda _: 1) -> None:
        self._most, self._weigh = most, weigh
        self._places: OrderedDict[Hashable, _Place[Made]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, stamp: Hashable, make: Callable[[], Made]) -> Made:
        """Return what was made for a key from a source with this stamp; make it where it was not, or is older."""
        with self._lock:
            place = self._places.setdefault(key, _Place())
            self._places.move_to_end(key)
        with place.making:
            if place.made is None or place.stamp != stamp:
                place.made = make()
                place.stamp, place.weight = stamp, self._weigh(place.made)
            made = place.made
        with self._lock:
            while len(self._places) > 1 and sum(each.weight for each in self._places.values()) > self._most:
                self._places.popitem(last=False)
        return made
