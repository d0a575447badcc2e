"""`python -m theanodiag`."""

import sys

from .cli.start import main

if __name__ == "__main__":
    sys.exit(main())
