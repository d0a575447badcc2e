"""The place in the user's source.

Names of functions that were given none.

What the instruction after a call says about its results.
"""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path
from types import SimpleNamespace

import pytest

from theanodiag.agent.hook import sites as module
from theanodiag.agent.hook.script import without_our_lines
from theanodiag.agent.hook.sites import MOST_NAMED, OURS, Sites, installed, name_of, names_of, thrown_away
from theanodiag.agent.walk.values import find_site, framework_roots


def call(folder: Path, name: str, text: str, **names: object) -> object:
    """Executes a file with some names in it and returns its `result`."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    scope = dict(names)
    exec(compile(text, str(path), "exec"), scope)
    return scope["result"]


def test_the_users_line(tmp_path: Path) -> None:
    """File, line, function and code of the caller."""
    site = call(tmp_path, "m.py", "def f():\n    return sites.here()\nresult = f()\n", sites=Sites())
    assert site == {"path": str(tmp_path / "m.py"), "line": 2, "function": "f", "code": "return sites.here()"}


def test_frames_of_the_framework_are_passed_over(tmp_path: Path) -> None:
    """The innermost frame outside of the framework's folder is the place."""
    sites = Sites()
    sites.add(str(tmp_path / "framework"))
    inner = call(tmp_path, "framework/x.py", "result = lambda: sites.here()\n", sites=sites)
    site = call(tmp_path, "m.py", "result = inner()\n", inner=inner)
    assert isinstance(site, dict)
    assert (site["path"], site["function"]) == (str(tmp_path / "m.py"), None)


def test_a_library_is_the_place_only_where_there_is_no_user(tmp_path: Path) -> None:
    """Of libraries above the framework, the user behind them is meant."""
    inner = call(tmp_path, "site-packages/keras.py", "result = lambda: sites.here()\n", sites=Sites())
    site = call(tmp_path, "m.py", "result = inner()\n", inner=inner)
    assert isinstance(site, dict)
    assert site["path"] == str(tmp_path / "m.py")


def test_what_is_installed() -> None:
    """The standard library and site-packages are."""
    assert installed(os.__file__)
    assert installed("/x/lib/python3.8/site-packages/keras/a.py")
    assert not installed("/home/me/model.py")


def test_our_lines_go_from_a_message() -> None:
    """A stack inside of a message loses our frames, with their code."""
    ours = f'  File "{module.__file__}", line 3, in run\n    exec(code)\n'
    theirs = '  File "/home/m.py", line 1, in <module>\n    x = T.vector()\n'
    assert without_our_lines(f"Backtrace:\n{ours}{theirs}end") == f"Backtrace:\n{theirs}end"
    several = repr((f"Backtrace:\n{ours}{ours}{theirs}", "end"))
    assert without_our_lines(several) == repr((f"Backtrace:\n{theirs}", "end"))


def test_a_variable_that_our_files_made_is_the_scripts() -> None:
    """What the hook has PyMC compile carries frames of the hook, which are no place in the user's source."""
    own = (str(Path(module.__file__).with_name("pymc_sampling.py")), 117, "forward", "result = compute(**one)")
    library = ("/x/site-packages/pymc/model/core.py", 9, "compile", "c")
    script = ("/home/me/model.py", 7, "<module>", "pm.sample()")
    roots = framework_roots()
    for trace, path in (([script, own], script[0]), ([script, library, own], script[0]), ([own, library], library[0])):
        site = find_site(SimpleNamespace(tag=SimpleNamespace(trace=[trace])), roots)
        assert site is not None
        assert site["path"] == path
    assert find_site(SimpleNamespace(tag=SimpleNamespace(trace=[[own]])), roots) is None


SOURCE = """
train = function([x], y)
self.test = function(
    [x],
    y)
a, b = function(x), 1
def make():
    return function([x],
                    y)
function([x], y)
if x:
    inner = function()
"""


@pytest.mark.parametrize(
    ("line", "function", "name"),
    [(2, None, "train"), (3, None, "test"), (5, None, "test"), (6, None, None), (8, "make", "make"), (10, None, None), (12, None, "inner")],
)
def test_the_name_is_the_assigned_variables(tmp_path: Path, line: int, function: str | None, name: str | None) -> None:
    """The target of the assignment around the call, or the function that returns it."""
    path = tmp_path / "m.py"
    path.write_text(SOURCE)
    assert name_of({"path": str(path), "line": line, "function": function}) == name


