"""Scorecards made by hand, and how near the mechanical proposals come to them."""
