"""Imports Python 2 sources, translated in memory: line numbers are kept, and `/` divides integers as in Python 2.

fissix does the work of 2to3; its insertions shift lines, so each syntax node gets its original line number back. In a file without `from
__future__ import division`, `/` becomes a call that rounds down for integers (Python, numpy and symbolic ones).
"""

import ast
import builtins
import functools
import gzip
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import io
import os
import re
import sys
from types import CodeType, ModuleType
from typing import Any, Callable, Dict, List, Optional, Sequence

from ..libraries import removed_names
from . import generators, list_comprehensions, numpy1, python2_names, python2_random
from .fixers import corrected
from .python2_files import ZippedFile, binary_file, hash_text, loads, open_file
from .python2_operators import HELPERS, cmp, python2_isinstance
from .python2_operators import round as python2_round
from .python2_syntax import PREFIX, Calls, Divisions, Lines

translated: List[str] = []
"""Paths of the files that were translated."""
_LEFT_OUT = ("asserts", "buffer", "idioms", "set_literal", "ws_comma", "reduce", "reload", "intern", "execfile", "isinstance", "sorted")
"""Unused fixers of fissix: they only change style, or `prepare` restores their names as builtins."""
_DIVISION = re.compile(r"^\s*from\s+__future__\s+import\s+.*\bdivision\b", re.M)
_futures: Dict[str, str] = {}
"""Path of each translated file -> its imports from `__future__`, which also apply to its texts for `exec` and `eval`."""
_fissix: List[str] = [""]
_project: List[str] = [""]
_fix_numpy: List[bool] = [False]
"""Whether sources of Python 3 get the arithmetic of NumPy 1; those of Python 2 always do."""
_in_package: List[bool] = [False]
"""Whether the module being translated lies in a package; fissix would take each folder with `__init__.py` for one, the script's too."""
_theirs: List[str] = []
"""The user's packages (folders with a trailing separator) and modules, which are Python 2 if the script is."""
_installed_in: List[str] = []
"""Folders of sys.path with installed packages: all but those of PYTHONPATH and those that the script adds."""


class NotPython2(SyntaxError):
    """Raised for a source that is neither Python 3 nor Python 2."""


@functools.lru_cache(maxsize=None)
def _tool() -> Any:
    """fissix's translator. If fissix is installed only for another interpreter, it alone is imported from there."""
    try:
        refactor: Any = importlib.import_module("fissix.refactor")
    except ImportError:
        if not _fissix[0]:
            raise
        finder = _Only(_fissix[0], ("fissix", "appdirs"))
        sys.meta_path.append(finder)
        refactor = importlib.import_module("fissix.refactor")
    importer: Any = importlib.import_module("fissix.fixes.fix_import").FixImport
    neighbour = importer.probably_a_local_import
    importer.probably_a_local_import = lambda self, name: _in_package[0] and neighbour(self, name)
    modules = importlib.import_module("fissix.fixes.fix_imports").MAPPING
    pickle = modules.pop("cPickle", "pickle")  # _Old serves it
    names = [n for n in refactor.get_fixers_from_package("fissix.fixes") if n.rpartition("fix_")[2] not in _LEFT_OUT]
    import logging

    logging.getLogger("RefactoringTool").setLevel(logging.ERROR)
    tool = corrected(refactor, names, {"print_function": False})
    modules["cPickle"] = pickle
    return tool


class _Only(importlib.abc.MetaPathFinder):
    """A finder for the packages `names` in `folder` only."""

    def __init__(self, folder: str, names: Sequence[str]) -> None:
        self.folder, self.names = folder, names

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Optional[importlib.machinery.ModuleSpec]:
        """Returns the spec of one of the packages, else None."""
        return importlib.machinery.PathFinder.find_spec(fullname, [self.folder]) if fullname in self.names else None


def _line_map(tree: Any) -> Dict[int, int]:
    """Line of the translated text -> original line of the file."""
    lines: Dict[int, int] = {}
    out = last = 1
    for leaf in tree.leaves():
        prefix = leaf.prefix.count("\n")
        for step in range(prefix):
            lines.setdefault(out + step, last)
        out += prefix
        if leaf.lineno:
            last = leaf.lineno
            lines.setdefault(out, last)
        height = leaf.value.count("\n")
        for step in range(1, height + 1):
            last += 1
            lines[out + step] = last
        if height:
            last -= 1 if leaf.value == "\n" else 0
        out += height
        if leaf.value == "\n":
            lines.pop(out, None)
    return lines


