"""What the installed command and `python -m theanodiag` begin with."""

import signal


def main() -> int:
    """Runs the command line; returns the exit code. An interrupt that comes while our modules are imported ends the process in silence."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from .main import main as run

    return run()
