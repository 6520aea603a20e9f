"""People's labels of a run's answers in the ledger: the tool draws which answers, people label these, and all of these.

Labels that somebody chose by hand would bias every figure that they anchor. So the answers are drawn here, by a seed
that the ledger keeps; a label of any other answer is refused, and nothing is anchored until every drawn answer has a
label. A second draw adds answers to the first: together they are still a random part.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from plumbrule.codec import to_json
from plumbrule.errors import InputError, UsageError
from plumbrule.ledger import Ledger
from plumbrule.person_names import person_key
from plumbrule.runs.anchor.anchor_results import DrawnAnswer, LabelStatus
from plumbrule.runs.anchor.label_file import Key, Label
from plumbrule.runs.run_entries import (
    LabelDraw,
    LabelSet,
    RunEntry,
    is_dataset_sample,
    labels_subject,
    read_answered,
    run_labels,
    run_samples,
    task_key,
)
from plumbrule.runs.sample_results import SampleResult
from plumbrule.samples import Sample

_SHOWN = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLabels:
    """The drawn answers of a run in the order of the draws, and the labels that count, by answer and person."""

    drawn: tuple[Key, ...] = ()
    labels: Mapping[Key, Mapping[str, Label]] = field(default_factory=dict)
    draws: int = 0
    changed: int = 0  # labels that took the place of an earlier one by the same person

    @property
    def people(self) -> tuple[str, ...]:
        """Everybody who labelled, sorted."""
        return tuple(sorted({person for given in self.labels.values() for person in given}))

    def of(self, key: Key) -> tuple[Label, ...]:
        """Return the labels of an answer, one for each person."""
        return tuple(self.labels.get(key, {}).values())


def read_run_labels(ledger: Ledger, run: str) -> RunLabels:
    """Return the draws and labels of a run; of several labels by one person the last one counts."""
    drawn: dict[Key, None] = {}
    labels: dict[Key, dict[str, Label]] = {}
    names: dict[str, str] = {}
    draws = changed = 0
    for entry in run_labels(ledger, run):
        if isinstance(entry, LabelDraw):
            draws += 1
            drawn.update(((answer.repeat, answer.sample_id), None) for answer in entry.answers)
            continue
        name = names.setdefault(person_key(entry.person), entry.person)
        for label in entry.labels:
            given = labels.setdefault(label.key, {})
            changed += name in given and given[name] != label
            given[name] = label
    return RunLabels(drawn=tuple(drawn), labels=labels, draws=draws, changed=changed)


def draw_answers(
    ledger: Ledger, run: RunEntry, results: Sequence[SampleResult], count: int, *, seed: int, author: str, at: datetime
) -> tuple[DrawnAnswer, ...]:
    """Draw so many answers of samples that have none yet, and keep the draw; each sample gives one answer at most."""
    if len(results) < run.tasks:
        raise UsageError(f"{run.run_id}: is not complete: a part of a part is no random part of the run; resume it")
    before = {sample for _, sample in read_run_labels(ledger, run.run_id).drawn}
    repeats: dict[str, list[int]] = {}
    for result in results:
        repeats.setdefault(result.sample_id, []).append(result.repeat)
    left = {sample: numbers for sample, numbers in repeats.items() if sample not in before}
    if count > len(left):
        raise UsageError(
            f"{run.run_id}: {count} answers cannot be drawn: {len(left)} of {len(repeats)} samples have none drawn yet"
        )
    draw = LabelDraw(seed=seed, of=len(left), answers=seeded_draw(left, count, seed=seed))
    ledger.append("label", labels_subject(run.run_id), to_json(draw), author, at=at)
    return draw.answers


def seeded_draw(repeats: Mapping[str, Sequence[int]], count: int, *, seed: int) -> tuple[DrawnAnswer, ...]:
    """Draw one answer of each of so many samples, which have answers in these repeats.

    The order of the samples, and which repeat of each, follow from SHA-256 over the seed and the sample's id: every
    machine draws the same, and the same again for another run of the same samples.
    """
    drawn = sorted(repeats, key=lambda sample: _digest(seed, sample))[:count]
    return tuple(
        DrawnAnswer(
            sample_id=sample,
            repeat=sorted(repeats[sample])[_digest(seed, sample, "repeat") % len(repeats[sample])],
        )
        for sample in drawn
    )


def keep_labels(
    ledger: Ledger,
    run: RunEntry,
    given: LabelSet,
    *,
    author: str,
    at: datetime,
    places: Mapping[Key, str] | None = None,
) -> None:
    """Keep the labels that one person gave.

    A label of a sample that the run does not have, of an answer that was not drawn, or of another answer than the run's
    is refused, and so is a second label by the same person without a reason. ``places`` says where each label stands,
    for messages.
    """
    standing = read_run_labels(ledger, run.run_id)
    drawn = set(standing.drawn)
    samples = {sample: repeat for repeat, sample in standing.drawn}
    known = {sample.id for sample in run_samples(ledger, run.run_id)}
    if not drawn:
        raise UsageError(
            f"{run.run_id}: no answers were drawn for labels: 'plumbrule label {run.run_id} --draw N' draws them; "
            "labels that were chosen by hand would bias the estimate"
        )
    mine = person_key(given.person)
    before = {key for key, labels in standing.labels.items() if any(person_key(name) == mine for name in labels)}
    answers = dict(answers_of(ledger, run, (label.key for label in given.labels)))
    for label in given.labels:
        place, name = (places or {}).get(label.key, given.source), label.sample_id[:_SHOWN]
        if label.sample_id not in known:
            raise InputError(f"{place}: the run has no sample '{name}'")
        if label.key not in drawn:
            other = samples.get(label.sample_id)
            hint = "" if other is None else f"; of this sample, repeat {other} was drawn, not {label.repeat}"
            raise InputError(
                f"{place}: '{name}' was not drawn{hint}: labels that were chosen by hand would bias the estimate"
            )
        if label.key in before and given.reason is None:
            raise InputError(f"{place}: '{given.person}' labelled '{name}' already; a change needs --reason")
        if label.key in answers:
            label.check_answer(answers[label.key], place)
    ledger.append("label", labels_subject(run.run_id), to_json(given), author, at=at)


def waiting_answers(standing: RunLabels, results: Iterable[SampleResult]) -> tuple[Key, ...]:
    """Return the drawn answers that have no label yet and need one."""
    unanswered = unanswered_keys(results)
    return tuple(key for key in standing.drawn if key not in standing.labels and key not in unanswered)


def unanswered_keys(results: Iterable[SampleResult]) -> frozenset[Key]:
    """Return the answers that never came, because the candidate failed: there is nothing to label."""
    return frozenset((result.repeat, result.sample_id) for result in results if result.candidate_error is not None)


def label_status(
    run: RunEntry,
    standing: RunLabels,
    results: Sequence[SampleResult],
    *,
    drawn_now: tuple[DrawnAnswer, ...] = (),
    labels_now: int = 0,
    rows_without_label: int = 0,
) -> LabelStatus:
    """Return how far the labels of a run are."""
    waiting = waiting_answers(standing, results)
    unanswered = unanswered_keys(results)
    return LabelStatus(
        run_id=run.run_id,
        drawn=tuple(DrawnAnswer(sample_id=sample, repeat=repeat) for repeat, sample in standing.drawn),
        waiting=tuple(DrawnAnswer(sample_id=sample, repeat=repeat) for repeat, sample in waiting),
        labelled=sum(key in standing.labels for key in standing.drawn),
        unanswered=sum(key in unanswered and key not in standing.labels for key in standing.drawn),
        people=standing.people,
        drawn_now=drawn_now,
        labels_now=labels_now,
        rows_without_label=rows_without_label,
    )


def answers_of(ledger: Ledger, run: RunEntry, keys: Iterable[Key]) -> Iterator[tuple[Key, Sample]]:
    """Yield these answers of a run, in this order."""
    wanted = list(keys)
    if run.live:
        needed, found = set(wanted), {}
        for entry in ledger.entries(kind="sample", run=run.run_id):
            if not is_dataset_sample(entry) and (key := task_key(entry)) in needed:
                found[key] = read_answered(entry).answered.sample
    else:
        samples = {sample.id: sample for sample in run_samples(ledger, run.run_id)}
        found = {key: samples[key[1]] for key in wanted if key[1] in samples}
    yield from ((key, found[key]) for key in wanted if key in found)


def _digest(*parts: object) -> int:
    return int.from_bytes(hashlib.sha256("\n".join(map(str, parts)).encode()).digest())
