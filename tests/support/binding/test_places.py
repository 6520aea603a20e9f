"""Places: the sentences and cells of a context, each with where it stands and what heads it."""

from dataclasses import replace

import pytest

from plumbrule.support.binding import places as module
from plumbrule.support.binding.binding_words import binding_words
from plumbrule.support.binding.places import Place, read_places

CONSTANTS = binding_words().constants


def places(text: str) -> list[Place]:
    """Return the places of a text, and see to it that each stands where it says."""
    found = read_places(0, text, CONSTANTS)
    assert all(place.text in text[place.start : place.end] for place in found if place.text not in {"yes", "no"})
    return found


def cells(text: str) -> dict[str, str]:
    """Return the cells of a text by what heads them."""
    return {place.head: place.text for place in places(text) if place.cell}


def prose(text: str) -> list[str]:
    """Return the sentences of a text."""
    return [place.text for place in places(text) if not place.cell]


HTML = """<table><tr><th>Ticket</th><th>Weekday</th><th>Weekend</th></tr>
<TR><td>Adult</td><td>£9</td><td>£12</td></TR>
<tr class=x><td>Child</td><td align='left'><b>£5</b></td><td>£7</td></tr></table>"""
FARES = {"Ticket": "Child", "Weekday Adult": "£9", "Weekend Adult": "£12", "Weekday Child": "£5", "Weekend Child": "£7"}


@pytest.mark.parametrize(
    "text",
    [
        "| Ticket | Weekday | Weekend |\n|---|---|---|\n| Adult | £9 | £12 |\n| Child | £5 | £7 |\n",
        "Ticket | Weekday | Weekend\n--- | :-: | ---\nAdult | £9 | £12\nChild | £5 | £7",
        "Ticket,Weekday,Weekend\nAdult,£9,£12\nChild,£5,£7\n",
        "Ticket;Weekday;Weekend\nAdult;£9;£12\nChild;£5;£7\n",
        "Ticket\tWeekday\tWeekend\nAdult\t£9\t£12\nChild\t£5\t£7\n",
        HTML,
    ],
    ids=["outer bars", "no outer bars", "commas", "semicolons", "tabs", "HTML"],
)
def test_a_cell_is_headed_by_its_column_and_its_row(text: str) -> None:
    """In every form of a table."""
    assert cells(text) == FARES
    assert not prose(text)


def test_prose_around_a_table_stays_prose_and_names_it() -> None:
    """The line before a table is its title."""
    text = "Fares in May\n\n| Ticket | Price |\n|---|---|\n| Adult | £9 |\n\nPay at the desk. Cards are taken."
    assert prose(text) == ["Fares in May", "Pay at the desk.", "Cards are taken."]
    assert [place.side for place in places(text) if place.text == "£9"] == ["Fares in May"]


def test_a_list_with_commas_is_no_table() -> None:
    """Nor are two lines that happen to have as many commas."""
    text = "Bring a towel, a lock, and soap.\nBring a coin, a card, and shoes."
    assert not cells(text)


def test_a_quoted_cell_keeps_its_commas() -> None:
    """And one that is written with doubled quotes stands in its row, wherever its text is found later."""
    text = 'name,price_eur,note\nBike,40,"red, small"\nBoat,90,"a ""big"" one"\nBoot,10,a big one\n'
    found = {place.head: place for place in read_places(0, text, CONSTANTS)}
    assert found["price eur Bike"].text == "40"
    assert found["note Bike"].text == "red, small"
    odd = found["note Boat"]
    assert text[odd.start : odd.end] == 'Boat,90,"a ""big"" one"\n'


def test_a_cell_whose_text_is_written_otherwise_stands_in_its_row() -> None:
    """Tags inside it are no part of it; the same text in a later row is another cell."""
    rows = "<tr><td>x</td><td>5<i>0</i> m</td></tr><tr><td>y</td><td>5 0  m</td></tr>"
    text = f"<table><tr><th>A</th><th>B</th></tr>{rows}</table>"
    odd = next(place for place in read_places(0, text, CONSTANTS) if place.head == "B x")
    assert text[odd.start : odd.end] == "<tr><td>x</td><td>5<i>0</i> m</td></tr>"


