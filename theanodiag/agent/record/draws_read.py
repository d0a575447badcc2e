"""Records which draws of a trace the statements of a script read: `trace[500:]`, `trace.get_values("x", burn=500)`, `trace["x"][500:]`,
`idata.sel(draw=slice(500, None))`; and how many draws it samples.

What libraries read for themselves is not recorded. Source: PyMC3 3.11.5, pymc3/backends/base.py; PyMC 5.28.5, pymc/backends/base.py.
"""

import functools
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from .. import Live

MOST = 2000
"""Number of reads from which on no more are recorded."""
ROWS = "_theanodiag_rows"
"""Attribute of a trace that was cut from another: the range of the draws of each chain that it has."""


def rows_text(rows: "list[int]", length: int) -> str:
    """Returns the text of a slice that selects these equidistant draws out of `length`, such as `500:` or `0:100:2`."""
    step = rows[1] - rows[0] if len(rows) > 1 else 1
    stop = "" if not rows or step < 0 or rows[-1] + step >= length else str(rows[-1] + 1)
    return "%s:%s%s" % (rows[0] if rows else length, stop, "" if step == 1 else ":%d" % step)


def rows_of(trace: "Live") -> "list[int]":
    """Returns the numbers of the draws of each chain that a trace has."""
    rows = getattr(trace, ROWS, None)  # type: list[int] | None
    return list(range(len(trace))) if rows is None else rows


class DrawsRead(object):
    """The reads of one run."""

    def __init__(self, is_library: "Callable[[str], bool]") -> None:
        self.is_library = is_library  # whether a source file belongs to a library or to theanodiag
        self.reads = []  # type: list[list[Live]]  # [draws, name of the file or cell, line], each once
        self.sampled = []  # type: list[list[Live]]  # [number of draws, of tuning steps, name, line] of each call of `sample`
        self._seen = set()  # type: set[tuple[Live, ...]]
        self._array = None  # type: Live  # the class of an array of draws

    def is_users(self, frame: "FrameType | None") -> bool:
        """Returns whether a frame executes code of the user."""
        return frame is not None and not self.is_library(frame.f_code.co_filename)

    def actions(self) -> "dict[str, Callable[[Live], None]]":
        """Returns a mapping: module name -> function to call after its import."""
        traces = ("pymc3.backends.base", "pymc.backends.base", "theanodiag.compat.pymc3.trace")
        table = dict((name, self._traces) for name in traces)  # type: dict[str, Callable[[Live], None]]
        table.update(dict.fromkeys(("xarray", "arviz.data.inference_data"), self._labelled))
        return table

    def read(self, text: str, frame: "FrameType") -> None:
        """Records a read at a line of the user's."""
        key = (text, frame.f_code.co_filename, frame.f_lineno)
        if key not in self._seen and len(self.reads) < MOST:
            self._seen.add(key)
            self.reads.append(list(key))

    def samples(self, own: "Live", args: "Live", kwargs: "Live") -> None:
        """Records the numbers of draws and tuning steps of a call of `sample`, with the defaults of that function."""
        frame = sys._getframe(1)  # type: FrameType | None
        while frame is not None and not self.is_users(frame):
            frame = frame.f_back
        if frame is None:
            return
        inspect = sys.modules.get("inspect") or __import__("inspect")
        try:
            bound = inspect.signature(own).bind(*args, **kwargs)
            bound.apply_defaults()
            numbers = [int(bound.arguments[name]) for name in ("draws", "tune")]
        except (AttributeError, KeyError, TypeError, ValueError):  # CPython 2.7 has no signatures
            return
        self.sampled.append([numbers[0], numbers[1], frame.f_code.co_filename, frame.f_lineno])

    def _traces(self, module: "Live") -> None:
        """Patches MultiTrace."""
        kind = vars(module).get("MultiTrace")
        if kind is None or kind.__module__ != module.__name__:
            return
        if not hasattr(kind, "__iter__"):
            kind.__iter__ = _points(kind.__getitem__)
        kind.__getitem__ = self._item(kind.__getitem__)
        kind.__getattr__ = self._attribute(kind.__getattr__)
        kind.get_values = self._values(kind.get_values)
        kind.point = self._point(kind.point)

    def _item(self, own: "Live") -> "Live":
        @functools.wraps(own)
        def item(trace: "Live", key: "Live") -> "Live":
            frame, found = sys._getframe(1), own(trace, key)
            if not self.is_users(frame):
                return found
            part = key[1] if isinstance(key, tuple) and len(key) == 2 else key
            rows = rows_of(trace)
            if isinstance(part, slice):
                kept = rows[part]
                if part is key:
                    setattr(found, ROWS, kept)
                if kept != rows:
                    self.read("[" + rows_text(kept, rows[-1] + 1) + "] of each chain", frame)
            elif hasattr(part, "__index__") and not hasattr(part, "name"):
                self.read("[%d] of a chain" % rows[part], frame)
            return self._drawn(found)

        return item

    def _attribute(self, own: "Live") -> "Live":
        @functools.wraps(own)
        def attribute(trace: "Live", name: str) -> "Live":
            found = own(trace, name)
            return self._drawn(found) if self.is_users(sys._getframe(1)) and not name.startswith("_") else found

        return attribute

    def _values(self, own: "Live") -> "Live":
        @functools.wraps(own)
        def get_values(trace: "Live", varname: "Live", burn: "Live" = 0, thin: int = 1, *args: "Live", **kwargs: "Live") -> "Live":
            frame, found = sys._getframe(1), own(trace, varname, burn, thin, *args, **kwargs)
            if not self.is_users(frame):
                return found
            if burn or (thin or 1) != 1:
                rows = rows_of(trace)
                self.read("[" + rows_text(rows[burn or 0 :: thin], rows[-1] + 1) + "] of each chain", frame)
            return self._drawn(found)

        return get_values

    def _point(self, own: "Live") -> "Live":
        @functools.wraps(own)
        def point(trace: "Live", idx: int, *args: "Live", **kwargs: "Live") -> "Live":
            if self.is_users(sys._getframe(1)):
                self.read("[%d] of a chain" % rows_of(trace)[idx], sys._getframe(1))
            return own(trace, idx, *args, **kwargs)

        return point

    def _drawn(self, values: "Live", of: str = "all chains") -> "Live":
        """An array of draws `of` all chains, whose parts are recorded; another value is returned unchanged."""
        numpy = sys.modules["numpy"]
        if type(values) is not numpy.ndarray or values.ndim == 0:
            return values
        if self._array is None:
            self._array = array_of_draws(numpy, self)
        drawn = values.view(self._array)
        drawn.of = of
        return drawn

    def _labelled(self, module: "Live") -> None:
        """Patches `isel` and `sel` of xarray's classes and of InferenceData, and `values` and `to_numpy` of an array."""
        array = getattr(module, "DataArray", None)
        if array is not None:
            array.values = property(self._of_chains(array.values.fget), array.values.fset)
            array.to_numpy = self._of_chains(array.to_numpy)
        for name in ("DataArray", "Dataset", "DataTree", "InferenceData"):
            kind = getattr(module, name, None)
            for method in ("isel", "sel"):
                if hasattr(kind, method):
                    setattr(kind, method, self._selects(getattr(kind, method)))

    def _of_chains(self, own: "Live") -> "Live":
        @functools.wraps(own)
        def values(data: "Live") -> "Live":
            found = own(data)
            draws = tuple(data.dims[:2]) == ("chain", "draw") and self.is_users(sys._getframe(1))
            return self._drawn(found, "chains and draws") if draws else found

        return values

    def _selects(self, own: "Live") -> "Live":
        @functools.wraps(own)
        def select(data: "Live", indexers: "Live" = None, *args: "Live", **kwargs: "Live") -> "Live":
            frame, found = sys._getframe(1), own(data, indexers, *args, **kwargs)
            given = dict(indexers or {}, **kwargs)
            if "draw" in given and self.is_users(frame):
                before, after = draws_of(data), draws_of(found)
                if before is not None and after is not None and len(after) > 1 and len(after) < len(before):
                    self.read("[" + rows_text([int(n) for n in after], int(before[-1]) + 1) + "] of each chain", frame)
                elif isinstance(given["draw"], int):
                    self.read("[%d] of a chain" % (given["draw"] % max(1, len(before or ()))), frame)
            return found

        return select


