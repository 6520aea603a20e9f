"""Binding of answers: edits and findings by sentence, which answers it decides on, and how much work it may be."""

import os
import subprocess
import sys

import orjson
import pytest

from plumbrule.support.binding.binding_words import binding_words
from plumbrule.support.binding.bound_answer import AnswerBinding, BoundSentence, bind
from plumbrule.support.binding.slots import BoundGround, Piece
from plumbrule.support.evidence_index import Ground
from plumbrule.support.measures import compare
from plumbrule.support.word_lists import support_words
from plumbrule.text.text_view import TextView

CONSTANTS = binding_words().constants
HALL = (
    "Tickets may not be returned after the show has begun. Members may bring one guest to the main hall.",
    "The bar opens one hour before the show. The library is shut on public holidays. The lift is beside the stairs.",
)
RACES = (
    "The first races on roads were run in France in 1868, and the winner of the first of them, over 120 km, was an "
    "Englishman who had come from Paris on a machine of wood and iron with solid tyres."
)
BIKE = (
    "A bike may be returned within 30 days of the purchase. Helmets are sold on the upper floor of the shop. "
    "The workshop mends wheels and brakes, and it lends tools to anyone who asks at the till."
)


def bound(question: str, answer: str, *contexts: str) -> AnswerBinding:
    """Bind an answer."""
    return bind(question, TextView(answer), [TextView(context) for context in contexts])


def only(answer: str) -> BoundSentence:
    """Return the only sentence of an answer over the rules of a hall."""
    (sentence,) = bound("What are the rules?", answer, *HALL).sentences
    return sentence


@pytest.mark.parametrize(
    ("answer", "measure"),
    [
        ("Tickets may be returned after the show has begun.", "left_deny"),
        ("All members may bring one guest to the main hall.", "put_all"),
        ("Members must bring one guest to the main hall.", "swap_must_may"),
        ("Tickets may not be returned before the show has begun.", "swap_before_after"),
        ("The bar opens one hour after the show.", "swap_after_before"),
        ("The library is open on public holidays.", "opposite"),
    ],
)
def test_a_change_of_wording_counts_against_a_sentence(answer: str, measure: str) -> None:
    """A denial left out, "all" put in, what may be that must, before and after swapped, an opposite."""
    sentence = only(answer)
    assert sentence.measures[measure] > 0
    assert sentence.measures["copy_with_change"] > 0
    assert not sentence.copied
    assert sentence.log_odds < only("Tickets may not be returned after the show has begun.").log_odds


def test_a_copy_changes_nothing() -> None:
    """Of each passage."""
    for context in HALL:
        for place in TextView(context).sentences:
            sentence = only(context[place.start : place.end])
            assert sentence.copied
            assert "edited" not in sentence.measures
            assert not sentence.changes


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("Penguins swim through coral tunnels beneath frozen volcanoes overnight.", True),
        ("Certainly, go ahead.", False),
        ("Penguins may bring one guest to coral tunnels beneath frozen volcanoes.", False),
    ],
    ids=["much of nothing", "little", "a part of a passage"],
)
def test_what_says_much_that_no_passage_has_is_made_up(answer: str, *, told: bool) -> None:
    """By coverage; a short sentence without a word of any passage is as often right."""
    text, views = TextView(f"Members may bring one guest. {answer}"), [TextView(context) for context in HALL]
    known = support_words()
    compared = compare(text, Ground(views, known), known)
    found = bind("Whom may I bring?", text, views, compared=compared)
    assert found.decides
    assert [each.made_up for each in found.sentences] == [False, told]


def test_a_paraphrase_is_no_copy_with_a_change() -> None:
    """Other words are no edits of a passage."""
    sentence = only("An hour ahead of the performance you can get a drink.")
    assert not sentence.copied
    assert "copy_with_change" not in sentence.measures


def test_a_change_shows_the_words_and_the_passage() -> None:
    """In the answer's own places."""
    answer = "That is so. The library is open on public holidays."
    sentence = bound("When is it open?", answer, *HALL).sentences[1]
    assert [answer[start:end] for start, end in sentence.changes] == ["open"]
    assert sentence.passage == "The library is shut on public holidays."


