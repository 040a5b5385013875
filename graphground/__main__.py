"""`python -m graphground` is the `graphground` command."""

from graphground.server.cli import main

if __name__ == "__main__":
    main()
