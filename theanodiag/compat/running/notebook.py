"""Notebooks as programs: the code of each cell, with IPython's special lines converted to Python, as `run`, `check` and `compare
--density` run it."""

import json
import re
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional

_HARMLESS = ("time", "timeit", "capture", "prun", "matplotlib", "python", "python3", "python2", "py3", "memcheck")
"""Magics of whole cells whose code is Python."""
_TIMED = ("time", "timeit", "prun", "memit")
"""Magics of a line whose rest is Python."""
_TOKEN = re.compile(
    r"""^(?P<indent>[ \t]*)(?P<mark>[%!?]|[A-Za-z_](?=[\w.]*\?\??[ \t]*$|"""
    r"""[\w.,\[\]'" \t]{0,200}=[ \t]*[!%][ \t]*[\w{$(./~]))(?P<rest>(?:[^\n]*\\\r?\n)*[^\n]*)"""
    r"""|\#[^\n]*|(?P<quotes>"{3}|'{3})(?:\\.|(?!(?P=quotes)).)*(?:(?P=quotes)|\Z)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?"""
    r"""|(?P<open>[(\[{])|(?P<close>[)\]}])|\\\r?\n[ \t]*[%!?]?""",
    re.M | re.S,
)
"""A line for IPython (`%env A=1`, `!ls`, `dot?`, `files = !ls`) with the lines that continue it (IPython 9, core/inputtransformer2.py,
`find_end_of_continued_line`), or what can keep a line from being one: comments, strings, brackets, and a backslash at the end of a line."""
_ENVIRONMENT = re.compile(r"%(?:set_)?env[ \t]+(?P<name>\w+)(?:[ \t]*=[ \t]*|[ \t]+)(?P<value>\S[^\n]*?)[ \t]*$")
"""`%env NAME=VALUE` and `%env NAME VALUE`."""
_ASSIGNED = re.compile(r"[\w.,\[\]'\" \t]*=[ \t]*(?=[!%])")
"""What stands before the command of a line such as `files = !ls`."""
_SET_UP = re.compile(r"(\s*)%%(?:timeit|prun)(?:[ \t]+-(?:[nrpslDT][ \t]+\S+|(?![nrpslDT][ \t])\w+))*[ \t]+(?=[^\s#-])")
"""The first line of a timed cell up to the statement that IPython runs before the cell, if there is one."""
_WORDS = re.compile(r"(\w+)[ \t]*(.*)", re.S)
_PYLAB = (
    "import numpy, matplotlib; from matplotlib import pylab, pyplot; np = numpy; plt = pyplot; "
    "from matplotlib.pylab import *; from numpy import *; "
    "figsize = lambda sizex, sizey: matplotlib.rcParams.update({'figure.figsize': [sizex, sizey]})"
)
"""The imports of `%pylab` (IPython 9, core/pylabtools.py, `import_pylab` and `figsize`), in one line, as others keep their numbers."""


class NotebookCell(NamedTuple):
    """One code cell."""

    number: int
    """Position among all cells, from 1."""
    code: str
    """Python, with as many lines as the cell."""


def _document(text: str) -> Dict[str, Any]:
    document = json.loads(text)
    if not isinstance(document, dict) or not ("cells" in document or "worksheets" in document):
        raise ValueError("it has no cells; formats 3 and 4 are read")
    return document


def _sources(document: Dict[str, Any]) -> Iterator[Any]:
    """(number, source) of each code cell, of format 4 or 3."""
    sheets = document.get("worksheets") or [document]
    cells = [cell for sheet in sheets for cell in sheet.get("cells", ())]
    for number, cell in enumerate(cells, 1):
        if cell.get("cell_type") == "code":
            source = cell.get("source", cell.get("input", ""))
            yield number, "".join(source) if isinstance(source, list) else str(source)


def cells(text: str) -> List[NotebookCell]:
    """Returns the code cells of the text of an .ipynb file. Raises ValueError for a text that is not a notebook."""
    return [NotebookCell(number, _python(source)) for number, source in _sources(_document(text))]


def cell_name(path: str, number: int) -> str:
    """Returns the name of a cell in tracebacks and messages, such as `model.ipynb, cell 3`; `Location.in_file` takes it apart."""
    return "{}, cell {}".format(path, number)


