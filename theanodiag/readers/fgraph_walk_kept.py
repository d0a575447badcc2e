"""Constants that a function keeps in memory although its graph no longer has them. Runs where `fgraph_walk.py` runs.

The ShapeFeature of a FunctionGraph remembers every Variable it ever saw, and each Variable remembers what it was made from. So the
value of a constant that was moved to the device and then fused into another op stays there for as long as the function lives.
Source: Theano 1.0.5, tensor/opt.py, `ShapeFeature.shape_of`.
"""

from .fgraph_walk_values import describe_constant, describe_type, is_constant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .fgraph_walk import Live


def kept_constants(fgraph: "Live", counted: "set[int]") -> "list[dict[str, object]]":
    """Device constants that only `fgraph`'s ShapeFeature holds: type and shape of each.

    `counted` has the ids of the values that were described already; those found here are added.
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
            if hasattr(type(variable.data), "gpudata") and id(variable.data) not in counted:
                counted.add(id(variable.data))
                rows.append({"type": describe_type(variable.type), "constant": describe_constant(variable)})
        elif getattr(variable, "owner", None) is not None:
            todo.extend(variable.owner.inputs)
    return rows
