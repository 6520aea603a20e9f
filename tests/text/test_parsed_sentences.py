"""Parses as plain values say what the parser says, and a sentence that comes again is parsed once."""

from plumbrule.text import parsed_sentences
from plumbrule.text.dependency_parser import load_parser, parsed
from plumbrule.text.parsed_sentences import ParsedSentence, parse_sentences

SENTENCES = (
    "The committee that approved the trade filed three reports and paid the $5 fee.",
    "It has a long-term plan, which the board, the auditors and two banks signed in 2024.",
    "Never.",
)


def shape(parse: ParsedSentence) -> list[tuple[object, ...]]:
    """Return all that a parse says, in plain values."""
    return [
        (token.i, token.idx, token.text, token.lower_, token.tag_, token.dep_, token.head.i, token.like_num,
         bool(token.is_currency), [child.i for child in token.children])
        for token in parse
    ]  # fmt: skip


def test_a_parse_says_what_the_parser_says() -> None:
    """Words, tags, relations, heads and children are the parser's, the children in its order."""
    parses = parse_sentences(SENTENCES)
    with parsed(SENTENCES) as docs:
        for parse, doc in zip(parses, docs, strict=True):
            assert shape(parse) == [
                (token.i, token.idx, token.text, token.lower_, token.tag_, token.dep_, token.head.i, token.like_num,
                 bool(token.is_currency), [child.i for child in token.children])
                for token in doc
            ]  # fmt: skip


def test_a_sentence_that_comes_again_is_parsed_once() -> None:
    """A sentence of the same run, or of a run before, is not given to the parser again."""
    parse_sentences([])
    before = parsed_sentences._KEPT.get("Nobody sold the last bond.")
    assert before is None
    first, second = parse_sentences(["Nobody sold the last bond.", "Nobody sold the last bond."])
    assert first is second
    assert parse_sentences(["Nobody sold the last bond."])[0] is first


def test_what_is_kept_is_bounded() -> None:
    """However many sentences are read, not more than so many characters of them are kept."""
    kept = parsed_sentences._Kept()
    for number in range(50):
        kept.keep({f"{number} " + "x" * 9_000: []})
        assert sum(map(len, kept)) <= parsed_sentences._KEPT_CHARACTERS
    assert kept


def test_the_parts_of_the_parser_that_nothing_reads_are_off() -> None:
    """Only what claims need is run: the words' vectors, their tags and the relations between them."""
    assert load_parser().pipe_names == ["tok2vec", "tagger", "parser"]
