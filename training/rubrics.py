"""Both verdict rubrics on labelled answers: ``python -m training.rubrics`` writes their confusion tables into the docs.

The constants of the recommended rubric are chosen on the development sets alone (``--choose`` prints what they give);
the other sets confirm them, and nothing may be chosen on those. Answers are scored with the verifier that ships, and
those of the public sets with the support model that never saw their set.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import NamedTuple

from plumbrule.rubrics import load_verdict
from plumbrule.support.support_model import SupportModel, load_model
from plumbrule.verdicts.verdict import Verdict
from training.data import FOLDER, Labelled
from training.everyday import VERIFIER
from training.folds import Models, left_out
from training.support import read_table
from training.verdicts import RECOMMENDED, SupportedBy, opened_verifier, sample_of

EVERYDAY = Path(__file__).parent / "everyday"
PAGE = Path(__file__).parents[1] / "docs/verdict-rubric.md"
BEGIN, END = "<!-- begin: python -m training.rubrics -->", "<!-- end: python -m training.rubrics -->"
# On these the constants were chosen, and on those they are confirmed.
DEVELOPMENT = ("ash", "birch", "elm", "begin", "ragtruth", "summedits")
CONFIRMATION = ("cedar", "dogwood", "expertqa", "wice")
CLAIM_FROM = tuple(Fraction(twentieth, 20) for twentieth in range(6, 16))
FAIL_ABOVE = tuple(Fraction(tenth, 10) for tenth in range(10))
_NEAR = 0.005  # of the best mean of balanced accuracies: among those, the one that fails the fewest right answers
_BATCH = 64


class Failed(NamedTuple):
    """What the rubrics say of one answer."""

    data_set: str
    wrong: bool
    by_verdict: bool
    by_recommended: bool
    by_constants: tuple[bool, ...]  # whether the recommended one fails it, for each pair of the constants


class Shares(NamedTuple):
    """How many of a set's wrong and right answers there are, and how many of either a rubric fails."""

    wrong: int
    wrong_failed: int
    right: int
    right_failed: int

    @property
    def balanced_accuracy(self) -> float:
        """The mean of the shares of either kind that are told right."""
        return (self.wrong_failed / self.wrong + 1 - self.right_failed / self.right) / 2


