"""The report as Markdown."""

from collections.abc import Iterator

from plumbrule.reports.charts import spread_words
from plumbrule.reports.figure_text import (
    NONE,
    SIGNS,
    bands_text,
    figure,
    interval_text,
    numbers_text,
    percent,
    settling_text,
    signed,
    support_text,
)
from plumbrule.reports.fix_first import CAUSES
from plumbrule.reports.markdown_text import block, inline, table
from plumbrule.reports.run_metadata_rows import metadata_rows
from plumbrule.reports.run_report import Failure, FixGroup, Report

MOST_FAILURES = 100
_SIGNS_OF_DECISION = {"RELEASE-READY": "✓", "NOT RELEASE-READY": "✗", "INCOMPLETE": "…"}


def render_markdown(report: Report) -> bytes:
    """Return the report as Markdown."""
    parts = [
        *_first_screen(report),
        *_gates(report),
        *_aggregates(report),
        *_repeats(report),
        *_spread(report),
        *_categories(report),
        *_failures(report),
        *_judges(report),
        *_metadata(report),
    ]
    return ("\n\n".join(parts) + "\n").encode()


def _first_screen(report: Report) -> Iterator[str]:
    about = report.metadata
    yield f"# {inline(report.name)}"
    yield (
        f"Benchmark run {inline(report.run_id)} · dataset {_or_none(about.dataset_id)} · model "
        f"{_or_none(about.model_id)} · {_or_none(about.timestamp_utc)}"
    )
    yield f"## {_SIGNS_OF_DECISION[report.decision]} {report.decision}"
    blocking = [f"- {inline(reason.text)}" for reason in report.reasons if reason.blocking]
    yield "\n".join(blocking) if blocking else "Every gate holds, whether nulls are left out or count as zero."
    remarks = [f"- {inline(reason.text)}" for reason in report.reasons if not reason.blocking]
    if remarks:
        yield "Know this, too:"
        yield "\n".join(remarks)
    counts = report.counts
    yield (
        f"attempted {counts.attempted:,} · scored {counts.scored:,} · errored {counts.errored:,} · "
        f"refused {counts.refused:,} · timed out {counts.timed_out:,} · failed {report.failed:,}"
    )
    if len(report.repeats.each) > 1:
        yield (
            f"Figures are those of repeat {report.repeats.decisive}, the worst of {len(report.repeats.each)}; "
            "a release needs every one of them."
        )
    yield "## Fix first"
    if not report.fix_first:
        yield "No sample failed."
        return
    yield table(
        ("what", ">samples", ">of all failures", ">pass rate if fixed", "worst samples"),
        map(_fix_row, report.fix_first),
    )


def _fix_row(group: FixGroup) -> tuple[str, ...]:
    return (
        f"category {inline(group.title)}" if group.by == "category" else group.title,
        figure(group.samples),
        percent(group.share_of_failures),
        f"{figure(group.pass_rate_if_fixed)} ({signed(group.pass_rate_gain)})",
        ", ".join(inline(sample.sample_id) for sample in group.worst),
    )


def _gates(report: Report) -> Iterator[str]:
    yield "## Gates"
    yield table(
        ("", "gate", ">limit", ">nulls left out", ">nulls as zero", ">95% interval", "settled"),
        (
            (
                "✓ pass" if gate.passed else "✗ fail",
                f"`{gate.name}`",
                f"{SIGNS[gate.direction]} {figure(gate.limit)}",
                figure(gate.value, against=gate.limit),
                figure(gate.value_nulls_as_zero, against=gate.limit),
                interval_text(gate.interval),
                settling_text(gate) if gate.inconclusive else "yes",
            )
            for gate in report.gates
        ),
    )


def _aggregates(report: Report) -> Iterator[str]:
    yield "## Aggregates"
    counted = ("attempted", "scored", "errored", "refused", "timed_out")
    yield table(
        ("aggregate", ">nulls left out", ">nulls as zero", *(f">{name.replace('_', ' ')}" for name in counted)),
        (
            (
                f"`{each.name}`",
                figure(each.value),
                figure(each.nulls_as_zero),
                *(figure(getattr(each.counts, name)) for name in counted),
            )
            for each in report.aggregates
        ),
    )


def _repeats(report: Report) -> Iterator[str]:
    repeats = report.repeats
    yield "## Repeats"
    flips = "nothing to compare between repeats"
    if repeats.flip_rate is not None:
        flips = f"{len(repeats.flips)} of {repeats.compared} samples flipped, flip rate {figure(repeats.flip_rate)}"
    yield f"Repeats made: {len(repeats.each)}; the rubric wants {repeats.wanted}; {flips}. Repeats count from 0."
    yield table(
        ("repeat", "release-ready", ">aggregate_score", ">nulls as zero", ">pass_rate", ">latency_e2e_p95_ms"),
        (
            (
                str(each.repeat),
                "✓ yes" if each.release_ready else "✗ no",
                figure(each.aggregate_score),
                figure(each.aggregate_score_nulls_as_zero),
                figure(each.pass_rate),
                figure(each.latency_e2e_p95_ms),
            )
            for each in repeats.each
        ),
    )
    yield table(
        ("figure", ">mean", ">SD", ">mean, nulls as zero", ">SD, nulls as zero"),
        (
            (
                f"`{each.name}`",
                figure(each.mean),
                figure(each.sd),
                figure(each.mean_nulls_as_zero),
                figure(each.sd_nulls_as_zero),
            )
            for each in repeats.variations
        ),
    )
    if repeats.flips:
        yield table(
            ("flipped sample", "passed in", "failed in"),
            ((inline(flip.sample_id), numbers_text(flip.passed), numbers_text(flip.failed)) for flip in repeats.flips),
        )


