"""A reply either states the three keys as asked, or is a parse error (R24, G18)."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plumbrule.judges.reply_parser import ParsePolicy, Reply, ReplyError, parse_reply

POLICY = ParsePolicy()
GOOD: dict[str, Any] = {"accuracy_score": 2, "faithfulness_score": 0, "rationale": "Right, but made up."}


def changed(**changes: Any) -> str:
    """Return the good reply with some keys changed."""
    return json.dumps(GOOD | changes)


def test_a_good_reply_is_read() -> None:
    """The three keys, whatever the white space around and between them."""
    expected = Reply(accuracy_score=2, faithfulness_score=0, rationale="Right, but made up.")
    assert parse_reply(json.dumps(GOOD), POLICY) == expected
    assert parse_reply(f" \r\n\t{json.dumps(GOOD, indent=4)}\n", POLICY) == expected


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "malformed JSON"),
        ("I think it is good.", "malformed JSON"),
        (json.dumps(GOOD)[:-1], "malformed JSON"),
        (json.dumps(GOOD).replace('"', "'"), "malformed JSON"),
        (json.dumps(GOOD)[:-1] + ",}", "malformed JSON"),
        (f"```json\n{json.dumps(GOOD)}\n```", "malformed JSON"),
        (f"Here it is: {json.dumps(GOOD)}", "malformed JSON"),
        (f"{json.dumps(GOOD)} Done.", "malformed JSON"),
        (f"{json.dumps(GOOD)}{json.dumps(GOOD)}", "malformed JSON"),
        (f"\ufeff{json.dumps(GOOD)}", "malformed JSON"),
        (f"\u00a0{json.dumps(GOOD)}", "malformed JSON"),
        ("[" * 100_000, "malformed JSON"),
        (changed().replace("2", "9" * 5000), "malformed JSON"),
        (f"[{json.dumps(GOOD)}]", "not a JSON object"),
        ("null", "not a JSON object"),
        (json.dumps({key: GOOD[key] for key in ("accuracy_score", "rationale")}), "missing key 'faithfulness_score'"),
        (json.dumps({key: GOOD[key] for key in ("accuracy_score", "faithfulness_score")}), "missing key 'rationale'"),
        (changed(rationale=""), "'rationale' is empty"),
        (changed(rationale=" \n\t"), "'rationale' is empty"),
        (changed(rationale=None), "'rationale' is not text"),
        (changed(rationale=["because"]), "'rationale' is not text"),
        (changed(rationale="\ud800"), "'rationale' is not valid Unicode"),
        (changed(accuracy_score=3), "'accuracy_score' is not 0, 1 or 2"),
        (changed(faithfulness_score=-1), "'faithfulness_score' is not 0, 1 or 2"),
        (changed(accuracy_score=True), "'accuracy_score' is not an integer"),
        (changed(accuracy_score=False), "'accuracy_score' is not an integer"),
        (changed(accuracy_score=1.0), "'accuracy_score' is not an integer"),
        (changed(accuracy_score="1"), "'accuracy_score' is not an integer"),
        (changed(accuracy_score=None), "'accuracy_score' is not an integer"),
        (changed(accuracy_score=float("nan")), "NaN is not a JSON value"),
        (changed(accuracy_score=float("-inf")), "-Infinity is not a JSON value"),
        (changed(note=float("inf")), "Infinity is not a JSON value"),
        (json.dumps(GOOD)[:-1] + ', "accuracy_score": 2}', "duplicate key"),
        (json.dumps(GOOD)[:-1] + ', "accuracy\\u005fscore": 0}', "duplicate key"),
        (json.dumps(GOOD)[:-1] + ', "more": {"a": 1, "a": 1}}', "duplicate key"),
    ],
)  # fmt: skip
def test_anything_else_is_a_parse_error(text: str, problem: str) -> None:
    """G18: each departure from the schema is refused, and named."""
    with pytest.raises(ReplyError, match=problem):
        parse_reply(text, POLICY)


@pytest.mark.parametrize(("words", "flags"), [(80, ()), (81, ("rationale_over_limit",))])
def test_a_long_rationale_is_kept_and_flagged(words: int, flags: tuple[str, ...]) -> None:
    """G18: 80 words are asked for, but more is not among the rejections."""
    reply = parse_reply(changed(rationale="word " * words), POLICY)
    assert reply.flags == flags
    assert len(reply.rationale.split()) == words


def test_the_rubric_can_refuse_a_long_rationale() -> None:
    """G18: the policy can make it a parse error."""
    with pytest.raises(ReplyError, match="more than 80 words"):
        parse_reply(changed(rationale="word " * 81), ParsePolicy(rationale_over_limit="parse_error"))


def test_extra_keys_are_flagged_or_refused() -> None:
    """They take nothing from the three that were asked for; the policy can refuse them."""
    assert parse_reply(changed(confidence=0.9), POLICY).flags == ("extra_keys",)
    with pytest.raises(ReplyError, match="beyond those asked for"):
        parse_reply(changed(confidence=0.9), ParsePolicy(extra_keys="parse_error"))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 4) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
NEAR = st.dictionaries(st.sampled_from([*GOOD, "extra"]), JSON, max_size=4).map(json.dumps)


@given(st.text() | NEAR | st.tuples(st.text(max_size=3), NEAR, st.text(max_size=3)).map("".join))
def test_any_text_parses_or_is_a_parse_error(text: str) -> None:
    """There is no third way, and what parses holds what the schema asks for."""
    try:
        reply = parse_reply(text, POLICY)
    except ReplyError as error:
        assert str(error)  # noqa: PT017 - either outcome is right; each is checked
        return
    stated = json.loads(text)
    for key in ("accuracy_score", "faithfulness_score"):
        assert type(stated[key]) is int
        assert getattr(reply, key) == stated[key]
        assert stated[key] in {0, 1, 2}
    assert reply.rationale == stated["rationale"]
    assert reply.rationale.strip()
