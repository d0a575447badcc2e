"""`theanodiag run`: legacy scripts as they are, on the PyTensor of any interpreter."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from .. import interpreters
from .run import theanodiag

SCRIPT = """
import sys
import theano, theano.tensor as T
x = T.dscalar('x')
print(float(theano.function([x], x * 2)(4.0)), sys.argv, __name__, __file__ == sys.argv[0])
sys.exit(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
"""
PYTHON2 = """import cPickle
import theano, theano.tensor as T
from parts import batches
x = T.ivector('x')
f = theano.function([x], x / 2)
print 'numbers', 7 / 2, 7 / 2.0, f([3, 5]), batches(10, 4)
held = [9, 8]
held[0] /= 2
def plus((a, b), c):
    return a + b + c
try:
    raise ValueError, 'bad'
except ValueError, error:
    print error, held, plus((1, 2), 3), reduce(max, [1, 3]), 0777
cPickle.dump(obj=held, file=open(__file__ + '.pkl', 'wb'), protocol=-1)
print repr(cPickle.loads("S'caf\\\\xe9'\\np0\\n.".encode('latin1'))), cPickle.load(open(__file__ + '.pkl'))
raise RuntimeError('line 17')
"""


def run(*args: str, env: dict[str, str] | None = None, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """`theanodiag run --python PYTENSOR ARGS`."""
    where = str(cwd) if cwd else None
    return theanodiag("run", "--python", interpreters.find("pytensor"), *args, env={"PYTHONWARNINGS": "ignore", **(env or {})}, cwd=where)


def test_a_script_runs_as_itself(tmp_path: Path) -> None:
    """Arguments, name, output and exit code are its own; one line on standard error says what stands in for what."""
    script = tmp_path / "legacy.py"
    script.write_text(SCRIPT)
    done = run("--mode", "c", str(script), "5", "--depth", "x", env={"PYTHONWARNINGS": "default"})
    assert (done.stdout, done.returncode) == (f"8.0 {[str(script), '5', '--depth', 'x']} __main__ True\n", 5)
    (line,) = done.stderr.splitlines()
    assert line.startswith("theanodiag: PyTensor 3.")
    assert line.endswith("stands in for Theano and Aesara, mode C")


def test_a_script_that_no_python_reads_is_told_at_its_place(tmp_path: Path) -> None:
    """As Python does: the line and a caret, without our own frames; it is not said to be Python 2."""
    script = tmp_path / "open.py"
    script.write_text("import theano\nx = (\n")
    done = run(str(script))
    assert (done.stdout, done.returncode) == ("", 1)
    first, *rest = done.stderr.splitlines()
    assert first.endswith("mode C")
    assert rest == [f'  File "{script}", line 2', "    x = (", "        ^", "SyntaxError: '(' was never closed"]


def test_a_notebook_runs_cell_by_cell(tmp_path: Path) -> None:
    """Lines for IPython are none of Python's; a traceback names the cell and shows its line; `%env` holds; the last
    value of a cell is shown; the file must be a notebook."""
    cells = ["%env THEANO_FLAGS=floatX=float32\n%matplotlib inline\nimport theano", "display(theano.config.floatX, 7 / 2)\n1 / 0"]
    document = {"cells": [{"cell_type": "code", "source": source} for source in cells], "metadata": {}, "nbformat": 4}
    (tmp_path / "old.ipynb").write_text(json.dumps(document))
    done = run("--mode", "c", "old.ipynb", cwd=tmp_path)
    assert (done.stdout, done.returncode) == ("float32 3.5\n", 1)
    assert 'File "old.ipynb, cell 2", line 2' in done.stderr
    assert "\n    1 / 0\n" in done.stderr
    cells[1] = "7 / 2  # half"
    cells += ["3;  # not shown", "x = 5", "def f():\n    1", "%time 2 * x"]
    document["cells"] = [{"cell_type": "code", "source": source} for source in cells]
    (tmp_path / "old.ipynb").write_text(json.dumps(document))
    assert run("--mode", "c", "old.ipynb", cwd=tmp_path).stdout == "3.5\n10\n"
    document["metadata"] = {"language_info": {"version": "2.7.3"}}
    (tmp_path / "old.ipynb").write_text(json.dumps(document))
    assert run("--mode", "c", "old.ipynb", cwd=tmp_path).stdout == "3\n10\n"
    (tmp_path / "old.ipynb").write_text("{}")
    done = run("old.ipynb", cwd=tmp_path)
    assert (done.returncode, "this is not a notebook" in done.stderr) == (3, True)


def test_an_option_behind_the_script_is_the_scripts(tmp_path: Path) -> None:
    """It says so, unless the script has an option of that name."""
    script = tmp_path / "plain.py"
    for text, told in (("import sys; print(sys.argv[1:])", 1), ("import sys; print(sys.argv[1:])  # --mode fast", 0)):
        script.write_text(text)
        done = run(str(script), "--mode", "fast")
        assert done.stderr.count("--mode is passed to the script: options of run must come before it") == told


def test_a_ported_script_gets_theanodiag_where_it_is_not_installed(tmp_path: Path) -> None:
    """Told once; its children have it too."""
    ported = tmp_path / "ported.py"
    ported.write_text(
        "import subprocess, sys\nfrom theanodiag.legacy.tensor import nnet\nimport pytensor.tensor as T\n"
        "print(nnet.softmax(T.vector()).ndim, flush=True)\n"
        "subprocess.run([sys.executable, '-c', 'from theanodiag.legacy.tensor import nnet; print(nnet.__name__)'], check=True)\n"
    )
    there = subprocess.run([interpreters.find("pytensor"), "-c", "import theanodiag"], cwd=tmp_path, capture_output=True, text=True)
    assert "No module named 'theanodiag'" in there.stderr
    ended = run(str(ported), cwd=tmp_path, env={"PYTHONPATH": ""})
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines()[0] == "2"
    assert ended.stderr.count("the script imports theanodiag, which is lent to it") == 1


@pytest.mark.parametrize("first", ["", "import theano\n"])
def test_a_ported_script_with_a_library_for_theano_loads_one_layer(tmp_path: Path, first: str) -> None:
    """What it imports from theanodiag.legacy is what the library gets, whichever comes first."""
    (tmp_path / "library.py").write_text("import theano\nfrom theano.tensor import nlinalg\nfrom theano.tensor.signal import pool\n")
    ported = tmp_path / "ported.py"
    ported.write_text(
        f"{first}from theanodiag.legacy.tensor import nlinalg\nfrom theanodiag.legacy.tensor.signal import pool\n"
        "from theanodiag import legacy\nimport library\nimport pytensor, pytensor.tensor as T\nx = T.tensor4()\n"
        "f = pytensor.function([x], library.pool.pool_2d(pool.pool_2d(x, (2, 2), ignore_border=True), (2, 2), ignore_border=True))\n"
        "same = pool.pool_2d is library.pool.pool_2d\n"
        "print(same, nlinalg.trace is library.nlinalg.trace, legacy.divide(7, 2), f([[[[1, 2, 3, 4]] * 4]]))\n"
    )
    done = run(str(ported), cwd=tmp_path, env={"PYTHONPATH": "", "PYTENSOR_FLAGS": "mode=FAST_COMPILE"})
    assert done.stdout == "True True 3 [[[[4.]]]]\n", done.stderr


def test_a_module_runs(tmp_path: Path) -> None:
    """`-m MODULE` is looked for where Python would look; what follows is the module's."""
    (tmp_path / "legacy.py").write_text(SCRIPT.replace("__file__ == sys.argv[0]", "True"))
    done = run("-m", "legacy", "3", cwd=tmp_path)
    assert done.returncode == 3
    assert "'3'] __main__ True" in done.stdout


def test_children_have_the_layer(tmp_path: Path) -> None:
    """Processes made in each of multiprocessing's ways, and a script that is started by name, import theano too, and say nothing."""
    script = tmp_path / "children.py"
    script.write_text("""
import multiprocessing, subprocess, sys

def version(_):
    import theano
    return theano.__version__

if __name__ == '__main__':
    for way in ('fork', 'spawn', 'forkserver'):
        with multiprocessing.get_context(way).Pool(1) as pool:
            print(way, pool.map(version, [0]), flush=True)
    print(subprocess.check_output([sys.executable, '-c', 'import theano; print(theano.__version__)'], text=True))
""")
    done = run(str(script))
    assert done.stdout.split("\n")[:4] == ["fork ['1.0.5']", "spawn ['1.0.5']", "forkserver ['1.0.5']", "1.0.5"], done.stderr
    assert done.stderr.count("theanodiag") == 1


def test_python_2_is_translated_in_memory(tmp_path: Path) -> None:
    """Python 2 runs, integers divide downwards in all files of the project, tracebacks name the file's own lines, and it is said."""
    (tmp_path / "parts.py").write_text("def batches(n, size):\n    return n / size\n")
    script = tmp_path / "old.py"
    script.write_text(PYTHON2)
    before = sorted(tmp_path.iterdir())
    done = run(str(script))
    assert done.stdout.splitlines() == ["numbers 3 3.5 [1 2] 2", "bad [4, 8] 6 3 511", "'café' [4, 8]"], done.stderr
    assert done.returncode == 1
    assert f'  File "{script}", line 17, in <module>' in done.stderr
    assert "running/script.py" not in done.stderr
    assert "old.py is Python 2: translated in memory, line numbers and integer division kept" in done.stderr
    assert sorted(p for p in tmp_path.iterdir() if p.suffix == ".py") == before
    assert script.read_text() == PYTHON2


@pytest.mark.parametrize("name", ["pytensor", "pytensor_312"])
def test_python_2_that_runpy_runs(tmp_path: Path, name: str) -> None:
    """By `run_path`, and again in a process that is spawned: with the builtins of Python 2. CPython 3.12.3 changed a function of runpy."""
    (tmp_path / "sizes.py").write_text("n = 7 / 2\n")
    (tmp_path / "part.py").write_text("execfile('sizes.py')\nprint reduce(cmp, [n, 4, 5]), run\n")
    script = tmp_path / "old.py"
    script.write_text("""import multiprocessing, runpy
execfile("sizes.py")

def half(x):
    return x / n

if __name__ == "__main__":
    print runpy.run_path("part.py", {"run": 1})["n"]
    print multiprocessing.get_context("spawn").Pool(1).map(half, [7])
""")
    done = theanodiag("run", "--python", interpreters.find(name), str(script), env={"PYTHONWARNINGS": "ignore"}, cwd=str(tmp_path))
    assert done.stdout.splitlines() == ["-1 1", "3", "[2]"], done.stderr


def test_order_and_iterators_of_python_2(tmp_path: Path) -> None:
    """None is less than all else, numbers less than texts; a class may have `next` and, for Python 3, `__next__`. As CPython 2.7 prints."""
    script = tmp_path / "old.py"
    script.write_text("""class Batches(object):
    n = 0
    def __iter__(self):
        return self
    def next(self):
        self.n += 1
        if self.n > 3:
            raise StopIteration()
        return self.n
    def __next__(self):
        return self.next()

print None > 0, None < -1, None <= None, 5 < 'a', 'a' > 5, [] < '', {} > [], 2 < 3, eval('None >= 1'), list(Batches())
try:
    print 2j < 1j
except TypeError:
    print 'no order'
""")
    expected = "False True True True True True False True False [1, 2, 3]\nno order\n"
    assert interpreters.python("theano27", str(script)).stdout == expected
    assert run(str(script)).stdout == expected


def test_python_2_that_looks_like_3(tmp_path: Path) -> None:
    """`--python2` says what the text does not: a script, a module and what lies beside them divide as they did."""
    (tmp_path / "parts.py").write_text("def half(n):\n    return n / 2\n")
    script = tmp_path / "old.py"
    script.write_text("from parts import half\nprint(half(7), 7 / 2)\n")
    assert run(str(script)).stdout == "3.5 3.5\n"
    for words in ([str(script)], ["-m", "old"]):
        done = run("--python2", *words, cwd=tmp_path)
        assert done.stdout == "(3, 3)\n"
        assert "old.py is Python 2: translated in memory" in done.stderr


MIXED = {
    "main.py": "import net, helper, new\nprint(net.build(7))\nprint(7 / 2)\nprint(new.half(7))\n",
    "net.py": "import helper\ndef build(n):\n    print 'building'\n    return helper.width(n)\n",
    "helper.py": "import numpy as np\ndef width(n):\n    return [n / 2, sorted({1: 2}.keys()), list(np.arange(n)[:2])]\n",
    "new.py": "def half(n: int):\n    return n / 2\n",
}


def test_a_module_in_python_2_makes_the_project_python_2(tmp_path: Path) -> None:
    """What both can read divides as CPython 2.7 does, and shows numpy's numbers so; what only Python 3 can read divides as that does."""
    for name, text in MIXED.items():
        (tmp_path / name).write_text(text)
    done = run(str(tmp_path / "main.py"))
    assert done.stdout == "building\n[3, [1], [0, 1]]\n3\n3.5\n", done.stderr
    assert "net.py is Python 2, and so main.py is taken for it" in done.stderr


def test_a_module_in_python_2_that_is_found_late_is_told(tmp_path: Path) -> None:
    """A program can do without what it imports in `try` or in a function: what was read as Python 3 before stays so, and that is said."""
    (tmp_path / "net.py").write_text(MIXED["net.py"].replace("helper.width(n)", "n / 2"))
    (tmp_path / "helper.py").write_text("")
    (tmp_path / "main.py").write_text("def go():\n    import net\n    return net.build(7)\nprint(go(), 7 / 2)\n")
    done = run(str(tmp_path / "main.py"))
    assert done.stdout == "building\n3 3.5\n", done.stderr
    assert "net.py is Python 2, and main.py was read as Python 3, where 7 / 2 is 3.5" in done.stderr


SORTS = """
import json, os, sys, gzip, cPickle
import numpy as np
a = np.array([3, 1, 2])
print np.sort(a), np.argsort([1, 3, 2])
b = a.copy()
b.sort()
c = np.array([[2, 1], [3, 0]])
c.sort(0, 'mergesort')
c.sort(axis=1)
print b.tolist(), c.tolist()
down = lambda p, q: cmp(q, p)
words = ['bb', 'a', 'ccc']
words.sort(down)
print words, sorted(words, down), sorted([3, 1, 2], cmp=down), sorted([1, -3, 2], down, abs), sorted([1, -3, 2], None, abs, True)
words.sort(None, len)
print words
words.sort(cmp=down, key=len, reverse=True)
list.sort(words, down)
print words, sorted(words), sorted(words, key=len)
class Heap(list):
    def sort(self, how):
        return 'my own ' + how
print Heap().sort('order')
def ranked(sorted):
    return sorted(1, 2)
print ranked(lambda p, q: p - q), sorted(*[[2, 1], cmp])
name = os.path.join(sys.argv[1], 'j')
f = open(name, 'wb'); json.dump({'a': 1}, f); f.write('text'); print >> f, 'line'; f.writelines(['x', 'y']); f.close()
print repr(open(name).read()), os.path.getsize(name)
f = open(name, 'r+b', 0); f.write('[b'); f.seek(0); print len(f.read()); f.close()
f = file(name, 'ab'); f.write('z'); f.close()
f = gzip.open(name + '.gz', 'w'); f.write("ab 1\\n\\xc3\\xa9 2\\n"); f.close()
print [line.split()[0].decode('utf-8') == word for line, word in zip(gzip.open(name + '.gz', 'r'), (u'ab', u'\\xe9'))]
f = gzip.open(name + '.gz', 'wb'); cPickle.dump([1], f, 2); f.close()
print cPickle.load(gzip.open(name + '.gz')), "caf\\xc3\\xa9".decode("utf-8") == u"caf\\xe9", "6162".decode("hex"), 'x'.decode()
print open(name, 'rU').read().split()
"""


def test_sorts_and_files_of_python_2(tmp_path: Path) -> None:
    """`cmp` of lists, `sort` of numpy and its arrays, files open for bytes or zipped, `decode`: as CPython 2.7 itself prints them."""
    script = tmp_path / "old.py"
    script.write_text(SORTS)
    done = run(str(script), str(tmp_path))
    assert done.returncode == 0, done.stderr
    real = interpreters.python("theano27", str(script), str(tmp_path))
    assert real.returncode == 0, real.stderr
    assert done.stdout == real.stdout


TEXTS = """
print eval('7 / 2'), eval(' 7 / 2.0'), eval('map(len, ["ab"])'), eval("{'a': [1, 2]}")['a'], eval('0777')
exec "y = 7 / 2\\nprint y, range(3)"
def half(a):
    return eval('a / 2')
print half(5)
names = {'q': 9}
exec "import cPickle\\nr = q / 2" in names
print {'a': 1}.itervalues().next().real, (i for i in 'ab').next().upper(), iter([3]).next()
class Table(object):
    def iteritems(self):
        return iter([('k', 5)])
    def has_key(self, key):
        return key == 'k'
print [pair for pair in Table().iteritems()], Table().has_key('k'), Table().has_key('l'), dict(Table().iteritems())
def picked(b):
    made = 3
    held = locals()
    return [locals()[name] for name in ("b", "made")], [[eval("made + k") for k in [1]] for _ in [0]], "made" in held
class Fields(object):
    a = 1
    locals()["c"] = 2
from itertools import izip as pairs
from itertools import chain, imap as mapped
from itertools import (izip,
    ifilter as chosen, izip_longest)
print list(pairs([1], [2])), list(mapped(abs, [-1])), list(chosen(None, [0, 1])), list(chain(izip([1], [3]))), list(izip_longest([1], []))
import functools
class First(object):
    def next(self):
        return 1
class Second(object):
    def __iter__(self):
        return self
    @functools.wraps(First.next)
    def next(self):
        raise StopIteration
print list(Second()), First().next()
import collections
table = collections.OrderedDict((k, k * 2) for k in range(5))
seen = []
for k, v in table.iteritems():
    seen.append((k, v))
    if k % 2:
        del table[k]
    if k == 4:
        table[9] = 1
for k in table.iterkeys():
    table.pop(k)
print seen, table
def brought():
    exec "import string"
    return eval("string.digits")
import numpy as np
n = np.zeros(3).sum(dtype="int64")
print isinstance(n, int), isinstance(n, (str, (int, long))), isinstance(n, float), isinstance(np.int32(1), int)
print isinstance(1.0, float), brought()
print picked(2), Fields.c, "picked" in locals(), [locals()["names"] is names for _ in [0]]
print names['r'], eval('q / 2', names), eval('q / 2 + w', {'q': 1}, {'w': 5}), eval(compile('3', '', 'eval'))
exec(compile("print 7 / 2, map(abs, [-1])", "made.py", "exec"))
import ast
print eval(compile("len(map(abs, [-1])) / 2.0 + 7 / 2", "made.py", mode="eval"))
print isinstance(compile("x / 2", "", "eval", ast.PyCF_ONLY_AST), ast.AST)
"""
TRUE = """from __future__ import division, print_function
exec('print(7 / 2, sep=str())')
print(map(len, [[]]), eval('9 / 2'), eval(compile('9 / 2', '', 'eval')), eval(compile('9 / 2', '', 'eval', 0, 1)))
"""


@pytest.mark.parametrize("source", [TEXTS, TRUE])
def test_texts_of_python_2(tmp_path: Path, source: str) -> None:
    """Texts for `exec`, `eval` and `compile` are Python 2 as their file is, with its imports from the future, as CPython 2.7
    itself prints them."""
    script = tmp_path / "old.py"
    script.write_text(source)
    done = run("--python2", str(script))
    assert done.returncode == 0, done.stderr
    real = interpreters.python("theano27", str(script))
    assert real.returncode == 0, real.stderr
    assert done.stdout == real.stdout


def test_division_that_was_true_stays_true(tmp_path: Path) -> None:
    """A file that imports division from the future divides as it says."""
    script = tmp_path / "old.py"
    script.write_text("from __future__ import division\nprint 7 / 2\n")
    assert run(str(script)).stdout == "3.5\n"


def test_division_in_a_class(tmp_path: Path) -> None:
    """In the body of a class and in its methods integers divide downwards too."""
    script = tmp_path / "old.py"
    script.write_text("""
class Net(object):
    half = 7 / 2
    def part(self, n):
        n /= 2
        return n / 2
print Net.half, Net().part(13)
""")
    assert run(str(script)).stdout == "3 3\n"


def test_division_in_folders_beside_the_scripts(tmp_path: Path) -> None:
    """Modules that the script finds by PYTHONPATH, or by a change of sys.path, divide as it does; installed ones as they always did."""
    (tmp_path / "examples").mkdir()
    (tmp_path / "given" / "parts").mkdir(parents=True)
    (tmp_path / "given" / "parts" / "__init__.py").write_text("")
    (tmp_path / "packages" / "new-1.0.dist-info").mkdir(parents=True)
    for path in ("given/parts/inner.py", "beside.py", "packages/new.py"):
        (tmp_path / path).write_text("def half(n):\n    return n / 2\n")
    script = tmp_path / "examples" / "old.py"
    script.write_text("import sys\nsys.path.append('..')\nimport beside, statistics, new\nfrom parts.inner import half\n"
                      "print beside.half(7), half(7), new.half(7), statistics.mean([1, 2])\n")  # fmt: skip
    given = os.pathsep.join([str(interpreters.ROOT), str(tmp_path / "given"), str(tmp_path / "packages")])
    done = run(str(script), cwd=tmp_path / "examples", env={"PYTHONPATH": given})
    assert done.stdout == "3 3 3.5 1.5\n", done.stderr


def test_imports_of_what_lies_beside(tmp_path: Path) -> None:
    """Within a package a bare name is its neighbour; beside the script it is absolute, whatever `__init__.py` lies there."""
    for path, text in {
        "__init__.py": "",
        "updates.py": "rate = 1\n",
        "net.py": "from updates import rate\nimport updates\nprint rate, updates.rate\n",
        "parts/__init__.py": "",
        "parts/inner.py": "import other\nfrom other import two\nprint other.two, two\n",
        "parts/other.py": "two = 2\n",
        "old.py": "import net, parts.inner\nfrom updates import rate\nprint rate\n",
    }.items():  # fmt: skip
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    done = run(str(tmp_path / "old.py"))
    assert done.stdout == "1 1\n2 2\n1\n", done.stderr


def test_pickles_in_text_files(tmp_path: Path) -> None:
    """In Python 2 a pickle could be written to and read from a file opened without `b`."""
    script = tmp_path / "old.py"
    script.write_text("""
import cPickle, os, sys
with open('kept.pkl', 'w') as f:
    cPickle.dump([1, 'a'], f, cPickle.HIGHEST_PROTOCOL)
    cPickle.dump(2, f)
f = open('kept.pkl')
print cPickle.load(f), cPickle.load(f)
try:
    cPickle.loads('h\\x05.')
except (cPickle.BadPickleGet, cPickle.UnpickleableError):
    print 'refused'
with open('text.pkl', 'w') as f:
    f.write(cPickle.dumps({'b': 3}))
    print >> f, 'end'
print cPickle.loads(open('text.pkl').read())
log = open('log', 'w', 0)
log.write('one')
sys.stdout = os.fdopen(sys.stdout.fileno(), 'w', 0)
print open('log').read(), log.mode
""")
    done = run(str(script), cwd=tmp_path)
    assert done.stdout == "[1, 'a'] 2\nrefused\n{'b': 3}\none w\n", done.stderr


def test_explain_lists_what_served_the_names(tmp_path: Path) -> None:
    """At the end the legacy names stand beside what PyTensor calls them, this layer's own marked."""
    script = tmp_path / "legacy.py"
    script.write_text("import theano, theano.tensor as T\ntheano.function([], T.constant(1.0))\n")
    said = run("--explain", str(script)).stderr
    row = next(line for line in said.splitlines() if line.strip().startswith("theano.function "))
    assert "this layer's own" in row
    assert any(line.split()[:2] == ["theano.tensor.constant", "pytensor.tensor.basic.constant"] for line in said.splitlines())


def test_explain_lists_the_sources_that_were_translated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The script, not the empty files of packages, and none that the framework writes into its folder of compiled code."""
    (tmp_path / "layers").mkdir()
    (tmp_path / "layers" / "__init__.py").write_text("")
    made = tmp_path / "compiled" / "made_ext"
    made.mkdir(parents=True)
    (made / "__init__.py").write_text("x = 1\n")
    script = tmp_path / "legacy.py"
    text = "import theano, layers, sys\nprint theano.config.floatX\n"
    script.write_text(text + f"sys.path.insert(0, {str(made.parent)!r})\nimport made_ext\n")
    monkeypatch.setenv("PYTENSOR_FLAGS", f"compiledir={made.parent}")
    rows = [line for line in run("--explain", "--python2", str(script)).stderr.splitlines() if line.endswith("translated from Python 2")]
    assert [line.split()[0].rpartition("/")[2] for line in rows] == ["legacy.py"]


def test_explain_says_whose_fault_a_failure_is(tmp_path: Path) -> None:
    """With an exit code of its own where something is not served; without --explain the script's own exit code stays."""
    script = tmp_path / "legacy.py"
    script.write_text("import atexit\natexit.register(print, 'bye')\nimport theano.tensor as T\nT.matrix().of_nobody()\n")
    done = run("--explain", str(script))
    assert (done.returncode, done.stdout) == (5, "bye\n")
    assert done.stderr.splitlines()[-5:-2] == [
        "theanodiag: why the script stopped",
        "  whose fault  this layer's, unless Theano 1.0.5 rejects it too",
        "  why          it is not provided: 'TensorVariable' object has no attribute 'of_nobody'",
    ]
    assert "what this script used" not in done.stderr
    assert run(str(script)).returncode == 1
    script.write_text("xrange(3)\n")
    assert run("--explain", str(script)).returncode == 1
    assert run(str(script)).stderr.splitlines()[-1].startswith("theanodiag: next: the same command with --python2")


def test_the_users_flags_win_over_auto(tmp_path: Path) -> None:
    """A mode that THEANO_FLAGS name is kept, except where --mode says another."""
    script = tmp_path / "legacy.py"
    script.write_text("import theano; print(theano.config.mode, theano.config.linker)\n")
    env = {"THEANO_FLAGS": "mode=FAST_COMPILE"}
    assert run(str(script), env=env).stdout.split()[0] == "FAST_COMPILE"
    assert run("--mode", "numba", str(script), env=env).stdout.split()[0] == "NUMBA"


def test_removed_names_come_back_on_request(tmp_path: Path) -> None:
    """`--fix-numpy` gives back what NumPy removed; without it nothing is changed."""
    script = tmp_path / "legacy.py"
    script.write_text("import numpy\nprint(hasattr(numpy, 'cast'))\n")
    assert (run(str(script)).stdout, run("--fix-numpy", str(script)).stdout) == ("False\n", "True\n")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], 2, "name one script, or one module with -m"),
        (["nothing.py"], 3, "no such script"),
        (["--mode", "torch", "SCRIPT"], 3, "--mode torch needs the package torch"),
        (["--mode", "fast", "SCRIPT"], 2, "'fast' is not one of"),
    ],
)
def test_what_cannot_be_run(tmp_path: Path, arguments: list[str], code: int, said: str) -> None:
    """Each wrong call is one message with help and its exit code."""
    script = tmp_path / "legacy.py"
    script.write_text(SCRIPT)
    done = run(*[str(script) if word == "SCRIPT" else word for word in arguments], cwd=tmp_path)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr
    assert "help: " in done.stderr
    assert "Traceback" not in done.stderr


