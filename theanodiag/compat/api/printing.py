"""Serves `theano.printing` from pytensor.printing, with constants, elementwise Ops and debugprint in Theano's format."""

import hashlib
import io
import itertools
import sys
from typing import Any, Dict, List, Optional

from pytensor.compile.executor import Function
from pytensor.compile.io import SymbolicInput, SymbolicOutput
from pytensor.graph.basic import Apply, Constant, Variable
from pytensor.graph.fg import FunctionGraph
from pytensor.graph.op import HasInnerGraph
from pytensor.printing import *
from pytensor.printing import FunctionPrinter, Printer, _try_pydot_import, char_from_number, pp, pprint
from pytensor.scan.op import Scan
from pytensor.tensor.elemwise import Elemwise
from pytensor.tensor.type import TensorType

try:
    _try_pydot_import()
    pydot_imported, pydot_imported_msg = True, ""
except Exception as error:
    pydot_imported, pydot_imported_msg = False, str(error)


class ConstantPrinter(Printer):
    """Prints constants as Theano did: `TensorConstant{1.0}`, `TensorConstant{(3,) of 1.0}`, and `Constant{1}` in an index."""

    def process(self, output: Any, pstate: Any) -> str:
        """Returns the text of the constant `output`: its name if it has one."""
        if output.name is not None:
            return str(output.name)
        data = output.data
        values = getattr(data, "size", 1) > 1 and len(set(data.ravel().tolist())) == 1
        text = "%s of %s" % (data.shape, data.ravel()[0]) if values else str(data)
        text = text[:10] + ".." + text[-10:] if len(text) > 20 else text
        return ("TensorConstant{%s}" if isinstance(output.type, TensorType) else "Constant{%s}") % text


class ElementwisePrinter(Printer):
    """Prints an elementwise Op that has no operator sign as a call: `exp(x)`."""

    def process(self, output: Any, pstate: Any) -> str:
        """Returns the text of the elementwise node that computes `output`."""
        name = str(output.owner.op).partition("{")[2].partition(",")[0] or str(output.owner.op)
        return str(FunctionPrinter([name]).process(output, pstate))


pprint.assign(lambda pstate, r: r.owner is not None and isinstance(r.owner.op, Elemwise), ElementwisePrinter())
pprint.assign(lambda pstate, r: isinstance(r, Constant), ConstantPrinter())


def position_independent_str(obj: Any) -> str:
    """Returns the type of the Variable `obj`, as text. Raises NotImplementedError for other objects."""
    if not isinstance(obj, Variable):
        raise NotImplementedError
    return "theano_var{type=%s}" % obj.type


def hex_digest(x: Any) -> str:
    """Returns the SHA-256 of the bytes of the array `x`, with its strides and its shape."""
    strides, shape = (",".join(map(str, numbers)) for numbers in (x.strides, x.shape))
    return "%s|strides=[%s]|shape=[%s]" % (hashlib.sha256(x.tobytes()).hexdigest(), strides, shape)


def var_descriptor(obj: Any, _prev_obs: Any = None, _tag_generator: Any = None) -> str:
    """Describes in one line how the Variable `obj` is computed: `A=Op(B=x,C=y,<B>)`, in which each object has a letter."""
    seen: Dict[int, str] = {} if _prev_obs is None else _prev_obs
    letters = (char_from_number(i) or "A" for i in itertools.count()) if _tag_generator is None else _tag_generator
    if id(obj) in seen:
        return "<%s>" % seen[id(obj)]
    letter = seen[id(obj)] = next(letters)
    if hasattr(obj, "__array__"):
        text = "<ndarray:strides=[%s],digest=%s>" % (",".join(map(str, obj.strides)), hashlib.sha256(obj).hexdigest())
    elif getattr(obj, "owner", None) is not None:
        text = "%s(%s)" % (obj.owner.op, ",".join(var_descriptor(i, seen, letters) for i in obj.owner.inputs))
    elif getattr(obj, "name", None) is not None:
        text = obj.name
    else:
        text = position_independent_str(obj) if " at 0x" in str(obj) else str(obj)
    return "%s=%s" % (letter, text)


