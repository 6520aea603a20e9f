"""What holds for every test: no example is too slow, since another process may be what slows it."""

from hypothesis import settings

settings.register_profile("plumbrule", deadline=None)
settings.load_profile("plumbrule")
