"""Scorecards rated by people: records, campaigns, sampling, adjudication, decisions."""
