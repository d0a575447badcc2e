"""What a function held when the device had no room: its arrays by name, each buffer once."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import Live


def held(storage_map: "Live", on_device: bool, most: int = 12) -> "list[tuple[str, int]]":
    """(name, bytes) of the arrays in the cells of a function, largest first, `most` of them."""
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
    """A Variable's name, else what makes it."""
    owner = getattr(variable, "owner", None)
    return str(variable.name or (owner.op if owner is not None else variable.type))
