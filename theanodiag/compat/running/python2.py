"""Python 2 sources, translated in memory as they are imported: line numbers stay, and integers divide as they did.

fissix does what 2to3 did; what it inserts shifts lines, so each node gets back the line that it has in the file. In a file without
`from __future__ import division`, `/` becomes a call that divides integers (of Python, numpy and symbolic ones) downwards.
"""

import ast
import builtins
import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import io
import os
import re
import sys
from types import CodeType, ModuleType
from typing import Any, Dict, List, Optional, Sequence

translated: List[str] = []
"""Paths of the files that were translated."""
_LEFT_OUT = ("asserts", "buffer", "idioms", "set_literal", "ws_comma", "reduce", "reload", "intern", "execfile", "isinstance")
"""fissix's fixers that change style only, or whose names are given as builtins here."""
_PYTHON3 = re.compile(r"^from\s+__future__\s+import\s+.*\bannotations\b", re.M)
"""What no Python 2 has read."""
_DIVISION = re.compile(r"^\s*from\s+__future__\s+import\s+.*\bdivision\b", re.M)
_fissix: List[str] = [""]
_project: List[str] = [""]
_in_package: List[bool] = [False]
"""Whether the module that is translated lies in a package; fissix takes each folder with `__init__.py` for one, the script's too."""
_theirs: List[str] = []
"""Packages (with a separator behind them) and modules of Python 2 that lie outside of the project's folder."""
_installed_in: List[str] = []
"""Folders of sys.path in which installed packages lie: all but those of PYTHONPATH and those that the script adds."""


class NotPython2(SyntaxError):
    """A source that is neither Python 3 nor Python 2."""


def _whole(value: object) -> bool:
    """Whether a number, an array or a symbolic variable holds integers."""
    if isinstance(value, int):
        return True
    dtype = getattr(value, "dtype", None)
    return dtype is not None and str(dtype).startswith(("int", "uint", "bool"))


def divide(left: Any, right: Any) -> Any:
    """`left / right` of Python 2."""
    return left // right if _whole(left) and _whole(right) else left / right


def divide_in_place(left: Any, right: Any) -> Any:
    """`left /= right` of Python 2: what `left` is bound to afterwards."""
    if _whole(left) and _whole(right):
        left //= right
    else:
        left /= right
    return left


def divide_attribute(holder: Any, name: str, right: Any) -> None:
    """`holder.name /= right`."""
    setattr(holder, name, divide_in_place(getattr(holder, name), right))


def divide_item(holder: Any, index: Any, right: Any) -> None:
    """`holder[index] /= right`."""
    holder[index] = divide_in_place(holder[index], right)


_HELPERS = {f.__name__: f for f in (divide, divide_in_place, divide_attribute, divide_item)}
_PREFIX = "_python2_"  # not two underscores: in the body of a class such a name becomes another


class _Divisions(ast.NodeTransformer):
    """Puts calls of the functions above in the place of `/` and `/=`."""

    def _call(self, function: str, arguments: List[ast.expr], where: ast.AST) -> ast.Call:
        call = ast.Call(ast.Name(_PREFIX + function, ast.Load()), arguments, [])
        return ast.fix_missing_locations(ast.copy_location(call, where))

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """`a / b`."""
        self.generic_visit(node)
        return self._call("divide", [node.left, node.right], node) if isinstance(node.op, ast.Div) else node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        """`a /= b`."""
        self.generic_visit(node)
        if not isinstance(node.op, ast.Div):
            return node
        target: Any = node.target
        if isinstance(target, ast.Name):
            read = ast.copy_location(ast.Name(target.id, ast.Load()), target)
            made: ast.stmt = ast.Assign([target], self._call("divide_in_place", [read, node.value], node))
        elif isinstance(target, ast.Attribute):
            name = ast.copy_location(ast.Constant(target.attr), target)
            made = ast.Expr(self._call("divide_attribute", [target.value, name, node.value], node))
        else:
            made = ast.Expr(self._call("divide_item", [target.value, _index(target.slice), node.value], node))
        return ast.fix_missing_locations(ast.copy_location(made, node))


def _index(where: Any) -> ast.expr:
    """The index of a subscript as a value: `1:2` is `slice(1, 2)`."""
    if isinstance(where, ast.Slice):
        parts: List[ast.expr] = [part if part is not None else ast.Constant(None) for part in (where.lower, where.upper, where.step)]
        return ast.fix_missing_locations(ast.copy_location(ast.Call(ast.Name("slice", ast.Load()), parts, []), where))
    if isinstance(where, ast.Tuple):
        return ast.copy_location(ast.Tuple([_index(part) for part in where.elts], ast.Load()), where)
    value: ast.expr = where
    return value


