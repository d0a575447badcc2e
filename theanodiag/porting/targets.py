"""Looks up names of an older framework in the target, from tables alone: no framework needs to be installed."""

from __future__ import annotations

import ast
import enum
import functools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ..compat import names
from ..compat.names import legacy, reasons
from ..compat.names.counterparts import Row
from ..compat.names.reexports import REEXPORTS

COMPAT = Path(__file__).resolve().parents[1] / "compat"
LEGACY = "theanodiag.legacy"
"""The module from which ported sources import compat functions; its submodules are the legacy modules."""
PIECES = f"{LEGACY}.adapters"
NOT_LOADED = (
    "bin", "breakpoint", "compile.compiledir", "compile.debug.debugmode", "compile.debug.nanguardmode", "d3viz", "graph.rewriting.kanren",
    "ipython", "link.jax.dispatch", "link.mlx.dispatch", "link.numba.dispatch", "link.pytorch.dispatch", "misc.may_share_memory",
    "tensor.fft", "tensor.fourier", "tensor.var", "typed_list", "xtensor",
)  # fmt: skip
"""PyTensor modules that `import pytensor` does not load: they become attributes of their package only when imported by name."""


_OF_NUMPY = ("e", "euler_gamma", "inf", "infty", "nan", "newaxis", "pi")
"""Names that the target imports from numpy; the tables leave them out."""


_WITH_LAYER = ("tests.unittest_tools", "configparser", "configdefaults", "scan_module.scan")
"""Modules of compat whose functions work only in a process in which the compat layer is installed."""


_DEEPEST = 8
"""Maximum number of parts of a dotted name that are taken for its module; no framework has a module with as many."""


class CounterpartKind(enum.Enum):
    """What `port` does with a name."""

    NAME = "name"
    """The target has it under the name `new`."""
    MODULE = "module"
    """It is a module; `new` is the first module of the target that is searched for its names, or None if none remains."""
    ADAPTED = "adapted"
    """Its arguments or behaviour differ; the compat function `piece` computes what it did."""
    GONE = "gone"
    """It has no replacement except what `advice` says."""


@dataclass(frozen=True)
class Counterpart:
    """The counterpart of one name in the target."""

    kind: CounterpartKind
    old: str
    """The deciding part of the name, without the root: `tensor.nnet.softmax`."""
    new: str | None = None
    """Dotted name in the target, without the root."""
    piece: tuple[str, str] | None = None
    """Module and name of the replacement in `theanodiag.compat`."""
    row: Row | None = None
    """The entry of the table."""
    advice: str = ""
    why: str = ""


