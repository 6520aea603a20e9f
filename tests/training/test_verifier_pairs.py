"""Pairs to fit a verifier to: evidence by shared words, labels from people, and changes that mean what they say."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from training.verifier_edits import corrupt, paraphrase
from training.verifier_pairs import Evidence, labelled_pairs, rule_pairs
from training.verifier_words import Words, read_words

OFFICE = [
    "The Paris office opens at nine on Monday.",
    "It was built by Anna Keller in 1931.",
    "Parking is free for visitors.",
    "Dogs must not enter the garden.",
    "The Rome office closes at five on Friday.",
    "Lunch is served in the hall.",
]
WORDS = Words(synonyms={"build": ["construct"]}, antonyms={"open": ["close"]}, siblings={"garden": ["park"]})


def chance(seed: int) -> random.Random:
    """Return choices that are the same each time."""
    return random.Random(seed)  # noqa: S311 - no secret


def row(answer: str, label: int, spans: list[dict[str, int]] | None = None) -> dict[str, Any]:
    """Return a row as the data has it, with the office as its context."""
    return {"answer": answer, "contexts": [" ".join(OFFICE)], "label": label, "spans": spans or []}


def test_the_window_that_shares_most_comes_first() -> None:
    """The best window holds most of the words, rare ones counting most; the next starts at least two sentences off."""
    windows = Evidence([" ".join(OFFICE)]).windows("Is the Rome office closed on Friday?", 2)
    assert windows == [" ".join(OFFICE[2:5]), " ".join(OFFICE[4:6])]


def test_no_window_holds_the_sentence_left_out() -> None:
    """Evidence that must lack a sentence never has it, though it shares most."""
    windows = Evidence([" ".join(OFFICE)]).windows(OFFICE[4], 2, without=4)
    assert windows
    assert all(OFFICE[4] not in window for window in windows)


def test_a_window_is_not_longer_than_the_model_reads() -> None:
    """Neighbours are left out where they would make a window longer than 90 words."""
    evidence = Evidence(["Rome " * 80 + "ends.", "The office opens.", "word " * 80 + "ends."])
    assert all(len(window.split()) <= 90 for window in evidence.windows("The office opens.", 2))


def test_json_is_read_as_facts() -> None:
    """A context in JSON becomes lines of keys and values, true and false in words and a number as itself."""
    context = json.dumps({"name": "Finch", "stars": 1.0, "hours": None, "parking": {"StreetSide": True, "lot": False}})
    assert Evidence([context]).units == [
        "name: Finch, stars: 1.0, hours: unknown",
        "parking: Street Side: yes, lot: no",
    ]


def test_marked_spans_label_the_sentences_they_touch() -> None:
    """Where people marked spans, a sentence is unsupported if a span touches it, and supported if none does."""
    answer = "The Paris office opens at nine. Parking costs ten euros."
    start = answer.index("costs")
    pairs = labelled_pairs([row(answer, 1, [{"start": start, "end": start + 5}])])
    assert {(pair.sentence, pair.supported) for pair in pairs} == {
        ("The Paris office opens at nine.", True),
        ("Parking costs ten euros.", False),
    }


def test_without_spans_the_least_shared_sentence_is_the_unsupported_one() -> None:
    """Of an unsupported answer with no spans, only the sentence that shares least is learned from."""
    pairs = labelled_pairs([row("The Paris office opens at nine. Helicopters land upstairs.", 1)])
    assert {(pair.sentence, pair.supported) for pair in pairs} == {("Helicopters land upstairs.", False)}


def test_both_classes_weigh_the_same() -> None:
    """The weights of the supported pairs add up to those of the unsupported ones."""
    pairs = labelled_pairs([row("Parking is free. Lunch is in the hall.", 0), row("Helicopters land upstairs.", 1)])
    weights = {kind: sum(pair.weight for pair in pairs if pair.supported is kind) for kind in (True, False)}
    assert weights[True] == pytest.approx(weights[False])


@pytest.mark.parametrize(
    ("sentence", "kind", "expected"),
    [
        ("It was built by Anna Keller.", "negation", {"It was not built by Anna Keller."}),
        ("Dogs must not enter.", "negation", {"Dogs must enter."}),
        ("Yesterday Anna met Bruno.", "role", {"Yesterday Bruno met Anna."}),
        ("Yesterday Anna rested.", "name", {"Yesterday Rome rested."}),
        ("The shop opens late.", "antonym", {"The shop closes late."}),
        ("It has a garden.", "sibling", {"It has a park."}),
        ("It is some distance.", "strength", {"It is all distance."}),
        ("Row 7 is free.", "number", {f"Row {digit} is free." for digit in (8, 9, 0, 1, 2, 3, 4, 5)}),
    ],
)
def test_a_change_says_something_else(sentence: str, kind: str, expected: set[str]) -> None:
    """Each kind of change turns what the sentence says into something else, and changes nothing more."""
    changed = dict(corrupt(chance(1), sentence, WORDS, ["Rome"], 8))
    assert changed[kind] in expected


def test_names_in_a_list_are_not_swapped() -> None:
    """Two names joined by "and" say the same in either order."""
    assert "role" not in dict(corrupt(chance(1), "We met Anna and Bruno.", WORDS, [], 8))


def test_a_paraphrase_only_drops_words_or_replaces_verbs() -> None:
    """What a supported sentence says is in its source: no word is new but a synonym."""
    source = "In the spring, the house (a ruin) was really built by Anna, which pleased all."
    made = {paraphrase(chance(seed), source, WORDS) for seed in range(50)}
    assert len(made) > 5
    assert source in made
    for text in made:
        assert set(text.strip(".").split()) <= {*source.strip(".").split(), "construct", "Anna"}


def test_rule_pairs_are_balanced_and_repeatable() -> None:
    """As many pairs are supported as not, and the same seed gives the same pairs."""
    rows = [row("", 0)]
    pairs = rule_pairs(rows, WORDS, count=40, seed=3)
    assert sum(pair.supported for pair in pairs) == 20
    assert len(pairs) == 40
    assert pairs == rule_pairs(rows, WORDS, count=40, seed=3)


def test_wordnet_is_read_by_first_senses(tmp_path: Path) -> None:
    """Synonyms come from a verb's first sense, siblings share the kind above, opposites are of the word itself."""
    (tmp_path / "index.sense").write_text(
        "car%1:06:00:: 00000002 1 9\ntruck%1:06:00:: 00000003 1 9\nvehicle%1:06:00:: 00000001 1 9\n"
        "buy%2:40:00:: 00000001 1 9\npurchase%2:40:00:: 00000001 1 9\n"
        "hot%3:00:00:: 00000001 1 9\ncold%3:00:00:: 00000002 1 9\n"
    )
    (tmp_path / "data.noun").write_text(
        "  1 a line of the licence\n"
        "00000001 06 n 01 vehicle 0 000 | moves\n"
        "00000002 06 n 01 car 0 001 @ 00000001 n 0000 | has wheels\n"
        "00000003 06 n 01 truck 0 001 @ 00000001 n 0000 | has more\n"
    )
    (tmp_path / "data.verb").write_text("00000001 40 v 02 buy 0 purchase 0 000 01 + 08 00 | obtain\n")
    (tmp_path / "data.adj").write_text(
        "00000001 00 a 01 hot 0 001 ! 00000002 a 0101 | warm\n00000002 00 a 01 cold 0 001 ! 00000001 a 0101 | cool\n"
    )
    (tmp_path / "data.adv").write_text("")
    words = read_words(tmp_path)
    assert words.synonyms == {"buy": ["purchase"], "purchase": ["buy"]}
    assert words.antonyms == {"hot": ["cold"], "cold": ["hot"]}
    assert words.siblings == {"car": ["truck"], "truck": ["car"]}