def test_each_says_all_as_well() -> None:
    """Where the passage has "each", "every" puts in nothing; "each" itself is no "all"."""
    rule = "Each member may bring one guest to the main hall."
    (same,) = bound("Who may?", "Every member may bring one guest to the main hall.", rule, HALL[1]).sentences
    (other,) = bound("Who may?", "Every member may bring one guest to the main hall.", *HALL).sentences
    assert "put_all" not in same.measures
    assert other.measures["put_all"] > 0
    assert "put_all" not in only("Members may bring one guest each to the main hall.").measures


def test_an_opening_no_puts_in_no_denial() -> None:
    """It answers the question; one inside a sentence denies."""
    assert "put_deny" not in only("No, members may bring one guest to the main hall.").measures
    assert only("Members may bring no guest to the main hall.").measures["put_deny"] > 0


def test_a_word_of_another_place_in_place_of_the_passages_own_is_told() -> None:
    """Between the same words, where the passage has one of its own; a word that is only put in replaces nothing."""
    assert only("Members may bring one guest to the library.").measures.get("replaced", 0.0) == 0.0
    assert only("Members may bring one guest to the main library hall.").measures.get("replaced", 0.0) == 0.0
    assert only("The library is shut on stairs holidays.").measures["replaced"] > 0


def test_what_is_made_up_stands_apart_from_the_rest_of_its_answer() -> None:
    """A sentence is measured by the nearest of its answer; the nearest itself, and one alone, stand apart from none."""
    answer = "Members may bring one guest to the main hall. A pianist plays softly until midnight."
    near, made_up = bound("Whom may I bring?", answer, *HALL).sentences
    assert "apart" not in near.measures
    assert made_up.measures["apart"] > 0.5
    assert "apart" not in only("A pianist plays softly until midnight.").measures


@pytest.mark.parametrize(
    ("question", "answer", "told"),
    [
        ("May tickets be returned after the show has begun?", "Yes, you may bring them back.", True),
        ("May members bring one guest to the main hall?", "Yes, you may take somebody along.", False),
        ("May tickets be returned after the show has begun?", "No, you may not.", False),
        ("May tickets not be returned after the show has begun?", "Yes, that is so.", False),
    ],
)
def test_yes_to_what_the_passage_denies_is_told(question: str, answer: str, *, told: bool) -> None:
    """The passage that is nearest to the question; a question that denies as well is right with yes."""
    (sentence,) = bound(question, answer, *HALL).sentences
    assert ("yes_denied" in sentence.measures) is told


def test_coverage_counts_more_over_one_context() -> None:
    """There additions go wrong as well as small changes."""
    for contexts, share in (((BIKE,), CONSTANTS.alone_share), ((BIKE, HALL[0]), binding_words().support_share)):
        (sentence,) = bound("How long may I return a bike?", "Within 30 days.", *contexts).sentences
        assert sentence.share == share


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("May I return it?", True),
        ("is that it?! I want my money back", True),
        ("how long may I keep a bike", True),
        ("are guests allowed in the hall", True),
        ("broken wheel - do you mend it", True),
        ("I am a member, can I bring my son", True),
        ("when can I return a bike", True),
        ("Do not return it.", False),
        ("Do  not return it.", False),
        (". " * 1000, False),
        ("When I was young I had a bike.", False),
        ("I have a bike, which is red.", False),
        ("See https://example.org/?bike=2 for the rules.", False),
        ("", False),
    ],
)
def test_a_question_is_known_by_its_mark_or_its_words(text: str, *, asks: bool) -> None:
    """People type questions without a mark, and addresses have one."""
    assert bool(binding_words().asks.search(text)) is asks


