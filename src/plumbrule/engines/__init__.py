"""Map a function over many samples, and report how far it is."""

from plumbrule.engines.local_processes import map_chunks
from plumbrule.engines.reading_progress import PositionedReading, Progress, with_progress
from plumbrule.engines.threads import in_thread, run_to_end

__all__ = ["PositionedReading", "Progress", "in_thread", "map_chunks", "run_to_end", "with_progress"]
