"""Response completeness as hints: keywords that the answer leaves out, and parts of the question with no answer."""

from plumbrule.scorers.checks import Hint, spot_in
from plumbrule.scorers.completeness import score_completeness
from plumbrule.scorers.question_parts import question_parts
from plumbrule.scorers.study import Study


def completeness_hints(study: Study) -> list[Hint]:
    """Return what the answer seems to leave out, and the level that this proposes."""
    rules = study.policy.compliance.completeness
    if not study.answered or not study.keywords:
        return []
    covered = score_completeness(study.question, study.answer, study.policy.words.topic)
    figures = (("keyword_share", covered.score),)
    missing = ", ".join(covered.missing)
    hints = []
    if covered.share == 0:
        said = "not one keyword of the question stands in the answer"
        hints.append(Hint(code="off_topic", message=said, level=rules.off_topic, figures=figures))
    elif covered.share < rules.keywords_below:
        said = f"keywords of the question that the answer does not have: {missing}"
        hints.append(Hint(code="keywords_missing", message=said, level=rules.keywords_missing, figures=figures))
    parts = question_parts(study.question, study.answer, study.policy.words.topic)
    open_ = [part for part in parts if not part.answered]
    if open_:
        most = 2 * len(open_) > len(parts)
        hints.append(
            Hint(
                code="parts_unanswered",
                message=f"parts of the question that seem to have no answer: {len(open_)} of {len(parts)}",
                level=rules.most_parts_unanswered if most else rules.parts_unanswered,
                evidence=tuple(spot_in("question", study.question.text, part.start, part.end) for part in open_),
            )
        )
    if not hints:
        hints.append(Hint(code="keywords_covered", message="the question's keywords are covered", level="Strong",
                          figures=figures))  # fmt: skip
    return hints