def _spaces(source: str) -> str:
    """`source` with tabs in its indentation expanded to multiples of eight columns, as Python 2 read them."""
    return "".join(
        line[: len(line) - len(line.lstrip(" \t"))].expandtabs(8) + line.lstrip(" \t") for line in source.splitlines(keepends=True)
    )


def translate(source: str, path: str, in_package: bool, inherited: str = "") -> ast.Module:
    """Returns the syntax tree of the Python 2 text `source`. Raises NotPython2 if it cannot be translated.

    `inherited` is an import from `__future__` that applies in addition to the text's own.
    """
    imports = inherited + "\n" + source
    _futures[path] = "\n".join(re.findall(r"^\s*from\s+__future__.*", imports, re.M))
    if "print_function" in imports and re.search(r"^\s*from\s+__future__\s+import\s+.*\bprint_function\b", imports, re.M):
        tool = _with_print_function()
    else:
        tool = _tool()
    _in_package[0] = in_package
    text = _spaces(source if source.endswith("\n") else source + "\n")
    try:
        tree = tool.refactor_string(text, path)
    except Exception as error:
        raise NotPython2("{}: neither Python 3 nor Python 2: {}".format(path, error)) from None
    new = str(tree)
    try:
        module = ast.parse(new, path)
    except SyntaxError as error:
        raise NotPython2("{}: cannot be translated from Python 2: {}".format(path, error)) from None
    Lines(_line_map(tree)).visit(module)
    for leak in list_comprehensions.translate(module, PREFIX + "each_"):
        sys.stderr.write("theanodiag: {}:{}: {}\n".format(path, leak.comprehension.lineno, leak.warning))
    python2_names.Names(PREFIX).visit(module)
    Calls().visit(module)
    generators.Ends(PREFIX).visit(module)
    if not _DIVISION.search(imports):
        module = Divisions().visit(module)
    if numpy1.is_newer():
        module = numpy1.AsNumpy1(PREFIX).visit(module)
    return ast.fix_missing_locations(module)


@functools.lru_cache(maxsize=None)
def _with_print_function() -> Any:
    """fissix's translator for files that import print_function."""
    from copy import copy

    tool = copy(_tool())
    tool.driver = copy(tool.driver)
    tool.driver.grammar = importlib.import_module("fissix.pygram").python_grammar_no_print_statement
    for name in ("pre_order", "post_order"):
        setattr(tool, name, [fixer for fixer in getattr(tool, name) if type(fixer).__name__ != "FixPrint"])
    tool.bmi_pre_order_heads, tool.bmi_post_order_heads = (
        {key: [f for f in fixers if type(f).__name__ != "FixPrint"] for key, fixers in heads.items()}
        for heads in (tool.bmi_pre_order_heads, tool.bmi_post_order_heads)
    )
    return tool


def read(data: bytes) -> str:
    """Returns the text of a source file. Without a declared encoding it is decoded as UTF-8, else as Latin-1, because Python 2 accepted any
    bytes.
    """
    try:
        return importlib.util.decode_source(data)
    except (SyntaxError, UnicodeDecodeError):
        return io.IncrementalNewlineDecoder(None, True).decode(data.decode("latin-1"))


_NEW_NODES = (
    ast.JoinedStr, ast.AnnAssign, ast.AsyncFunctionDef, ast.Nonlocal, ast.YieldFrom, ast.MatMult,
)  # fmt: skip
"""Nodes of syntax that Python 2 lacks."""


def only_python3(tree: ast.Module) -> bool:
    """Returns whether a source that Python 3 can parse is certainly not Python 2, because it uses syntax that Python 2 lacks."""
    for node in ast.walk(tree):
        if isinstance(node, _NEW_NODES) or (isinstance(node, ast.Raise) and node.cause is not None):
            return True
        if isinstance(node, ast.arguments) and (node.kwonlyargs or any(a.annotation for a in node.args)):
            return True
        if isinstance(node, ast.ClassDef) and node.keywords:
            return True
        if isinstance(node, ast.ImportFrom) and node.module == "__future__" and any(a.name == "annotations" for a in node.names):
            return True
    return False


_mixed_said: List[str] = []