def _points(item: "Live") -> "Live":
    """The iteration over a trace of PyMC3, which Python does by its method `__getitem__`: all draws are read, none in particular."""

    def points(trace: "Live") -> "Live":
        for number in range(len(trace)):
            yield item(trace, number)

    return points


def draws_of(data: "Live") -> "Live":
    """Returns the numbers of the draws of xarray's data, or of the posterior in a DataTree or InferenceData; None if it has none."""
    held = getattr(data, "posterior", data) if hasattr(data, "groups") else data
    coordinates = getattr(held, "coords", {})
    return list(coordinates["draw"].values) if "draw" in coordinates and coordinates["draw"].ndim == 1 else None


def array_of_draws(numpy: "Live", record: DrawsRead) -> "Live":
    """Returns the class of an array that records which of its parts the script takes, and computes as any other.

    Its attribute `of` says what its first axes are; None for a part.
    """

    class RecordedDraws(numpy.ndarray):  # type: ignore[misc]
        of = None

        def __getitem__(self, key: "Live") -> "Live":
            found = numpy.asarray(self)[key]
            parts = key if isinstance(key, tuple) else (key,)
            frame = sys._getframe(1)
            whole = len(parts) == 1 and isinstance(parts[0], slice) and parts[0] == slice(None)
            if self.of and not whole and all(map(is_known, parts)) and record.is_users(frame):
                record.read("[%s] of %s" % (", ".join(map(part_text, parts)), self.of), frame)
            return found

        def __array_ufunc__(self, ufunc: "Live", method: str, *inputs: "Live", **kwargs: "Live") -> "Live":
            plain = [one.view(numpy.ndarray) if isinstance(one, RecordedDraws) else one for one in inputs]
            if "out" in kwargs:
                kwargs["out"] = tuple(one.view(numpy.ndarray) if isinstance(one, RecordedDraws) else one for one in kwargs["out"])
            return getattr(ufunc, method)(*plain, **kwargs)

    return RecordedDraws


def is_mask(part: "Live") -> bool:
    """Returns whether a part of an index chooses elements by truth values."""
    return str(getattr(part, "dtype", "")) == "bool" and getattr(part, "ndim", 0) > 0


def is_known(part: "Live") -> bool:
    """Returns whether a part of an index is a slice, a whole number, an Ellipsis or a mask."""
    return isinstance(part, slice) or part is Ellipsis or (hasattr(part, "__index__") and not hasattr(part, "shape")) or is_mask(part)


def part_text(part: "Live") -> str:
    """Returns a part of an index as it is written, such as `-500:` or `1`; of a mask how many elements it chooses."""
    if is_mask(part):
        return "%d of %d by a mask" % (part.sum(), part.size)
    if not isinstance(part, slice):
        return "..." if part is Ellipsis else "%d" % part
    start, stop = ("" if bound is None else "%d" % bound for bound in (part.start, part.stop))
    return "%s:%s%s" % (start, stop, "" if part.step in (None, 1) else ":%d" % part.step)
