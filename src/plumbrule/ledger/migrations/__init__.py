"""The steps that bring a ledger from one version of its tables to the next."""
