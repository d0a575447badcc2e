"""Whether the script discards the results of a call: the bytecode instruction after the call is then POP_TOP."""

import opcode
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

POP_TOP = opcode.opmap["POP_TOP"]
"""The instruction that discards the value on top of the stack."""
CACHE = opcode.opmap.get("CACHE", -1)
"""Inline cache entries, which are skipped (CPython 3.11 and later)."""


def next_opcode(frame: "FrameType") -> int:
    """The opcode after the instruction that `frame` is executing; -1 where there is none."""
    code, at = bytearray(frame.f_code.co_code), frame.f_lasti
    if at < 0:
        return -1
    if sys.version_info >= (3, 6):
        at += 2
        while at < len(code) and code[at] == CACHE:
            at += 2
    else:
        at += 3 if code[at] >= opcode.HAVE_ARGUMENT else 1
    return code[at] if at < len(code) else -1


def thrown_away(skip: "tuple[str, ...]") -> bool:
    """Whether the innermost frame outside of the folders `skip` discards what its call returns."""
    frame = sys._getframe(1)  # type: FrameType | None
    while frame is not None and frame.f_code.co_filename.startswith(skip):
        frame = frame.f_back
    return frame is not None and next_opcode(frame) == POP_TOP
