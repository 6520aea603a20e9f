"""Who may do what: roles, accounts, passwords, sessions, API tokens, sign-in by a provider."""
