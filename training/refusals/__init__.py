"""Answers labelled by what they refuse, and how well the wording of refusals tells them apart."""
