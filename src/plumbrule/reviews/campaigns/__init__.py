"""Campaigns: what was opened and rated, replayed from the ledger; how far each is, and what it decides."""