class _PrintedGraph:
    """Prints Theano's debugprint: one line for each Variable, `Op [id A] <type> 'name' destroyed seen order storage clients`."""

    def __init__(self, file: Any, ids: str, print_type: bool, stop_on_name: bool, print_clients: bool, done: Any, used_ids: Any) -> None:
        self.file, self.ids, self.print_type = file, ids, print_type
        self.stop_on_name, self.print_clients = stop_on_name, print_clients
        self.done: Dict[Any, str] = {} if done is None else done
        self.used_ids: Dict[Any, str] = {} if used_ids is None else used_ids
        self.inner: List[Variable] = []
        """Outputs of Ops with a graph inside, in the order in which they were met."""

    def id(self, thing: Any) -> str:
        """Returns `[id A]` of a node, or of a Variable without one; assigned at the first request."""
        if thing not in self.used_ids:
            count = len(self.used_ids)
            kinds = {"id": str(id(thing)), "int": str(count), "CHAR": char_from_number(count)}
            self.used_ids[thing] = "[id %s]" % kinds[self.ids] if self.ids else ""
        return self.used_ids[thing]

    def _clients(self, r: Variable, graph: Any, order: Any) -> str:
        """` clients:[...]` for a Variable with more than one client; empty otherwise."""
        users = list(graph.clients.get(r, ())) if graph is not None and self.print_clients else []
        if len(users) < 2:
            return ""
        outputs = [c for c, _ in users if type(c.op).__name__ == "Output"]
        if outputs:
            self.id("output")  # Theano's ids count the output too
        nodes = [(self.id(c), order.index(c)) for c, _ in users if c not in outputs]
        return " clients:%s" % ([("output", "")] * len(outputs) + nodes)

    def line(self, text: str) -> None:
        """Writes `text` and a newline."""
        self.file.write(text + "\n")

    def write(
        self, r: Variable, prefix: str = "", below: str = "", depth: int = -1, order: Any = None, storage: Any = None, graph: Any = None,
        outer: Optional[Dict[Any, Any]] = None,
    ) -> None:  # fmt: skip
        """Writes the Variable `r` and, indented below it, the graph that computes it, down to `depth` levels (-1: all)."""
        if depth == 0:
            return
        kind = " <%s>" % r.type if self.print_type else ""
        node = r.owner
        if node is None:
            if outer is not None and r in outer:
                of = outer[r]
                self.line("%s%s %s%s -> %s" % (prefix, r, self.id(r), kind, self.id(of.owner if of.owner is not None else of)))
            else:
                self.line("%s%s %s%s%s" % (prefix, r, self.id(r), kind, "" if storage is None else " " + str(storage.get(r, ""))))
            return
        seen = node in self.done
        own = self.id(node)
        self.done[node] = ""
        name = r.name or ""
        place = "" if len(node.outputs) == 1 else ".%i" % node.outputs.index(r)
        data = "" if storage is None else " " + str(storage.get(node.outputs[0], ""))
        maps = [getattr(node.op, attribute, None) for attribute in ("destroy_map", "view_map")]
        destroyed, viewed = ("" if not positions else "%s=%s" % (letter, positions) for letter, positions in zip("dv", maps))
        position = str(order.index(node)) if order is not None else ""
        values = (prefix, node.op, place, own, kind, name, destroyed, viewed, position, data, self._clients(r, graph, order))
        self.line("%s%s%s %s%s '%s' %s %s %s%s%s" % values)
        if seen or (self.stop_on_name and r.name is not None):
            return
        if isinstance(node.op, HasInnerGraph):
            self.inner.append(r)
        for k, i in enumerate(node.inputs):
            deeper = below + ("  " if k == len(node.inputs) - 1 else " |")
            self.write(i, below + " |", deeper, depth - 1, order, storage, graph, outer)

    def inside(self, depth: int) -> None:
        """Writes the inner graphs of the Ops written so far."""
        if self.inner:
            self.line("")
            self.line("Inner graphs of the scan ops:")
        for r in self.inner:  # grows as inner graphs hold others
            assert r.owner is not None
            op = r.owner.op
            held = list(op.inner_inputs)
            if isinstance(op, Scan):
                places = op.get_oinp_iinp_iout_oout_mappings()["outer_inp_from_inner_inp"]
                outer = {held[i]: r.owner.inputs[o] for i, o in places.items() if i >= 0 and o >= 0}
            else:
                outer = dict(zip(held, r.owner.inputs))
            self.line("")
            self.write(r, depth=depth, outer=outer)
            for out in op.inner_outputs:
                self.write(out, " >", " >", depth, outer=outer)


def debugprint(
    obj: Any, depth: int = -1, print_type: bool = False, file: Any = None, ids: str = "CHAR", stop_on_name: bool = False, done: Any = None,
    print_storage: bool = False, print_clients: bool = False, used_ids: Any = None,
) -> Any:  # fmt: skip
    """`theano.printing.debugprint`: writes graphs as text to `file` (stdout by default); returns the text for `file="str"`.

    Raises TypeError for an object that is not a graph.
    """
    if not isinstance(depth, int):
        raise Exception("depth parameter must be an int")
    where: Any = io.StringIO() if file == "str" else sys.stdout if file is None else file
    text = _PrintedGraph(where, ids, print_type, stop_on_name, print_clients, done, used_ids)
    for thing in obj if isinstance(obj, (list, tuple, set)) else [obj]:
        graph: Any = None
        storage: Any = None
        if isinstance(thing, (SymbolicInput, SymbolicOutput)):
            thing = thing.variable
        if isinstance(thing, Variable):
            outputs = [thing]
        elif isinstance(thing, Apply):
            outputs = list(thing.outputs)
        elif isinstance(thing, Function):
            graph = thing.maker.fgraph
            outputs = list(graph.outputs)
            storage = getattr(thing.vm, "storage_map", {}) if print_storage else None
        elif isinstance(thing, FunctionGraph):
            graph, outputs = thing, list(thing.outputs)
        elif hasattr(thing, "dtype") or isinstance(thing, (int, float)):
            text.line(str(thing))
            continue
        else:
            raise TypeError("debugprint cannot print an object of this type", thing)
        order = list(graph.toposort()) if graph is not None else None
        for r in outputs:
            text.write(r, depth=depth, order=order, storage=storage, graph=graph)
    text.inside(depth)
    return where.getvalue() if file == "str" else file
