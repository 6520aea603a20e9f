"""One module per step, each complete in itself: a step stays what it was when later code changes."""
