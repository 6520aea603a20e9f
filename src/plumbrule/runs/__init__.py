"""Benchmark runs: configuration, execution, the result of each sample, the summary, and the release decision."""