def settings(text: str) -> Dict[str, str]:
    """Returns the environment variables set by `%env NAME=VALUE` and `%env NAME VALUE`."""
    values = {}  # type: Dict[str, str]
    for _, source in _sources(_document(text)):
        lines = (environment(source, line.start("mark")) for line in special_lines(source))
        values.update({line.group("name"): line.group("value") for line in lines if line})
    return values


def environment(source: str, at: int) -> "Optional[re.Match[str]]":
    """Returns the match of a line `%env NAME=VALUE` that begins at offset `at`, with the groups `name` and `value`; None for
    other lines.
    """
    end = source.find("\n", at)
    return _ENVIRONMENT.match(source, at, len(source) if end < 0 else end)


def command_start(source: str, line: "re.Match[str]") -> int:
    """Returns the offset of the `%` or `!` of a line for IPython, behind the name to which it assigns (`files = !ls`); of the line's mark
    in others.
    """
    assigned = _ASSIGNED.match(source, line.start("mark"), line.end())
    return assigned.end() if assigned else line.start("mark")


def other_language(text: str) -> Optional[str]:
    """Returns the language of the cells according to the kernel with which the notebook was saved; None if it is Python, or none is
    given.
    """
    metadata = _document(text).get("metadata") or {}
    given = [(metadata.get("language_info") or {}).get("name"), (metadata.get("kernelspec") or {}).get("language")]
    names = [str(name) for name in given if name]
    return names[0] if names and not any("py" in name.lower() for name in names) else None


def is_python2(text: str) -> bool:
    """Returns whether the notebook was last run by Python 2, or requests its kernel."""
    metadata = _document(text).get("metadata") or {}
    version = str((metadata.get("language_info") or {}).get("version", ""))
    return version.startswith("2") or (not version and (metadata.get("kernelspec") or {}).get("name") == "python2")


def is_python(source: str) -> bool:
    """Returns whether the code of a cell is Python, possibly timed, and not code of another language or of a magic whose content is not a
    program.
    """
    magic = re.match(r"\s*%%(\w+)", source)
    return magic is None or magic.group(1) in _HARMLESS


def special_lines(source: str) -> "Iterator[re.Match[str]]":
    """Returns the lines for IPython in the code of a cell, each as a match with the groups `indent`, `mark` (its first character) and
    `rest`.

    As in IPython, a line within a string or brackets is not such a line, nor is a line that continues another: `% 5` may be the rest of a
    division.
    """
    depth = 0
    token = _TOKEN.search(source)
    while token:
        end = token.end()
        if token.group("mark") and not depth:
            yield token
        elif token.group("mark"):
            end = token.end("mark")
        depth = max(0, depth + bool(token.group("open")) - bool(token.group("close")))
        token = _TOKEN.search(source, end)


def replaced(source: str, line: Callable[[str, str, str], str]) -> str:
    """Returns the code of a cell with each line for IPython replaced by `line(indentation, mark, rest)`."""
    done, at = [], 0
    for token in special_lines(source):
        done += [source[at : token.start()], line(*token.group("indent", "mark", "rest"))]
        at = token.end()
    return "".join([*done, source[at:]])


def _python(source: str) -> str:
    """The code of a cell; one that is not Python becomes a comment."""
    if not is_python(source):
        return re.sub(r"^", "#", source, flags=re.M)
    if re.match(r"\s*%%", source):
        source = _SET_UP.sub(r"\1", source) if _SET_UP.match(source) else source.replace("%%", "#", 1)
    return replaced(source, _line)


def _line(indent: str, mark: str, rest: str) -> str:
    """The Python form of a line of IPython: the program of `%run`, the statement of `%time`, the imports of `%pylab`; other lines do
    nothing (a comment, as `from __future__ import` may follow; in a block a statement, which may be its only one)."""
    words = _WORDS.match(rest) if mark == "%" else None
    name, argument = words.groups() if words else ("", "")
    if name in _TIMED and argument and not argument.startswith("-"):
        return indent + argument
    if name == "pylab":
        return indent + _PYLAB + "\n" * rest.count("\n")
    if name == "run" and argument and not argument.startswith("-"):
        path = argument.split()[0]
        path = path if path.endswith(".py") else path + ".py"
        return "{}exec(compile(open({!r}).read(), {!r}, 'exec'))".format(indent, path, path) + "\n" * rest.count("\n")
    return "{}{}# {}{}".format(indent, "pass  " if indent else "", mark, rest.replace("\n", "\n# "))
