"""The composition root: the one place that wires the rooms together, for Python callers and the command line."""
