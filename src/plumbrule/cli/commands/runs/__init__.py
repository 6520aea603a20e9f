"""Commands on benchmark runs."""
