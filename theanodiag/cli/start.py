"""Entry point of the installed command and of `python -m theanodiag`."""

import signal


def main() -> int:
    """Runs the command line and returns the exit code. An interrupt during the import of our modules ends the process silently."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from .main import main as run

    return run()
