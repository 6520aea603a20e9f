"""Commands on verdicts and the support score."""
