"""How texts are cut into windows and put into the template."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from plumbrule.support.verifier.pair_encoder import Encoder, cut

Make = Callable[..., Path]
Encode = Callable[..., list[list[list[str]]]]

TEXT = "Das Büro in Lyon, 1987 eröffnet, zählte 12,400 Anträge; the café paid €1,500.75 to 北京 in 2024 — naïvely."


def letters(text: str) -> Sequence[tuple[int, int]]:
    """Return a token for each letter: every word has as many tokens as letters."""
    return [found.span() for found in re.finditer(r"\S", text)]


@pytest.mark.parametrize(
    ("text", "room", "overlap", "windows"),
    [
        ("aa bb cc", 6, 2, ["aa bb cc"]),
        ("aa bb cc", 4, 0, ["aa bb", "cc"]),
        ("aa bb cc", 5, 0, ["aa bb", "cc"]),
        ("aa bb cc dd", 4, 2, ["aa bb", "bb cc", "cc dd"]),
        ("paid 1500 euros", 6, 0, ["paid", "1500", "euros"]),
        ("a bbbbbbbb c", 3, 0, ["a", "bbb", "bbb", "bb c"]),
        ("aaaaaaaa", 4, 1, ["aaaa", "aaaa", "aa"]),
        ("", 4, 1, [""]),
    ],
)
def test_cutting(text: str, room: int, overlap: int, windows: list[str]) -> None:
    """Windows hold whole words where they can, and begin before the last one ends."""
    assert cut(text, letters(text), room=room, overlap=overlap) == windows


@given(
    words=st.lists(st.text("ab", min_size=1, max_size=12), min_size=1, max_size=40),
    room=st.integers(4, 20),
    overlap=st.integers(0, 3),
)
def test_nothing_is_lost(words: list[str], room: int, overlap: int) -> None:
    """Every window fits, and every word that fits in a window stands whole in one."""
    text = " ".join(f"{number}{word}" for number, word in enumerate(words))

    windows = cut(text, letters(text), room=room, overlap=overlap)

    assert all(1 <= len(letters(window)) <= room for window in windows)
    for word in text.split():
        assert len(word) > room or any(word in window.split() for window in windows)
    assert text.startswith(windows[0])
    assert text.endswith(windows[-1])


def byte_tokenizer() -> Tokenizer:
    """Return a tokenizer over bytes, as RoBERTa has, that knows few words whole."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=300, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator([TEXT], trainer)
    return tokenizer


def piece_tokenizer() -> Tokenizer:
    """Return a tokenizer over pieces with the space in front, as T5 and DeBERTa have, that knows few words whole."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=60, unk_token="<unk>", show_progress=False)  # noqa: S106 - no secret
    tokenizer.train_from_iterator([TEXT], trainer)
    return tokenizer


@pytest.mark.parametrize("make_tokenizer", [byte_tokenizer, piece_tokenizer])
def test_other_tokenizers(make_tokenizer: Callable[[], Tokenizer]) -> None:
    """Words and numbers stay whole with tokens that are parts of words, of letters, or hold the space before."""
    tokenizer = make_tokenizer()
    offsets = tokenizer.encode(TEXT, add_special_tokens=False).offsets

    windows = cut(TEXT, offsets, room=24, overlap=6)

    assert len(windows) > 3
    words = [word for window in windows for word in window.split()]
    assert set(words) == set(TEXT.split())
    assert len(words) > len(TEXT.split())  # windows overlap
    encoder = Encoder(tokenizer, template="{evidence} | {sentence}", max_length=32, overlap=6)
    [encoded] = encoder.encode(TEXT, "Lyon")
    assert all(len(window.ids) <= 32 for window in encoded)


@pytest.fixture
def encode(make: Make) -> Encode:
    """Return the tokens of each window of each part."""
    tokenizer = Tokenizer.from_file(str(make() / "tokenizer.json"))

    def encoded(
        evidence: str, sentence: str, *, template: str = "evidence_first", max_length: int = 20, overlap: int = 4
    ) -> list[list[list[str]]]:
        encoder = Encoder(tokenizer, template=template, max_length=max_length, overlap=overlap)
        parts = encoder.encode(evidence, sentence)
        assert all(len(window.ids) == len(window.type_ids) for windows in parts for window in windows)
        return [[[tokenizer.id_to_token(number) or "" for number in each.ids] for each in windows] for windows in parts]

    return encoded


@pytest.mark.parametrize(
    ("template", "tokens"),
    [
        ("evidence_first", "[CLS] w1 w2 [SEP] w3 [SEP]"),
        ("sentence_first", "[CLS] w3 [SEP] w1 w2 [SEP]"),
        ("the {evidence} not {sentence} five", "[CLS] the w1 w2 not w3 five [SEP]"),
        ("{sentence} [SEP] {evidence}", "[CLS] w3 [SEP] w1 w2 [SEP]"),
    ],
)
def test_templates(encode: Encode, template: str, tokens: str) -> None:
    """The two texts stand in the order of the template; its own marks are marks, and nothing is padded or cut."""
    assert encode("w1 w2", "w3", template=template) == [[tokens.split()]]


def test_hostile_texts(encode: Encode) -> None:
    """A mark or a place of the template inside a text is text, and half a surrogate pair is no failure."""
    [[tokens]] = encode("w1 [SEP] w2", "w3 [CLS]")
    assert tokens.count("[SEP]") == 2
    assert tokens.count("[CLS]") == 1

    [[tokens]] = encode("w1 {sentence}", "w2 {evidence}", template="{evidence} the {sentence}")
    assert tokens.count("w1") == tokens.count("w2") == 1

    assert encode("w1 \ud800", "w2")[0][0][1] == "w1"


def test_long_evidence(encode: Encode) -> None:
    """Evidence that does not fit is read in windows, each with the whole sentence, which overlap."""
    [windows] = encode(" ".join(f"w{n}" for n in range(40)), "w100 w101")

    assert all(len(window) <= 20 for window in windows)
    assert all(window[-4:] == ["[SEP]", "w100", "w101", "[SEP]"] for window in windows)
    assert [(window[1], window[-5]) for window in windows] == [
        ("w0", "w14"),
        ("w11", "w25"),
        ("w22", "w36"),
        ("w33", "w39"),
    ]


def test_long_sentence(encode: Encode) -> None:
    """A sentence longer than half the room is read in parts, each against all of the evidence."""
    parts = encode(" ".join(f"w{n}" for n in range(20)), " ".join(f"w{n}" for n in range(100, 120)))

    assert len(parts) == 3
    assert [windows[0][-2] for windows in parts] == ["w107", "w115", "w119"]
    for windows in parts:
        assert all(len(window) <= 20 for window in windows)
        assert {f"w{n}" for n in range(20)} <= {token for window in windows for token in window}
