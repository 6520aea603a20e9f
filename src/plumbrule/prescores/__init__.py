"""Mechanical proposals for the six scorecard dimensions, with their evidence."""