def _say_mixed(path: str) -> None:
    """Warns once that the file at `path` is Python 2 but neighbouring files were read as Python 3, where `/` on integers differs."""
    where = os.path.abspath(path)
    main = os.path.abspath(getattr(sys.modules.get("__main__"), "__file__", None) or "")
    if _mixed_said or "site-packages" in where or not where.startswith(os.path.dirname(main) + os.sep):
        return
    _mixed_said.append(where)
    sys.stderr.write(
        "theanodiag: {} is Python 2, and {} was read as Python 3, where 7 / 2 is 3.5: if it is Python 2 too, say --python2\n".format(
            os.path.basename(path), os.path.basename(main)
        )
    )


def compiled(
    data: bytes, path: str, old: bool = False, in_package: bool = False, change: Optional[Callable[[ast.Module], None]] = None
) -> CodeType:
    """Returns the code object of a source file of Python 3 or 2, whose tree `change` may change.

    With `old`, a file that Python 3 can compile is translated too, because it may divide differently. Raises SyntaxError if it is neither.
    """
    first: Optional[SyntaxError] = None
    try:
        tree = ast.parse(data, path)
        if not old or only_python3(tree):
            return python3_code(tree, data, path, change)
    except SyntaxError as error:
        first = error
    try:
        module = translate(read(data), path, in_package)
    except (NotPython2, ImportError):
        if first is not None:
            raise first from None
        return compiled(data, path, change=change)
    if not old:
        _say_mixed(path)
    if path not in translated and data.strip():
        translated.append(path)
    if change:
        change(module)
    return compile(module, path, "exec", dont_inherit=True)


def python3_code(tree: ast.Module, data: bytes, path: str, change: Optional[Callable[[ast.Module], None]] = None) -> CodeType:
    """Returns the code object of a parsed source of Python 3: a StopIteration ends generators as until CPython 3.6, and on request
    arithmetic is NumPy 1's.
    """
    if generators.may_end(data):
        generators.Ends(PREFIX, path).visit(tree)
    if _fix_numpy[0]:
        numpy1.AsNumpy1(PREFIX).visit(tree)
    if change:
        change(tree)
    code: CodeType = compile(tree, path, "exec", dont_inherit=True)
    return code


def _users(path: str) -> bool:
    """Whether the file at `path` lies in the script's folder or in another from which no installed package comes."""
    return os.path.abspath(path).startswith(tuple(_theirs))


def _old(path: str) -> bool:
    """Whether the file at `path` belongs to a Python 2 project: it is in the script's folder or in one that the user put on the path."""
    where = os.path.abspath(path)
    if not _project[0] or "site-packages" in where or _generated(where):
        return False
    return where.startswith((_project[0] + os.sep, *_theirs))


def _generated(path: str) -> bool:
    """Whether the framework wrote the file at `path` into its folder of compiled code."""
    modules = [sys.modules.get(name + ".configdefaults") for name in ("pytensor", "aesara")]
    folders = [str(getattr(getattr(module, "config", None), "compiledir", "")) for module in modules]
    return any(folder and path.startswith(os.path.abspath(folder) + os.sep) for folder in folders)


@functools.lru_cache(maxsize=None)
def _from_packages(folder: str) -> bool:
    """Whether pip has installed packages into `folder`."""
    return any(name.endswith(".dist-info") for name in os.listdir(folder))


def _note(name: str, origin: str) -> None:
    """Records the module `name` as the user's if it comes from PYTHONPATH or from a folder that the script added to sys.path."""
    if "." in name:
        return
    is_package = os.path.basename(origin) == "__init__.py"
    folder = os.path.dirname(os.path.abspath(origin))
    entry = os.path.dirname(folder) if is_package else folder
    if entry not in _installed_in and not _from_packages(entry):
        _theirs.append(folder + os.sep if is_package else os.path.abspath(origin))


class _SourceLoader(importlib.machinery.SourceFileLoader):
    """Loads a source file of Python 3 or 2; translated files have no bytecode cache."""

    def get_code(self, fullname: str) -> Any:
        """Returns the code object of the module."""
        path = self.get_filename(fullname)
        in_package = "." in fullname or os.path.basename(path) == "__init__.py"
        if _old(path):
            return compiled(self.get_data(path), path, True, in_package)
        if _users(path) and (_fix_numpy[0] or generators.may_end(self.get_data(path))):
            return compiled(self.get_data(path), path, False, in_package)
        try:
            return super().get_code(fullname)
        except SyntaxError:
            return compiled(self.get_data(path), path, False, in_package)

    def exec_module(self, module: ModuleType) -> None:
        """Runs the module; a translated one gets the builtins of Python 2."""
        code = self.get_code(module.__name__)
        if self.path in translated:
            prepare(vars(module))
        exec(code, vars(module))
        if self.name == "numpy" and _project[0]:
            removed_names.plain_scalars()


