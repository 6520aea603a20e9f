"""Interactions of a live assistant: a response with its trace and the passages that it was given."""