class PortTarget:
    """The names of the target framework, at its latest release."""

    def __init__(self, root: str) -> None:
        self.root = root
        table, last = legacy.table(root), legacy.LAST[root]
        self._names = {module: {n for n, row in held.items() if row.series.endswith(last)} for module, held in table.items()}
        self.modules = {module for module, held in self._names.items() if held or module == ""}

    def has(self, name: str) -> bool:
        """Returns whether the target has a module or a name called `name` (dotted, without the root)."""
        module, _, last = name.rpartition(".")
        return name in self.modules or last in self._names.get(module, ())

    def find(self, origin: str, name: str) -> Counterpart:
        """Returns the counterpart of `name` (without the root `origin`; attributes may follow). The longest part that is a module
        decides.
        """
        return _found(self.root, origin, name)

    def moved(self, name: str) -> Counterpart | None:
        """Returns the counterpart of a name from an older release of the target itself; None if it still exists or never did."""
        if self.has(name):
            return None
        table = legacy.table(self.root)
        parts = name.split(".") if name else []
        for end in range(min(len(parts), _DEEPEST), 0, -1):
            module = ".".join(parts[:end])
            if module in self.modules:
                last = parts[end] if end < len(parts) else None
                if last is None or last in self._names[module] or last.startswith("_") or last in _OF_NUMPY:
                    return None
                return self.find(self.root, name)
            if module in table:
                return self.find(self.root, name)
        if not parts or parts[0] in self._names[""] or parts[0] not in table[""]:
            return None
        return self.find(self.root, name)

    @functools.cached_property
    def lost(self) -> frozenset[str]:
        """Last parts of the names that older releases of the target had and this release no longer has."""
        table = legacy.table(self.root)
        return frozenset(n for module, held in table.items() for n in held if n not in self._names[module] or module not in self.modules)

    def member(self, origin: str, module: str, last: str) -> Counterpart:
        """Returns the counterpart of the name `last` in a module of the origin."""
        full = f"{module}.{last}" if module else last
        row = names.lookup(full, self.root, None, origin)
        if row is not None and row.new[:1] in ("=", "+") and (row.help or self._place(module, last) is None):
            piece = self._piece(row, module, last)
            return Counterpart(CounterpartKind.ADAPTED, full, None, piece, row, names.advice(row, self.root))
        if row is not None and row.new[:1] not in ("=", "+"):
            if row.new and self.has(row.new):
                return Counterpart(CounterpartKind.NAME, full, row.new, self._served(module, last), row)
            if not row.new:
                return Counterpart(CounterpartKind.GONE, full, row=row, advice=names.advice(row, self.root), why="it was removed")
        place = self._place(module, last)
        if place is not None:
            return Counterpart(CounterpartKind.NAME, full, place, self._served(module, last))
        for other in legacy.origin(origin, full):
            counterpart = _found(self.root, origin, other)
            if counterpart.kind is not CounterpartKind.GONE:
                return Counterpart(counterpart.kind, full, counterpart.new, counterpart.piece, counterpart.row, counterpart.advice)
        piece = self._served(module, last)
        if piece is not None:
            return Counterpart(CounterpartKind.ADAPTED, full, None, piece, advice=f"{'.'.join(piece)}")
        return self._gone(origin, full)

    def _gone(self, origin: str, full: str) -> Counterpart:
        """The counterpart of a name without a replacement, with the reason."""
        gone, reason = names.removed(full, self.root), reasons.reason(full)
        known = was_released(origin, full)
        if not known:
            why = f"no release of {origin.capitalize()} has it"
        else:
            why = reason.why if reason else f"{self.root} has no such name"
        advice = gone.help.replace("{}", self.root) if gone else reason.advice if reason and known else ""
        return Counterpart(CounterpartKind.GONE, full, advice=advice or "write it without this name", why=why)

    def _place(self, module: str, last: str) -> str | None:
        """The target's full name for `last` of `module`: in the same module, else in the modules that the table lists, by its shortest
        public name. None if none has it.
        """
        row = names.module(module)
        for place in dict.fromkeys((module, *(row.places[self.root] if row else ()))):
            full = f"{place}.{last}" if place else last
            if last in self._names.get(place, ()) and not self._is_module(full):
                return full if place == module else self._tidy(full)
        return None

    def _is_module(self, full: str) -> bool:
        """Whether the name is a module that is not hidden by a function of the same name, as `pytensor.scan` is."""
        row = legacy.known(self.root, full)
        return full in self.modules and not (row and row.origin)

    def hidden(self, module: str) -> bool:
        """Returns whether a function of the same name hides the module in its package, as in `pytensor.scan`."""
        return module in self.modules and not self._is_module(module)

    def _tidy(self, full: str) -> str:
        """The shortest public name of the object called `full`."""
        defined = (full, *legacy.origin(self.root, full))[-1]
        last = full.rpartition(".")[2]
        parts = defined.split(".")[:-1]
        for end in range(len(parts) + 1):
            short = ".".join([*parts[:end], last])
            if last in self._names.get(".".join(parts[:end]), ()) and (short, *legacy.origin(self.root, short))[-1] == defined:
                return short
        return full

    def module(self, name: str) -> Counterpart:
        """Returns the counterpart of a module of the origin."""
        row = names.module(name)
        places = row.places[self.root] if row else (name,)
        new = next((place for place in places if place in self.modules), None)
        if new is None and not row:
            why = f"{self.root} has no such module"
            return Counterpart(CounterpartKind.MODULE, name, None, self._api(name), advice="write it without this module", why=why)
        return Counterpart(CounterpartKind.MODULE, name, new, self._api(name), advice=row.help.replace("{}", self.root) if row else "")

    def _api(self, module: str) -> tuple[str, str] | None:
        """(parent, name) of compat's module that replaces a legacy module; None if there is none."""
        row = names.module(module)
        listed = (module, row.names if row else "")
        place = next((m for m in listed if m and m in _api_modules()), None) if self.root == "pytensor" and module else None
        if place is None:
            return None
        parent, _, last = f"{LEGACY}.{place}".rpartition(".")
        return parent, last

    def _served(self, module: str, last: str) -> tuple[str, str] | None:
        """(module, name) of the compat function that replaces a name; None if compat has none that works without the installed layer."""
        if self.root != "pytensor" or module in _WITH_LAYER:
            return None
        row = names.module(module)
        for place in dict.fromkeys((module, row.names if row and row.names else module)):
            if last in served(place):
                return (f"{LEGACY}.{place}" if place else LEGACY), last
        return None

    def _piece(self, row: Row, module: str, last: str) -> tuple[str, str] | None:
        own = self._served(module, last)
        if own is not None or not row.new.startswith("="):
            return own
        return PIECES, row.new[1:]


_FROM_AESARA = (["graph"], ["link"], ["assert_op"])
"""Packages of Theano-PyMC 1.1, of which Aesara is the next release."""


@functools.cache
def target(root: str) -> PortTarget:
    """Returns the target called `root`; cached."""
    return PortTarget(root)


