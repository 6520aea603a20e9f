"""Measures: each has one meaning, is zero where nothing speaks against a sentence, and tells what it found."""

import pytest

from plumbrule.support import measures
from plumbrule.support.evidence_index import Ground, Window
from plumbrule.support.measures import MEASURES, Comparison, MeasureName
from plumbrule.support.word_lists import support_words
from plumbrule.text.text_view import TextView
from plumbrule.text.work_limits import LONGEST_SENTENCE

PAID = "Acme Corp paid a wire fee of $25 on March 5, 2024. The fee increased by 5%."


def compare(answer: str, *contexts: str) -> list[Comparison]:
    """Return what became of each sentence of an answer."""
    known = support_words()
    return measures.compare(TextView(answer), Ground([TextView(text) for text in contexts], known), known)


def only(answer: str, *contexts: str) -> Comparison:
    """Return what became of the one sentence of an answer."""
    (found,) = compare(answer, *contexts)
    return found


def measure(name: MeasureName, answer: str, *contexts: str) -> float:
    """Return one measure of the one sentence of an answer."""
    return only(answer, *contexts).measures[MEASURES.index(name)]


def findings(answer: str, *contexts: str) -> list[tuple[str, str, str]]:
    """Return what speaks against the sentences of an answer: the stretch, its kind, and what stands against it."""
    return [
        (answer[each.start : each.end], each.kind, each.against)
        for sentence in compare(answer, *contexts)
        for each in sentence.findings
    ]


def test_a_sentence_of_the_context_has_nothing_against_it() -> None:
    """Word for word, every measure is zero, and the evidence is the sentence itself."""
    found = only("The fee increased by 5%.", PAID)
    assert set(found.measures) == {0.0}
    assert (found.window, found.findings, found.claims) == (Window(1, 1), (), True)


# Words and evidence


def test_words_is_the_share_that_stands_nowhere() -> None:
    """By weight: a verb weighs 0.4, any other word 1; three of five words of weight 1 are missing."""
    found = only("Acme fee zebra quokka wombat", PAID)
    assert found.measures[0] == pytest.approx(3 / 5)
    assert findings("Acme fee zebra quokka wombat", PAID) == [
        ("zebra", "word", ""),
        ("quokka", "word", ""),
        ("wombat", "word", ""),
    ]


def test_another_form_or_a_synonym_is_half_a_word() -> None:
    """Both have 0.6 of the credit of the word itself, and are no finding."""
    assert measure("words", "management", "The manager left.") == pytest.approx(0.4)
    assert measure("words", "physician fee", "The doctor of the fee.") == pytest.approx(0.4 / 2)
    assert measure("words", "geologist fee", "The doctor of the fee.") == pytest.approx(1 / 2)
    assert findings("physician fee management", "The doctor has a fee and a manager.") == []


def test_talk_weighs_little() -> None:
    """What an answer says of its own talk is hardly missed."""
    assert measure("words", "Overall, fee", "fee") < measure("words", "Zebra, fee", "fee")


def test_evidence_is_what_the_nearest_passage_lacks() -> None:
    """A word elsewhere in the contexts has 0.3 of the credit, and one that is nowhere has none."""
    apart = "The fee rose. Cats sleep. Cats eat. Cats run. Bonds fell."
    assert measure("words", "fee bonds", apart) == 0.0
    assert measure("evidence", "fee bonds", apart) == pytest.approx(0.7 / 2)
    assert measure("evidence", "fee zebra", apart) == pytest.approx(1 / 2)
    assert measure("evidence", "fee", apart) == 0.0


@pytest.mark.parametrize("contexts", [(), ("",), ("...",)])
def test_without_contexts_all_is_missing(contexts: tuple[str, ...]) -> None:
    """Words and evidence are 1, and what needs evidence to compare with is silent."""
    found = only("All fees were never $25.", *contexts)
    assert dict(zip(MEASURES, found.measures, strict=True)) == {
        "words": 1.0,
        "evidence": 1.0,
        "specifics": 1.0,
        "opposites": 0.0,
        "strength": 0.0,
        "speaker": 0.0,
        "unknown": 0.0,
    }
    assert found.window is None


