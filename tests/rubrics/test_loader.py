"""A rubric is read strictly: what is wrong is named, what is right has one hash."""

from fractions import Fraction
from pathlib import Path

import pytest

from plumbrule.errors import RubricError
from plumbrule.rubrics import (
    RUBRICS,
    content_of,
    kept_rubric,
    load_rubric,
    load_verdict,
    parse_override,
    shipped_text,
)


@pytest.fixture
def rubric_file(tmp_path: Path) -> Path:
    """Return the place of a rubric file."""
    return tmp_path / "mine.yaml"


def test_the_rubric_that_ships() -> None:
    """The thresholds are those of the requirements, exactly."""
    loaded = load_verdict()
    rubric = loaded.rubric
    assert (loaded.name, loaded.version) == ("verdict", "2")
    assert rubric.relevance.fail_below == Fraction(1, 10)
    assert rubric.completeness.warn_below == Fraction(6, 10)
    assert rubric.hallucination.fail_above == Fraction(1, 2)
    assert rubric.hallucination.high_risk_above == Fraction(6, 10)
    assert rubric.hallucination.claim_window == 300
    assert rubric.hallucination.drift.overlap_below == rubric.hallucination.drift.penalty == Fraction(1, 5)
    assert set(rubric.hallucination.anchors) == {"number", "date", "claim"}


def test_every_rubric_ships_as_text() -> None:
    """The text is the file, comments and all; it loads to itself."""
    assert ", ".join(RUBRICS) == "benchmark, compliance, grounding, recommended, refusals, rules, scorecard, verdict"
    assert shipped_text("verdict").startswith("# The verdict rubric")
    with pytest.raises(
        RubricError,
        match="there is no rubric 'nope'; there are: benchmark, compliance, grounding, recommended, refusals, rules, ",
    ):
        shipped_text("nope")


def test_a_copy_has_the_same_hash(rubric_file: Path) -> None:
    """Comments and layout do not count."""
    lines = [line for line in shipped_text("verdict").splitlines() if not line.startswith("#")]
    rubric_file.write_text("\n".join(lines) + "\n# a remark\n")
    assert load_verdict(rubric_file) == load_verdict()


def test_a_file_states_only_what_it_changes(rubric_file: Path) -> None:
    """All else stays as shipped; the hash tells that something changed."""
    rubric_file.write_text("version: mine\nhallucination: {drift: {ngram: 2}}\n")
    loaded = load_verdict(rubric_file)
    assert (loaded.version, loaded.rubric.hallucination.drift.ngram) == ("mine", 2)
    assert loaded.rubric.relevance == load_verdict().rubric.relevance
    assert loaded.sha256 != load_verdict().sha256


def test_a_list_is_replaced_whole(rubric_file: Path) -> None:
    """A list of words is the list, not an addition; order, case and doubles do not count."""
    rubric_file.write_text("words: {stop: [Zebra, apple, ' apple ']}\n")
    assert load_verdict(rubric_file).rubric.words.stop == ("apple", "zebra")


def test_overrides_come_last(rubric_file: Path) -> None:
    """A file changes what ships, an override changes the file."""
    rubric_file.write_text("relevance: {fail_below: 0.2}\n")
    assert load_verdict(rubric_file, {"relevance.fail_below": 0.3}).rubric.relevance.fail_below == Fraction(3, 10)


def test_numbers_are_the_decimals_that_were_written() -> None:
    """0.1 is one tenth, not the nearest binary fraction."""
    assert load_verdict(None, {"relevance.fail_below": 0.07}).rubric.relevance.fail_below == Fraction(7, 100)


