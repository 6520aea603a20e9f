"""What the ledger still has of a run whose results are in an archive."""

from dataclasses import dataclass, fields

from plumbrule.ledger import ArchiveNotice, Entry, Ledger, archived_kinds, read_notice
from plumbrule.runs.report.decision_reasons import outcome_title
from plumbrule.runs.report.report_builder import report_gate
from plumbrule.runs.report.run_report import ReportAggregate, ReportGate
from plumbrule.runs.run_entries import RunDecision, RunEntry, read_decision, read_run
from plumbrule.runs.run_results import FigureValues


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedRun:
    """A run with the decision that was recorded on it, and where the rest of it is."""

    run: RunEntry
    begun: Entry
    decision: RunDecision
    decided: Entry
    notice: ArchiveNotice
    archived: Entry

    @property
    def gates(self) -> tuple[ReportGate, ...]:
        """The gates, as they were when the run was decided."""
        return tuple(map(report_gate, self.decision.gates))

    @property
    def aggregates(self) -> tuple[ReportAggregate, ...]:
        """The figures of the decisive repeat; the intervals of those without a gate are not recorded."""
        values = self.decision.aggregates
        recorded = values.counts_by_aggregate
        return tuple(
            ReportAggregate(
                name=name,
                value=getattr(values, name),
                nulls_as_zero=getattr(values.nulls_as_zero, name),
                counts=recorded[name],
                interval=next((gate.interval for gate in self.gates if gate.name == name), None),
            )
            for name in (field.name for field in fields(FigureValues))
            if name in recorded
        )

    @property
    def against(self) -> tuple[ReportGate, ...]:
        """The gates that speak against a release: those that fail, or that are not settled where that decided."""
        unsettled = self.decision.known_outcome == "INCONCLUSIVE"
        return tuple(gate for gate in self.gates if not gate.passed or (unsettled and gate.inconclusive))

    @property
    def title(self) -> str:
        """The decision as one short sentence."""
        return outcome_title(self.decision.known_outcome, self.gates)


def find_archived(ledger: Ledger, begun: Entry) -> ArchivedRun | None:
    """Return what the ledger still has of a run; None where its results are not archived."""
    archived = archived_kinds(ledger, begun.subject).get(begun.subject, {}).get("result")
    decided = ledger.last_entries("decision", [begun.subject]).get(begun.subject)
    if archived is None or decided is None:  # only a run that is decided is archived
        return None
    return ArchivedRun(
        run=read_run(begun),
        begun=begun,
        decision=read_decision(decided),
        decided=decided,
        notice=read_notice(archived),
        archived=archived,
    )
