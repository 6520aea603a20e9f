"""People's labels for a random part of a run's answers, and the figures that they anchor."""