class _SourceFinder(importlib.abc.MetaPathFinder):
    """Finds source files outside the standard library as Python does, to be loaded by _SourceLoader."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Optional[importlib.machinery.ModuleSpec]:
        """Returns the spec with a _SourceLoader for a source file; None for everything else, which Python's own finders handle."""
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is None or type(spec.loader) is not importlib.machinery.SourceFileLoader or not spec.origin:
            return None
        if _installed(spec.origin):
            return None
        _note(fullname, spec.origin)
        spec.loader = _SourceLoader(spec.loader.name, spec.loader.path)
        return spec


def _installed(path: str) -> bool:
    """Whether the file at `path` belongs to the standard library."""
    return os.path.abspath(path).startswith(os.path.dirname(os.__file__) + os.sep) and "site-packages" not in path


class _Old(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finder and loader of a module that only Python 2 had: `cPickle`, which reads pickles of Python 2."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Optional[importlib.machinery.ModuleSpec]:
        """Returns the spec for `cPickle`, else None."""
        return importlib.machinery.ModuleSpec(fullname, self) if fullname == "cPickle" else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> Optional[ModuleType]:
        """Returns None: Python creates an ordinary module."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Fills the module with pickle's names; `load` and `loads` read Python 2's strings as Latin-1."""
        import pickle

        vars(module).update({name: value for name, value in vars(pickle).items() if not name.startswith("__")})
        module.load = lambda file, **kw: pickle.load(binary_file(file), **{"encoding": "latin1", **kw})  # type: ignore[attr-defined]
        module.dump = lambda obj, file, *args, **kw: pickle.dump(obj, binary_file(file), *args, **kw)  # type: ignore[attr-defined]
        module.BadPickleGet, module.UnpickleableError = pickle.UnpicklingError, pickle.PicklingError  # type: ignore[attr-defined]
        module.loads = loads  # type: ignore[attr-defined]


def _execfile(path: str, globals: Optional[Dict[str, Any]] = None, locals: Optional[Dict[str, Any]] = None) -> None:
    """Python 2's `execfile`, by default in the caller's globals."""
    with open(path, "rb") as file:
        code = compiled(file.read(), path, _old(path))
    frame = sys._getframe(1)
    exec(code, frame.f_globals if globals is None else globals, locals)


_CHANGED = (ast.Call, ast.Compare, ast.Div, ast.Import, ast.ImportFrom, ast.Attribute)
"""Kinds of syntax without which a text that Python 2 and 3 can parse means the same to both."""


@functools.lru_cache(maxsize=None)
def _of_text(text: str, mode: str, inherited: str, path: str = "<string>") -> CodeType:
    """The code object of a Python 2 text passed to `exec`, `eval` (`mode`) or `compile`. Raises SyntaxError if it is neither Python 2 nor
    3."""
    text = text.strip() if mode == "eval" else text
    try:
        plain = ast.parse(text, path, mode)
        if not any(isinstance(node, _CHANGED) for node in ast.walk(plain)):
            return compile(text, path, mode, dont_inherit=True)
    except SyntaxError:
        pass
    try:
        module = translate(text, path, False, inherited)
    except (NotPython2, ImportError):
        return compile(text, path, mode, dont_inherit=True)
    if mode == "exec":
        return compile(module, path, mode, dont_inherit=True)
    *before, last = module.body
    if before or not isinstance(last, ast.Expr):
        return compile(text, path, mode, dont_inherit=True)
    return compile(ast.Expression(last.value), path, mode, dont_inherit=True)


def _names_of(frame: Any) -> Any:
    """The local names in a frame; in a list comprehension also those around it, of which it is a part in Python 2 and since CPython 3.12.

    Not a copy: `exec` adds names to those of a function, which a later `eval` reads.
    """
    found: Dict[str, Any] = {}
    while frame.f_code.co_name == "<listcomp>" and frame.f_back is not None:
        found = {**frame.f_locals, **found}
        frame = frame.f_back
    return {**frame.f_locals, **found} if found else frame.f_locals


def _locals() -> Any:
    """Python 2's `locals`."""
    return _names_of(sys._getframe(1))


def _running(mode: str) -> Any:
    """Python 2's `exec` or `eval` (`mode`): a text is Python 2 if the file that contains the call is."""
    plain = getattr(builtins, mode)

    @functools.wraps(plain)
    def run(code: Any, globals: Optional[Dict[str, Any]] = None, locals: Any = None) -> Any:
        frame = sys._getframe(1)
        if isinstance(code, (str, bytes)):
            code = _of_text(code if isinstance(code, str) else read(code), mode, _futures.get(frame.f_code.co_filename, ""))
        if globals is None:
            return plain(code, frame.f_globals, _names_of(frame) if locals is None else locals)
        return plain(code, globals, globals if locals is None else locals)

    return run


def _compile(source: Any, filename: Any, mode: str, *more: Any, **options: Any) -> Any:
    """Python 2's `compile`: a text is Python 2, like the file that contains the call; with flags (for a tree) it is Python's own."""
    flags = more[0] if more else options.get("flags", 0)
    dont_inherit = more[1] if len(more) > 1 else options.get("dont_inherit", False)
    if mode not in ("exec", "eval") or flags or not isinstance(source, (str, bytes)):
        return compile(source, filename, mode, *more, **options)
    inherited = "" if dont_inherit else _futures.get(sys._getframe(1).f_code.co_filename, "")
    return _of_text(source if isinstance(source, str) else read(source), mode, inherited, os.fsdecode(filename))


def prepare(globals: Dict[str, Any]) -> None:
    """Adds the Python 2 builtins that fissix does not translate to a module's `globals`."""
    names = {
        "reduce": functools.reduce, "reload": importlib.reload, "intern": sys.intern, "execfile": _execfile, "cmp": cmp, "open": open_file,
        "file": open_file, "exec": _running("exec"), "eval": _running("eval"), "compile": _compile,
        "isinstance": python2_isinstance, "round": python2_round,
        **({"locals": _locals} if sys.version_info < (3, 12) else {}),
    }  # fmt: skip
    for name, value in names.items():
        globals.setdefault(name, value)


def install(fissix: str = "", project: str = "", reads: bool = False, fix_numpy: bool = False) -> None:
    """Makes Python 2 sources importable from now on, and changes the user's modules of Python 3 as `python3_code` does.

    `fissix` is a folder to import fissix from if it is not installed; files in the folder `project` always count as Python 2. `reads`: the
    script is Python 3, and spawned processes must read it as this one does.
    """
    _fix_numpy[0] = fix_numpy and numpy1.is_newer()
    _fissix[0], _project[0] = fissix, project
    given = {os.path.abspath(folder) for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder}
    _installed_in[:] = [os.path.abspath(folder) for folder in sys.path if folder and os.path.abspath(folder) not in given]
    _installed_in.append(os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 3)))  # where this package lies
    for name, function in HELPERS.items():
        setattr(builtins, PREFIX + name, function)
    position = next((i for i, f in enumerate(sys.meta_path) if f is importlib.machinery.PathFinder), len(sys.meta_path))
    sys.meta_path[position:position] = [_Old(), _SourceFinder()]
    if project or reads:
        import runpy

        runpy._get_code_from_file = _code_from_file  # type: ignore[attr-defined]
    if project:
        python2_random.install()
        sys.meta_path.append(python2_names.Python2Modules)
        gzip.GzipFile = ZippedFile  # type: ignore[misc]
        os.fdopen = open_file  # type: ignore[assignment]
        hash_text()
        runpy.run_path = _run_path(runpy.run_path)


def _run_path(plain: Callable[..., Any]) -> Callable[..., Any]:
    """`runpy.run_path`, which gives a script of a Python 2 project the builtins of Python 2."""

    @functools.wraps(plain)
    def run_path(path_name: str, init_globals: Optional[Dict[str, Any]] = None, run_name: Optional[str] = None) -> Any:
        names = dict(init_globals or {})
        if _old(os.fsdecode(path_name)):
            prepare(names)
        return plain(path_name, names, run_name)

    return run_path


def _code_from_file(*arguments: str) -> Any:
    """What runpy's function of this name returns, for `run_path`, with which spawned processes run the script again: the code object of the
    file at its last argument; where it takes a module name before the path (until CPython 3.12.2), the code object and the path."""
    path = os.path.abspath(os.fsdecode(arguments[-1]))
    with open(path, "rb") as file:
        code = compiled(file.read(), path, _old(path))
    return code if len(arguments) == 1 else (code, arguments[-1])