def test_without_pytensor(tmp_path: Path) -> None:
    """An interpreter with neither framework is an error that says what to install."""
    script = tmp_path / "legacy.py"
    script.write_text(SCRIPT)
    done = theanodiag("run", str(script))
    if "stands in for" in done.stderr:
        pytest.skip("the interpreter of the tests has PyTensor")
    assert done.returncode == 3
    assert "help: install pytensor>=3.0" in done.stderr


def test_an_error_of_mixed_floats_is_told_what_to_do(tmp_path: Path) -> None:
    """The flag that stood in the rc file of the old machine is named once after the traceback, and no other error has a hint."""
    script = tmp_path / "mixed.py"
    script.write_text("""
import sys
import numpy, theano, theano.tensor as T
W = theano.shared(numpy.ones((2, 2), dtype='float32'))
x = T.matrix('x')
if len(sys.argv) > 1:
    raise TypeError('x')
theano.function([x], updates=[(W, T.dot(x, W))])
print('compiled')
""")
    done = run("--mode", "c", str(script))
    last = done.stderr.strip().split("\n")[-1]
    assert done.returncode == 1
    assert last.startswith("theanodiag: next: the same command with THEANO_FLAGS=floatX=float32")
    assert done.stderr.count("next:") == 1
    assert run("--mode", "c", str(script), env={"THEANO_FLAGS": "floatX=float32"}).stdout == "compiled\n"
    other = run("--mode", "c", str(script), "raise")
    assert other.stderr.endswith("TypeError: x\n")


