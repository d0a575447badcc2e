"""Entry point of the installed command and of `python -m theanodiag`."""

import os
import signal
import sys


def main() -> int:
    """Runs the command line and returns the exit code. An interrupt during the import of our modules ends the process silently."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    _import_ours_first()
    from .main import main as run

    return run()


def _import_ours_first() -> None:
    """Puts the folders of PYTHONPATH last: the packages in them, such as an old click, are those of the user's scripts, not ours."""
    given = {_absolute(folder) for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder}
    sys.path.sort(key=lambda entry: _absolute(entry) in given)


def _absolute(folder: str) -> str:
    """Returns an absolute path, or `folder` itself if it is relative and the working folder is gone, as Python's `site` does."""
    try:
        return os.path.abspath(folder)
    except OSError:
        return folder
