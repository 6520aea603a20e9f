"""Measure how far the support score agrees with people: ``make agreement`` writes ``docs/agreement.md``."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from plumbrule.support.measures import MEASURES
from training.ablation import by_level, with_each, without_each
from training.agreement_page import DIAGRAM, Figures, page_of
from training.calibrating import bands_of, calibrate_sets, reliability_of
from training.data import FOLDER
from training.everyday import VERIFIER, false_contradictions, measure_everyday
from training.folds import left_out, mean_auroc, risks_by, score_answers
from training.page import diagram
from training.ranking import auroc, intervals, within_generator
from training.span_scores import MARKED, score_spans
from training.support import Table, read_table
from training.table import word_overlap
from training.timing import time_support
from training.verdicts import check_rows

PAGE = Path(__file__).parents[1] / "docs/agreement.md"
_SPECIFICS = MEASURES.index("specifics")


def measure(table: Table) -> Figures:
    """Work out every figure of the page."""
    rows = table.rows
    timing = time_support(rows)
    models = left_out(table)
    checked = check_rows(rows, models, VERIFIER)
    verified = score_answers(rows, models, VERIFIER)
    columns = {
        "answer length": [float(len(row.answer.split())) for row in rows],
        "word overlap": [word_overlap(row) for row in rows],
        "hallucination": [each.proximity for each in checked],
        "specifics": [sum(measures[_SPECIFICS] for measures in each.measures) for each in table.compared],
        "support": risks_by(table, models),
        "verified": [-each.probability for each in verified],
    }
    return Figures(
        rows=rows,
        pairs=len(table.pairs),
        auroc=auroc(rows, columns),
        intervals=intervals(rows, columns["support"], columns["word overlap"]),
        within=within_generator(rows, columns),
        whole=mean_auroc(table, models),
        without=list(without_each(table)),
        levels=list(by_level(table)),
        tried=list(with_each(table)),
        checked=checked,
        calibrated=calibrate_sets(table, models),
        bins=reliability_of(table, models),
        spans=score_spans(rows, models[MARKED]),
        timing=timing,
        everyday=measure_everyday(),
        false_contradictions=false_contradictions(rows),
        decided=sum(bool(each.bound) for each in table.compared),
        bands=bands_of(rows, [each.band for each in verified]),
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and write the page and its picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=FOLDER, help="the folder of labelled answers")
    figures = measure(read_table(parser.parse_args(arguments).data))
    (PAGE.parent / DIAGRAM).write_text(diagram(figures.bins), encoding="utf-8")
    PAGE.write_text(page_of(figures), encoding="utf-8")


if __name__ == "__main__":
    main()
