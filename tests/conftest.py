"""What holds for every test: no example is too slow, since another process may be what slows it."""

from hypothesis import HealthCheck, settings

settings.register_profile("plumbrule", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("plumbrule")
