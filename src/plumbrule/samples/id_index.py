"""The ids already met in a dataset, each with its place, in a few bytes an id."""

import hashlib
from array import array

_SMALLEST = 1024


class Seen:
    """An open-addressed table from the 64-bit digest of an id to the place where it first stood.

    A dict of the same would take three to four times the memory, which counts for tens of millions of ids.
    """

    def __init__(self) -> None:
        self._count = 0
        self._make_room(_SMALLEST)

    def __len__(self) -> int:
        return self._count

    def first_place(self, id_: str, place: int) -> int | None:
        """Return where ``id_`` first stood, or remember ``place`` (1 or more) as that and return None."""
        digest = int.from_bytes(hashlib.blake2b(id_.encode(), digest_size=8).digest())
        slot = self._slot(digest)
        if self._places[slot]:
            return self._places[slot]
        self._digests[slot] = digest
        self._places[slot] = place
        self._count += 1
        if self._count * 3 > len(self._places) * 2:
            self._grow()
        return None

    def _slot(self, digest: int) -> int:
        digests, places, mask = self._digests, self._places, self._mask
        slot = digest & mask
        while places[slot] and digests[slot] != digest:
            slot = (slot + 1) & mask
        return slot

    def _grow(self) -> None:
        digests, places = self._digests, self._places
        self._make_room(2 * len(places))
        for digest, place in zip(digests, places, strict=True):
            if place:
                slot = self._slot(digest)
                self._digests[slot] = digest
                self._places[slot] = place

    def _make_room(self, size: int) -> None:
        self._mask = size - 1
        self._digests = array("Q", bytes(8 * size))
        self._places = array("Q", bytes(8 * size))
