"""python gpu_texts.py SCRIPT OUT: the printed graphs of the functions that a script compiles for the GPU until it calls the first one, as JSON.

Nothing is compiled to C. Inputs are called in0, in1, ..., in the order of the graph's inputs, so that their shapes can be told.
"""

import json
import os
import runpy
import sys
from io import StringIO

import theano
from theano.compile import function_module

TEXTS = []


class Stub:
    """Stands for a compiled function: what ends the script when it is called."""

    def __init__(self, maker):
        self.maker = maker

    def __call__(self, *args, **kwargs):
        raise SystemExit


def for_the_framework():
    """Whether a scan asked for the function, to look into it."""
    frame = sys._getframe(2)
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith("theano.scan_module"):
            return True
        frame = frame.f_back
    return False


def made(self, *args, **kwargs):
    """Stands for FunctionMaker.create: prints the graph."""
    if for_the_framework():
        return Stub(self)
    self.fgraph.profile = None
    for i, variable in enumerate(self.fgraph.inputs):
        variable.name = "in%d" % i
    out = StringIO()
    theano.printing.debugprint(self.fgraph, print_type=True, file=out)
    TEXTS.append(out.getvalue())
    return Stub(self)


if __name__ == "__main__":
    function_module.FunctionMaker.create = made
    sys.argv = sys.argv[1:]
    out = sys.argv.pop(1)
    sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[0])))
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit:
        pass
    with open(out, "w") as file:
        json.dump(TEXTS, file)