# Specifics


@pytest.mark.parametrize(
    ("answer", "count", "found"),
    [
        ("The fee is $25.", 0.0, []),
        ("The fee is twenty-five dollars.", 0.0, []),
        ("The fee is $30.", 1.5, [("$30", "number", "$25")]),
        ("It has 70 kg.", 1.0, [("70 kg", "number", "")]),
        ("It was paid on 2024-03-05.", 0.0, []),
        ("It was paid on March 6, 2024.", 1.0, [("March 6, 2024", "date", "March 5, 2024")]),
        ("It was paid on March 6, 2023.", 1.5, [("March 6, 2023", "date", "March 5, 2024")]),
        ("There are three fees.", 0.5, []),
        ("There are 7 fees.", 1.0, [("7", "number", "")]),
        ("Passage 7 and passages 8, 9 and 10 say so.", 0.0, []),
        ("Passage 7 says so in 11 words.", 1.0, [("11", "number", "")]),
        ("There are 31 fees, 41 fees, 51 fees and 61 fees.", 3.0, None),
    ],
)
def test_numbers_and_dates_are_held_by_value(
    answer: str, count: float, found: list[tuple[str, str, str]] | None
) -> None:
    """Missing counts 1, half where small or of a known year, half more beside a rival; never more than 3."""
    assert measure("specifics", answer, PAID) == count
    if found is not None:
        assert [each for each in findings(answer, PAID) if each[1] in {"number", "date"}] == found


@pytest.mark.parametrize(
    ("answer", "missing"),
    [
        ("Acme paid the fee.", []),
        ("Acme's clerk and Acme Corp paid.", []),
        ("In Paris, Globex paid the fee.", ["Paris", "Globex"]),
        ("Zebra Corp paid a fee.", ["Zebra"]),
        ("Payment was a fee.", []),
        ("Despite Passage 2 the fee was paid by PM.", []),
        ("1. Payment: Check the fee.", []),
        ("1. Zorble paid: Globex.", ["Zorble", "Globex"]),
        ("Then Quickly Acme paid.", []),
        ("The Great Zorble Of Quax", []),
        ("A Zorble", ["Zorble"]),
    ],
)
def test_names_are_capitalised_words_the_contexts_lack(answer: str, missing: list[str]) -> None:
    """No opening of a sentence, no adverb and no title is a name."""
    assert measure("specifics", answer, PAID) == len(missing)
    assert [shown for shown, kind, _ in findings(answer, PAID) if kind == "name"] == missing


def test_an_abbreviation_stands_for_its_name_both_ways() -> None:
    """Initials for the name in full, and the name in full for initials."""
    assert measure("specifics", "The WHO met.", "The World Health Organization met.") == 0.0
    assert measure("specifics", "On time the World Health Organization met.", "The WHO met.") == 0.0
    assert measure("specifics", "On time the World Trade Organization met.", "The WHO met.") == 3.0


def test_a_name_of_one_word_may_be_written_in_capitals() -> None:
    """A state stands for its two capitals; the same letters in a common word do not."""
    assert measure("specifics", "The hotel of California is open.", "The hotel in Santa Barbara, CA is open.") == 0.0
    assert measure("specifics", "The hotel of Indiana is open.", "In May the hotel in town is open.") == 1.0


def test_a_name_is_told_once() -> None:
    """The words of a name, number or date that is told by itself are not told again as words."""
    assert findings("Globex paid 31 kg.", "They paid.") == [("Globex", "name", ""), ("31 kg", "number", "")]


# Opposites, strength, speaker, unknown