def was_released(origin: str, full: str) -> bool:
    """Whether any release of `origin` has the name `full` (dotted, without the root)."""
    module, _, last = full.rpartition(".")
    # The tables leave out the modules of tests, of which compat serves some.
    known = legacy.known(origin, full) is not None or full in legacy.table(origin) or last in served(module)
    return known or reasons.of_compiled_code(full)


@functools.lru_cache(maxsize=4096)
def _found(root: str, origin: str, name: str) -> Counterpart:
    here = target(root)
    parts = name.split(".") if name else []
    again = next((n for n, part in enumerate(parts) if part != origin), len(parts))
    if again:
        inner = _found(root, origin, ".".join(parts[again:]))  # `theano.theano`: the imports of its modules are among their names
        return replace(inner, old=".".join(filter(None, (*parts[:again], inner.old))))
    if origin == "theano" and parts[0:1] in _FROM_AESARA:
        origin = "aesara"
    table = legacy.table(origin)
    for end in range(min(len(parts), _DEEPEST), -1, -1):
        module = ".".join(parts[:end])
        if module not in table and not (module and (names.module(module) is not None or (root == "pytensor" and module in _api_modules()))):
            continue
        row = names.module(module)
        hidden = row is not None and row.hidden
        if end == len(parts):
            if hidden:
                continue
            return here.module(module)
        if hidden and parts[end] not in table.get(module, {}):
            continue
        counterpart = here.member(origin, module, parts[end])
        return _through(root, origin, parts, end, counterpart)
    return here.member(origin, "", parts[0])


def _through(root: str, origin: str, parts: list[str], end: int, counterpart: Counterpart) -> Counterpart:
    """The counterpart of a name reached through a module that another module imports: `tensor.gof.Op` is `gof.Op`."""
    rest = parts[end + 1 :]
    module = next((m for m in legacy.origin(origin, counterpart.old) if m in legacy.table(origin)), None)
    if counterpart.kind is not CounterpartKind.MODULE or not rest or module is None:
        return counterpart
    inner = _found(root, origin, ".".join([module, *rest]))
    taken = inner.old.count(".") - module.count(".")
    return replace(inner, old=".".join(parts[: end + 1 + taken]))


@functools.cache
def _api_modules() -> dict[str, Path | None]:
    """Module of compat's `api` -> its file, None for modules that only re-export. Read once, so that names in a source are not searched on
    disk.
    """
    top = COMPAT / "api"
    paths: dict[str, Path | None] = dict.fromkeys(REEXPORTS)
    for path in sorted(top.rglob("*.py"), reverse=True):  # of a file and a folder of one name the file is kept
        parts = path.relative_to(top).with_suffix("").parts
        paths[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return paths


@functools.cache
def served(module: str) -> frozenset[str]:
    """Returns the names that compat's module for a legacy module binds, including star imports. The module is not imported.

    Names from `behaviour/` are left out, because they work only if the compat layer is installed.
    """
    if module in REEXPORTS:
        return frozenset(name for place, names in REEXPORTS[module].items() for name in _reexported(place, names))
    path = _api_modules().get(module)
    return _bound(path) if path is not None else frozenset()


def _reexported(place: str, names: str) -> Iterator[str]:
    """The names that a row of REEXPORTS takes from one place, without dunders."""
    for name in () if place.startswith(".behaviour.") else names.split():
        if name.startswith("__"):
            continue
        if name != "*":
            yield name.partition("=")[0]
        elif place.startswith(".api."):
            yield from served(place[len(".api.") :])
        elif place.startswith("."):
            yield from _bound(COMPAT.joinpath(*place[1:].split(".")).with_suffix(".py"))


@functools.cache
def _bound(path: Path) -> frozenset[str]:
    names: set[str] = set()
    for node in _top_level(ast.parse(path.read_text(encoding="utf-8")).body):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names.update(n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name))
        elif isinstance(node, ast.ImportFrom):
            if [a.name for a in node.names] == ["*"]:
                names |= _bound(_relative(path, node)) if node.level else frozenset()
            elif node.module not in ("typing", "__future__") and "behaviour" not in (node.module or ""):
                names.update(a.asname or a.name for a in node.names)
    return frozenset(n for n in names if not n.startswith("__"))


def _top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yields the statements of a file, including those inside `try` and `if`."""
    for node in body:
        yield node
        if isinstance(node, ast.Try):
            yield from _top_level([*node.body, *(s for h in node.handlers for s in h.body), *node.orelse])
        elif isinstance(node, ast.If):
            yield from _top_level([*node.body, *node.orelse])


def _relative(path: Path, node: ast.ImportFrom) -> Path:
    folder = path.parents[node.level - 1]
    there = folder.joinpath(*(node.module or "").split("."))
    return there.with_suffix(".py") if there.with_suffix(".py").is_file() else there / "__init__.py"
