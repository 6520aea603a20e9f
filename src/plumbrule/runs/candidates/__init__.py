"""The live candidates of a run: a chat model, an HTTP endpoint, a Python function."""
