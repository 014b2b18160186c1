"""``python -m intact``."""

from intact.cli import main

if __name__ == "__main__":
    main()
