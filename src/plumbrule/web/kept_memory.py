"""What stays in memory for as long as the application runs, and what the search for garbage has to walk through.

That search stops every thread. On a large ledger it would walk through a million objects of kept views and replayed
campaigns, for hundreds of milliseconds, whenever a page had made enough new ones. What is set aside it leaves alone;
that is freed all the same when nothing refers to it any more.
"""

import gc


def set_aside() -> None:
    """Free what is garbage now, and set all else aside; only what came since the last time is walked through."""
    gc.collect()
    gc.freeze()
