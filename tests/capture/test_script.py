"""What a script sees and how its end is told, without any framework."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import pytest

from tests.capture.running import plain, write
from tests.interpreters import ROOT, find
from theanodiag.capture import runner
from theanodiag.capture.runner import run_script
from theanodiag.errors import UnreadableError, UsageError
from theanodiag.processes.interpreter import AGENT, Interpreter


def said(folder: Path, text: str, *args: str) -> str:
    """What a script writes to the file `said` in its folder."""
    plain(folder, f"import os\nFILE = os.path.join({str(folder)!r}, 'said')\n" + text, *args)
    return (folder / "said").read_text()


class TestSurroundings:
    """The script runs as `python script.py` would run it."""

    def test_arguments(self, tmp_path: Path) -> None:
        """sys.argv holds the script's path as it was given and its arguments."""
        seen = said(tmp_path, "import sys; open(FILE, 'w').write(repr(sys.argv))", "-a", "b c")
        assert seen == repr([str(tmp_path / "model.py"), "-a", "b c"])

    def test_main_module(self, tmp_path: Path) -> None:
        """`__name__` is `__main__`, and the module is found under that name."""
        text = "import sys, __main__\nx = 5\nopen(FILE, 'w').write(__name__ + __file__ + str(__main__.x))"
        assert said(tmp_path, text) == f"__main__{tmp_path / 'model.py'}5"

    def test_modules_beside_it(self, tmp_path: Path) -> None:
        """Its folder is the first place for imports, and ours is none."""
        write(tmp_path, "VALUE = 'beside'", "stream.py")
        assert said(tmp_path, "import stream, sys; open(FILE, 'w').write(stream.VALUE + sys.path[0])") == f"beside{tmp_path}"

    def test_no_part_of_ours_can_be_imported_by_chance(self, tmp_path: Path) -> None:
        """The names of the hook's files are free for the script."""
        text = "try:\n    import call_limits\nexcept ImportError:\n    open(FILE, 'w').write('free')"
        assert said(tmp_path, text) == "free"

    def test_pickles_its_own_classes(self, tmp_path: Path) -> None:
        """Classes of the script can be pickled."""
        text = "import pickle\nclass A: pass\nopen(FILE, 'w').write(type(pickle.loads(pickle.dumps(A()))).__module__)"
        assert said(tmp_path, text) == "__main__"

    def test_coding_line(self, tmp_path: Path) -> None:
        """The source's own encoding holds."""
        (tmp_path / "model.py").write_bytes(b"# -*- coding: latin-1 -*-\nimport sys\nsys.exit(ord('\xe9'))\n")
        assert run_script(tmp_path / "model.py").end.exit_code == 0xE9

    def test_environment(self, tmp_path: Path) -> None:
        """Variables given to the run are added to ours."""
        capture = plain(tmp_path, "import os, sys; sys.exit(int(os.environ['N']) + ('PATH' in os.environ))", env={"N": "4"})
        assert capture.end.exit_code == 5

    def test_changing_directory(self, tmp_path: Path) -> None:
        """A script may change its directory."""
        assert plain(tmp_path, "import os; os.chdir('/')").end.status == "finished"


