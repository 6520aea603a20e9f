"""Pairs to fit a verifier to: evidence as the package finds it, labels from people, and changes by rule."""

import pytest
from training.data import Labelled
from training.rule_pairs import make_pairs
from training.verifier_pairs import asked_of, labelled_pairs, rule_pairs

from plumbrule.support.word_lists import support_words

OFFICE = (
    "Yesterday the Paris office of Anna Keller hired Bruno Maier from Rome.",
    "In the spring, the garden (a ruin) was really built by 40 people, which pleased all of the town.",
    "Parking is free for all visitors who can show a valid ticket.",
    "Dogs must not enter the garden after nine in the evening.",
)


def row(answer: str, *, unsupported: bool, marked: str = "", data_set: str = "one") -> Labelled:
    """Return an answer about the office; ``marked`` is the part that people found unsupported."""
    start = answer.index(marked)
    return Labelled(
        id=answer,
        data_set=data_set,
        task="towns",
        generator=None,
        question="",
        answer=answer,
        contexts=(" ".join(OFFICE),),
        unsupported=unsupported,
        spans=((start, start + len(marked)),) if marked else (),
    )


def test_a_sentence_is_asked_with_its_best_evidence() -> None:
    """Evidence is the sentences of the context that have a sentence's words; a courtesy is not asked at all."""
    asked = asked_of("Certainly! Dogs may not enter the garden. Parking is free.", [" ".join(OFFICE)])
    assert [(each.evidence, each.sentence) for each in asked] == [
        (OFFICE[3], "Dogs may not enter the garden."),
        (OFFICE[2], "Parking is free."),
    ]


def test_marked_spans_label_the_sentences_they_touch() -> None:
    """Where people marked spans, a sentence is unsupported if a span touches it, and supported if none does."""
    pairs = labelled_pairs(
        [row("Parking is always free. Dogs must enter the garden.", unsupported=True, marked="must enter")]
    )
    assert {(pair.sentence, pair.supported) for pair in pairs} == {
        ("Parking is always free.", True),
        ("Dogs must enter the garden.", False),
    }


def test_without_spans_the_least_known_sentence_is_the_unsupported_one() -> None:
    """Of an unsupported answer with no spans, only the sentence with most unknown words is learned from."""
    pairs = labelled_pairs([row("Parking is free today. Helicopters land in the garden.", unsupported=True)])
    assert [(pair.sentence, pair.supported) for pair in pairs] == [("Helicopters land in the garden.", False)]


def test_both_classes_weigh_the_same() -> None:
    """The weights of the supported pairs add up to those of the unsupported ones."""
    pairs = labelled_pairs([
        row("Parking is free here. Dogs must not enter the garden.", unsupported=False),
        row("Helicopters land in the garden.", unsupported=True),
    ])  # fmt: skip
    weights = {kind: sum(pair.weight for pair in pairs if pair.supported is kind) for kind in (True, False)}
    assert weights[True] == pytest.approx(weights[False])


def test_made_pairs_are_balanced_and_the_same_each_time() -> None:
    """As many pairs are supported as not, all have evidence, and the same seed gives the same pairs."""
    rows = [row("Parking is free.", unsupported=False)]
    pairs = rule_pairs(rows, count=20, seed=3)
    assert sum(pair.supported for pair in pairs) == len(pairs) / 2 == 10
    assert all(pair.evidence for pair in pairs)
    assert pairs == rule_pairs(rows, count=20, seed=3)


def test_a_change_by_rule_says_what_it_should() -> None:
    """A number differs, a denial comes or goes, the parts of a name stay together, and clauses are left out."""
    made = list(make_pairs([row("Parking is free.", unsupported=False)], support_words(), each=40))
    by_kind = {how: {pair.sentence for pair in made if pair.how == how} for how in {pair.how for pair in made}}
    assert by_kind.keys() == {
        "reworded",
        "shortened",
        "number",
        "name",
        "roles",
        "negation",
        "opposite",
        "noun",
        "strength",
    }
    assert any("Dogs must enter" in text for text in by_kind["negation"])
    assert all(" who must " in text for text in by_kind["strength"])
    assert not any(" 40 " in text for text in by_kind["number"])
    assert all("Keller" in text and "Rome" in text for text in by_kind["roles"])
    assert any(text.startswith("The garden (a ruin) was") for text in by_kind["shortened"])
    assert any(text.endswith("built by 40 people.") for text in by_kind["shortened"])
