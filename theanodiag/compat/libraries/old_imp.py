"""The module `imp`, which CPython 3.12 removed, over importlib: what scripts used to import files by their path."""

import importlib
import importlib.machinery
import importlib.util
import os
import sys
from types import ModuleType
from typing import Any, Callable, Dict, List, Optional, Tuple

PY_SOURCE, PY_COMPILED, C_EXTENSION, PKG_DIRECTORY, C_BUILTIN, PY_FROZEN = 1, 2, 3, 5, 6, 7
reload = importlib.reload
new_module = ModuleType
cache_from_source = importlib.util.cache_from_source
source_from_cache = importlib.util.source_from_cache


def get_magic() -> bytes:
    """Returns the first bytes of compiled files."""
    return importlib.util.MAGIC_NUMBER


def get_suffixes() -> List[Tuple[str, str, int]]:
    """Returns (suffix, mode to open it, kind) of each kind of file that can be imported."""
    machinery = importlib.machinery
    kinds = (
        (machinery.EXTENSION_SUFFIXES, "rb", C_EXTENSION),
        (machinery.SOURCE_SUFFIXES, "r", PY_SOURCE),
        (machinery.BYTECODE_SUFFIXES, "rb", PY_COMPILED),
    )
    return [(suffix, mode, kind) for suffixes, mode, kind in kinds for suffix in suffixes]


def load_source(name: str, pathname: str, file: Any = None) -> ModuleType:
    """Imports the file `pathname` as the module `name`, again if it is imported already. Raises OSError if there is no such file."""
    return _load(name, importlib.machinery.SourceFileLoader(name, pathname), None)


def load_compiled(name: str, pathname: str, file: Any = None) -> ModuleType:
    """Imports the compiled file (.pyc) `pathname` as the module `name`, like `load_source`."""
    return _load(name, importlib.machinery.SourcelessFileLoader(name, pathname), None)


def load_dynamic(name: str, path: str, file: Any = None) -> ModuleType:
    """Imports the extension module `path` as the module `name`, like `load_source`."""
    return _load(name, importlib.machinery.ExtensionFileLoader(name, path), None)


def load_package(name: str, path: str) -> ModuleType:
    """Imports the package in the folder `path` as the module `name`, like `load_source`."""
    loader = importlib.machinery.SourceFileLoader(name, os.path.join(path, "__init__.py"))
    return _load(name, loader, [path])


def _load(name: str, loader: Any, folders: Optional[List[str]]) -> ModuleType:
    spec: Any = importlib.util.spec_from_file_location(name, loader.path, loader=loader, submodule_search_locations=folders)
    module = sys.modules.get(name) or importlib.util.module_from_spec(spec)
    module.__spec__, module.__file__ = spec, spec.origin
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return sys.modules[name]


def find_module(name: str, path: Any = None) -> Tuple[Any, Optional[str], Tuple[str, str, int]]:
    """Returns (open file or None, path, (suffix, mode, kind)) of a module in the folders `path`, else on sys.path. Raises ImportError if
    there is none.
    """
    if path is None and name in sys.builtin_module_names:
        return None, None, ("", "", C_BUILTIN)
    for folder in sys.path if path is None else path:
        if os.path.isfile(os.path.join(folder, name, "__init__.py")):
            return None, os.path.join(folder, name), ("", "", PKG_DIRECTORY)
        for suffix, mode, kind in get_suffixes():
            found = os.path.join(folder, name + suffix)
            if os.path.isfile(found):
                return open(found, mode), found, (suffix, mode, kind)
    raise ImportError("No module named {!r}".format(name), name=name)


def load_module(name: str, file: Any, filename: str, details: Tuple[str, str, int]) -> ModuleType:
    """Imports what `find_module` found. Raises ImportError for another kind of file."""
    kind = details[2]
    if kind == C_BUILTIN:
        return importlib.import_module(name)
    loaders: Dict[int, Callable[[str, str], ModuleType]]
    loaders = {PY_SOURCE: load_source, PY_COMPILED: load_compiled, C_EXTENSION: load_dynamic, PKG_DIRECTORY: load_package}
    if kind not in loaders:
        raise ImportError("Don't know how to import {} (type code {})".format(name, kind), name=name)
    return loaders[kind](name, filename)


def acquire_lock() -> None:
    """Does nothing: each module has a lock of its own."""


def release_lock() -> None:
    """Does nothing."""


def lock_held() -> bool:
    """Always False."""
    return False
