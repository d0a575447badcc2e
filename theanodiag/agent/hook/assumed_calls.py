"""Assumed calls of functions that the script never called, with shapes that the user gave or that the graph states.

The shape of an argument is the first one available of: the user's (`--shape`), that of its default value, that of its test value
(`tag.test_value`), its static shape. If an argument's shape stays unknown, a note says which shape to give.
"""

from .outputs import dense, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .. import Live
    from .program import Program
    from .session import HookSession


class RefusedRequest(Exception):
    """Raised for a shape given by the user that the argument cannot have."""


class Requests(object):
    """The shapes given by the user (`--shape`), and which of them were used."""

    def __init__(self, rows: "list[Live]") -> None:
        self.rows = rows  # {"function": name or None, "variable": name, "shape": [..]}
        self.used = set()  # type: set[int]

    def shapes(self, program: "Program", called: bool) -> "dict[str, tuple[int, ...]]":
        """Argument name -> shape given for this function. A shape given without a function's name is for functions that
        were never called."""
        shapes = {}
        for i, row in enumerate(self.rows):
            fits = row["function"] in (program.name, str(program.index)) or (row["function"] is None and not called)
            if fits and row["variable"] in names(program):
                shapes[row["variable"]] = tuple(row["shape"])
                self.used.add(i)
        return shapes

    def unmet(self, programs: "list[Program]") -> "Iterator[str]":
        """Yields, for each shape that could not be used, the reason. A shape for a function that the script calls
        itself is not reported."""
        for i, row in enumerate(self.rows):
            if i in self.used:
                continue
            of = [p for p in programs if row["function"] in (None, p.name, str(p.index))]
            if not programs:
                yield "no compiled function of the script can have an argument %r" % str(row["variable"])
            elif not of:
                compiled = ", ".join(p.name for p in programs)
                yield "there is no function %r; the script compiled: %s" % (str(row["function"]), compiled)
            elif not any(row["variable"] in names(p) for p in of):
                known = sorted(set(n for p in of for n in names(p)))
                where = "the function %s" % of[0].name if row["function"] else "every function"
                yield "%s has no argument %r; named arguments: %s" % (where, str(row["variable"]), ", ".join(known) or "none")


def names(program: "Program") -> "list[str]":
    """The names of a function's arguments."""
    return [str(program.fgraph.inputs[i].name) for i in program.arguments if program.fgraph.inputs[i].name]


def assume(session: "HookSession") -> None:
    """Writes an assumed call for each function that was never called or for which the user gave shapes."""
    requests = Requests(session.options.shapes)
    programs = session.functions.alive()
    for program in programs:
        called = bool(session.call_limits.counts.get(program.index))
        given = requests.shapes(program, called)
        if given or not called:
            assumed_call(session, program, given)
    for reason in requests.unmet(programs):
        session.stream.emit("refused", reason=reason)


def assumed_call(session: "HookSession", program: "Program", given: "dict[str, tuple[int, ...]]") -> None:
    """Writes one assumed call, or the reason why it is impossible."""
    try:
        values = [value_of(program, i, given) for i in range(len(program.fgraph.inputs))]
    except RefusedRequest as refused:
        session.stream.emit("refused", reason=str(refused))
        return
    unknown = [label(program, i) for i in program.arguments if values[i] is None]
    if unknown:
        reason = "never called, and the shape of %s is not known: give --shape %s:%s=N,..." % (", ".join(unknown), program.name, unknown[0])
        session.stream.emit("skipped", what="function %s" % program.name, reason=reason)
        return
    session.functions.write_call(program, session.shapes.learn(program, values), values, assumed=True)


def label(program: "Program", i: int) -> str:
    """The argument's name for messages; its position if it has no name."""
    return str(program.fgraph.inputs[i].name or "argument %d" % i)


def value_of(program: "Program", i: int, given: "dict[str, tuple[int, ...]]") -> "Live":
    """A value for input `i`: zeros of the first available shape; None if no shape is known."""
    variable, spec = program.fgraph.inputs[i], program.specs[i]
    if i not in program.arguments:
        return spec.value.storage[0] if hasattr(spec.value, "storage") else spec.value
    if variable.name in given:
        return zeros(variable, fitting(program, variable, given[variable.name]))
    for known in (getattr(spec.value, "storage", [spec.value])[0], getattr(spec.variable.tag, "test_value", None)):
        if known is not None:
            return known
    static = [n for n in static_shape(variable.type) or (None,) if n is not None]
    return zeros(variable, tuple(static)) if len(static) == getattr(variable.type, "ndim", None) else None


def zeros(variable: "Live", shape: "tuple[int, ...]") -> "Live":
    """A numpy array of zeros whose memory is never touched; None if `variable` is not a tensor."""
    return dense(variable.type, shape, None) if kind_of(variable.type) == "tensor" else None


def static_shape(kind: "Live") -> "tuple[int | None, ...] | None":
    """The static shape of a Type, with None for each unknown length; None if it has no shape."""
    shape = getattr(kind, "shape", None)
    if isinstance(shape, tuple):
        return shape
    broadcastable = getattr(kind, "broadcastable", None)
    return None if broadcastable is None else tuple(1 if b else None for b in broadcastable)


def fitting(program: "Program", variable: "Live", shape: "tuple[int, ...]") -> "tuple[int, ...]":
    """The user's shape after a check against the variable's static shape. Raises RefusedRequest if they disagree."""
    static = static_shape(variable.type)
    where = "%s:%s=%s" % (program.name, variable.name, ",".join(str(n) for n in shape))
    if static is None:
        raise RefusedRequest("%s: %s is no tensor (%s)" % (where, variable.name, variable.type))
    if len(static) != len(shape):
        raise RefusedRequest("%s: %s has %d dimensions, not %d (%s)" % (where, variable.name, len(static), len(shape), variable.type))
    for i, (fixed, n) in enumerate(zip(static, shape)):
        if fixed is not None and fixed != n:
            raise RefusedRequest("%s: dimension %d of %s is always %d, not %d (%s)" % (where, i, variable.name, fixed, n, variable.type))
    return shape
