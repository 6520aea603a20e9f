"""Benchmark runs: what each sample got, what the run comes to, and whether it may be released."""
