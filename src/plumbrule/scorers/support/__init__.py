"""Support: how likely it is that the contexts bear an answer out, sentence by sentence, with the evidence."""
