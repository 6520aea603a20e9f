"""The constants of the model: every number and word that shapes a score is in the model's files, and so in its hash."""

import ast
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import orjson
import pytest

from plumbrule.errors import InputError
from plumbrule.rubrics import load_verdict
from plumbrule.support import (
    calibration,
    calibration_fit,
    calibration_results,
    constants,
    evidence,
    finding_reasons,
    findings,
    kept_support,
    measures,
    support_model,
    support_scorer,
    value_evidence,
    weekdays,
    word_lists,
)
from plumbrule.support.constants import constants_of, load_constants, read_data
from plumbrule.support.support_model import SupportModel, load_model
from plumbrule.support.support_scorer import SupportScorer
from plumbrule.text.text_view import TextView

PACKAGE = Path(constants.__file__).parent
RAW: dict[str, Any] = orjson.loads(read_data("model.json"))


def leaves(raw: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of every value of a model file."""
    if isinstance(raw, Mapping | list):
        for key, inner in raw.items() if isinstance(raw, Mapping) else enumerate(raw):
            yield from leaves(inner, (*path, key))
    else:
        yield path


def changed(path: tuple[str | int, ...], change: object = None) -> dict[str, Any]:
    """Return the model file with another value at a path; without one, with a little more of the same kind."""
    copy = deepcopy(RAW)
    inner: Any = copy
    for key in path[:-1]:
        inner = inner[key]
    old = inner[path[-1]]
    inner[path[-1]] = change if change is not None else old + "." if isinstance(old, str) else old + 1
    return copy


def load(monkeypatch: pytest.MonkeyPatch, raw: Mapping[str, Any]) -> SupportModel:
    """Return the model that would ship with another model file."""
    file = orjson.dumps(raw)
    monkeypatch.setattr(support_model, "read_data", lambda name: file if name == "model.json" else read_data(name))
    return load_model.__wrapped__()


@pytest.mark.parametrize("path", list(leaves(RAW)), ids=lambda path: ".".join(map(str, path)))
def test_every_value_of_the_model_file_is_in_the_hash(
    monkeypatch: pytest.MonkeyPatch, path: tuple[str | int, ...]
) -> None:
    """Another constant, weight or knot is another hash, and another model in every other way too."""
    before, after = load(monkeypatch, RAW), load(monkeypatch, changed(path))
    assert after.sha256 != before.sha256
    assert replace(after, sha256="") != replace(before, sha256="")
    assert (after.constants != before.constants) == (path[0] == "constants")


def test_the_constants_are_written_as_they_are_read() -> None:
    """In the same order, so that training again keeps the bytes."""
    assert orjson.dumps(load_constants().to_dict()) == orjson.dumps(RAW["constants"])
    assert load_model().constants == load_constants()


def test_a_missing_constant_is_named() -> None:
    """A part that is missing, and one number of a part."""
    raw = deepcopy(RAW)
    del raw["constants"]["ground"]["stem"]
    with pytest.raises(InputError, match=r"^model\.json: missing constant 'constants\.ground\.stem'$"):
        constants_of(raw)
    del raw["constants"]["ground"]
    with pytest.raises(InputError, match=r"missing constant 'constants\.ground'$"):
        constants_of(raw)
    with pytest.raises(InputError, match="'constants' is not a mapping"):
        constants_of({})


def test_an_unknown_constant_is_named() -> None:
    """Nobody would read it."""
    raw = deepcopy(RAW)
    raw["constants"]["ground"]["steam"] = 5
    with pytest.raises(InputError, match=r"unknown constant 'constants\.ground\.steam'"):
        constants_of(raw)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("constants", "ground", "stem"), 5.0, "is a whole number, not 5.0"),
        (("constants", "ground", "stem"), True, "is a whole number, not True"),
        (("constants", "ground", "form_share"), 1, "is a number with a decimal point, not 1"),
        (("constants", "ground", "form_share"), "0.6", "is a number with a decimal point, not '0.6'"),
        (("constants", "ground"), 3, "'constants.ground' is not a mapping of constants"),
    ],
)
def test_a_constant_of_another_type_is_named(path: tuple[str, ...], value: object, message: str) -> None:
    """With what it should be."""
    with pytest.raises(InputError, match=re.escape(message)):
        constants_of(changed(path, value))


@pytest.mark.parametrize(
    ("part", "name", "value", "answer", "context"),
    [
        ("measures", "form_credit", 0.0, "Insurance is due.", "Wires are insured."),
        ("opposition", "turned", 1.0, "Wires are not insured.", "Wires are insured."),
        ("ground", "stem", 20, "Insurance is due.", "Wires are insured."),
        ("facts", "deepest", 0, "Parking is offered.", '{"Parking": "no"}'),
        ("fact_checks", "denial_reach", 0, "Parking is not offered.", '{"Parking": true}'),
        ("sentences", "least_name", 9, "It is said that Maria pays.", "A fee is due."),
        ("words", "longest_numbered", 0, "Passage 3 says that wires are free.", "Wires are free."),
        ("answers", "decimals", 2, "Wires are free.", "Wires are free."),
    ],
)
def test_a_scorer_goes_by_the_constants_of_its_model(
    monkeypatch: pytest.MonkeyPatch, part: str, name: str, value: float, answer: str, context: str
) -> None:
    """Not by those of the model that ships; one of each part."""
    rules = load_verdict().rubric.support
    scores = []
    for one in (load_model(), load(monkeypatch, changed(("constants", part, name), value))):
        support = SupportScorer(rules, model=one).score(TextView(answer), [TextView(context)])
        scores.append(support and support.score)
    assert scores[0] != scores[1]


def test_every_part_of_the_constants_is_tried() -> None:
    """The cases of the test above."""
    (mark,) = test_a_scorer_goes_by_the_constants_of_its_model.pytestmark  # type: ignore[attr-defined]
    assert [case[0] for case in mark.args[1]] == list(RAW["constants"])


# What follows reads the source: a number or a word that shapes a score may not be in it.

# Modules that shape no score, and why.
OUTSIDE: dict[ModuleType, str] = {
    calibration_results: "the JSON of a calibration",
    calibration_fit: "fits a calibration, whose knots are kept with a hash of their own",
    finding_reasons: "puts into words what was scored",
    kept_support: "reads results that were kept",
    value_evidence: "finds values for verdicts and support; its numbers bound the work and choose what is shown",
}
# Of these modules only some parts shape a score.
PARTS: dict[ModuleType, frozenset[str]] = {
    calibration: frozenset({"Curve", "logistic"})  # the rest fits curves, whose knots are kept with their hash
}
# 0 and 1 are nothing and the whole, the first place and the next. All other numbers need a reason.
NUMBERS: dict[tuple[ModuleType, float], str] = {
    (weekdays, 2): "a range of days has two ends, and the last stands two places after the first",
    (word_lists, 2): "the place of a field in a line of the thesaurus, and the size of a cache",
    (support_scorer, 12): "the characters of a hash that a message shows",
}
# Repetitions in regular expressions.
REPEATED: dict[str, str] = {r"\b\d{4}\b": "a year is written with four digits"}
# Words that are no words of a text: the names of measures and findings, and these.
WORDS: dict[str, str] = {
    "r": "an adverb in the thesaurus",
    "s": "the ending of a plural",
    "'s": "the ending of a possessive",
    "’s": "the same",
    "time": "a kind of date",
    "yes": "a truth, which the word lists have words for",
    "no": "the same",
    "unknown": "the same",
}
# Modules that name keys of files and results rather than words of a text.
KEYED = (constants, evidence, support_model, support_scorer, word_lists, findings)


def sources() -> Iterator[tuple[str, ast.Module, frozenset[str]]]:
    """Yield the name and the syntax tree of each module that shapes a score, cut down to the parts that do."""
    outside = {module.__file__ for module in OUTSIDE}
    parts = {module.__file__: names for module, names in PARTS.items()}
    for path in sorted(PACKAGE.glob("*.py")):
        if str(path) in outside:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = parts.get(str(path))
        if names is not None:
            tree.body = [each for each in tree.body if getattr(each, "name", None) in names]
            assert len(tree.body) == len(names)
        yield (
            path.stem,
            tree,
            frozenset(pattern for each in ast.walk(tree) if (pattern := pattern_of(each)) is not None),
        )


def pattern_of(node: ast.AST) -> str | None:
    """Return the regular expression that a call compiles, where it is written out."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile" and isinstance(node.args[0], ast.Constant):
        return str(node.args[0].value)
    return None


def numbers_in(tree: ast.AST) -> Iterator[float]:
    """Yield the numbers that are written in a piece of source."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
            yield node.value


def words_in(tree: ast.AST) -> Iterator[str]:
    """Yield the texts with letters that are written in a piece of source: no docstring, no message, no annotation."""
    for field, value in ast.iter_fields(tree):
        if field in {"annotation", "returns"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.Raise) or (isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)):
                continue
            if (
                isinstance(child, ast.Constant)
                and isinstance(child.value, str)
                and re.search("[^\\W\\d_]", child.value)
            ):
                yield child.value
            elif isinstance(child, ast.AST):
                yield from words_in(child)


def stem_of(module: ModuleType) -> str:
    """Return the name of a module in its package."""
    return module.__name__.rpartition(".")[2]


def test_no_module_of_the_score_has_a_number_of_its_own() -> None:
    """At its top none but 0; elsewhere 0, 1, and those that have a reason, which must still be there."""
    allowed = {(stem_of(module), number) for module, number in NUMBERS}
    used = set()
    for name, tree, _ in sources():
        for statement in tree.body:
            if isinstance(statement, ast.Assign | ast.AnnAssign):
                assert not [number for number in numbers_in(statement) if number], f"{name}: {ast.unparse(statement)}"
        found = {(name, number) for number in numbers_in(tree) if number not in {0, 1}}
        assert found <= allowed, f"put them into the constants of support_model.json: {sorted(found - allowed)}"
        used |= found
    assert used == allowed


def test_no_regular_expression_of_the_score_counts() -> None:
    """Unless there is a reason."""
    found = {pattern for _, _, patterns in sources() for pattern in patterns if re.search(r"\{\d", pattern)}
    assert found == set(REPEATED)


def test_no_module_of_the_score_has_a_word_of_its_own() -> None:
    """The names of measures and findings are no words of a text; regular expressions are grammar."""
    keyed = {stem_of(module) for module in KEYED}
    named = {*measures.MEASURES, *WORDS, *findings.FindingKind.__args__}  # type: ignore[attr-defined]
    used = set()
    for name, tree, patterns in sources():
        if name in keyed:
            continue
        found = set(words_in(tree)) - patterns
        assert found <= named, f"{name}: put them into word_lists.yaml: {sorted(found - named)}"
        used |= found
    assert WORDS.keys() - used == {"yes"}  # all that is neither a no nor unknown


def test_every_constant_is_used() -> None:
    """By its name, outside the module that declares it."""
    tree = [
        node.attr
        for path in PACKAGE.glob("*.py")
        if path != Path(constants.__file__)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
    ]
    declared = {str(path[-1]) for path in leaves(RAW["constants"])}
    assert declared <= set(tree)
