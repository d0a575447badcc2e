"""Converts a compiled function of Theano, Theano-PyMC, Aesara or PyTensor to the JSON form that `readers.py` documents.

All traversals are iterative and take time linear in the size of the graph.
"""

import weakref

from .inner import Inner
from .ops import describe_op
from .values import describe_constant, describe_type, find_site, framework_roots, is_constant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Live

SCHEMA = "theanodiag/graph/v1"


class SharedIds(object):
    """Numbers shared variables in the order of their first occurrence: one number for each storage cell of the process.

    A cell is identified by its Container (Theano 1.0.5 gof/link.py, PyTensor link/basic.py); a clone of a shared variable has the same one.
    """

    def __init__(self) -> None:
        self._ids = {}  # type: dict[int, tuple[int, Live]]
        self.count = 0
        self.memories = Memories()  # of constants

    def identify(self, container: "Live") -> int:
        """The number of the shared variable whose value `container` holds; assigned at its first occurrence."""
        cell = container.storage
        known = self._ids.get(id(cell))
        if known is None or known[1]() is None:
            import weakref

            known = (self.count, weakref.ref(container))
            self.count += 1
            self._ids[id(cell)] = known
        return known[0]


class Walk(object):
    """A live graph: its nodes in the framework's topological order, and the ids of its Variables in the JSON form."""

    def __init__(self, maker: "Live", name: str = "", registry: "SharedIds | None" = None, inner: "Inner | None" = None) -> None:
        self.name = name or str(getattr(maker, "name", None) or "")
        self.maker = maker
        self.fgraph = maker.fgraph
        self.specs = list(maker.inputs)
        self.order = list(self.fgraph.toposort())
        self.positions = dict((node, i) for i, node in enumerate(self.order))
        self.variables = number(self.fgraph, self.order)
        self.ids = dict((v, i) for i, v in enumerate(self.variables))
        self.registry = SharedIds() if registry is None else registry
        self._inner = Inner() if inner is None else inner

    def inner(self, node: "Live") -> "Walk | None":
        """The Walk over the inner graph of a Scan or an OpFromGraph, optimized as the framework does before running it.

        None if the Op has no inner graph or the graph cannot be optimized.
        """
        maker = self._inner.maker(node)
        if maker is None:
            return None
        walk = self._inner.walks.get(id(node.op))
        if walk is None:
            walk = self._inner.walks[id(node.op)] = Walk(maker, registry=self.registry, inner=self._inner)
        return walk

    def inner_info(self, node: "Live") -> "dict[str, Live]":
        """How a Scan or an OpFromGraph uses its inner graph: counts, taps and flags."""
        return self._inner.info(node)

    def graph(self, info: "dict[str, object] | None" = None) -> "dict[str, object]":
        """The graph and its inner graphs as JSON values."""
        n_updates = sum(1 for spec in self.specs if spec.update is not None)
        counted = self._inner.counted
        counted.update(memory_of(v.data) for v in self.variables if is_constant(v))
        kept = kept_constants(self.fgraph, counted, self.registry.memories)
        return {
            "schema": SCHEMA,
            "name": self.name,
            "variables": self._describe_variables(),
            "applies": self._describe_applies(),
            "inputs": self._describe_inputs(len(self.fgraph.outputs) - n_updates),
            "outputs": [self.ids[v] for v in self.returned_first()],
            "returned": len(self.fgraph.outputs) - n_updates,
            "info": dict(info or {}, **({"kept_constants": kept} if kept else {})),
        }

    def returned_first(self) -> "list[Live]":
        """The outputs, with those that are updates last, in the order of the inputs that they update.

        Aesara and PyTensor do not reorder the outputs of a Scan's inner graph. Source: Aesara 2.9.4 scan/op.py `Scan.prepare_fgraph`.
        """
        outputs, mapping = list(self.fgraph.outputs), getattr(self.fgraph, "update_mapping", None) or {}
        updated = dict((position, output) for output, position in mapping.items())
        positions = [i for i, spec in enumerate(self.specs) if spec.update is not None]
        if sorted(updated) != positions or any(k >= len(outputs) for k in mapping):
            return outputs
        return [v for k, v in enumerate(outputs) if k not in mapping] + [outputs[updated[i]] for i in positions]

    def _describe_variables(self) -> "list[dict[str, object]]":
        roots = framework_roots()
        types = {}  # type: dict[Live, dict[str, object]]
        rows = []
        for i, variable in enumerate(self.variables):
            if variable.type not in types:
                types[variable.type] = describe_type(variable.type)
            name = None if variable.name is None else str(variable.name)
            if name is None and isinstance(getattr(variable, "data", None), slice):
                name = str(variable.data)  # shows start, stop and step
            row = {"id": i, "name": name, "type": types[variable.type]}  # type: dict[str, object]
            if is_constant(variable):
                row["constant"] = constant_row(variable, self.registry.memories)
            site = find_site(variable, roots)
            if site is not None:
                row["site"] = site
            rows.append(row)
        return rows

    def _describe_applies(self) -> "list[dict[str, object]]":
        # PyTensor's frozen graphs (pytensor 3.3, graph/fg.py) destroy nothing and have no orderings.
        before = self.fgraph.orderings() if hasattr(self.fgraph, "orderings") else {}
        ops = {}  # type: dict[int, dict[str, object]]
        rows = []
        for node in self.order:
            if id(node.op) not in ops:
                ops[id(node.op)] = self._describe_op(node)
            reads, makes = [self.ids[v] for v in node.inputs], [self.ids[v] for v in node.outputs]
            row = {"op": ops[id(node.op)], "inputs": reads, "outputs": makes}  # type: dict[str, object]
            # The virtual machine numbers Variables in the order of the nodes and sorts the prerequisites' outputs by that number:
            # Theano 1.0.5 gof/vm.py VM_Linker.make_vm, PyTensor link/vm.py. So they run by position.
            after = sorted(set(self.positions[p] for p in before.get(node, ())))
            if after:
                row["after"] = after
            rows.append(row)
        return rows

    def _describe_op(self, node: "Live") -> "dict[str, object]":
        row = describe_op(node)
        inner = self.inner(node)
        if inner is not None:
            row["inner"] = inner.graph(self._inner.info(node))
        elif self._inner.failure(node):
            params = row["params"]
            assert isinstance(params, dict)
            params["inner_failure"] = self._inner.failure(node)
        return row

    def _describe_inputs(self, n_returned: int) -> "list[dict[str, object]]":
        rows, updates = [], n_returned
        for variable, spec in zip(self.fgraph.inputs, self.specs):
            row = {"variable": self.ids[variable], "role": role_of(spec)}
            if row["role"] == "shared":
                row["shared"] = self.registry.identify(spec.value)
            if spec.update is not None:
                row["update"] = updates
                updates += 1
            for flag in ("borrow", "mutable"):
                if getattr(spec, flag, False):
                    row[flag] = True
            rows.append(row)
        return rows


