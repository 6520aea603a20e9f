"""The words of campaigns: triggers, modes, states and deeds as people say them, with the key in a tooltip."""

import re

from plumbrule.outcomes import DecideOn, Settled
from plumbrule.reviews.campaigns.campaign_history import Deed
from plumbrule.reviews.decision_report import plain_reason
from plumbrule.reviews.items import Status
from plumbrule.reviews.model_change import OVERALL, Reason, Verdict
from plumbrule.reviews.review_entries import PairedBy, ReleaseMode
from plumbrule.rubrics import load_scorecard
from plumbrule.rubrics.scorecard_rubric import DrawKind

_CARD = re.compile(r"\(record (\d+)\)")  # the items of a decision, as the command line numbers them
_CODE_AT_END = re.compile(r" \([a-z]+(?:_[a-z]+)+\)$")
_BLOCKER = re.compile(r"blocker \w+ \(([^)]*)\)")
_POLICY_WORDS = {
    "recommendation.fail_below": "fails below an average overall score of",
    "recommendation.pass_at_least": "passes from an average overall score of",
    "recommendation.pass_with_none_at": "passes only without a level at",
    "note_required_at": "a note is required at",
    "adjudication.any_at": "an adjudicator decides on any level at",
    "adjudication.levels_apart": "an adjudicator decides on levels that are this far apart:",
    "not_applicable.allowed_on": "Not Applicable is allowed on",
    "drift.slack": "drift that is let pass",
    "drift.alarm_at": "drift that is an alarm",
    "drift.baseline_weeks": "weeks that drift is measured against",
    "decide_on": "decided on",
    "sample_size": "size of the sample",
    "in_view": "dimensions in view",
    "run_mean": "the mean over all records",
}
STATUSES: dict[Status, str] = {
    "open": "Waits for ratings",
    "claimed": "Being rated",
    "adjudication": "Waits for an adjudicator",
    "done": "Done",
}
MODES: dict[ReleaseMode, str] = {
    "any_record": "One failing record blocks the release",
    "run_mean": "A failing mean over all records blocks the release, and so does any Unsafe",
}
DECIDES_ON: dict[DecideOn, str] = {
    "point": "The average overall score itself",
    "bound": "The lower end of its 95% interval",
}
DRAWS: dict[DrawKind, str] = {
    "all": "everything in the file is reviewed",
    "representative": "a part in its own proportions, or everything where no size is given",
    "affected": "what the changed documents touch",
    "stratified": "a random sample with a quota for each stratum",
    "one": "one interaction",
}
DEEDS: dict[Deed, str] = {
    "opened": "opened the campaign",
    "assigned": "assigned items",
    "shown": "was shown the ratings, and rates nothing here",
    "rated": "rated",
    "revised": "revised a record",
    "adjudicated": "adjudicated",
    "closed": "closed the campaign and signed",
    "signed": "signed as the second person",
    "decided": "recorded the decision",
}
STATES: dict[Settled, str] = {"holds": "not below", "fails": "below", "inconclusive": "on both sides of"}
VERDICTS: dict[Verdict, tuple[str, str]] = {
    "better": ("ok", "clearly better"),
    "worse": ("fail", "clearly worse"),
    "no clear difference": ("none", "no clear difference"),
}
PAIRED_BY: dict[PairedBy, str] = {"question": "the same question", "id": "the same id"}
REASONS: dict[Reason, str] = {
    "new_missing": "there is nothing on the new answer",
    "earlier_missing": "there is nothing on the earlier answer",
    "other_rubric": "the earlier answer was rated by another rubric",
    "withheld": "the earlier answer's campaign is still open",
}


def trigger_words(key: str) -> str:
    """Return the title of a trigger of the rubric that ships, or its key."""
    return next((trigger.title for trigger in load_scorecard().rubric.triggers if trigger.key == key), key)


def figure_words(key: str) -> str:
    """Return the title of a dimension, or of the overall score."""
    if key == OVERALL:
        return "Overall score"
    titles = (dimension.title for dimension in load_scorecard().rubric.dimensions if dimension.key == key)
    return next(titles, key)


def reason_words(text: str) -> str:
    """Return a sentence with titles in place of keys of dimensions, rules and figures, without codes and options."""
    rubric = load_scorecard().rubric
    titles = {dimension.key: dimension.title for dimension in rubric.dimensions}
    titles |= {rule.rule: rule.title for rule in rubric.blockers} | {each.key: each.title for each in rubric.figures}
    for key in sorted(titles, key=len, reverse=True):
        text = text.replace(key, titles[key])
    return _CODE_AT_END.sub("", _CARD.sub(r"(item \1)", plain_reason(text)))


def policy_words(text: str) -> str:
    """Return a difference from the rubric that ships with words in place of the keys of the rubric."""
    text = _BLOCKER.sub(r"the blocking rule “\1”", text)
    for key, words in _POLICY_WORDS.items():
        text = text.replace(key, words)
    return reason_words(text)


def stratum_words(key: str | None) -> str:
    """Return the title of a stratum."""
    return next((stratum.title for stratum in load_scorecard().rubric.strata if stratum.key == key), key or "–")
