"""The rubric that ships, and one that somebody else made."""

from pathlib import Path

import pytest
import yaml

from plumbrule.rubrics import Loaded, ScorecardRubric, load_scorecard


@pytest.fixture(scope="session")
def loaded() -> Loaded[ScorecardRubric]:
    """Return the scorecard rubric that ships."""
    return load_scorecard()


@pytest.fixture
def own(tmp_path: Path) -> Loaded[ScorecardRubric]:
    """Return a scorecard of two dimensions and three levels, in the same form."""

    def dimension(key: str, weight: float, *, excusable: bool) -> dict[str, object]:
        return {
            "key": key,
            "title": key.title(),
            "measures": "?",
            "asks": "?",
            "weight": weight,
            "may_be_not_applicable": excusable,
            "key_questions": ["?"],
            "descriptors": {"Good": "a", "Fair": "b", "Bad": "c"},
            "artifacts": ["x"],
            "test_cases": {"patterns": [], "text": None},
        }

    bad = {"rule": "any_bad", "title": "any Bad", "dimensions": "all", "levels": ["Bad"], "more_than": 0}
    content = {
        "version": "mine",
        "levels": [{"name": "Good", "score": 10}, {"name": "Fair", "score": 5}, {"name": "Bad", "score": 0}],
        "dimensions": [dimension("speed", 0.25, excusable=True), dimension("tone", 0.75, excusable=False)],
        "bands": [
            {"key": "fine", "title": "Fine", "at_least": 7, "action": "Go"},
            {"key": "poor", "title": "Poor", "at_least": 0, "action": "Stop"},
        ],
        "blockers": [{**bad, "run_mean": False}],
        "recommendation": {"fail_below": 5, "pass_at_least": 7, "pass_with_none_at": ["Fair"]},
        "not_applicable": {"needs": None},
        "note_required_at": ["Bad"],
        "adjudication": {"any_at": ["Bad"]},
        "triggers": [
            {
                "key": "always",
                "title": "Always",
                "scope": "all",
                "depth": "all",
                "in_view": ["tone"],
                "evaluators": 1,
                "sample_size": None,
            }
        ],
        "figures": [],
        "feedback": [],
        "judged": [],
    }
    path = tmp_path / "own.yaml"
    path.write_text(yaml.safe_dump(content))
    return load_scorecard(path)