def role_of(spec: "Live") -> str:
    """The role of an input specification (`In`): "shared", "default" or "argument"."""
    if getattr(spec, "shared", False) and hasattr(spec.value, "storage"):
        return "shared"
    if getattr(spec, "value", None) is not None or getattr(spec, "implicit", False):
        return "default"
    return "argument"


def number(fgraph: "Live", order: "list[Live]") -> "list[Live]":
    """The Variables of a graph in the order of their ids: inputs, then the inputs and outputs of each node, then the graph's outputs."""
    known = dict.fromkeys(fgraph.inputs)  # type: dict[Live, None]
    rows = list(fgraph.inputs)
    for group in [v for node in order for v in (node.inputs, node.outputs)] + [fgraph.outputs]:
        for variable in group:
            if variable not in known:
                known[variable] = None
                rows.append(variable)
    return rows


def memory_of(value: "Live") -> "tuple[str, int]":
    """A key for the memory that holds a value: ("device", buffer address) or ("object", id).

    A view may start inside its buffer (`[::-1]`), so the offset is subtracted. Source: pygpu 0.7.6, gpuarray.pyx: `gpudata` is the address
    plus the offset and raises TypeError on OpenCL, where `base_data` is available.
    """
    for name, shift in (("gpudata", "offset"), ("base_data", "")):
        try:
            return "device", int(getattr(value, name)) - int(getattr(value, shift, 0))
        except (AttributeError, TypeError):
            pass
    return "object", id(value)


class Memories(object):
    """Numbers the device buffers of constants in the order of first occurrence; one instance serves all functions of a script."""

    def __init__(self) -> None:
        self._known = {}  # type: dict[tuple[str, int], tuple[int, Live]]
        self.count = 0
        self.ended = lambda number: None  # type: Callable[[int], None]  # called with the number of each memory that is freed

    def number(self, value: "Live") -> "int | None":
        """The number of the buffer that holds a device array; None for values on the host."""
        if not hasattr(type(value), "gpudata"):
            return None
        key = memory_of(value)
        known = self._known.get(key)
        if known is None or known[1]() is None:  # the address may have been reused
            number = self.count
            known = self._known[key] = (number, reference(value, lambda _: self.ended(number)))
            self.count += 1
        return known[0]


def reference(value: "Live", ended: "Callable[[Live], None]") -> "Live":
    """A weak reference to the array that owns the memory of `value`; `ended` is called when it dies.

    If no weak reference is possible, a function that returns None.
    """
    while hasattr(type(getattr(value, "base", None)), "gpudata"):
        value = value.base
    try:
        return weakref.ref(value, ended)
    except TypeError:
        return lambda: None


def constant_row(variable: "Live", memories: Memories) -> "dict[str, object]":
    """A Constant as JSON values, with the number of its device buffer."""
    row, number = describe_constant(variable), memories.number(variable.data)
    if number is not None:
        row["memory"] = number
    return row


def kept_constants(fgraph: "Live", counted: "set[tuple[str, int]]", memories: Memories) -> "list[dict[str, object]]":
    """Dtype and shape of each device constant that only the ShapeFeature of `fgraph` still refers to.

    `counted` has the memory keys of all constants described so far; those of the new rows are added.
    """
    seen = set()
    rows = []  # type: list[dict[str, object]]
    # PyTensor 3.3 keeps no such table; its attribute of that name warns.
    todo = list(getattr(getattr(fgraph, "shape_feature", None), "__dict__", {}).get("shape_of", ()))
    while todo:
        variable = todo.pop()
        if variable in seen:
            continue
        seen.add(variable)
        if is_constant(variable):
            if hasattr(type(variable.data), "gpudata") and memory_of(variable.data) not in counted:
                counted.add(memory_of(variable.data))
                rows.append({"type": describe_type(variable.type), "constant": constant_row(variable, memories)})
        elif getattr(variable, "owner", None) is not None:
            todo.extend(variable.owner.inputs)
    return rows