@pytest.mark.parametrize("name", ["theano", "pytensor"])
def test_python_2_divides_parts_in_place(name: str, tmp_path: Path) -> None:
    """Elements, slices and pairs of indices, on Theano itself with CPython 3.8 too, whose syntax trees wrap indices."""
    script = tmp_path / "legacy.py"
    text = "x, d, a = [7], {(1, 2): 9}, numpy.arange(6).reshape(2, 3)\nx[0] /= 2\nd[1, 2] /= 2\na[1, 0:2] /= 2\na[::2] /= 3\n"
    script.write_text(f"import theano, numpy\n{text}print x, d, a.tolist()\n")
    done = theanodiag("run", "--python", interpreters.find(name), str(script))
    assert done.stdout == "[3] {(1, 2): 4} [[0, 0, 0], [1, 2, 5]]\n", done.stderr


WINDOWS = "def windows(it):\n    while True:\n        yield [next(it) for _ in range(2)]\n"
GENERATORS = """import multiprocessing
from parts import windows

class Stream:
    n = 0
    def get(self):
        self.n += 1
        if self.n > 2:
            raise StopIteration
        return self.n

def batches(stream):
    '''In batches.'''
    while True:
        yield stream.get()

def twice(stream):
    yield from batches(stream)
    raise StopIteration

def listed(n):
    return list(batches(Stream()))[:n]

if __name__ == "__main__":
    import theano
    left = iter("ab")
    print(list(windows(iter("abc"))), list(batches(Stream())), list(twice(Stream())), list(next(left) for _ in range(9)), batches.__doc__)
    print(multiprocessing.get_context("spawn").Pool(1).map(listed, [2]), __name__, __file__)
"""


