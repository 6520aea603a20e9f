"""The report of one run as a typed result: what the figures come to, why it was decided so, what to fix first."""
