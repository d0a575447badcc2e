"""Remedies for errors of a script's own lines, and of values that Python's own functions do not take."""

from __future__ import annotations

from collections.abc import Mapping

from .model import Cause
from .patterns import OLD_SYNTAX
from .remedy import remedy

_IMPORTS: Mapping[str, str] = {
    **dict.fromkeys(("np", "numpy"), "import numpy as np"),
    **dict.fromkeys(("tt", "T"), "import theano.tensor as tt (T), PyMC 5 and later import pytensor.tensor as pt"),
    "pm": "import pymc as pm (PyMC3: import pymc3 as pm)",
    "pt": "import pytensor.tensor as pt",
    "at": "import aesara.tensor as at",
    "az": "import arviz as az",
    "pd": "import pandas as pd",
    "plt": "import matplotlib.pyplot as plt",
    "sns": "import seaborn as sns",
    "jnp": "import jax.numpy as jnp",
    "K": "from keras import backend as K",
    **{name: f"import {name}" for name in ("theano", "pytensor", "lasagne", "keras", "jax", "os", "sys", "math", "time", "pickle")},
}
"""Name that scripts give to a module -> the line that imports it."""

_OF_SCRIPT = r"^(?![^\n]*-packages[/\\])(?=[^\n]*(?:\.py\b|, line \d|<ipython|\bIn ?\[?))[^\n]*\n(?:(?![^\n]*\.py\b)[^\n]*\n){0,4}?"
"""The line that names a file of the user's, before its lines of source."""

