"""One module per score; verdict.py decides."""
