"""Binding: which value of an answer belongs to what, by the place in the contexts that speaks of the same thing."""