@pytest.mark.parametrize(
    ("question", "answer", "contexts", "decides"),
    [
        ("How long may I return a bike?", "Within 30 days.", (BIKE,), True),
        ("I returned a bike.", "Within 30 days.", (BIKE,), False),
        ("How soon have I got to decide?", "It was 120 km.", (RACES,), False),
        ("Who won the races?", "It was 120 km.", (RACES,), True),
        ("What is sold?", "They sell helmets.", (BIKE,), False),
        ("What is sold?", "They sell helmets.", HALL, False),
        ("Whom may I bring? I am new.", "Members may bring guests.", HALL, True),
        ("How long?", "Within 30 days.", ("Bikes go back within 30 days.",), False),
        ("When must hired bikes be back?", "Within 30 days.", ("Hired bikes go back within 30 days.",), True),
        ("Are bikes back?", "Within 30 days.", ("Bikes go back within 30 days.",), False),
        ("When must hired bikes be back?", "Within 30 days.", ("Hired bikes go back", "within 30 days."), True),
        ("How long?", "Within 30 days. " * 40, (BIKE,), False),
        ("How soon have I got to decide?", "Within 30 days.", (BIKE,), True),
        ("How soon have I got to decide?", "Within 30 days.", (BIKE + RACES * 5,), False),
        ("How soon have I got to decide?", "It was 120 km.", (RACES, "You may go in."), True),
        ("How soon have I got to decide?", "It was 120 km.", ("You may go 120 km.",), False),
        ("How soon have I got to decide?", "It is 120 km.", ("The first race: 120 km.",), True),
        (
            "How soon have I got to decide?",
            "It is 120 km.",
            ("He said 120 km, see http://a.example",),
            False,
        ),
        (
            "How soon have I got to decide?",
            "It is 120 km.",
            ("| Race | Long |\n|---|---|\n| A | 120 km |",),
            True,
        ),
        ("How soon have I got to decide?", "It is 120 km.", ('{"race": "first", "length": "120 km"}',), True),
        ("How soon have I got to decide?", "It is 120 km.", ("Races\n- the first, 120 km",), True),
        ("How soon have I got to decide?", "It is 120 km.", ("The first was won\nafter 120 km.",), False),
    ],
    ids=[
        "short",
        "no question",
        "of something else",
        "one context that has one word of the question",
        "one context without a value",
        "nothing to bind",
        "several contexts",
        "short context",
        "short context that has three words of the question",
        "short context that has two",
        "two of a few words",
        "long answer",
        "loosely worded, over a document",
        "loosely worded, over a long text",
        "loosely worded, over several contexts",
        "loosely worded, over a few words",
        "loosely worded, under a heading",
        "loosely worded, over talk with an address",
        "loosely worded, over a table",
        "loosely worded, over an object",
        "loosely worded, over a list",
        "loosely worded, over talk in two lines",
    ],
)
def test_binding_decides_on_short_answers(
    question: str, answer: str, contexts: tuple[str, ...], *, decides: bool
) -> None:
    """To a question, over contexts that say more; over one, if it speaks of what is asked or is a document."""
    assert bound(question, answer, *contexts).decides is decides


def test_a_contradiction_quotes_the_rival_and_what_it_is_of() -> None:
    """A sentence of prose, or what heads a cell; and it stands where the answer has the value."""
    answer = "Yes. A bike may be returned within 45 days of the purchase."
    (found,) = bound("How long may I return a bike?", answer, BIKE).sentences[1].contradictions
    assert answer[found.start : found.end] == "45 days"
    assert (found.against, found.of) == ("30 days", "A bike may be returned within 30 days of the purchase.")
    table = "| Ticket | Weekday | Weekend |\n|---|---|---|\n| Adult | £9 | £12 |\n| Child | £5 | £7 |\n"
    (sentence,) = bound("What does a child pay?", "A child pays £12 at the weekend.", table).sentences
    assert [(each.against, each.of) for each in sentence.contradictions] == [("£7", "Weekend Child")]


FILM = (
    "Black-and-white film takes 6 working days at a price of £11. Slide film is sent to Mr Sundquist in Oslo.",
    "Colour film takes 2 working days at a price of £7. Scans are open to Ms Radevic from Monday to Friday.",
)


@pytest.mark.parametrize(
    ("answer", "measure", "against"),
    [
        ("Black-and-white film takes 6 weeks at a price of £11.", "in_place_absent", ["6 working days"]),
        ("Black-and-white film takes 2 working days at a price of £11.", "in_place_bound", ["6 working days"]),
        ("Black-and-white film takes 6 working days at a price of £12.", "in_place_absent", ["£11"]),
        ("Scans are open to Ms Radevic from Monday to Saturday.", "in_place_absent", ["Friday"]),
        ("Slide film is sent to Ms Radevic in Oslo.", "name_in_place", []),
    ],
)
def test_another_value_in_the_same_place(answer: str, measure: str, against: list[str]) -> None:
    """What the passage has there is the rival: between the same words, or after the last of them; a name is none."""
    (sentence,) = bound("What about film and scans?", answer, *FILM).sentences
    assert sentence.measures[measure] > 0.5
    assert [each.against for each in sentence.contradictions] == against
    assert all(each.of in FILM[0] or each.of in FILM[1] for each in sentence.contradictions)
    assert not sentence.copied


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How long does film take?", "Black-and-white film takes six working days at a price of £11."),
        ("I have 9 days. Does film take 9 days?", "Black-and-white film takes 9 days at a price of £11."),
        ("What do two films cost?", "Black-and-white film takes 6 working days at a price of £22 in total for two."),
        ("Who gets slide film?", "Slide film is then sent to Mr Sundquist, who lives in Oslo."),
    ],
)
def test_the_same_value_in_other_words_is_none(question: str, answer: str) -> None:
    """Nor is one that the asker brought, nor one that the sentence says it has worked out."""
    (sentence,) = bound(question, answer, *FILM).sentences
    assert not [name for name in sentence.measures if "in_place" in name]
    assert not sentence.contradictions