class _Lines(ast.NodeVisitor):
    """Gives each node the line that it has in the file."""

    def __init__(self, lines: Dict[int, int]) -> None:
        self.lines = lines

    def generic_visit(self, node: ast.AST) -> None:
        for name in ("lineno", "end_lineno"):
            if getattr(node, name, None) is not None:
                setattr(node, name, self.lines.get(getattr(node, name), getattr(node, name)))
        super().generic_visit(node)


@functools.lru_cache(maxsize=None)
def _tool() -> Any:
    """fissix's translator. It may lie in another interpreter's site-packages: then it alone is taken from there."""
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
    importlib.import_module("fissix.fixes.fix_imports").MAPPING.pop("cPickle", None)  # served here
    names = [n for n in refactor.get_fixers_from_package("fissix.fixes") if n.rpartition("fix_")[2] not in _LEFT_OUT]
    import logging

    logging.getLogger("RefactoringTool").setLevel(logging.ERROR)
    return refactor.RefactoringTool(names, {"print_function": False})


class _Only(importlib.abc.MetaPathFinder):
    """Finds some packages in one folder, and nothing else there."""

    def __init__(self, folder: str, names: Sequence[str]) -> None:
        self.folder, self.names = folder, names

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Optional[importlib.machinery.ModuleSpec]:
        """A spec for one of the packages."""
        return importlib.machinery.PathFinder.find_spec(fullname, [self.folder]) if fullname in self.names else None


def _line_map(tree: Any) -> Dict[int, int]:
    """For each line of the translated text, the line of the file that it came from."""
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
    """Tabs that indent, as Python 2 read them: to the next multiple of eight."""
    return "".join(
        line[: len(line) - len(line.lstrip(" \t"))].expandtabs(8) + line.lstrip(" \t") for line in source.splitlines(keepends=True)
    )


def translate(source: str, path: str, in_package: bool) -> ast.Module:
    """The syntax tree of a Python 2 source; raises NotPython2 where it is none."""
    if "print_function" in source and re.search(r"^\s*from\s+__future__\s+import\s+.*\bprint_function\b", source, re.M):
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
    _Lines(_line_map(tree)).visit(module)
    if not _DIVISION.search(source):
        module = _Divisions().visit(module)
    return ast.fix_missing_locations(module)


@functools.lru_cache(maxsize=None)
def _with_print_function() -> Any:
    """The translator for files in which print is a function already."""
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
    """The text of a source; Python 2 took bytes without a declared encoding as they came."""
    try:
        return importlib.util.decode_source(data)
    except (SyntaxError, UnicodeDecodeError):
        return io.IncrementalNewlineDecoder(None, True).decode(data.decode("latin-1"))


def compiled(data: bytes, path: str, old: bool = False, in_package: bool = False) -> CodeType:
    """The code of a file of either Python; `old`: of Python 2, also where Python 3 can read it (and would divide otherwise)."""
    first: Optional[SyntaxError] = None
    if not old or _PYTHON3.search(read(data)):
        try:
            code: CodeType = compile(data, path, "exec", dont_inherit=True)
            return code
        except SyntaxError as error:
            first = error
    try:
        module = translate(read(data), path, in_package)
    except (NotPython2, ImportError):
        if first is not None:
            raise first from None
        return compiled(data, path)
    if path not in translated:
        translated.append(path)
    code = compile(module, path, "exec", dont_inherit=True)
    return code


def _old(path: str) -> bool:
    """Whether a file belongs to a project of Python 2: it lies beside its script, or in a folder that the user put on the path."""
    where = os.path.abspath(path)
    if not _project[0] or "site-packages" in where:
        return False
    return where.startswith((_project[0] + os.sep, *_theirs))


@functools.lru_cache(maxsize=None)
def _from_packages(folder: str) -> bool:
    """Whether pip has installed into the folder."""
    return any(name.endswith(".dist-info") for name in os.listdir(folder))


def _note(name: str, origin: str) -> None:
    """Remembers a module of Python 2 that lies elsewhere: in a folder of PYTHONPATH, or of sys.path as the script has changed it."""
    if not _project[0] or "." in name:
        return
    is_package = os.path.basename(origin) == "__init__.py"
    folder = os.path.dirname(os.path.abspath(origin))
    entry = os.path.dirname(folder) if is_package else folder
    if entry not in _installed_in and not _from_packages(entry):
        _theirs.append(folder + os.sep if is_package else os.path.abspath(origin))