def test_generators_of_python_3_before_3_7(tmp_path: Path) -> None:
    """A StopIteration ends generators of the script and of its modules, in spawned processes too, as CPython 3.6 does.

    Each is reported once."""
    (tmp_path / "parts.py").write_text(WINDOWS)
    script = tmp_path / "train.py"
    script.write_text(GENERATORS)
    done = run(str(script))
    assert done.stdout == f"[['a', 'b']] [1, 2] [1, 2] ['a', 'b'] In batches.\n[[1, 2]] __main__ {script}\n", done.stderr
    said = [line.partition(": ")[2] for line in done.stderr.splitlines() if "StopIteration" in line]
    parent = [f"{tmp_path / 'parts.py'}:1: a StopIteration ended the generator windows", *(f"{script}:{n}: a" for n in (12, 17, 27))]
    assert len(said) == len(parent) + 1  # of the spawned process
    assert all(line.startswith(start) for line, start in zip(said, parent))
    script.write_text("from __future__ import generator_stop\ndef g():\n    yield 1\n    raise StopIteration\nimport theano\nlist(g())\n")
    assert "RuntimeError: generator raised StopIteration" in run(str(script)).stderr


def test_keras_without_tensorflow_computes_with_theano(tmp_path: Path) -> None:
    """Keras 2.3.1 would look for TensorFlow, which is not installed; what the user sets stays."""
    (tmp_path / "model.py").write_text("import os; print(os.environ['KERAS_BACKEND'])\n")
    words = ("run", "--python", interpreters.find("libraries"), str(tmp_path / "model.py"))
    done = theanodiag(*words, env={"KERAS_BACKEND": ""})
    assert (done.returncode, done.stdout) == (0, "theano\n")
    assert done.stderr.endswith("; KERAS_BACKEND=theano\n")
    assert theanodiag(*words, env={"KERAS_BACKEND": "cntk"}).stdout == "cntk\n"


