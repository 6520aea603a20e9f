"""What the pages of reviews keep and say: drafts, claims, closings that wait for a second signature."""
