"""`python -m theanodiag.compat script.py [args]`: runs a legacy script on the installed framework."""

import runpy
import sys

from .install import install


def main() -> None:
    """Runs the script named by the first argument as `__main__`."""
    if len(sys.argv) < 2:
        sys.exit("usage: python -m theanodiag.compat script.py [args]")
    install()
    del sys.argv[0]
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