def test_content_is_plain_and_loads_again(rubric_file: Path) -> None:
    """What is in force can be written to a file that means the same."""
    import yaml  # noqa: PLC0415 - only this test writes YAML

    changed = load_verdict(None, {"relevance.fail_below": 0.07})
    rubric_file.write_text(yaml.safe_dump(content_of(changed)))
    assert load_verdict(rubric_file) == changed


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("relevanz: 1", "relevanz: unknown key; did you mean 'relevance'?"),
        ("relevance: {fail_blow: 0.1}", "relevance.fail_blow: unknown key"),
        ("relevance: {fail_below: 1.5}", "relevance.fail_below: must be between 0 and 1, not 1.5"),
        ("relevance: {fail_below: -0.1}", "relevance.fail_below: must be between 0 and 1, not -0.1"),
        ("relevance: {fail_below: .nan}", "relevance.fail_below: must be a finite number, not nan"),
        ("relevance: {fail_below: .inf}", "relevance.fail_below: must be a finite number, not inf"),
        ("relevance: {fail_below: true}", "relevance.fail_below: must be a number, not True"),
        ("relevance: {fail_below: '0.1'}", "relevance.fail_below: must be a number, not '0.1'"),
        ("relevance: {fail_below: }", "relevance.fail_below: must be a number, not None"),
        ("relevance: {fail_below: 0.1, fail_below: 0.2}", "relevance.fail_below: stands twice, first on line 1"),
        ("hallucination: {claim_window: 0}", "hallucination.claim_window: "),
        ("hallucination: {claim_window: 1.5}", "hallucination.claim_window: "),
        ("hallucination: {anchors: [numbers]}", "hallucination.anchors.0: "),
        ("hallucination: {drift: {ngram: 9}}", "hallucination.drift.ngram: "),
        ("refusal: {verdicts: {missing: BAD}}", "refusal.verdicts.missing: "),
        ("words: {stop: [no, on, yes, 5]}", "words.stop.3: "),
        ("name: other", "name: "),
        ("version: 2", "version: "),
        ("version: ''", "version: "),
        ("a: 1\nb: 2", "a: unknown key; known are name, version, relevance, "),
        ("relevant: 1\nb: 2", "relevant: unknown key; did you mean 'relevance'? (and 1 more)"),
        ("version: " + "[" * 3000, f"version.{'.'.join(['0'] * 49)}: nested more than 50 deep"),
        ("- 1", "a rubric is a mapping of keys to values"),
        ("", "a rubric is a mapping of keys to values"),
        ("a: [", "not YAML: "),
        ("x: !!python/object:os.system {}", "x: the tag '!!python/object:os.system' is not allowed"),
        ("\x00", "not YAML: the character U+0000 is not allowed"),
        ("version: !!int x", "version: the value does not fit its tag, !!int"),
        ("version: !!timestamp x", "version: the tag '!!timestamp' is not allowed"),
    ],
)
def test_a_mistake_is_named_on_one_line(rubric_file: Path, text: str, complaint: str) -> None:
    """The message names the file, the line and, where there is one, the key."""
    rubric_file.write_text(text)
    with pytest.raises(RubricError) as caught:
        load_verdict(rubric_file)
    message = str(caught.value)
    assert message.startswith(f"{rubric_file}:1: {complaint}")
    assert "\n" not in message


def test_words_are_words(rubric_file: Path) -> None:
    """'no' and 'on' in a word list are words, not booleans."""
    rubric_file.write_text("words: {stop: [no, on, off, yes]}\n")
    assert load_verdict(rubric_file).rubric.words.stop == ("no", "off", "on", "yes")


def test_a_file_that_cannot_be_read(rubric_file: Path, tmp_path: Path) -> None:
    """Missing, a folder, or no text: said plainly."""
    with pytest.raises(RubricError, match="No such file"):
        load_verdict(rubric_file)
    with pytest.raises(RubricError, match="Is a directory"):
        load_verdict(tmp_path)
    rubric_file.write_bytes(b"\xff\xfe")
    with pytest.raises(RubricError, match="not a text file in UTF-8"):
        load_verdict(rubric_file)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("relevance.fail_below=0.05", ("relevance.fail_below", 0.05)),
        (" relevance.tokens = all ", ("relevance.tokens", "all")),
        ("hallucination.anchors=[number, date]", ("hallucination.anchors", ["number", "date"])),
        ("version=a=b", ("version", "a=b")),
        ("version='2'", ("version", "2")),
    ],
)
def test_an_override_is_a_key_and_a_value(text: str, expected: tuple[str, object]) -> None:
    """The value is read as YAML; only the first equals sign parts them."""
    assert parse_override(text) == expected


@pytest.mark.parametrize("text", ["", "relevance", "=5", "a=[", "a={b: 1, b: 2}"])
def test_an_override_that_is_none(text: str) -> None:
    """What has no key, no equals sign or no value is refused."""
    with pytest.raises(RubricError, match="override"):
        parse_override(text)


@pytest.mark.parametrize("key", ["nope", "relevance.nope", "relevance.fail_below.x", "nope.fail_below", ""])
def test_an_override_of_no_key(key: str) -> None:
    """An override changes what there is; a typo changes nothing silently."""
    with pytest.raises(RubricError, match="the rubric has no key"):
        load_verdict(None, {key: 1})


def test_a_stamp_names_the_rubric() -> None:
    """Name, version and hash."""
    loaded = load_verdict()
    assert loaded.stamp() == {"name": "verdict", "version": "2", "sha256": loaded.sha256}
    assert len(loaded.sha256) == 64


def test_the_recommended_rubric_goes_by_its_name() -> None:
    """It is laid over the verdict rubric: by name in place of a path, with overrides on top, and kept whole."""
    named = load_verdict(Path("recommended"))
    assert named == load_rubric("recommended", None, {})
    assert (named.name, named.version) == ("verdict", "recommended-2")
    assert named.rubric.words == load_verdict().rubric.words
    assert kept_rubric("verdict", content_of(named)) == named
    changed = load_verdict(Path("recommended"), {"verdicts.relevance": "WARN"})
    assert (changed.rubric.verdicts.relevance, changed.rubric.verdicts.contradicted) == ("WARN", "FAIL")


def test_the_name_of_a_rubric_is_not_looked_for_as_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that happens to have the name changes no verdict; a word that is neither is told with what ships."""
    monkeypatch.chdir(tmp_path)
    Path("recommended").write_text("relevance: {fail_below: 0.9}\n")
    assert load_verdict(Path("recommended")).version == "recommended-2"
    assert load_verdict(tmp_path / "recommended").rubric.relevance.fail_below == Fraction(9, 10)
    with pytest.raises(RubricError, match=r"recomended: there is no such file, and .* ships; recommended does"):
        load_verdict(Path("recomended"))
