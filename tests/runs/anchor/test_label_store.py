"""Labels in the ledger: drawn by the tool, of these answers alone, and with an author."""

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.runs.anchor.labelled_run import ADDRESS, begin

from plumbrule.errors import InputError, UsageError
from plumbrule.ledger import Ledger, open_ledger
from plumbrule.runs.anchor.label_file import Label
from plumbrule.runs.anchor.label_store import draw_answers, keep_labels, read_run_labels, seeded_draw, waiting_answers
from plumbrule.runs.run_entries import LabelDraw, LabelSet, find_run, read_labels_entry, read_run, run_results

AT = datetime(2026, 1, 1, tzinfo=UTC)


def given(*names: str, person: str = "ada", reason: str | None = None, passes: bool = True) -> LabelSet:
    """Return labels by a person."""
    labels = tuple(Label(sample_id=name, passes=passes) for name in names)
    return LabelSet(person=person, source="labels.jsonl", sha256="0" * 64, reason=reason, labels=labels)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """Return a ledger with one run of twenty recorded answers."""
    begin(tmp_path, samples=20)
    return open_ledger(ADDRESS.format(tmp_path))


def draw(ledger: Ledger, count: int, seed: int = 42) -> list[str]:
    """Draw answers of the last run, and return their samples."""
    run = read_run(find_run(ledger, "last"))
    results = [entry.result for entry in run_results(ledger, run.run_id)]
    return [each.sample_id for each in draw_answers(ledger, run, results, count, seed=seed, author="ada", at=AT)]


def keep(ledger: Ledger, labels: LabelSet) -> None:
    """Keep labels of the last run."""
    keep_labels(ledger, read_run(find_run(ledger, "last")), labels, author="ada", at=AT)


def test_a_draw_is_kept_and_a_second_adds_to_it(ledger: Ledger) -> None:
    """The union of two draws is still a random part, and no answer is drawn twice."""
    first, second = draw(ledger, 8), draw(ledger, 5)
    assert (len(set(first)), len(set(second)), set(first) & set(second)) == (8, 5, set())
    run = find_run(ledger, "last").subject
    entries = [entry for entry in ledger.entries(run=run) if entry.kind == "label"]
    assert [entry.author for entry in entries] == ["ada", "ada"]
    kept = read_labels_entry(entries[1])
    assert isinstance(kept, LabelDraw)
    assert (kept.seed, kept.of, len(kept.answers)) == (42, 12, 5)
    labels = read_run_labels(ledger, run)
    assert ([sample for _, sample in labels.drawn], labels.draws) == ([*first, *second], 2)
    with pytest.raises(UsageError, match="8 answers cannot be drawn: 7 of 20 samples have none drawn yet"):
        draw(ledger, 8)


def test_a_draw_is_random_and_repeats_by_its_seed() -> None:
    """Every sample and every repeat comes up as often as the others."""
    answers = {f"q{number}": range(3) for number in range(30)}
    counts: Counter[str] = Counter()
    repeats: Counter[int] = Counter()
    for seed in range(600):
        drawn = seeded_draw(answers, 10, seed=seed)
        counts.update(answer.sample_id for answer in drawn)
        repeats.update(answer.repeat for answer in drawn)
    assert all(150 < counts[name] < 250 for name in answers)
    assert all(1_850 < repeats[number] < 2_150 for number in range(3))
    assert seeded_draw(answers, 10, seed=7) == seeded_draw(answers, 10, seed=7)


def test_labels_are_kept_with_author_and_hash(ledger: Ledger) -> None:
    """Whoever gave them, from which file."""
    drawn = draw(ledger, 4)
    keep(ledger, given(*drawn[:3]))
    run = read_run(find_run(ledger, "last"))
    labels = read_run_labels(ledger, run.run_id)
    assert labels.people == ("ada",)
    assert labels.of((0, drawn[0])) == (Label(sample_id=drawn[0], passes=True),)
    results = [entry.result for entry in run_results(ledger, run.run_id)]
    assert waiting_answers(labels, results) == ((0, drawn[3]),)


def test_labels_that_were_chosen_by_hand_are_refused(ledger: Ledger) -> None:
    """Without a draw, and of answers that were not drawn."""
    with pytest.raises(UsageError, match="no answers were drawn for labels"):
        keep(ledger, given("q03"))
    drawn = draw(ledger, 4)
    other = next(f"q{number:02}" for number in range(20) if f"q{number:02}" not in drawn)
    with pytest.raises(InputError, match=f"'{other}' was not drawn: labels that were chosen by hand"):
        keep(ledger, given(drawn[0], other))
    with pytest.raises(InputError, match="the run has no sample 'q99'"):
        keep(ledger, given("q99"))
    wrong = LabelSet(
        person="ada", source="l", sha256="0" * 64, labels=(Label(sample_id=drawn[0], repeat=1, passes=True),)
    )
    with pytest.raises(InputError, match="repeat 0 was drawn, not 1"):
        keep(ledger, wrong)
    assert read_run_labels(ledger, find_run(ledger, "last").subject).labels == {}


def test_one_person_has_one_label(ledger: Ledger) -> None:
    """Names that differ in case, punctuation or look-alikes are one person, who changes a label and adds none."""
    [name] = draw(ledger, 1)
    keep(ledger, given(name, person="Ada Lovelace"))
    for same in ("ada lovelace.", "\u0410da Lovelace", "ADA_LOVELACE"):
        with pytest.raises(InputError, match="already; a change needs --reason"):
            keep(ledger, given(name, person=same, passes=False))
    keep(ledger, given(name, person="ada-lovelace", passes=False, reason="read it again"))
    labels = read_run_labels(ledger, find_run(ledger, "last").subject)
    assert (labels.people, labels.changed) == (("Ada Lovelace",), 1)


def test_a_change_needs_a_reason_and_counts(ledger: Ledger) -> None:
    """The last label of a person counts, however they write their name; another person's stands beside it."""
    [name] = draw(ledger, 1)
    keep(ledger, given(name))
    with pytest.raises(InputError, match=f"'Ada' labelled '{name}' already; a change needs --reason"):
        keep(ledger, given(name, person="Ada"))
    keep(ledger, given(name, person="Ada", reason="misread", passes=False))
    keep(ledger, given(name, person="ben"))
    labels = read_run_labels(ledger, find_run(ledger, "last").subject)
    assert [label.passes for label in labels.of((0, name))] == [False, True]
    assert (labels.people, labels.changed) == (("ada", "ben"), 1)
