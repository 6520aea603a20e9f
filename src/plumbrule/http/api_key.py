"""What a provider's key may be made of."""

import re

_KEY = re.compile(r"[!-~]+")


def is_sendable_key(key: str) -> bool:
    """Tell whether a key can stand in a header."""
    return _KEY.fullmatch(key) is not None
