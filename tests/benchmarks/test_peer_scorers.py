"""What the scorers of other products take and tell is measured without hiding what goes wrong."""

import pytest
from bench.peer_scorers import _each, _measure, _refuse

ROWS = [{"answer": answer} for answer in ("1", "none", "nan", "2")]


def test_errors_are_counted_and_give_no_score() -> None:
    """A row that a scorer fails on is counted by the kind of error, NaN too; the other rows keep their scores."""
    [measured] = _measure(_each(lambda row: float(row["answer"].replace("none", "x"))), ROWS[:1], [ROWS])
    assert measured["scores"] == [1.0, None, None, 2.0]
    assert measured["errors"] == {"ValueError": 2}


@pytest.mark.parametrize("event", ["socket.connect", "socket.getaddrinfo"])
def test_no_product_reaches_the_network(event: str) -> None:
    """An attempt to connect or to look up a name is refused; all else goes on."""
    with pytest.raises(ConnectionRefusedError, match="no network"):
        _refuse(event, ())
    _refuse("open", ())
