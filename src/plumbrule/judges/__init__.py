"""Judges: accuracy and faithfulness of one answer, 0 to 2 each, by rules, by a model or by a panel of them."""

from plumbrule.http.exchange import Exchange
from plumbrule.judges.judgement import Judge, JudgeIdentity, Judgement

__all__ = ["Exchange", "Judge", "JudgeIdentity", "Judgement"]
