"""What a provider leaves out, or gives in another form, is unknown."""

import pytest

from plumbrule.http import Answer, Exchange
from plumbrule.http.transport_errors import MalformedBodyError
from plumbrule.models.reply_fields import answer_count, read_count, read_latency, read_text


@pytest.mark.parametrize(
    ("usage", "count"),
    [
        ({"in": 7}, 7),
        ({"in": 7, "more": 3}, 10),
        ({"in": 7, "more": None}, 7),
        ({"in": 0}, 0),
        ({"more": 3}, None),
        ({"in": None}, None),
        ({"in": True}, None),
        ({"in": -1}, None),
        ({"in": 1.0}, None),
        ({"in": "7"}, None),
        ({"in": 7, "more": "3"}, None),
        (None, None),
        ([], None),
    ],
)
def test_a_count_is_a_whole_number_or_unknown(usage: object, count: int | None) -> None:
    """G21: never a guess; tokens that a prompt cache served are input all the same."""
    assert read_count(usage, "in", "more") == count


@pytest.mark.parametrize("count", [10**12 + 1, 2**63, 2**64 - 1, 1e30])
def test_a_count_beyond_all_counts_is_no_answer(count: float) -> None:
    """It could be neither kept nor added up: the sample has an error, and the run goes on."""
    answer = Answer(content={"usage": {"in": 1, "more": count}}, exchange=Exchange(url="http://a/", request={}))
    with pytest.raises(MalformedBodyError, match="more is too large for a count"):
        answer_count(answer, "in", "more")


def test_a_text_says_something_or_is_unknown() -> None:
    """An empty name is no name."""
    assert [read_text(value) for value in ("m", "", None, 1)] == ["m", None, None, None]


@pytest.mark.parametrize(
    ("said", "latency"),
    [
        ("12", (12.0, "reported")),
        ("", (5.0, "measured")),
        ("²", (5.0, "measured")),
        ("-1", (5.0, "measured")),
        ("9" * 400, (5.0, "measured")),
    ],
)
def test_the_provider_knows_its_own_time_best(said: str, latency: tuple[float, str]) -> None:
    """Where it does not say, the call's own time stands, and says so."""
    exchange = Exchange(url="u", request={}, elapsed_ms=5.0, response_headers={"ms": said})
    assert read_latency(exchange, "ms") == latency
    assert read_latency(exchange, None) == (5.0, "measured")
