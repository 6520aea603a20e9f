"""Commands on scorecards, campaigns and monitoring."""
