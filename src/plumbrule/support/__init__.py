"""The probability that the contexts support each sentence of an answer, with the evidence."""