def read_everyday(names: Sequence[str], folder: Path = EVERYDAY) -> Iterator[Labelled]:
    """Yield the everyday rows of some authors, each author a data set."""
    for name in names:
        with (folder / f"{name}.jsonl").open(encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                yield Labelled(
                    id=row["id"],
                    data_set=name,
                    task=row["kind"],
                    generator=None,
                    question=row["question"],
                    answer=row["answer"],
                    contexts=tuple(row["contexts"]),
                    unsupported=not row["right"],
                    spans=(),
                )


def fail_rows(rows: Sequence[Labelled], models: Models) -> list[Failed]:
    """Score every row by both rubrics, with the support model that never saw its data set."""
    by_set: dict[str, list[Labelled]] = {}
    for row in rows:
        by_set.setdefault(row.data_set, []).append(row)
    work = [
        (some[first : first + _BATCH], models.get(name) or load_model())
        for name, some in by_set.items()
        for first in range(0, len(some), _BATCH)
    ]
    with ProcessPoolExecutor() as pool:
        return [failed for part in pool.map(_fail, *zip(*work, strict=True)) for failed in part]


def _fail(rows: Sequence[Labelled], model: SupportModel) -> list[Failed]:
    verdict, recommended = (
        list(SupportedBy(loaded, model, opened_verifier(VERIFIER)).score_many(map(sample_of, rows)))
        for loaded in (load_verdict(overrides={"support.when": "never"}), load_verdict(RECOMMENDED))
    )
    return [
        Failed(
            data_set=row.data_set,
            wrong=row.unsupported,
            by_verdict=one.verdict == "FAIL",
            by_recommended=other.verdict == "FAIL",
            by_constants=tuple(_fails(other, *constants) for constants in product(CLAIM_FROM, FAIL_ABOVE)),
        )
        for row, one, other in zip(rows, verdict, recommended, strict=True)
    ]


def _fails(verdict: Verdict, claim_from: Fraction, fail_above: Fraction) -> bool:
    """Tell whether the recommended rubric fails an answer with other constants; refusals are left as they are.

    Whether it is contradicted is told with the constants that the rubric has.
    """
    if verdict.concerns:
        return True
    anchors = verdict.hallucination.anchors
    lacking = 0
    for anchor in anchors:
        sentence = verdict.support.at(anchor.start) if verdict.support is not None else None
        by_sentence = anchor.kind == "claim" or anchor.reason in {"in_support", "not_found"}
        lacking += sentence.probability < claim_from if by_sentence and sentence else not anchor.supported
    return bool(anchors) and Fraction(lacking, len(anchors)) > fail_above


def shares_of(failed: Sequence[Failed], by: Sequence[bool]) -> dict[str, Shares]:
    """Return the shares of each data set, in the order of the sets."""
    found = {}
    for name in (*DEVELOPMENT, *CONFIRMATION):
        some = [(row.wrong, fails) for row, fails in zip(failed, by, strict=True) if row.data_set == name]
        if some:
            wrong, right = ([fails for kind, fails in some if kind is which] for which in (True, False))
            found[name] = Shares(len(wrong), sum(wrong), len(right), sum(right))
    return found


def mean_accuracy(shares: Mapping[str, Shares], names: Sequence[str]) -> float:
    """Return the mean of the balanced accuracies of some data sets."""
    return sum(shares[name].balanced_accuracy for name in names) / len(names)


def choose(failed: Sequence[Failed]) -> list[str]:
    """Return what each pair of constants gives on the development sets, the chosen one first."""
    some = [row for row in failed if row.data_set in DEVELOPMENT]
    found = []
    for place, constants in enumerate(product(CLAIM_FROM, FAIL_ABOVE)):
        shares = shares_of(some, [row.by_constants[place] for row in some])
        false_alarms = sum(each.right_failed / each.right for each in shares.values()) / len(shares)
        found.append((mean_accuracy(shares, DEVELOPMENT), false_alarms, constants))
    best = max(accuracy for accuracy, _, _ in found)
    found.sort(key=lambda each: (each[0] < best - _NEAR, each[1]))
    return [
        f"claim_from {float(claim_from):.2f} fail_above {float(fail_above):.1f}: "
        f"balanced accuracy {accuracy:.3f}, right answers failed {false_alarms:.3f}"
        for accuracy, false_alarms, (claim_from, fail_above) in found
    ]


def tables_of(failed: Sequence[Failed]) -> str:
    """Return both confusion tables side by side, as Markdown."""
    verdict = shares_of(failed, [row.by_verdict for row in failed])
    recommended = shares_of(failed, [row.by_recommended for row in failed])
    fails = "`verdict` fails | `recommended` fails"
    lines = [
        f"| set | wrong answers | {fails} | right answers | {fails} | balanced accuracy, `verdict` | `recommended` |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for title, names in (("chosen on", DEVELOPMENT), ("confirmed on", CONFIRMATION)):
        for name in names:
            one, other = verdict[name], recommended[name]
            lines.append(
                f"| {title} `{name}` | {one.wrong} | {one.wrong_failed} | {other.wrong_failed} | {one.right} "
                f"| {one.right_failed} | {other.right_failed} | {one.balanced_accuracy:.3f} "
                f"| {other.balanced_accuracy:.3f} |"
            )
        means = (mean_accuracy(shares, names) for shares in (verdict, recommended))
        lines.append(f"| **mean** | | | | | | | {' | '.join(f'**{mean:.3f}**' for mean in means)} |")
    return "\n".join(lines)


def write_tables(tables: str, page: Path = PAGE) -> None:
    """Put the tables between their marks on the page."""
    before, begin, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{page}: there are no marks {BEGIN} and {END} to write between")
    page.write_text(f"{before}{BEGIN}\n{tables}\n{END}{after}", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Score, and write the tables; with ``--choose``, print what other constants give on the development sets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=FOLDER, help="the folder of labelled answers")
    parser.add_argument("--choose", action="store_true", help="read the development sets alone, and write nothing")
    given = parser.parse_args(arguments)
    table = read_table(given.data)
    names = DEVELOPMENT if given.choose else (*DEVELOPMENT, *CONFIRMATION)
    rows = [
        *read_everyday([name for name in names if (EVERYDAY / f"{name}.jsonl").exists()]),
        *(row for row in table.rows if row.data_set in names),
    ]
    failed = fail_rows(rows, left_out(table))
    if given.choose:
        print(*choose(failed), sep="\n")
    else:
        write_tables(tables_of(failed))


if __name__ == "__main__":
    main()
