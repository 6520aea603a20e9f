"""The one guarded HTTP client: deadlines, size limits, an address guard, redaction."""
