"""Texts with marked stretches: an answer by its support and its values, the passages by the evidence in them."""