def test_data_is_headed_by_its_path_and_its_label() -> None:
    """A key is read in words; a truth is yes or no; nothing is unknown."""
    blue = '{"name": "Blue", "price_eur": 40, "openNow": true, "view": null}'
    text = f'{{"rooms": [{blue}, {{"name": "Red", "price_eur": 50}}]}}'
    assert {place.head: place.text for place in read_places(0, text, CONSTANTS)} == {
        "rooms name": "Red",
        "rooms price eur Blue": "40",
        "rooms open Now Blue": "yes",
        "rooms view Blue": "unknown",
        "rooms price eur Red": "50",
    }


@pytest.mark.parametrize(
    ("text", "heads", "said"),
    [
        ('{"name": "Blue", "price": 40}\n{"name": "Red", "price": 50}\n', ["price Blue", "price Red"], []),
        ('{"price": 40}\nPay at the desk.', ["price"], ["Pay at the desk."]),
        ('Our prices:\n{\n "price": 40\n}\nPay at the desk.', ["price"], ["Our prices:", "Pay at the desk."]),
        ('{"price": 40 and so on.', [], ['{"price": 40 and so on.']),
        ("[1] Pay at the desk.", [], ["[1] Pay at the desk."]),
    ],
    ids=["JSON Lines", "then prose", "between prose", "broken", "citation"],
)
def test_data_is_read_where_a_line_begins_with_it(text: str, heads: list[str], said: list[str]) -> None:
    """One or many values, with prose before and after; what is no JSON is prose."""
    assert [head for head in cells(text) if head != "name"] == heads
    assert prose(text) == said


def test_long_text_in_data_is_cut_into_sentences() -> None:
    """It is prose that happens to be kept in data."""
    text = '{"about": "' + "The pool opens at nine. " * 10 + '"}'
    assert prose(text) == ["The pool opens at nine."] * 10


def counted(text: str, **limits: int) -> int:
    """Return how many places are read with other limits."""
    return len(read_places(0, text, replace(CONSTANTS, **limits)))


@pytest.mark.parametrize(
    "text",
    [
        "The fee is £5. " * 100,
        "| a | b |\n" * 100,
        '{"a": 1}\n' * 100,
        "[" + '{"a": "x"},' * 99 + '{"a": "y"}]',
        "<table>" + "<tr><td>a</td><td>b</td></tr>" * 100 + "</table>",
    ],
    ids=["sentences", "rows", "JSON Lines", "list", "HTML"],
)
def test_places_are_read_up_to_a_number(text: str) -> None:
    """Whatever form they have."""
    assert counted(text, most_units=20) == 20
    assert counted(text, most_units=10_000) > 90


def test_deep_data_is_read_to_a_depth() -> None:
    """Deeper values are left out, and data too deep for the reader is prose."""
    nested = '{"a":' * 30 + "1" + "}" * 30
    assert counted(nested) == 0
    assert counted(nested, deepest=40) == 1
    endless = "[" * 100_000
    assert {place.cell for place in places(endless)} == {False}


def test_what_heads_a_cell_is_cut() -> None:
    """A long first cell, a long row, a long key: they would be read again with each cell beside them."""
    long = "word " * 2_000
    row = "| a | " + " | ".join(["b"] * 40) + " |\n"
    table = row * 2 + f"| {long} | " + " | ".join([long] * 40) + " |\n"
    data = '{"' + long + '": {"' + long + '": 5, "b": 6}}'
    for text in (table, data):
        found = read_places(0, text, CONSTANTS)
        assert found
        for place in found:
            assert max(map(len, (place.head, place.side, place.key))) <= CONSTANTS.longest_side


def test_an_element_that_is_never_closed_is_looked_for_once() -> None:
    """A hundred thousand openings are prose; so they are within a table."""
    assert not cells("<table " * 100_000)
    assert not cells("<table><tr>" + "<td>" * 100_000 + "</tr></table>")


def test_data_that_never_ends_is_tried_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line begins a list that none closes; the characters that are read in vain are bounded by the text's."""
    text = '["a",\n' * 500 + '"b",\n' * 500
    tried: list[int] = []

    class Decoder:
        def raw_decode(self, text: str, start: int) -> tuple[object, int]:
            tried.append(start)
            return real.raw_decode(text, start)

    real = module._DECODER
    monkeypatch.setattr(module, "_DECODER", Decoder())
    assert not cells(text)
    assert CONSTANTS.most_readings < len(tried) < 4 * CONSTANTS.most_readings