class _Loader(importlib.machinery.SourceFileLoader):
    """Loads a file of either Python; of translated ones no bytecode is kept."""

    def get_code(self, fullname: str) -> Any:
        """The module's code."""
        path = self.get_filename(fullname)
        in_package = "." in fullname or os.path.basename(path) == "__init__.py"
        if _old(path):
            return compiled(self.get_data(path), path, True, in_package)
        try:
            return super().get_code(fullname)
        except SyntaxError:
            return compiled(self.get_data(path), path, False, in_package)

    def exec_module(self, module: ModuleType) -> None:
        """Runs it, with the builtins that Python 2 had."""
        code = self.get_code(module.__name__)
        if self.path in translated:
            prepare(vars(module))
        exec(code, vars(module))


class _Finder(importlib.abc.MetaPathFinder):
    """Finds source files as Python does, outside of the standard library, and lets `_Loader` load them."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Optional[importlib.machinery.ModuleSpec]:
        """A spec with our loader for the script's own modules."""
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is None or type(spec.loader) is not importlib.machinery.SourceFileLoader or not spec.origin:
            return None
        if _installed(spec.origin):
            return None
        _note(fullname, spec.origin)
        spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


def _installed(path: str) -> bool:
    """Whether a file belongs to the standard library, which is Python 3."""
    return os.path.abspath(path).startswith(os.path.dirname(os.__file__) + os.sep) and "site-packages" not in path


def _bytes(file: Any) -> Any:
    """The file of bytes behind a text file: in Python 2 a pickle went through `open(path)` too."""
    return file.buffer if isinstance(file, io.TextIOWrapper) else file


class _Old(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Modules of Python 2 that scripts import by name: `cPickle` reads what Python 2 wrote."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Optional[importlib.machinery.ModuleSpec]:
        """A spec for `cPickle`."""
        return importlib.machinery.ModuleSpec(fullname, self) if fullname == "cPickle" else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> Optional[ModuleType]:
        """Nothing special."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """pickle, whose `load` and `loads` take the strings of Python 2 byte by byte."""
        import pickle

        vars(module).update({name: value for name, value in vars(pickle).items() if not name.startswith("__")})
        module.load = lambda file, **kw: pickle.load(_bytes(file), **{"encoding": "latin1", **kw})  # type: ignore[attr-defined]
        module.dump = lambda value, file, *args, **kw: pickle.dump(value, _bytes(file), *args, **kw)  # type: ignore[attr-defined]
        module.loads = functools.partial(pickle.loads, encoding="latin1")  # type: ignore[attr-defined]


def _execfile(path: str, globals: Optional[Dict[str, Any]] = None, locals: Optional[Dict[str, Any]] = None) -> None:
    """`execfile` of Python 2."""
    with open(path, "rb") as file:
        code = compiled(file.read(), path, _old(path))
    frame = sys._getframe(1)
    exec(code, frame.f_globals if globals is None else globals, locals)


def prepare(globals: Dict[str, Any]) -> None:
    """Gives a module of Python 2 the builtins that fissix leaves to it."""
    names = {"reduce": functools.reduce, "reload": importlib.reload, "intern": sys.intern, "execfile": _execfile, "cmp": _cmp}
    for name, value in names.items():
        globals.setdefault(name, value)


def install(fissix: str = "", project: str = "") -> None:
    """From now on sources of Python 2 can be imported; those in the folder `project` are taken for it whatever they look like."""
    _fissix[0], _project[0] = fissix, project
    given = {os.path.abspath(folder) for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder}
    _installed_in[:] = [os.path.abspath(folder) for folder in sys.path if folder and os.path.abspath(folder) not in given]
    _installed_in.append(os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 3)))  # where this package lies
    for name, function in _HELPERS.items():
        setattr(builtins, _PREFIX + name, function)
    position = next((i for i, f in enumerate(sys.meta_path) if f is importlib.machinery.PathFinder), len(sys.meta_path))
    sys.meta_path[position:position] = [_Old(), _Finder()]
    if project:
        import runpy

        runpy._get_code_from_file = _code_from_file  # type: ignore[attr-defined]


def _cmp(x: Any, y: Any) -> int:
    """`cmp` of Python 2."""
    return bool(x > y) - bool(x < y)


def _code_from_file(*arguments: str) -> Any:
    """The code of a main script, for runpy: children that are spawned run it again."""
    path = os.path.abspath(os.fsdecode(arguments[-1]))
    with open(path, "rb") as file:
        code = compiled(file.read(), path, _old(path))
    return code if sys.version_info >= (3, 12) else (code, arguments[-1])