SLOW = """
import time, theano, theano.tensor as T
class Slow(theano.gof.Op):
    __props__ = ()
    def make_node(self, x):
        return theano.gof.Apply(self, [x], [x.type()])
    def make_thunk(self, *args, **kwargs):
        time.sleep(5.5)
        return super(Slow, self).make_thunk(*args, **kwargs)
    def perform(self, node, inputs, outputs):
        outputs[0][0] = inputs[0] * 2
x = T.dvector()
print(theano.function([x], Slow()(x), name="f")([1.0]), theano.function([x], T.tanh(x))([0.0]))
"""


def test_a_function_that_compiles_long_is_reported(tmp_path: Path) -> None:
    """After five seconds, once, with what takes less time here; a function that takes less is not reported."""
    script = tmp_path / "slow.py"
    script.write_text(SLOW)
    done = run("--mode", "c", str(script))
    assert done.stdout == "[2.] [0.]\n", done.stderr
    said = done.stderr.splitlines()[1:]
    assert said == ["theanodiag: compiling f with g++ (a graph of 1 nodes) takes more than 5 s: JAX takes less, if it is installed"]


def test_pylab_of_a_notebook(tmp_path: Path) -> None:
    """It has IPython's names: those of matplotlib.pylab and NumPy, `np`, `plt` and `figsize`."""
    source = (
        "%pylab inline\nfigsize(4, 3)\nprint(matplotlib.rcParams['figure.figsize'], np.pi == pi, shape(randn(3)), plt.figure is figure)"
    )
    cell = {"cell_type": "code", "source": source, "metadata": {}, "outputs": [], "execution_count": None}
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 2}))
    done = theanodiag("run", "--python", interpreters.find("pymc"), str(tmp_path / "a.ipynb"), env={"MPLBACKEND": "agg"})
    assert (done.returncode, done.stdout) == (0, "[4.0, 3.0] True (3,) True\n"), done.stderr
