"""The verdict on one answer: relevance, completeness, hallucination, refusal."""
