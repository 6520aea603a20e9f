"""What holds for every test: no example is too slow, since another process may be what slows it; no user's settings."""

import os
import tempfile

from hypothesis import HealthCheck, settings

settings.register_profile("plumbrule", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("plumbrule")

# settings and keys of whoever runs the tests are neither read nor changed, in child processes either
os.environ["XDG_CONFIG_HOME"] = tempfile.mkdtemp(prefix="plumbrule-settings-")
os.environ.pop("PLUMBRULE_SETTINGS", None)