def test_no_source_no_name(tmp_path: Path) -> None:
    """A place whose source cannot be read gives no name."""
    assert name_of(None) is None
    assert name_of({"path": "<stdin>", "line": 1, "function": None}) is None
    (tmp_path / "m.py").write_text("def (")
    assert name_of({"path": str(tmp_path / "m.py"), "line": 1, "function": None}) is None


def test_only_a_call_that_stands_alone_drops_its_results() -> None:
    """One whose result gets a name, an index, or a reader does not. The script is compiled here, under a name of its own."""
    seen: list[bool] = []

    def look() -> list[int]:
        seen.append(thrown_away((__file__,)))
        return [1]

    code = "look()\nx = look()\nlook()[0]\nprint(look())\n[look() for i in (1,)]\nlook()\n"
    exec(compile(code, "script.py", "exec"), {"look": look})
    assert seen == [True, False, False, False, False, True]


NAMED = """
class Proxy(object):
    __slots__ = ("made",)

    def __getattr__(self, name):
        raise KeyError(name)

class Lazy(object):
    __class__ = property(lambda self: 1 / 0)

    def __getattribute__(self, name):
        raise KeyError(name)

class Net(object):
    def __init__(self):
        self.W, self.b = object(), object()

options, lazy, net = Proxy(), Lazy(), Net()
params = [net.W, net.b, object()]
for p in params:
    pass
result = search([net.W, net.b, params[2], p, outer])
"""


def test_names_are_read_past_the_methods_of_objects(tmp_path: Path) -> None:
    """Proxies that raise whatever is asked of them do no harm, and a loop's variable names nothing that has another name."""

    def search(values: list[object]) -> list[str | None]:
        names = names_of(values, (OURS, str(Path(__file__))))
        return [names.get(id(v)) for v in values]

    found = call(tmp_path, "m.py", NAMED, search=search, outer=object(), __name__="__main__")
    assert found == ["net.W", "net.b", "params[2]", "params[2]", "outer"]


def test_a_name_that_two_modules_have_is_the_script_s(tmp_path: Path) -> None:
    """The other module's variable would be taken for that of the script."""

    def search(*values: object) -> list[str | None]:
        names = names_of(list(values), (OURS, str(Path(__file__))))
        return [names.get(id(v)) for v in values]

    text = "W, own = object(), object()\ndef result(theirs):\n    return search(W, own, theirs)\n"
    build = call(tmp_path, "net.py", text, search=search, __name__="net")
    found = call(tmp_path, "m.py", "W = object()\nresult = build(W)\n", build=build, __name__="__main__")
    assert found == [None, "own", "W"]


def test_variables_of_functions_are_names_where_globals_are_none(tmp_path: Path) -> None:
    """The innermost function first; the copy that a frame keeps of its variables holds none of their values afterwards."""

    def search(*values: object) -> list[str | None]:
        names = names_of(list(values), (OURS, str(Path(__file__))))
        return [names.get(id(v)) for v in values]

    text = """
import gc, weakref
class Net(object):
    def __init__(self, shape):
        self.W = Value()
        self.found = search(self.W, shape, known)
class Value(object): pass
known = Value()
def main():
    shape = Value()
    net = Net(shape)
    held = weakref.ref(net.W)
    found = net.found
    del net
    gc.collect()
    return found, held()
def own():
    W = Value()
    mine = locals()
    return search(W), sorted(mine)
result = main(), own()
"""
    (found, left), (hidden, mine) = call(tmp_path, "m.py", text, search=search, __name__="__main__")  # type: ignore[misc]
    assert found == ["self.W", "shape", "known"]
    assert left is None
    assert hidden == [None]
    assert mine == ["W"]


def test_much_data_is_searched_in_part(tmp_path: Path) -> None:
    """The lists of lists of a data set are neither copied nor walked through: what is allocated meanwhile stays small."""

    def search(*values: object) -> tuple[int, list[str | None]]:
        tracemalloc.start()
        names = names_of(list(values), (OURS, str(Path(__file__))))
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most, [names.get(id(v)) for v in values]

    text = "data = [[[k], [k]] * 1000 for k in range(2000)]\nparams = [object()]\nresult = search(params[0], outer())\n"
    most, found = call(tmp_path, "m.py", text, search=search, outer=object, __name__="__main__")  # type: ignore[misc]
    assert found == ["params[0]", None]
    assert most < MOST_NAMED * 1000
