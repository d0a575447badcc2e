"""The arrays that a function held when an allocation failed, by name, each buffer once."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live


def held(storage_map: "Live", on_device: bool, most: int = 12) -> "list[tuple[str, int]]":
    """(name, bytes) of the `most` largest arrays in a function's storage, largest first."""
    found = {}  # type: dict[int, tuple[str, int]]
    for variable, cell in list(storage_map.items()):
        value = cell[0]
        if value is None or not hasattr(type(value), "gpudata" if on_device else "ctypes"):
            continue
        while getattr(value, "base", None) is not None and hasattr(value.base, "dtype"):
            value = value.base
        found.setdefault(id(value), (name_of(variable), int(value.size) * int(value.dtype.itemsize)))
    return sorted(found.values(), key=lambda row: -row[1])[:most]


def name_of(variable: "Live") -> str:
    """A Variable's name; without one its Op, else its Type."""
    owner = getattr(variable, "owner", None)
    return str(variable.name or (owner.op if owner is not None else variable.type))
