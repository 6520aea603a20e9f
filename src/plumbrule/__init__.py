"""Plumbrule tells whether a grounded assistant can be trusted, and proves it."""
