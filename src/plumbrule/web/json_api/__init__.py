"""The JSON API: one module for each part, one call for each function of ``api`` that the pages use.

A call takes and returns what the Python function does; the OpenAPI description is made from the same types.
"""