@pytest.mark.parametrize(
    ("answer", "context", "count", "against"),
    [
        ("The fee decreased.", "The fee increased.", 2.0, "increased"),
        ("The room is dark.", "The room is bright.", 2.0, "bright"),
        ("Members abandon the house.", "Members inhabit the house.", 2.0, "inhabit"),
        ("The unprofessional staff met us.", "The professional staff met us.", 2.0, "professional"),
        ("The staff is professional.", "The staff is unprofessional.", 2.0, "unprofessional"),
        ("The dark room of the old inn has a view.", "The bright room has no number.", 1.0, "bright"),
        (
            "Pets are allowed in the yard.",
            "Work is allowed here. Pets are prohibited in the yard.",
            2.0,
            "prohibited",
        ),
        ("You get a discount on every order.", "We count every order.", 0.0, None),
        ("Visitors may prohibit dogs.", "Visitors may not allow dogs.", 0.0, None),
        ("The high gate of the old town is red.", "A mast stood on the low ground by the river.", 0.0, None),
        ("The used car is new.", "The new car is red.", 0.0, None),
        ("The fee increased.", "The fee increased.", 0.0, None),
        ("The fee increased and decreased.", "The fee increased.", 0.0, None),
        ("The fee decreased.", "The fee decreased, then increased.", 0.0, None),
        ("The hot, early, public train is local.", "The cold, late, private train is national.", 2.0, None),
    ],
)
def test_opposites_are_words_in_each_others_place(answer: str, context: str, count: float, against: str | None) -> None:
    """From the lists and the thesaurus alike; not where both have both; two count as many."""
    assert measure("opposites", answer, context) == count
    if against is not None:
        assert [said for _, kind, said in findings(answer, context) if kind == "opposite"] == [against]


@pytest.mark.parametrize(
    ("answer", "context", "count"),
    [
        ("The fee was not increased.", "The fee was increased.", 2.0),
        ("The fee isn’t due.", "The fee is due.", 2.0),
        ("The fee isn't due.", "The fee is never due.", 0.0),
        ("Members of the old club do not pay.", "The fee is what others pay each May.", 1.0),
        ("Members of the old club do not pay.", "The fee is what others never pay.", 0.0),
        ("Members of the old club do not dance.", "The club has members.", 0.5),
        ("Members of the old club do not dance.", "The club has no members.", 0.0),
        ("It is not certain, but the fee is due.", "The fee is due.", 0.5),
        ("Not really, but the fee is due.", "The fee is due.", 0.0),
        ("The text does not mention a due fee.", "The fee is due.", 0.0),
        ("No, the fee is due.", "The fee is due.", 0.0),
        ("The fee is due no later than noon.", "The fee is due by noon.", 0.0),
        ("Those who do not pay are fined.", "Those who pay late are fined.", 0.0),
        ("Clerks are not paid extra.", "Extra is not paid to clerks.", 0.0),
        ("Pets are not permitted here.", "Pets are prohibited here.", 0.0),
    ],
)
def test_an_added_denial_counts_by_what_the_evidence_says(answer: str, context: str, count: float) -> None:
    """Half where the nearest unit has none, half where it says the denied word, two where it says all the rest."""
    assert measure("opposites", answer, context) == count
    assert ("negation" in [kind for _, kind, _ in findings(answer, context)]) == (count > 0)


@pytest.mark.parametrize(
    ("answer", "context", "count"),
    [
        ("The fee was increased.", "The fee was not increased.", 2.0),
        ("The fee was increased.", "The fee was not increased. The fee was increased in May.", 0.0),
        ("The fee was increased.", "The fee was increased, but not for members.", 0.0),
        ("The fee was increased in Paris.", "The fee was not increased.", 0.0),
        ("Increased.", "Not increased.", 0.0),
        ("The team passes the ball.", "The team passes the ball to those without the ball.", 0.0),
        ("Clerks settle claims, and the unit records the sum.", "Clerks do not settle claims in person.", 2.0),
        ("Clerks settle all that is due, and the unit records the sum.", "Clerks do not settle claims.", 0.0),
        ("The card is free and insured.", "The card is not only free but insured.", 0.0),
        ("Contact the clerk by phone.", "Do not hesitate to contact the clerk by phone.", 0.0),
        ("You draw cash with a card.", "You cannot draw cash without a card.", 0.0),
        ("Deposits are refundable before June.", "Deposits are not refundable after June.", 0.0),
        ("No, our branches are in Bern and Basel.", "No, our branches are in Bern and Basel.", 0.0),
        ("Our branches are in Bern and Basel.", "No, our branches are in Bern and Basel.", 0.0),
    ],
)
def test_a_denial_left_out_is_two_opposites(answer: str, context: str, count: float) -> None:
    """Where every unit with nearly all of the words denies one of them, or the nearest denies two that it says."""
    assert measure("opposites", answer, context) == count
    assert ("denial" in [kind for _, kind, _ in findings(answer, context)]) == (count > 0)


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        ("Yes. The fee is $25.", [False, True]),
        ("Yes, of course! The fee is $25.", [False, True]),
        ("Yes, the fee. The fee is $25.", [True, True]),
        ("**No.** The fee is $25.", [False, True]),
        ("The fee is $25. Yes.", [True, True]),
        ("Yes. I love fees.", [True, True]),
        ("Yes, the fee is $25.", [True]),
        ("Certainly! The fee is $25.", [False, True]),
        ("Good morning! Great question. Of course! The fee is $25.", [False, False, False, True]),
        ("That’s a great question! The fee is $25.", [False, True]),
        ("Sure. I love fees.", [True, True]),
    ],
)
def test_a_greeting_or_a_bare_yes_leaves_the_claim_to_the_next_sentence(answer: str, claims: list[bool]) -> None:
    """Where one follows that does not speak of itself, as small talk does."""
    assert [each.claims for each in compare(answer, "The fee is $25.")] == claims


