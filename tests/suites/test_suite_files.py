"""A suite's files are read strictly: each mistake is one line that names the file and the place."""

import shutil
from pathlib import Path

import pytest

import plumbrule.suites
from plumbrule.errors import UsageError
from plumbrule.suites import load_suite

SHIPPED = Path(plumbrule.suites.__file__).parent
FILE = "refusal-ambiguous-query.yaml"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a copy of the suite that ships."""
    for path in SHIPPED.glob("*.yaml"):
        shutil.copy(path, tmp_path)
    return tmp_path


def change(path: Path, old: str, new: str) -> None:
    """Change a file in one place."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_a_copy_is_the_same_suite(folder: Path) -> None:
    """The hash is of the content: comments and layout do not count, a query does."""
    assert load_suite(folder).stamp() == load_suite().stamp()
    change(folder / FILE, "# The question", "# A question")
    assert load_suite(folder).sha256 == load_suite().sha256
    change(folder / FILE, "What is the limit?", "What's the limit?")
    assert load_suite(folder).sha256 != load_suite().sha256


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("name: refusal", "nam: refusal", "2: nam: unknown key; did you mean 'name'?"),
        ("code: AMBIGUOUS_QUERY", "code: null", "6: code: missing: a refusal is expected"),
        ("outcome: refuse", "outcome: refused", "8: outcome: must be 'answer', 'refuse' or 'either', not 'refused'"),
        (
            "criteria: [gives_guidance",
            "criteria: [gives_advice",
            "there is no criterion 'gives_advice'; there are: ref",
        ),
        ("role: associate", "role: visitor", "there is no role 'visitor'; there are: associate"),
        ("id: aq-keep-it", "id: aq-which-limit", "the id 'aq-which-limit' stands twice, first in refusal-amb"),
        ("score: 0.74", "score: 74", "passages.0.score: must be less than or equal to 1, not 74"),
        (
            "id: ops-014-3, score",
            "id: ops-014-9, score",
            "passages.ops-014-9: is not a passage of the demo corpus, and has no text",
        ),
        (
            "id: ops-014-3, score",
            "id: ops-014-3, text: T, score",
            "passages.ops-014-3: is a passage of the demo corpus; give its id and score alone",
        ),
        (
            "    tests: Approvers",
            "    title: x\n    tests: Approvers",
            "61: scenarios.4.title: stands twice, first on line 60",
        ),
        ('version: "1"', "version: 1", '3: version: must be text; write it in quotes, as "1"'),
        ("asks_back,", "asks_back, says_what_it_must,", "has the criterion says_what_it_must and nothing for it"),
        ("name: ", "name: [", "3: not YAML: "),
        ("name: ", "name: !!int ", "2: name: the value does not fit its tag, !!int"),
    ],
)
def test_a_mistake_is_one_line(folder: Path, old: str, new: str, said: str) -> None:
    """What is wrong, in which file, and what would be right."""
    change(folder / FILE, old, new)
    with pytest.raises(UsageError) as caught:
        load_suite(folder)
    message = str(caught.value)
    assert FILE in message
    assert said in message
    assert "\n" not in message


def test_a_file_that_is_not_there_is_named(folder: Path) -> None:
    """Without the criteria there is nothing to judge by; without a test case, nothing to judge."""
    (folder / "criteria.yaml").unlink()
    with pytest.raises(UsageError, match=r"criteria\.yaml: cannot be read"):
        load_suite(folder)


def test_a_file_that_is_no_text_is_named(folder: Path) -> None:
    """Bytes that are not UTF-8, and YAML that is no mapping."""
    (folder / FILE).write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="not a text file in UTF-8"):
        load_suite(folder)
    (folder / FILE).write_text("- a\n", encoding="utf-8")
    with pytest.raises(UsageError, match="a mapping of keys to values"):
        load_suite(folder)
    for path in folder.glob("*-*.yaml"):
        path.unlink()
    with pytest.raises(UsageError, match="there is no test case in it"):
        load_suite(folder)


def test_a_part_of_the_suite_can_be_taken() -> None:
    """By code or by name; one that is not there is named with those that are."""
    suite = load_suite()
    assert [each.name for each in suite.only(["POLICY_BLOCKED"]).sets] == ["refusal-policy-blocked"]
    assert [each.name for each in suite.only(["policy-validation"]).sets] == ["policy-validation"]
    assert suite.only([]) is suite
    with pytest.raises(UsageError, match="no test case for 'POLICY_BLOKED'; there are: AMBIGUOUS_QUERY"):
        suite.only(["POLICY_BLOKED"])


def test_a_scenario_is_found_by_any_of_its_cases() -> None:
    """Its own id, or that of a variation."""
    suite = load_suite()
    assert suite.scenario("cs-gift-limit/paraphrase")[1].id == "cs-gift-limit"
    with pytest.raises(UsageError, match="there is no scenario 'cs-nothing'"):
        suite.scenario("cs-nothing")
