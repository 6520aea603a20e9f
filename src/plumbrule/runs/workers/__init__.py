"""One run shared by several processes: who does what, what is spent, and when each provider may be called."""