class TestEnd:
    """How the script ended."""

    def test_finished(self, tmp_path: Path) -> None:
        """A script that reaches its last line is finished."""
        end = plain(tmp_path, "x = 1").end
        assert (end.status, end.exit_code) == ("finished", 0)

    @pytest.mark.parametrize(("call", "code"), [("sys.exit(3)", 3), ("sys.exit()", 0), ("sys.exit('no')", 1), ("raise SystemExit(2)", 2)])
    def test_exited(self, tmp_path: Path, call: str, code: int) -> None:
        """The exit code is the script's own."""
        end = plain(tmp_path, f"import sys\n{call}").end
        assert (end.status, end.exit_code) == ("exited", code)

    @pytest.mark.parametrize(
        ("value", "code"), [("True", 1), ("False", 0), ("10 ** 50", -1), ("Odd()", 1), ("(1, 2)", 1), ("Number.TWO", 2)]
    )
    def test_exited_with_anything(self, tmp_path: Path, value: str, code: int) -> None:
        """What is no plain number ends the script as it does in Python, and the report is there."""
        text = (
            "import enum, sys\nclass Odd:\n    def __str__(self): raise ValueError\n"
            f"class Number(enum.IntEnum):\n    TWO = 2\nsys.exit({value})\n"
        )
        end = plain(tmp_path, text).end
        assert (end.status, end.exit_code) == ("exited", code)

    @pytest.mark.parametrize(
        ("exception", "said"),
        [
            ("class Odd(Exception):\n    def __str__(self): raise RuntimeError('no')\nraise Odd()", "Odd: <"),
            ("class Odd(Exception):\n    def __str__(self): raise SystemExit\nraise Odd()", "Odd: <"),
            ("class Odd(Exception):\n    def __str__(self): return 3\nraise Odd()", "Odd: <"),
            ("class Odd(Exception):\n    __cause__ = property(lambda self: 1 / 0)\nraise Odd('why')", "Odd: "),
            ("e = None\nfor i in range(5000):\n    n = ValueError(i); n.__cause__ = e; e = n\nraise e", "ValueError: 4999"),
            ("a, b = ValueError(1), ValueError(2); a.__context__ = b; b.__context__ = a\nraise a", "ValueError: 1"),
            ("import sys\nsys.excepthook = lambda *a: 1 / 0\nraise ValueError('why')", "ValueError: why"),
            ("raise ValueError('x' * 10000000)", "ValueError: xxx"),
        ],
        ids=["str-raises", "str-exits", "str-is-a-number", "cause-raises", "5000-causes", "a-circle", "hook-raises", "ten-megabytes"],
    )
    def test_raised_what_is_hard_to_show(self, tmp_path: Path, capfd: pytest.CaptureFixture[str], exception: str, said: str) -> None:
        """An exception that breaks whoever looks at it is told as far as it can be, without a traceback of ours."""
        end = plain(tmp_path, exception).end
        assert end.status == "raised"
        assert (end.exception or "").startswith(said)
        assert "model.py" in (end.traceback or "")
        assert len(end.traceback or "") < 300_000
        assert "agent/hook" not in (end.traceback or "") + capfd.readouterr().err

    @pytest.mark.parametrize("last", ["", "raise ValueError('why')", "import sys; sys.exit('no')", "del builtins.BaseException"])
    def test_with_other_builtins(self, tmp_path: Path, capfd: pytest.CaptureFixture[str], last: str) -> None:
        """A script that replaces what all code uses changes neither how its end is told nor what it sees of its own names."""
        text = """
            import atexit, builtins, os
            true = vars(builtins).copy()
            said = open(os.path.join(os.path.dirname(__file__), "said"), "w")
            def still():
                true["print"](len("four"), builtins.isinstance(1, int), file=said, flush=True)
            atexit.register(still)
            builtins.len = lambda x: 0
            builtins.isinstance = lambda a, b: False
            builtins.id = builtins.str = builtins.getattr = builtins.dict = builtins.next = None
            """
        end = plain(tmp_path, f"{textwrap.dedent(text)}{last}\n").end
        wanted = ("raised", 1) if "raise" in last else ("exited", 1) if "exit" in last else ("finished", 0)
        assert (end.status, end.exit_code) == wanted
        assert "Traceback" not in capfd.readouterr().err
        assert (tmp_path / "said").read_text() == "0 False\n"

    def test_left_without_a_word(self, tmp_path: Path) -> None:
        """os._exit leaves no time to write an end; its code is told all the same."""
        end = plain(tmp_path, "import os\nos._exit(6)").end
        assert (end.status, end.exit_code) == ("exited", 6)

    def test_raised(self, tmp_path: Path) -> None:
        """An exception is told with the script's own traceback."""
        end = plain(tmp_path, "def f():\n    raise ValueError('no data')\nf()\n").end
        path = tmp_path / "model.py"
        assert end.exception == "ValueError: no data"
        assert end.traceback == (
            f'Traceback (most recent call last):\n  File "{path}", line 3, in <module>\n    f()\n'
            f"  File \"{path}\", line 2, in f\n    raise ValueError('no data')\nValueError: no data\n"
        )

    @pytest.mark.parametrize(("text", "doubted"), [("[][1]", True), ("raise IndexError(1)", False), ("(lambda: 1)(2)", False)])
    def test_an_exception_in_code_of_ours_is_doubted(self, tmp_path: Path, text: str, doubted: bool) -> None:
        """It may be a bug of ours, which the script's traceback does not show; what our code raises on purpose is the script's."""
        file = AGENT / "hook" / "functions.py"
        script = (
            f"import linecache\nlinecache.cache[{str(file)!r}] = (1, None, [{text!r}], '')\nexec(compile({text!r}, {str(file)!r}, 'exec'))"
        )
        end = plain(tmp_path, script).end
        assert end.status == "raised"
        assert (end.reason or "").startswith("it came up in theanodiag's agent/hook/functions.py:1: if the script runs without") is doubted

    def test_what_a_library_lacks_is_not_doubted(self, tmp_path: Path) -> None:
        """Imports and attributes pass through code of ours."""
        assert plain(tmp_path, "import no_such_module").end.reason is None
        assert plain(tmp_path, "import numpy\nnumpy.no_such_name").end.reason is None

    def test_a_message_that_begins_with_an_empty_line(self, tmp_path: Path) -> None:
        """The class is told with the first line that says something, as Theano's GPU optimiser needs it."""
        end = plain(tmp_path, 'assert False, """\\nConvOp does not work.\\n\\nUse another."""').end
        assert end.exception == "AssertionError: ConvOp does not work."

    def test_causes_are_told_without_frames_of_ours(self, tmp_path: Path) -> None:
        """The exceptions behind an exception are told too."""
        write(tmp_path, "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise KeyError(1) from e\n", "beside.py")
        end = plain(tmp_path, "import beside").end
        assert end.traceback is not None
        assert "ZeroDivisionError" in end.traceback
        assert "direct cause" in end.traceback
        assert "capture" not in end.traceback.replace(str(tmp_path), "")
        assert "importlib" not in end.traceback

    def test_own_excepthook_is_called(self, tmp_path: Path) -> None:
        """A script's excepthook sees its exception."""
        text = "import sys\nsys.excepthook = lambda *a: open(FILE, 'w').write(a[0].__name__)\nraise KeyError"
        assert said(tmp_path, text) == "KeyError"

    def test_killed(self, tmp_path: Path) -> None:
        """A signal that ends the script is named."""
        end = plain(tmp_path, "import os; os.kill(os.getpid(), 9)").end
        assert (end.status, end.reason) == ("killed", "signal 9")

    @pytest.mark.parametrize("way", ["os._exit(0)", "os.kill(os.getpid(), 9)", "os.abort()"])
    def test_an_end_that_is_not_the_hooks_own_is_unverified(self, tmp_path: Path, way: str) -> None:
        """Whoever leaves past Python's exit may have left anything behind."""
        assert (plain(tmp_path, f"import os\n{way}").end.unverified or "").startswith("its process ended with ")
        assert plain(tmp_path, "import sys; sys.exit(3)").end.unverified is None

    def test_the_stream_is_no_file_that_a_script_finds(self, tmp_path: Path) -> None:
        """The command line, which everybody can read, does not name it, and no file of ours lies there to be replaced."""
        text = "shown = open('/proc/self/cmdline').read().split('\\0')[2:-1]\n"
        text += "open(FILE, 'w').write(repr((shown, os.listdir(os.path.dirname(os.environ['TMPDIR'])))))"
        (number, script), files = ast.literal_eval(said(tmp_path, text))
        assert number.isdigit()
        assert (script, files) == (str(tmp_path / "model.py"), ["t"])

    def test_a_script_that_writes_into_every_pipe_forges_nothing(self, tmp_path: Path) -> None:
        """Its own events count for nothing, and that it tried is said."""
        text = """
        import json, os, stat
        for fd in range(3, 1024):
            try:
                if stat.S_ISFIFO(os.fstat(fd).st_mode):
                    os.write(fd, json.dumps({"event": "end", "status": "finished", "exit_code": 0}).encode() + b"\\n")
            except OSError:
                pass
        os._exit(0)
        """
        end = plain(tmp_path, text).end
        assert (end.status, end.unverified) == ("exited", "another program wrote into the stream of events")

    def test_never_ends(self, tmp_path: Path) -> None:
        """The timeout ends it, and says which."""
        end = plain(tmp_path, "while True: pass", timeout=8.0).end
        assert (end.status, end.reason) == ("timeout", "it did not end within 8 s (--timeout)")

    def test_atexit_functions_run(self, tmp_path: Path) -> None:
        """What the script registered for its end happens."""
        assert said(tmp_path, "import atexit\natexit.register(lambda: open(FILE, 'w').write('done'))\nraise ValueError") == "done"


