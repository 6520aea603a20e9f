"""Figures week by week, alerts, feedback patterns, incidents."""
