"""The options of `theanodiag check` that belong to `--confirm`."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence

from ..confirmation.kinds import BEST, KINDS
from ..errors import UsageError
from ..escaping import visible
from . import output

CHOICES = (BEST, *KINDS)


def prepare(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments."""
    parser.add_argument(
        "--confirm",
        metavar="DEVICE",
        nargs="?",
        const=BEST,
        type=kind,
        help="also run the script for real and put the measurement beside the prediction: cuda, virtual (the real allocator on a simulated "
        "device), opencl, jax, torch or cpu (default: the best there is)",
    )
    parser.add_argument("--repeat", metavar="N", type=int, default=1, help="with --confirm: runs, for the spread of the times (default: 1)")
    parser.add_argument(
        "--calibrate", action="store_true", help="with --confirm: first measure what the GPU's driver takes for itself, and keep it"
    )
    parser.add_argument("--tight", action="store_true", help="with --confirm: find by trial the least device on which it runs")


def kind(text: str) -> str:
    """A kind of device as `--confirm` takes it."""
    if text not in CHOICES:
        raise argparse.ArgumentTypeError(f"no device to confirm on is called {text!r}: one of {', '.join(CHOICES)}")
    return text


def arranged(arguments: Sequence[str]) -> list[str]:
    """The arguments with `--confirm MODEL.py` as `--confirm=best MODEL.py`: the device may be left out before a script too."""
    found = list(arguments)
    for k, (word, following) in enumerate(zip(arguments, arguments[1:])):
        if word == "--confirm" and is_script(following):
            found[k] = f"--confirm={BEST}"
    return found


def is_script(word: str) -> bool:
    """Whether a word behind `--confirm` is the script and no kind of device."""
    return word not in CHOICES and not word.startswith("-") and (word.endswith(".py") or os.path.isfile(word))


def calibrated(args: argparse.Namespace) -> None:
    """What `--calibrate` asks for; only a CUDA GPU has an overhead that is not known."""
    from .calibrate import calibrate, told

    if args.confirm not in (BEST, "cuda"):
        raise UsageError("--calibrate is for a CUDA GPU", help="write --confirm cuda --calibrate, or theanodiag doctor --calibrate")
    output.complain(visible(told(calibrate("cuda", args.python))) + "\n")