def _spread(report: Report) -> Iterator[str]:
    yield "## Scores and latency"
    yield f"`sample_score`: {spread_words(report.scores)}"
    yield f"`latency_e2e_ms`: {spread_words(report.latencies, unit=' ms')}"
    levels = list(dict.fromkeys(cell.faithfulness_score for cell in report.heat))
    rows: dict[int | None, list[str]] = {}
    for cell in report.heat:
        rows.setdefault(cell.accuracy_score, []).append(str(cell.samples))
    yield table(
        ("accuracy", *(f">faithfulness {figure(level)}" for level in levels)),
        ((figure(level), *cells) for level, cells in rows.items()),
    )


def _categories(report: Report) -> Iterator[str]:
    yield "## Categories"
    yield table(
        (
            "category",
            ">passed",
            ">attempted",
            ">pass rate",
            ">95% interval",
            ">accuracy mean",
            ">unfaithful",
            ">errored",
        ),
        (
            (
                "(no category)" if each.name is None else inline(each.name),
                figure(each.passed),
                figure(each.attempted),
                figure(each.pass_rate),
                interval_text(each.interval),
                figure(each.accuracy_mean),
                figure(each.faithfulness_failures),
                figure(each.errored),
            )
            for each in report.categories
        ),
    )


def _failures(report: Report) -> Iterator[str]:
    yield "## Failing samples"
    shown = report.failures[:MOST_FAILURES]
    left_out = len(report.failures) - len(shown)
    if left_out:
        yield (
            f"{left_out:,} of {len(report.failures):,} failing samples are left out here; the worst {len(shown)} are "
            "shown. The JSON report has them all."
        )
    elif not shown:
        yield "No sample failed."
    for failure in shown:
        yield from _failure(failure)


def _failure(failure: Failure) -> Iterator[str]:
    sample = failure.sample
    yield f"### {failure.number}. {inline(sample.sample_id)}"
    facts = [
        "; ".join(CAUSES[cause] for cause in sample.causes),
        f"accuracy {figure(sample.accuracy_score)}, faithfulness {figure(sample.faithfulness_score)}",
        f"sample score {figure(sample.sample_score)}",
        f"support {inline(support_text(sample.support_band, sample.support_score))}",
        f"{figure(sample.latency_e2e_ms)} ms, {figure(sample.total_tokens)} tokens",
        f"repeat {sample.repeat}",
        f"passed in: {numbers_text(sample.passed_in)}; failed in: {numbers_text(sample.failed_in)}",
    ]
    named = {
        "category": sample.category,
        "judge's error": sample.evaluator_error,
        "detail": failure.error_detail,
        "candidate's error": sample.candidate_error,
        "flags": ", ".join(failure.flags) or None,
    }
    facts += [f"{name}: {inline(value)}" for name, value in named.items() if value is not None]
    yield "\n".join(f"- {fact}" for fact in facts)
    texts: list[tuple[str, str | None]] = [
        ("Question", failure.question),
        ("Answer", failure.answer),
        ("Refusal", failure.refusal),
        ("Reference", failure.reference),
        ("Expected", failure.expected),
        ("Judge's rationale", sample.rationale),
    ]
    for number, context in enumerate(failure.contexts, start=1):
        names = [inline(each) for each in (context.id, context.title) if each]
        texts.append((" · ".join([f"Context {number}", *names]), context.text))
    for label, text in texts:
        if text is not None:
            yield f"{label}:"
            yield block(text)


def _judges(report: Report) -> Iterator[str]:
    yield "## Judge"
    asked = report.usage.candidate
    if asked.requests:
        cost = "not reported" if asked.cost_usd is None else f"{figure(asked.cost_usd)} USD"
        yield (
            f"The candidate was asked {figure(asked.requests)} times: {figure(asked.input_tokens)} input tokens, "
            f"{figure(asked.output_tokens)} output tokens, cost {cost}. What the judge used is apart:"
        )
    yield table(
        (
            "judge",
            "version",
            "sha256",
            "model",
            "reported",
            ">judgements",
            ">requests",
            ">tokens in",
            ">out",
            ">cost USD",
        ),
        (
            (
                inline(each.name),
                _or_none(each.version),
                _or_none(each.sha256),
                _or_none(each.model_id),
                inline(", ".join((*each.reported_models, *each.fingerprints))) or NONE,
                figure(each.judgements),
                figure(each.requests),
                figure(each.input_tokens),
                figure(each.output_tokens),
                figure(each.cost_usd),
            )
            for each in report.judges
        ),
    )


def _metadata(report: Report) -> Iterator[str]:
    yield "## Metadata"
    rows = [
        (f"`{name}`", inline(value) if value is not None else ("**missing**" if required else NONE))
        for name, value, required in metadata_rows(report.metadata)
    ]
    rows += [
        (f"rubric {inline(each.name)}", f"version {inline(each.version)}, sha256 {each.sha256}")
        for each in report.rubrics
    ]
    rows.append(("support", bands_text(report.support)))
    rows += [
        (
            f"support {inline(each.part)}",
            f"{inline(each.name)} version {inline(each.version)}, sha256 {inline(each.sha256)}",
        )
        for each in report.support.stamps
    ]
    yield table(("field", "value"), rows)
    place = report.ledger
    yield "## Ledger"
    yield (
        f"Ledger {inline(place.ledger_id)}: the run begins at entry {place.run_sequence} ({place.run_entry_sha256}) "
        f"and ends at entry {place.sequence} ({place.entry_sha256}), recorded at {place.recorded_at_utc}; "
        f"{place.results:,} results, {place.exchanges:,} raw exchanges, "
        f"{place.corrections:,} corrections."
    )


def _or_none(value: object) -> str:
    return NONE if value is None else inline(str(value))
