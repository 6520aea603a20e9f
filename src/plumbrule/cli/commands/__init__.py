"""One module per command: its options, the call, the exit code."""
