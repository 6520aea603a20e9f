"""A run for other tools: each module writes the form of one of them; nothing is sent that is not asked for."""
