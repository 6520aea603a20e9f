"""What makes the data files of the support score, and the table that tells how far it agrees with people."""
