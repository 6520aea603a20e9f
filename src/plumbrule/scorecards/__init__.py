"""Scorecards: what evaluators rate, what it decides, which interactions they see, and what it comes to over time."""
