"""The web application: pages and a JSON API over the same typed results as the command line.

``application`` puts it together. A page is a function in ``pages/`` that is declared with the role it needs, calls one
function of ``api`` and renders one template. ``routes`` refuses whoever lacks the role, ``visit`` is what a page knows
of its reader, ``request_guard`` bounds and checks every request before it reaches a page.
"""
