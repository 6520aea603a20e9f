"""Commands on the ledger, the pages and the installation."""
