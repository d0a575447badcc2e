"""The options of `theanodiag check` that belong to `--confirm`."""

from __future__ import annotations

import os
from collections.abc import Sequence

import click

from ..confirmation.kinds import BEST, KINDS, SAMPLING
from ..errors import UsageError
from ..escaping import visible
from . import output
from .parameters import Arguments, Option, switch

CHOICES = (BEST, *KINDS, SAMPLING)


def parameters() -> tuple[Option, ...]:
    """The options that belong to `--confirm`."""
    return (
        Option("--confirm", metavar="DEVICE", type=click.Choice(CHOICES), flag_value=BEST,
            help="also run the script for real, and compare what is measured with what was predicted: cuda, virtual (the real allocator "
            "on a simulated device), opencl, jax, torch or cpu (default: the best that is available); pymc: sample few draws of each call "
            "of pymc.sample, and extrapolate"),
        Option("--repeat", metavar="N", type=int, default=1, help="with --confirm: number of runs, to see how times vary (default: 1)"),
        switch("--calibrate", help="with --confirm: measure the size of the CUDA context first, and save it"),
        switch("--tight", help="with --confirm: find by trial the smallest device on which it runs"),
    )  # fmt: skip


def arranged(arguments: Sequence[str]) -> list[str]:
    """The words with `--confirm MODEL.py` as `--confirm=best MODEL.py`, and `--fix MODEL.py` as `--fix= MODEL.py`: their values can
    be left out before a script too."""
    found = list(arguments)
    for k, word in enumerate(arguments[:-1]):
        if word == "--confirm" and arguments[k + 1] not in CHOICES and is_script(arguments, k + 1):
            found[k] = f"--confirm={BEST}"
        elif word == "--fix" and is_script(arguments, k + 1):
            found[k] = "--fix="
    return found


def is_script(arguments: Sequence[str], at: int) -> bool:
    """Whether the word there, behind such an option, is the script: it is called like one, or is a file and no other word could be."""
    word = arguments[at]
    others = (w for k, w in enumerate(arguments) if k != at and not (k and arguments[k - 1].startswith("-")))
    if word.startswith("-") or not os.path.isfile(word):
        return word.endswith(".py")
    return word.endswith(".py") or not any(w.endswith(".py") or os.path.isfile(w) for w in others)


def calibrated(args: Arguments) -> None:
    """What `--calibrate` asks for; only a CUDA GPU has an overhead that is not known."""
    from .doctor_makes import calibrate, told

    if args.confirm not in (BEST, "cuda"):
        raise UsageError("--calibrate is for a CUDA GPU", help="write --confirm cuda --calibrate, or theanodiag doctor --calibrate")
    output.complain(visible(told(calibrate("cuda", args.python))) + "\n")
