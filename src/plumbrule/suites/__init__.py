"""The test suite that ships: scenarios for every refusal code, for compliance and for completeness, as data."""

from plumbrule.suites.suite_files import Case, CaseSet, Suite, corpus_path, load_suite
from plumbrule.suites.suite_schema import Criterion, Role, TraceExpectation, World

__all__ = ["Case", "CaseSet", "Criterion", "Role", "Suite", "TraceExpectation", "World", "corpus_path", "load_suite"]