OWN = (
    remedy(
        Cause.OWN_CODE,
        r"^[^\n]*(?:^\s*\w+: [\w.\[\]]+(?: ?=[^\n]*)?,?\s*$|\bdef [^\n]*->|[( =,]f[\"']|\bnonlocal |\byield from |:=|"
        r"\bprint\([^\n]*\b(?:end|file|sep)=)[^\n]*\n\s*\^[\s^~]*\n\s*SyntaxError",
        "that line is Python 3 code, and an older Python read it: start the script with python3 (python --version; f-strings need 3.6, := "
        "needs 3.8)",
    ),
    remedy(
        Cause.OWN_CODE,
        rf"^[^\n]*(?:{OLD_SYNTAX})[^\n]*\n\s*\^[\s^~]*\n\s*SyntaxError",
        "that line is Python 2 code: start the script with python2, or rewrite it for Python 3: theanodiag port SCRIPT --to theano "
        "--python2to3 --write",
    ),
    remedy(
        Cause.OWN_CODE,
        r"SyntaxError: \(unicode error\) '(?P<codec>[\w-]+)' codec can't decode byte (?P<byte>0x\w\w)",
        "the source file is not in {codec} (byte {byte}): save it as UTF-8, or write its encoding into its first line: # -*- coding: gbk "
        "-*- (latin-1, cp1252)",
    ),
    remedy(
        Cause.OWN_CODE,
        r"\A[^\n]{0,12}NameError: (?:global )?name '(?P<name>\w+)' is not defined",
        "{name} is used but not imported: {became}",
        "",
        _IMPORTS,
    ),
    remedy(
        Cause.OWN_CODE,
        r"\A[^\n]{0,12}(?:NameError: (?:global )?name|UnboundLocalError: [^\n]{0,60}?variable) '(?P<name>\w+)'",
        "{name} has no value there: it is misspelt, set only in another branch, function or file (import it), or set in a notebook's "
        "cell that has not been run",
        alone=True,
    ),
    remedy(
        Cause.ENCODING,
        r"'ascii' codec can't decode",
        "for a pickle or .npy file of Python 2: pickle.load(f, encoding='latin1'), numpy.load(path, allow_pickle=True, "
        "encoding='latin1'); for text: open(path, encoding='utf-8'), or export PYTHONUTF8=1 before Python starts",
    ),
    remedy(
        Cause.ENCODING,
        r"'(?P<codec>charmap|cp\d+|gbk|gb\d+|big5|shift_jis|euc_\w+|mbcs)' codec",
        "Windows reads and writes text in {codec} unless an encoding is given: open(path, encoding='utf-8'), or set PYTHONUTF8=1 before "
        "Python starts",
    ),
    remedy(
        Cause.ENCODING,
        r"'utf-?8' codec can't decode",
        "open a binary file (a pickle, an image, an archive) with 'rb', and text in another encoding with open(path, encoding='latin1'); "
        "for the output of a compiler or another program on Windows: chcp 65001",
    ),
    remedy(
        Cause.ENCODING,
        r"codec can't encode",
        "export PYTHONIOENCODING=utf-8 (in a container or batch job LANG=C.UTF-8 too), and open(path, 'w', encoding='utf-8')",
    ),
    remedy(
        Cause.LIBRARIES,
        r"Layer' object has no attribute '(?P<name>get_output\w*)'",
        "layers of Lasagne 0.1 and later have no {name}: use lasagne.layers.get_output(layer) and layer.output_shape; upgrade nolearn "
        "(or the script) to match the installed Lasagne",
    ),
    remedy(
        (Cause.LIBRARIES, Cause.OWN_CODE),
        _OF_SCRIPT + r"[^\n]{0,200}?(?<![\w.])(?P<module>[a-z]\w{0,40})(?P<inner>(?:\.\w{1,40}){0,4})\.(?P<na"
        r"me>\w{1,60})\([^\n]*\n(?:[\s^~]*\n)?AttributeError: '?module'? (?:object|'[\w.]+') has no attribute '(?P=name)'",
        "{module}{inner} has no {name} in the installed {module}: the script was written for another release; install the one that its "
        "requirements or README name (or one from the same year), or look up what replaced {name}",
    ),
    remedy(
        (Cause.LIBRARIES, Cause.OWN_CODE),
        rf"(?:{_OF_SCRIPT}|\A(?:(?![^\n]*\.py\b)[^\n]*\n){{0,3}}?)"
        + r"[^\n]{0,200}?(?<![\w.])(?P<module>[A-Za-z_]\w{0,40}(?:\.\w{1,40}){0,4})\.(?P<name>\w{1"
        r",60})\b(?!\()[^\n]*\n(?:[\s^~]*\n)?AttributeError: '?module'? (?:object|'[\w.]+') has no attribute '(?P=name)'",
        "{module} has no {name}: if that is a module, it must be imported by its full name first (import {module}.{name}); else another "
        "module or release has it (look up {name} in the documentation)",
    ),
    remedy(
        (Cause.OWN_CODE, Cause.REFUSED, Cause.SHAPES, Cause.OLD_INTERFACE),
        r"'(?P<name>[^'\n]{1,60})' is not a valid dimension or coordinate for [^\n{]{1,120}\{(?P<has>[^}\n]{1,200})\}",
        "the results have no dimension {name}, but {has}: one whose name ends in _dim_0 belongs to a variable without dims: create it with "
        "dims='{name}'; or install the PyMC for which the script was written, whose functions named them",
    ),
    remedy(
        Cause.OWN_CODE,
        r"\A[^\n]{0,12}AttributeError: '(?P<type>list|tuple|str|bytes|int|float|bool|dict|set|dict_\w+|map|zip|filter|"
        r"range)' object has no attribute '(?P<name>\w+)'",
        "this line uses a {type}, which has no {name}: print it; numpy.asarray(x) turns a list into an array, and Python 3 gives str, "
        "views and iterators where Python 2 gave bytes and lists",
    ),
    remedy(
        (Cause.LIBRARIES, Cause.OWN_CODE),
        r"\A[^\n]{0,12}AttributeError: '(?P<type>(?!module')\w+)' object has no attribute '(?P<name>\w+)'",
        "objects of {type} have no {name}: if the script defines {type}, the file with this class is of another version than the one that "
        "uses it (get all of them from one version), or a method that sets {name} has not run; if a library defines it, another release "
        "has {name}",
    ),
    remedy(
        Cause.OWN_CODE,
        r"\A[^\n]{0,12}ValueError: (?:too many|not enough|need more than \d+) values? to unpack",
        "that line assigns more or fewer values than it has names on its left: print the right side; another release of a file or "
        "function may return another number of values",
    ),
    remedy(
        Cause.OWN_CODE,
        r"\A[^\n]{0,12}\w+Error: '?NoneType'? object (?:has no|is not|cannot)",
        "that line uses None, the result of a function without return, of a file that was not read (cv2.imread), of a search without a "
        "match, or of a method that changes its object and returns nothing; print the value before that line",
    ),
    remedy(
        Cause.OWN_CODE,
        r"\A[^\n]{0,12}IndexError: list index out of range",
        "the index is beyond the end of the list: print the length of the list; sys.argv has only the arguments that you pass to the "
        "script, and an empty folder or file gives an empty list",
    ),
    remedy(
        Cause.OWN_CODE,
        r"\A[^\n]{0,12}ZeroDivisionError",
        "that line divides by 0: usually by the length of something empty, or in Python 2 by an integer division such as 1 / 2",
    ),
    remedy(
        (Cause.OWN_CODE, Cause.LIBRARY_FAULT),
        r"\A[^\n]{0,12}TypeError: '?(?P<type>list|tuple|dict|str|int|float|bool|ndarray|numpy\.ndarray|method|function)'? object is not "
        r"(?P<need>an iterator|iterable|callable|subscriptable)",
        "a {type} is not {need}: print the type of each argument of {function}; iter(x) or zip(x, y) turns lists into an iterator, f is "
        "callable but the result of f() may not be, and a variable may hide a function of the same name",
    ),
    remedy(
        Cause.OWN_CODE,
        r"\A[^\n]{0,12}KeyError: (?:'(?P<name>[^'\n]{1,60})'|(?P<number>-?\d{1,18})\b)",
        "the object that this line reads has no {name}{number}: print its keys; a library's results have the requested names (var_names), "
        "in the groups of its release",
    ),
    remedy(
        Cause.LIBRARY_FAULT,
        r"-packages[/\\][^\n]*\n(?:[^\n]*\n){0,8}?[^\n]{0,12}KeyError: '(?P<name>[^'\n]{1,60})'",
        "{library} looks for {name} in its arguments, or in a file that it read, and does not find it: check the names that you pass to "
        "{function} (a dictionary of settings must be complete), or install the release of {library} for which the script was written",
    ),
    remedy(
        (Cause.LIBRARY_FAULT, Cause.OWN_CODE),
        r"'NoneType' object has no attribute '(?:write|flush|isatty|fileno|encoding)'",
        "the process has no console to write to (a child process on Windows, pythonw, a service): use cores=1, no progress bar "
        "(progressbar=False), or sys.stdout = sys.stderr = open(os.devnull, 'w') at its start",
    ),
    remedy(
        Cause.OWN_CODE,
        r"\A[^\n]{0,12}(?:SyntaxError|IndentationError|TabError)\b(?!: Missing parentheses)",
        "Python cannot parse the line that it shows: look there, and at the end of the line above, for a missing bracket, quotation "
        "mark, comma, colon or word (if, def, import), and for tabs among spaces",
        alone=True,
    ),
)
"""Remedies for errors that a line of the script raised, or a value that it gave."""
