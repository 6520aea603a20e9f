"""What a model's tokens cost."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """What a million tokens cost, in US dollars."""

    input_per_million: float
    output_per_million: float

    def cost_usd(self, input_tokens: int | None, output_tokens: int | None) -> float | None:
        """Return what these tokens cost; None where either count is unknown."""
        if input_tokens is None or output_tokens is None:
            return None
        return (input_tokens * self.input_per_million + output_tokens * self.output_per_million) / 1_000_000