def test_more_values_need_a_larger_margin() -> None:
    """With many values some stand out by chance: a contradiction of a short answer is none in a long list."""
    context = (
        "Renew a passport with form PA-12. Report a lost passport with form PA-30. The fees are listed: £1 to £99."
    )
    wrong = "PA-30 is for renewing passports."
    listed = " The fees are listed: " + ", ".join(f"£{number}" for number in range(1, 40)) + "."
    few, many = (bound("Which form?", answer, context).sentences[0] for answer in (wrong, wrong + listed))
    assert few.contradictions
    assert few.contradictions[0].margin < CONSTANTS.shown_margin + 36 * CONSTANTS.shown_step
    assert not many.contradictions


PROGRAM = """
import sys, orjson
from plumbrule.support.binding.bound_answer import bind
from plumbrule.text.text_view import TextView
for answer in orjson.loads(sys.stdin.buffer.read()):
    found = bind("What are the rules?", TextView(answer["answer"]), [TextView(each) for each in answer["contexts"]])
    print(found)
"""


def test_another_hash_seed_changes_nothing() -> None:
    """Not in the last digit of a measure."""
    answers = [
        "All tickets may be returned before the show, within 45 days.",
        "The library is open for one hour.",
        BIKE,
    ]
    records = [{"answer": answer, "contexts": [*HALL, BIKE]} for answer in answers]
    printed = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            input=orjson.dumps(records),
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("0", "77777")
    ]
    assert printed[0].count(b"\n") == len(answers)
    assert printed[0] == printed[1]


@pytest.mark.parametrize(
    "context",
    [
        " ".join(f"The fee of office {number} is £{number}." for number in range(2_500)),
        "Fees: " + " ".join(map(str, range(5_000))),
        "| a | b |\n" + "| £1 | £2 |\n" * 5_000,
        "| a | b |\n| c | " + "£5 " * 30_000 + "|\n",
        "a" * 100_000,
        "a-" * 50_000,
        "A-" * 50_000,
        "a.b" * 30_000,
        "[" * 1_000_000,
        "[\n" * 20_000,
        "{}\n" * 20_000,
        '{"a":' * 900 + "1" + "}" * 900,
        "<table" * 20_000,
        "a | " * 20_000 + "\n" + "b | " * 20_000,
    ],
    ids=["sentences", "numbers", "table", "cell", "word", "hyphens", "capitals", "dots", "brackets", "bracket lines",
         "empty objects", "deep data", "open tables", "wide table"],
)  # fmt: skip
def test_hostile_contexts_are_read_within_bounds(context: str) -> None:
    """Units, slots and mentions stay within their numbers."""
    ground = BoundGround([TextView(context), TextView(BIKE)], binding_words())
    assert len(ground.pieces) <= CONSTANTS.most_units
    assert len(ground.slots) <= CONSTANTS.most_slots
    assert all(len(piece.mentions) <= CONSTANTS.most_mentions for piece in ground.pieces)


def test_an_answer_is_bound_up_to_a_number_of_values_and_sentences() -> None:
    """Those beyond it have no measures, and every sentence is there."""
    answer = " ".join(f"It costs £{number}." for number in range(1_000, 1_200))
    found = bound("What does it cost?", answer, BIKE).sentences
    assert len(found) == 200
    assert sum(bool(each.measures) for each in found) == CONSTANTS.most_mentions
    assert len(Piece("£5 " * 500, binding_words()).mentions) == CONSTANTS.most_mentions


def test_mentions_beyond_the_bound_are_no_words_of_the_others() -> None:
    """Of many amounts only the first are bound; the rest do not say what those are of."""
    piece = Piece("The fees are " + ", ".join(f"£{number}" for number in range(1, 200)) + ".", binding_words())
    assert piece.words_of(piece.mentions[0]).keys() == {"fee"}
