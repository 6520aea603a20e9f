"""What of which runs is archived, by a policy of retention, and which of its figures stand beside the texts."""
