"""Constants that a function keeps in memory although its graph no longer has them. Runs where `fgraph_walk.py` runs.

The ShapeFeature of a FunctionGraph remembers every Variable it ever saw, and each Variable remembers what it was made from. So the
value of a constant that was moved to the device and then fused into another op stays there for as long as the function lives.
A constant that was folded out of a view (`GpuDimShuffle` of another constant) uses the memory of that one.
Source: Theano 1.0.5, tensor/opt.py, `ShapeFeature.shape_of`, `constant_folding`.
"""

from .fgraph_walk_values import describe_constant, describe_type, is_constant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .fgraph_walk import Live


def memory_of(value: "Live") -> "tuple[str, int]":
    """What tells the memory of a value from that of others: where it begins on the device, else the object itself.

    A view may begin later than the memory that it is in (`[::-1]`): its offset does not count.
    Source: pygpu 0.7.6, gpuarray.pyx: `gpudata` is the address plus the offset, and raises TypeError on OpenCL, where `base_data` does.
    """
    for name, shift in (("gpudata", "offset"), ("base_data", "")):
        try:
            return "device", int(getattr(value, name)) - int(getattr(value, shift, 0))
        except (AttributeError, TypeError):
            pass
    return "object", id(value)


def kept_constants(fgraph: "Live", counted: "set[tuple[str, int]]") -> "list[dict[str, object]]":
    """Device constants that only `fgraph`'s ShapeFeature holds: type and shape of each.

    `counted` has the memory of the values that were described already; those found here are added.
    """
    seen = set()
    rows = []  # type: list[dict[str, object]]
    shape_of = getattr(getattr(fgraph, "shape_feature", None), "shape_of", None)
    todo = list(shape_of) if isinstance(shape_of, dict) else []
    while todo:
        variable = todo.pop()
        if variable in seen:
            continue
        seen.add(variable)
        if is_constant(variable):
            if hasattr(type(variable.data), "gpudata") and memory_of(variable.data) not in counted:
                counted.add(memory_of(variable.data))
                rows.append({"type": describe_type(variable.type), "constant": describe_constant(variable)})
        elif getattr(variable, "owner", None) is not None:
            todo.extend(variable.owner.inputs)
    return rows
