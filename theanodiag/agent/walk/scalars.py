"""Prints the expression of a Composite as nested scalar Ops, because PyTensor prints only `...`."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live

MAX_TEXT = 2000
MAX_DEPTH = 40


class TooLong(Exception):
    """Raised if the expression exceeds `MAX_TEXT` characters or `MAX_DEPTH` levels."""


def program_of(scalar: "Live") -> "str | None":
    """Text such as `Composite{Add(i0, 1), ...}` for a Composite with an integer output, as shape arithmetic has; None for others or if too
    long."""
    inputs, outputs = getattr(scalar, "inputs", None), getattr(scalar, "outputs", None)
    if not inputs or not outputs or not any(str(v.type.dtype).startswith(("int", "uint", "bool")) for v in outputs):
        return None
    names = dict((v, "i%d" % k) for k, v in enumerate(inputs))
    try:
        text = "Composite{%s}" % ", ".join(expression(v, names, 0) for v in outputs)
    except (TooLong, AttributeError, TypeError, ValueError, OverflowError):
        return None
    return text if len(text) <= MAX_TEXT else None


def expression(variable: "Live", names: "dict[Live, str]", depth: int) -> str:
    """The text of one scalar Variable. `names` maps Variables to names they already have. Raises TooLong."""
    if variable in names:
        return names[variable]
    if depth > MAX_DEPTH:
        raise TooLong()
    node = variable.owner
    if node is None:
        value = float(variable.data)
        return repr(int(value) if value == int(value) else value)
    if len(node.outputs) > 1:
        raise TooLong()
    kind = type(node.op).__name__
    name = "Cast{%s}" % variable.type.dtype if kind == "Cast" else kind
    text = "%s(%s)" % (name, ", ".join(expression(v, names, depth + 1) for v in node.inputs))
    if len(text) > MAX_TEXT:
        raise TooLong()
    names[variable] = text
    return text