@pytest.mark.parametrize(
    ("answer", "context", "count"),
    [
        ("The wire fee is $30.", "The wire fee is $25.", 1.0),
        ("The wire fee is $30.", "A wire is free, and the fee of an account is $25.", 1.0),
        ("The wire fee of members is $30.", "The wire fee is $25.", 0.0),
        ("The wire fee is $25.", "The wire fee is $25.", 0.0),
    ],
)
def test_another_value_in_the_same_words_is_an_opposite(answer: str, context: str, count: float) -> None:
    """Where a unit has every other word of the sentence, its value stands against the sentence's."""
    assert measure("opposites", answer, context) == count


@pytest.mark.parametrize(
    ("answer", "context", "strong"),
    [
        ("All fees rose.", "Most fees rose.", 1.0),
        ("All fees rose.", "Some fees rose.", 1.0),
        ("Every fee rose.", "Each fee rose, most of them in May.", 0.0),
        ("You must pay all fees.", "You may pay fees that concern all.", 1.0),
        ("All fees rose.", "All fees rose.", 0.0),
        ("Fees must always rise.", "Fees may often rise.", 1.0),
        ("Fees must always rise.", "Fees rise.", 0.0),
        ("All fees rose.", "Fees rose and fell again in the year that some banks closed.", 0.0),
        ("Some fees rose.", "All fees rose.", 0.0),
    ],
)
def test_strength_is_a_word_stronger_than_the_evidence(answer: str, context: str, strong: float) -> None:
    """It is found where the nearest unit has a weaker word of its kind in its place, and no strong one; once."""
    assert measure("strength", answer, context) == strong
    assert [kind for _, kind, _ in findings(answer, context)].count("strength") == strong


@pytest.mark.parametrize(
    ("answer", "context", "speaks"),
    [
        ("I paid the fee.", "They paid the fee.", 1.0),
        ("Our fee rose.", "The fee rose.", 1.0),
        ("I paid the fee.", "We paid the fee.", 0.0),
        ("They paid the fee.", "They paid the fee.", 0.0),
    ],
)
def test_who_speaks_of_himself_has_no_source(answer: str, context: str, speaks: float) -> None:
    """Unless the context speaks of itself."""
    assert measure("speaker", answer, context) == speaks


@pytest.mark.parametrize(
    ("answer", "unknown"),
    [
        ("The text does not mention a refund.", 1.0),
        ("It DOESN’T MENTION a refund.", 1.0),
        ("There is no information on refunds.", 1.0),
        ("The text mentions a refund.", 0.0),
        ("The text does not provide a fee.", 1.0),
        ("The hotel does not provide a towel.", 0.0),
    ],
)
def test_what_is_said_to_be_unknown(answer: str, unknown: float) -> None:
    """A sentence may say what the context does not say."""
    assert measure("unknown", answer, PAID) == unknown


# Facts of data


