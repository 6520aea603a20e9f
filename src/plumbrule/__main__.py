"""Run the command line with ``python -m plumbrule``."""

from plumbrule.cli import main

if __name__ == "__main__":
    main()
