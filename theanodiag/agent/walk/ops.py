"""Describes Ops of live graphs as JSON values: name, parameters, view_map and destroy_map."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live

MAX_EXPRESSION = 2000
MAX_NESTING = 40


class TooLong(Exception):
    """Raised if an expression exceeds `MAX_EXPRESSION` characters or `MAX_NESTING` levels."""


def program_of(scalar: "Live") -> "str | None":
    """Returns the text of a Composite with an integer output, as in shape arithmetic, such as `Composite{Add(i0, 1), ...}`; None for other
    Ops or if the text is too long.
    """
    inputs, outputs = getattr(scalar, "inputs", None), getattr(scalar, "outputs", None)
    if not inputs or not outputs or not any(str(v.type.dtype).startswith(("int", "uint", "bool")) for v in outputs):
        return None
    names = dict((v, "i%d" % k) for k, v in enumerate(inputs))
    try:
        text = "Composite{%s}" % ", ".join(expression(v, names, 0) for v in outputs)
    except (TooLong, AttributeError, TypeError, ValueError, OverflowError):
        return None
    return text if len(text) <= MAX_EXPRESSION else None


def expression(variable: "Live", names: "dict[Live, str]", depth: int) -> str:
    """Returns the expression that computes one scalar Variable, as text. `names` maps Variables to names they already have.
    Raises TooLong.
    """
    if variable in names:
        return names[variable]
    if depth > MAX_NESTING:
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
    if len(text) > MAX_EXPRESSION:
        raise TooLong()
    names[variable] = text
    return text


MAX_TEXT = 240
MAX_ITEMS = 256
MAX_DEPTH = 5
SKIP = ("func_", "code_sections", "destroy_map", "view_map", "ufunc", "nfunc", "openmp", "is_", "_")
"""Prefixes of attributes of an Op that do not matter for sizes or are described elsewhere."""


class NoShortForm(Exception):
    """Raised for a value that has no short JSON form."""


def is_a(thing: "Live", name: str) -> bool:
    """Returns whether `thing` is an instance of a class with this name, base classes included."""
    return any(c.__name__ == name for c in type(thing).__mro__)


def text_of(thing: "Live") -> str:
    """Returns the text of an Op or Type, `str(thing)`; its class name if that raises an exception, as it may for users' Ops."""
    try:
        return str(thing)
    except Exception:
        return type(thing).__name__


def plain(value: "Live", depth: int = 0) -> "Live":
    """Converts a parameter to a JSON value. Raises NoShortForm if it is too large or of an unknown type."""
    if isinstance(value, type):  # numpy's classes have `tolist` too, but no value
        raise NoShortForm()
    if value is None or isinstance(value, (bool, int, float, str)):
        if isinstance(value, str) and len(value) > MAX_TEXT:
            raise NoShortForm()
        return value
    if isinstance(value, slice):
        return {"slice": [plain(v, depth + 1) for v in (value.start, value.stop, value.step)]}
    if isinstance(value, (list, tuple, set, frozenset)):
        return plain_items(value, depth)
    if hasattr(value, "items") and hasattr(value, "keys"):
        if len(value) > MAX_ITEMS:
            raise NoShortForm()
        return dict((str(k), plain(v, depth + 1)) for k, v in value.items())
    return plain_object(value)


def plain_items(values: "Live", depth: int) -> "list[object]":
    """Converts a sequence or set of parameters to a JSON list. Raises NoShortForm beyond `MAX_DEPTH` or `MAX_ITEMS`."""
    if depth >= MAX_DEPTH or len(values) > MAX_ITEMS:
        raise NoShortForm()
    rows = [plain(v, depth + 1) for v in values]
    return rows if isinstance(values, (list, tuple)) else sorted(rows, key=str)


def plain_object(value: "Live") -> "Live":
    """Converts a numpy scalar, small array, enum member, scalar Op or Type to a JSON value. Raises NoShortForm for others."""
    if hasattr(value, "tolist"):
        if getattr(value, "size", 1) > MAX_ITEMS:
            raise NoShortForm()
        return plain(value.tolist(), MAX_DEPTH - 2)
    if is_a(value, "Enum"):
        return value.name
    if not (is_a(value, "Op") or is_a(value, "Type") or is_a(value, "PureType") or is_a(value, "CLinkerType")):
        raise NoShortForm()
    return text_of(value)[:MAX_TEXT]


def params_of(op: "Live") -> "dict[str, object]":
    """Returns the parameters of an Op by name: all of `__props__`, and every attribute that has a short JSON form."""
    props = [p for p in getattr(type(op), "__props__", None) or () if isinstance(p, str)]
    names = props + [n for n in sorted(getattr(op, "__dict__", ())) if not n.startswith(SKIP) and n not in props]
    rows = {}
    for name in names:
        try:
            value = getattr(op, name)
            rows[name] = plain(value)
        except NoShortForm:
            if name in props:
                rows[name] = text_of(value)[:MAX_TEXT]
        except AttributeError:
            continue
    return refine(op, rows)


def refine(op: "Live", rows: "dict[str, object]") -> "dict[str, object]":
    """Adds the entries of an Op that its attributes do not give in the same way in all frameworks: index pattern, scalar Op, expression of
    a Composite.
    """
    if hasattr(op, "idx_list"):
        rows["idx_list"] = index_pattern(op)
    scalar = getattr(op, "scalar_op", None)
    if scalar is not None:
        rows["scalar_op"] = type(scalar).__name__
        rows["scalar_text"] = text_of(scalar)[:MAX_TEXT]
    composite = op if scalar is None else scalar
    if is_a(composite, "Composite") and "..." in text_of(composite):
        rows["scalar_text"] = program_of(composite) or text_of(composite)[:MAX_TEXT]
    return rows


def index_pattern(op: "Live") -> "Live":
    """Returns the index pattern of a Subtensor: "i" stands for the next input; None and numbers are constant parts. None for an Op without
    one.

    In Theano, Aesara and PyTensor 2 the entries of `idx_list` are the Types of the inputs, later they are the inputs' positions.
    """

    def entry(value: "Live") -> "Live":
        if isinstance(value, slice):
            return {"slice": [entry(v) for v in (value.start, value.stop, value.step)]}
        if isinstance(value, str) or (isinstance(value, int) and not numbered):
            return value
        return None if value is None else "i"

    numbered = not any(hasattr(v, "dtype") for e in op.idx_list or () for v in parts(e))
    return None if op.idx_list is None else [entry(e) for e in op.idx_list]


def parts(entry: "Live") -> "tuple[Live, ...]":
    """Returns the start, stop and step of a slice, or the entry itself as a tuple of one."""
    return (entry.start, entry.stop, entry.step) if isinstance(entry, slice) else (entry,)


def index_map(table: "Live") -> "dict[str, list[int]]":
    """Converts a view_map or destroy_map to JSON (output number as text -> input numbers), without empty entries."""
    rows = {}
    for output, inputs in sorted((table or {}).items()):
        if inputs:
            rows[str(output)] = [int(i) for i in inputs]
    return rows


def describe_op(node: "Live") -> "dict[str, object]":
    """Describes the Op of a node as JSON values, without its inner graph."""
    op = node.op
    return {
        "name": type(op).__name__,
        "text": text_of(op),
        "module": type(op).__module__,
        "params": params_of(op),
        "view_map": index_map(getattr(op, "view_map", None)),
        "destroy_map": index_map(getattr(op, "destroy_map", None)),
    }
