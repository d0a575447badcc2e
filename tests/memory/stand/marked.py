"""Runs a script on the simulated device and writes into the trace where each call of a compiled function begins and returns.

    python marked.py SCRIPT

Only calls that the script itself makes are marked, by the position of the function in the order of compilation. A function
lives no longer than it would without marks.
"""

import itertools
import os
import runpy
import sys
import weakref

import theano
from marks import mark
from theano.compile import function_module

ASKS_FOR_OTHERS = ("theano.compile.function", "theano.compile.function_module", "theano.compile.pfunc", "theano.gof.graph")
numbers = weakref.WeakKeyDictionary()
counter = itertools.count()
running = []


class Marking:
    """FunctionMaker.create and Function.__call__, with marks around the outermost ones."""

    create = function_module.FunctionMaker.create
    call = function_module.Function.__call__

    @staticmethod
    def made(self, *args, **kwargs):
        """A function was compiled; those compiled while it was are its inner ones."""
        running.append(self)
        try:
            fn = Marking.create(self, *args, **kwargs)
        finally:
            running.pop()
        if not running and not isinstance(self.mode, theano.compile.debugmode.DebugMode) and from_script():
            numbers[fn] = next(counter)
        return fn

    @staticmethod
    def called(self, *args, **kwargs):
        """A function is called."""
        number = numbers.get(self)
        if number is None or running:
            return Marking.call(self, *args, **kwargs)
        running.append(self)
        mark(f"call {number}")
        try:
            return Marking.call(self, *args, **kwargs)
        finally:
            running.pop()
            mark(f"returned {number}")


def from_script():
    """Whether the script (not a part of the framework, while it optimises) asked for the function."""
    frame = sys._getframe(2)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name in ASKS_FOR_OTHERS:
            frame = frame.f_back
            continue
        return not name.startswith("theano.")
    return False


if __name__ == "__main__":
    function_module.FunctionMaker.create = Marking.made
    function_module.Function.__call__ = Marking.called
    sys.argv = sys.argv[1:]
    sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[0])))  # as the interpreter does for a script
    runpy.run_path(sys.argv[0], run_name="__main__")
    mark("end")
