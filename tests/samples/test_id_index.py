"""The table of ids finds each one again and stays small."""

import sys

from plumbrule.samples.id_index import Seen


def test_the_first_place_is_found_again() -> None:
    """An id is new once; after that its first place is told, through every growth of the table."""
    seen = Seen()

    assert all(seen.first_place(f"id{number}", number) is None for number in range(1, 5001))
    assert all(seen.first_place(f"id{number}", 9999) == number for number in range(1, 5001))
    assert len(seen) == 5000


def test_an_id_takes_few_bytes() -> None:
    """The table takes less than 64 bytes for each id, at its emptiest."""
    seen = Seen()
    for number in range(1, 50_001):
        seen.first_place(f"a rather long id of a sample, number {number}", number)

    assert (sys.getsizeof(seen._digests) + sys.getsizeof(seen._places)) / len(seen) < 64
