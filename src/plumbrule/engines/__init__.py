"""Map a scorer over many samples."""