class TestOutput:
    """The script's output."""

    def test_goes_through_as_it_is(self, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
        """stdout and stderr pass unchanged, and nothing of ours is between."""
        plain(tmp_path, "import sys; print('out'); sys.stderr.write('err\\n'); sys.exit('last')")
        assert capfd.readouterr() == ("out\n", "err\nlast\n")

    def test_can_be_sent_elsewhere(self, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
        """stdout can be kept apart from ours."""
        with (tmp_path / "out").open("w") as file:
            plain(tmp_path, "print('out')", stdout=file.fileno())
        assert capfd.readouterr().out == ""
        assert (tmp_path / "out").read_text() == "out\n"

    def test_megabytes(self, tmp_path: Path) -> None:
        """Much output neither stops nor slows the script."""
        with open(os.devnull, "w") as null:
            capture = plain(tmp_path, "print('x' * 5000000 + '\\n' * 100000)", stdout=null.fileno())
        assert capture.end.status == "finished"

    def test_all_descriptors_closed(self, tmp_path: Path) -> None:
        """Daemons close all there may be; what is told afterwards is heard all the same."""
        end = plain(tmp_path, "import os, sys; os.closerange(0, 65536); sys.exit(3)").end
        assert (end.status, end.exit_code, end.unverified) == ("exited", 3, None)

    def test_temporary_files_go_away(self, tmp_path: Path) -> None:
        """The script's own, and those of the programs that it starts, lie in a folder of ours with a short name."""
        name = said(tmp_path, "import tempfile; open(FILE, 'w').write(tempfile.mkdtemp())")
        assert not os.path.exists(name)
        assert len(name) < len(tempfile.gettempdir()) + 40

    def test_closed_stdout(self, tmp_path: Path) -> None:
        """A script may close every descriptor that it did not open."""
        assert plain(tmp_path, "import os; os.closerange(0, 100)").end.status == "finished"


class TestBadInput:
    """What cannot be run is said so."""

    def test_missing_script(self, tmp_path: Path) -> None:
        """A missing file is named."""
        with pytest.raises(UnreadableError, match=r"nothing\.py: no such file\nhelp: give the path"):
            run_script(tmp_path / "nothing.py")

    def test_directory(self, tmp_path: Path) -> None:
        """A directory is called one."""
        with pytest.raises(UnreadableError, match="this is a folder, not a file"):
            run_script(tmp_path)

    def test_syntax_error(self, tmp_path: Path) -> None:
        """The place of a syntax error is shown, and which Python says so."""
        with pytest.raises(UnreadableError) as caught:
            plain(tmp_path, "x = 1\nfor i in :\n    pass\n")
        shown = f"{tmp_path / 'model.py'}:2:10: invalid syntax\nfor i in :\n         ^\nhelp: CPython {sys.version.split()[0]} cannot"
        assert str(caught.value).startswith(shown)

    def test_null_bytes(self, tmp_path: Path) -> None:
        """A file that is no text is refused in the same way."""
        (tmp_path / "model.py").write_bytes(b"x = 1\x00\n")
        with pytest.raises(UnreadableError, match="null bytes"):
            run_script(tmp_path / "model.py")

    def test_python_2_script(self, tmp_path: Path) -> None:
        """A print statement is a syntax error whose help names another interpreter."""
        with pytest.raises(UnreadableError, match=r"(?s)Missing parentheses.*--python python2\.7"):
            plain(tmp_path, "print 'hello'\n")

    def test_interpreter_without_a_framework(self, tmp_path: Path) -> None:
        """A script whose framework is missing is told which interpreter lacks it."""
        said = r"(?s)has no theano, which .*model\.py imports\nhelp: run .* -m pip install (pytensor|Theano)"
        with pytest.raises(UnreadableError, match=said):
            plain(tmp_path, "import sys; sys.path[1:] = [p for p in sys.path if 'site-packages' not in p]\nimport theano.tensor as T")

    def test_another_missing_module_is_the_scripts_error(self, tmp_path: Path) -> None:
        """A module of the user's that is missing is an exception of the script."""
        assert plain(tmp_path, "import my_data").end.exception == "ModuleNotFoundError: No module named 'my_data'"

    @pytest.mark.parametrize(("option", "value"), [("max_calls", 0), ("calls", "wet")])
    def test_options_that_make_no_sense(self, tmp_path: Path, option: str, value: object) -> None:
        """Options are checked before anything runs."""
        with pytest.raises(UsageError, match=option):
            plain(tmp_path, "", **{option: value})

    def test_script_without_a_framework(self, tmp_path: Path) -> None:
        """A script that imports no framework has no functions, and that is no error."""
        capture = plain(tmp_path, "x = 1")
        assert (capture.framework, capture.script.functions, capture.script.events) == (None, (), ())


def test_relative_path_and_nothing_left_behind(tmp_path: Path) -> None:
    """A script named relatively sees that name, and the temporary folder is empty afterwards."""
    (tmp_path / "tmp").mkdir()
    write(tmp_path, "import sys; sys.exit(__file__ != 'model.py')")
    program = "from theanodiag.capture.runner import run_script; raise SystemExit(run_script('model.py').end.exit_code)"
    env = {**os.environ, "TMPDIR": str(tmp_path / "tmp"), "PYTHONPATH": str(ROOT)}
    assert subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=env, check=False).returncode == 0
    assert not list((tmp_path / "tmp").iterdir())


def notebook(folder: Path, *cells: str) -> Path:
    """A notebook with a cell of text and then these code cells."""
    rows = [{"cell_type": "markdown", "source": "# A model"}, *({"cell_type": "code", "source": cell} for cell in cells)]
    path = folder / "my model.ipynb"
    path.write_text(json.dumps({"cells": rows, "metadata": {}, "nbformat": 4}), encoding="utf-8")
    return path


def test_a_notebook_is_run_cell_by_cell(tmp_path: Path) -> None:
    """As Jupyter does: one namespace without `__file__`, `from __future__` holds for later cells, and `%env` sets a variable."""
    first = "%env THE_PATH=/tmp\nfrom __future__ import annotations\nimport os"
    path = notebook(tmp_path, first, "def f(x: unknown): pass\n", "%%time\nassert os.environ['THE_PATH'] == '/tmp'\ndisplay(__file__)")
    path.write_text("\ufeff" + path.read_text(encoding="utf-8"), encoding="utf-8")  # as Windows editors save it
    end = run_script(path, timeout=60).end
    assert end.exception == "NameError: name '__file__' is not defined"
    assert f'  File "{path}, cell 4", line 3, in <module>\n    display(__file__)\n' in (end.traceback or "")


@pytest.mark.parametrize("name", ["theano", "theano27"])
def test_the_text_of_a_cell_is_unicode(name: str, tmp_path: Path) -> None:
    """As in Jupyter, where Python 2 too takes it for UTF-8, which it does not in a string that it compiles."""
    path = notebook(tmp_path, "# -*- coding: utf-8 -*-\nassert len(u'é') == 1", "x = u'é'", "raise ValueError(len(x))")
    assert run_script(path, interpreter=find(name), timeout=600).end.exception == "ValueError: 1"


def test_the_cell_of_a_syntax_error_is_named(tmp_path: Path) -> None:
    """With the line in that cell, and its text."""
    path = notebook(tmp_path, "x = 1\n", "\ny = (1\n")
    with pytest.raises(UnreadableError) as caught:
        run_script(path)
    span = caught.value.span
    assert span is not None
    assert (span.source, span.line, span.line_text) == (f"{path}, cell 3", 2, "y = (1")


def test_a_file_that_is_no_notebook(tmp_path: Path) -> None:
    """It is refused before anything runs."""
    path = notebook(tmp_path)
    path.write_text("print(1)", encoding="utf-8")
    with pytest.raises(UnreadableError, match="this is not a notebook"):
        run_script(path)


@pytest.mark.parametrize(
    ("version", "missing", "help"),
    [
        ((3, 8, 18), "theano", "run py -m pip install Theano==1.0.5, or name the one that has theano"),
        ((3, 12, 1), "theano", "run py -m pip install pytensor, or name the one that has theano"),
        (
            (3, 8, 18),
            "pytensor",
            "name the one that has pytensor with --python (theanodiag doctor lists some); PyTensor needs a newer Python",
        ),
    ],
)
def test_what_to_install_provides_what_is_missing(version: tuple[int, int, int], missing: str, help: str) -> None:
    """A script for Theano runs over PyTensor, but none for PyTensor over Theano."""
    assert runner._other_interpreter(Interpreter("py", version), missing).startswith(help)


@pytest.mark.parametrize(
    ("text", "help"),
    [
        ("print 'x' % 1\n", "this is Python 2: name its own interpreter (--python python2.7), or check a copy"),
        ("hello world, some notes\n", "name a Python script, or the interpreter for which it is written, with --python"),
    ],
)
def test_what_no_interpreter_here_compiles(tmp_path: Path, text: str, help: str) -> None:
    """A source of Python 2 can be ported; of a text that is no source of any Python nobody says so."""
    path = write(tmp_path, text)
    with pytest.raises(UnreadableError) as caught:
        run_script(path)
    assert help in caught.value.help
    assert ("port" in caught.value.help) == ("Python 2" in help)
    assert ("--to theano --python2to3" in caught.value.help) == ("Python 2" in help)  # a port for PyTensor would not run there
