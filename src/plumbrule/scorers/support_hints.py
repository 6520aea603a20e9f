"""What the support score tells a reviewer: sentences that their passages hardly bear out."""

from collections.abc import Iterator

from plumbrule.scorers.checks import Hint, spot_in
from plumbrule.scorers.support.scoring import Support


def support_hints(support: Support | None, answer: str, passages: str) -> Iterator[Hint]:
    """Yield the hint on an answer of which some sentence is unsupported, with the model that says so."""
    if support is None or not support.spans:
        return
    held = [each for each in support.sentences if each.band == "unsupported"]
    model = support.model
    said = f"sentences that {passages} hardly bear out: {len(held)} of {len(support.sentences)}"
    yield Hint(
        code="support_low",
        message=f"{said} ({model['name']} {model['version']}, sha256 {model['sha256'][:12]})",
        figures=(("support", support.score), ("least_probability", min(each.probability for each in held))),
        evidence=tuple(spot_in("answer", answer, each.start, each.end) for each in held),
    )
