"""Chat models over HTTP: providers, cache, prices."""
