"""python gpu_reference.py PACKAGE_FOLDER OUT [NAME...]: the graphs of gpu_functions.py as Theano itself rewrites them, not linked."""

import importlib
import json
import os
import sys
import types

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


class Unlinked(object):
    """Stands for a Function that nobody calls."""

    def __init__(self, maker):
        self.maker = maker


def stop_before_linking():
    """Functions that are made while another is rewritten, and the one that steps random streams, are real; others are not linked."""
    from theano.compile.function_module import FunctionMaker

    rewrite, create, depth = FunctionMaker.__init__, FunctionMaker.create, []

    def __init__(maker, *args, **kwargs):
        depth.append(maker)
        try:
            rewrite(maker, *args, **kwargs)
        finally:
            depth.pop()

    def made(maker, *args, **kwargs):
        needed = depth or any(type(a.op).__name__ == "DotModulo" for a in maker.fgraph.apply_nodes)
        return create(maker, *args, **kwargs) if needed else Unlinked(maker)

    FunctionMaker.__init__, FunctionMaker.create = __init__, made


def main(root, out, names):
    package = types.ModuleType("_agent")
    package.__path__ = [os.path.join(root, "agent")]
    sys.modules["_agent"] = package
    walk = importlib.import_module("_agent.walk.graph")
    stop_before_linking()
    import gpu_functions

    graphs = dict((name, walk.Walk(f.maker, name).graph()) for name, f in gpu_functions.compiled(names))
    with open(out, "w") as file:
        json.dump(graphs, file, default=lambda o: o.item() if hasattr(o, "item") else repr(o))


main(sys.argv[1], sys.argv[2], sys.argv[3:])
