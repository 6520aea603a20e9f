"""Print how well refusals are known by their wording: ``python -m training.refusals``."""

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from examples.assistant.answering import answer as ask_example

from plumbrule.rubrics import load_verdict
from plumbrule.stats.mean_intervals import clopper_pearson
from plumbrule.suites import load_suite
from plumbrule.suites.case_results import sample_of
from plumbrule.text.text_view import TextView
from plumbrule.verdicts.lexicon import lexicon_of
from plumbrule.verdicts.refusal_words import RefusalWording
from training.data import FOLDER, read_labelled

FILES = ("first", "second", "third", "fourth")
LABELS = ("full", "partial", "answer")
_PUBLIC = ("ragtruth", "expertqa")


class Row(NamedTuple):
    """One answer with what it refuses: full, partial, or answer for nothing; None where nobody said."""

    question: str
    answer: str
    label: str | None


def main() -> None:
    """Print the figures of the labelled files and of the suite, and of the public answers where they are."""
    parser = argparse.ArgumentParser(prog="python -m training.refusals", description=__doc__)
    parser.add_argument("--data", type=Path, default=FOLDER, help="folder of the public answers")
    parser.add_argument("--show", action="store_true", help="print the rows that are told wrong, and what fires")
    options = parser.parse_args()
    loaded = load_verdict()
    wording = lexicon_of(loaded.rubric).refusal
    stamp = loaded.stamp()
    print(f"rubric {stamp['name']} {stamp['version']}, sha256 {stamp['sha256'][:12]}")
    for name in FILES:
        print_figures(f"{name}.jsonl", list(read_rows(name)), wording, show=options.show)
    print_figures("suite, as the example assistant answers it", list(suite_rows()), wording, show=options.show)
    if not options.data.is_dir():
        print("\nno public answers here")
        return
    labelled = read_labelled(options.data)
    for name in _PUBLIC:
        rows = [Row(row.question, row.answer, None) for row in labelled if row.data_set == name]
        told = Counter(tell(row, wording) for row in rows)
        print(f"\n{name}: {len(rows)} answers, full {told['full']}, partial {told['partial']}")
        for row in rows if options.show else ():
            print_fired(row, wording)


def read_rows(name: str) -> Iterator[Row]:
    """Yield the rows of one labelled file."""
    with (Path(__file__).parent / f"{name}.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield Row(row["question"], row["answer"], row["label"])


def suite_rows() -> Iterator[Row]:
    """Yield each case of the suite as the example assistant answers it; what it declares is the label."""
    for case in load_suite().cases:
        sample = sample_of(case)
        passages = [asdict(passage) for passage in sample.contexts] or None
        response = ask_example(sample.question, case.role, passages)
        refusal = response["refusal"]
        if refusal is None:
            label = "partial" if response["grounding_status"] == "PARTIALLY_GROUNDED" else "answer"
            yield Row(case.query, response["answer"], label)
        else:
            yield Row(case.query, f"{refusal['reason']} {refusal['user_guidance']}", "full")


def tell(row: Row, wording: RefusalWording) -> str:
    """Return what the wording of an answer says that it refuses."""
    found = wording.find(row.question, TextView(row.answer))
    return found.extent if found is not None else "answer"


def print_figures(title: str, rows: list[Row], wording: RefusalWording, *, show: bool) -> None:
    """Print the shares that are told right, each with its interval, and the table of labels."""
    told = [(row.label, tell(row, wording)) for row in rows]
    table = Counter(told)
    print(f"\n{title}: {len(rows)} rows")
    print_share("told right", (label == said for label, said in told))
    print_share("refuses something: recall", (said != "answer" for label, said in told if label != "answer"))
    print_share("refuses something: precision", (label != "answer" for label, said in told if said != "answer"))
    print_share("refuses all: recall", (said == "full" for label, said in told if label == "full"))
    print_share("refuses all: precision", (label == "full" for label, said in told if said == "full"))
    for name in LABELS:
        print(f"  {name:8} told as " + ", ".join(f"{said} {table[name, said]}" for said in LABELS))
    for row, (label, said) in zip(rows, told, strict=True):
        if show and label != said:
            print(f"  {label} told as {said}: {row.question} | {row.answer}")


def print_share(name: str, hits: Iterable[bool]) -> None:
    """Print a share with its Clopper-Pearson interval of 95%."""
    counted = list(hits)
    interval = clopper_pearson(sum(counted), len(counted))
    if interval is None:
        print(f"  {name}: none")
        return
    share = f"{sum(counted)} of {len(counted)}, {sum(counted) / len(counted):.3f}"
    print(f"  {name}: {share} [{interval.low:.3f}, {interval.high:.3f}]")


def print_fired(row: Row, wording: RefusalWording) -> None:
    """Print the words of an answer that decline."""
    found = wording.find(row.question, TextView(row.answer))
    if found is not None:
        words = [" ".join(row.answer[place.start : place.end].split()) for place in found.clauses]
        print(f"  {found.extent}: {row.question[:80]} | {words}")


if __name__ == "__main__":
    main()
