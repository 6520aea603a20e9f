"""The test suite that ships: scenarios for every refusal code, for compliance and for completeness, as data."""

from plumbrule.suites.forms import Criterion, Role, TraceExpectation, World
from plumbrule.suites.loader import Case, CaseSet, Suite, load_suite

__all__ = ["Case", "CaseSet", "Criterion", "Role", "Suite", "TraceExpectation", "World", "load_suite"]