def test_facts_count_among_specifics_and_opposites() -> None:
    """What is denied or has another value counts in both; what is unknown is specific only."""
    data = '{"Alcohol": false, "Parking": null, "stars": 4.5}'
    assert measure("opposites", "It has alcohol.", data) == 1.0
    assert measure("specifics", "It has alcohol.", data) == 1.0
    assert measure("opposites", "It has parking.", data) == 0.0
    assert measure("specifics", "It has parking.", data) == 1.0
    assert ("It has 3 stars.", "other_value", "stars: 4.5") in findings("It has 3 stars.", data)
    assert ("It has alcohol.", "denied_fact", "Alcohol: no") in findings("It has alcohol.", data)
    assert ("It has parking.", "unknown_fact", "Parking: unknown") in findings("It has parking.", data)


@pytest.mark.parametrize("said", ["WiFi", "Wi-Fi", "wifi", "wi-fi"])
def test_a_key_is_known_however_it_is_written(said: str) -> None:
    """As one word or as two: a key in camel case is no missing word or name."""
    found = only(f"The hotel has {said}.", '{"hotel": "Ritz", "has": "yes", "WiFi": true}')
    assert found.measures[MEASURES.index("specifics")] == 0.0
    assert found.findings == ()


# What claims nothing, pronouns, citation markers


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        ("Thank you for asking!", False),
        ("I hope this helps.", False),
        ("You’re welcome!", False),
        ("**Here are the fees:**", False),
        ("Sure, here's a summary in 100 words:", False),
        ("Here are the fees.", True),
        ("The fees are:", True),
        ("Thank you, the fee is $99.", True),
        ("Feel free to pay before March 6, 2024.", True),
    ],
)
def test_courtesies_and_announcements_claim_nothing(answer: str, *, claims: bool) -> None:
    """A polite sentence or one that announces what follows; one that gives a number or date claims it."""
    found = only(answer, PAID)
    assert found.claims == claims
    assert claims or found.findings == ()


def test_a_pronoun_takes_the_name_before_it() -> None:
    """Evidence for "She likes tea" after Jane is where Jane does."""
    context = "Bob likes tea. He is tall. One. Two. Three. Jane Doe was born in Rome. Jane likes tea."
    assert only("She likes tea.", context).window == Window(0, 0)
    assert compare("Jane Doe was born in Rome. She likes tea.", context)[1].window == Window(6, 6)
    assert compare("Jane Doe was born in Rome. Bob likes tea.", context)[1].window == Window(0, 0)


@pytest.mark.parametrize("marker", ["[7]", "[^7]", "【7】", "[7][8]", "[7, 8]", "[7,8]", "[7–9]", "[7; 8]"])
def test_citation_markers_are_no_words(marker: str) -> None:
    """Neither as words nor as numbers, alone or in a list."""
    found = only(f"The fee increased by 5% {marker}.", PAID)
    assert set(found.measures) == {0.0}
    assert found.findings == ()


@pytest.mark.parametrize("text", ["It has 2^70 cells.", "See [7] 70 cells.", "The 70 [cells]."])
def test_other_numbers_are_words(text: str) -> None:
    """What stands after a marker, or is a power, is read."""
    assert "70" in [answer for answer, kind, _ in findings(text, PAID) if kind in {"word", "number"}]


def test_sentences_without_words_are_left_out() -> None:
    """Signs alone claim nothing and are not compared."""
    assert compare("", PAID) == compare("... !!! — 🙂", PAID) == []
    assert len(compare("---\n\nThe fee rose.\n\n***", PAID)) == 1


def test_findings_stand_in_order_and_once() -> None:
    """Sorted by place, none twice."""
    found = only("Zebra zebra paid all in Paris on May 9, 1999, never Globex.", PAID).findings
    assert list(found) == sorted(set(found))


def test_a_sentence_of_thousands_of_strange_names_is_compared() -> None:
    """What is told by itself is left out of the words without asking each of each; an endless one is cut."""
    answer = " and ".join(f"Zor{number:x}b" for number in range(4000))
    found = compare(answer, PAID)
    assert max(each.sentence.end - each.sentence.start for each in found) <= LONGEST_SENTENCE
    findings = [finding for each in found for finding in each.findings]
    assert {each.kind for each in findings} == {"name"}
    assert len(findings) == 4000
