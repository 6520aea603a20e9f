"""Pure functions on text: tokens, sentences, numbers, dates, claims, similarity."""
