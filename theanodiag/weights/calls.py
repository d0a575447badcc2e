"""Which of the names in a pickle would run something if `pickle` itself loaded it."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass

from .objects import Global
from .stand_ins import is_known

_SYSTEM = """os posix nt subprocess sys shutil socket ctypes runpy importlib pty commands popen2 code codeop webbrowser
multiprocessing signal asyncio threading pickle _pickle cPickle marshal types inspect pip setuptools platform tempfile pathlib io urllib
urllib2 http timeit pdb bdb cProfile profile trace imp zipimport pkgutil site ensurepip venv distutils dill cloudpickle shelve"""
_BUILTINS = ("builtins", "__builtin__")
_RUN = "eval exec execfile compile open file __import__ input raw_input breakpoint exit quit help reload apply"
_RUN_BUILTINS = frozenset(_RUN.split())
_STANDARD = frozenset(_SYSTEM.split()) | getattr(sys, "stdlib_module_names", frozenset())
_CALM = """collections OrderedDict defaultdict deque Counter copy_reg copyreg _codecs datetime _pydatetime decimal _decimal _pydecimal
fractions functools operator _operator itertools array random uuid re sre_compile _sre enum numbers string time calendar ipaddress weakref
math cmath json struct _struct base64 binascii heapq bisect textwrap statistics typing abc dataclasses copy contextlib UserDict UserList
UserString sets queue _queue Queue StringIO cStringIO configparser ConfigParser warnings unicodedata zoneinfo optparse"""
_HARMLESS = frozenset(_CALM.split())
"""Modules of the standard library whose classes belong in models, and whose functions compute."""
_TYPES = """types.SimpleNamespace types.MappingProxyType types.MethodType argparse.Namespace argparse.ArgumentParser logging.getLogger
logging.Logger logging.RootLogger logging.Formatter io.BytesIO io.StringIO _io.BytesIO _io.StringIO"""
_HARMLESS_TYPES = frozenset(_TYPES.split())
_LOADERS = re.compile(
    r"_?(?:un)?(?:load|loads|load_\w+|loadtxt|genfromtxt|fromfile|memmap|open_memmap|DataSource|read_\w+|exec|exec_\w+|execute|eval|system|"
    r"popen\w*|run|run_\w+|call|check_\w+|spawn\w*|import_\w+|__import__|compile_command|runstring|getoutput|download\w*|urlopen|"
    r"install|save|savez|to_pickle|remove|unlink|rmtree|write\w*)"
)
"""Last names of functions that read, write, fetch or start something, in whichever package."""
_FRAMEWORKS = ("numpy", "scipy", "theano", "aesara", "pytensor", "lasagne", "keras", "blocks", "pylearn2", "nolearn", "sklearn", "__main__")


@dataclass(frozen=True)
class Call:
    """One name that a pickle calls, or only names."""

    name: str
    """Module and name."""
    at: int
    """Byte in the unpacked pickle."""
    inside: str
    """Name of the pickle in an archive; empty for a file that is one."""
    called: bool
    """Whether the pickle itself calls it."""
    sure: bool
    """Whether it is known to run, read, write or fetch something; else it is a function that is not known here."""


def judged(function: Global, at: int, inside: str, called: bool) -> Call | None:
    """The call, unless nothing of what it names could do harm."""
    if is_known(function):
        return None
    made = Call(str(function), at, inside, called, sure=True)
    root, last = function.module.partition(".")[0], function.name.rpartition(".")[2]
    if function.module in _BUILTINS:
        if last == "getattr":
            return Call(str(function), at, inside, called, sure=False) if called else None
        return made if last in _RUN_BUILTINS or "." in function.name else None
    is_path = root == "pathlib" and last.endswith("Path")
    if str(function) in _HARMLESS_TYPES or is_path or last.endswith(("Error", "Warning")):
        return None
    if root in _STANDARD and root not in _HARMLESS:
        return made
    if _LOADERS.fullmatch(last) and (called or root not in _FRAMEWORKS):
        return made
    if called and last[:1].islower() and root not in _HARMLESS and root not in _FRAMEWORKS:
        return Call(str(function), at, inside, called, sure=False)
    return None
