"""Imports that Python 2 reads relative to their package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.run import theanodiag
from theanodiag.porting.model import Around, PortOptions
from theanodiag.porting.source_port import port_text

BESIDE = Around("me", frozenset(("me", "other", "sub")), frozenset(), lambda: True)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import other\n", "from . import other\n"),
        ("import other as o\n", "from . import other as o\n"),
        ("from other import f\n", "from .other import f\n"),
        ("from other import *\n", "from .other import *\n"),
        ("from sub.mod import f\n", "from .sub.mod import f\n"),
        ("import sub.mod as m\n", "from .sub import mod as m\n"),
        ("import sub.mod\n", "from . import sub\nfrom .sub import mod as sub_mod\n"),
        ("if a:\n    import os, other, sys as s\n", "if a:\n    import os\n    from . import other\n    import sys as s\n"),
        ("import os; import other, sub\n", "import os; from . import other; from . import sub\n"),
        ("import me, os, others\n", "import me, os, others\n"),
        ("from . import other\nfrom .other import f\n", "from . import other\nfrom .other import f\n"),
        ("from __future__ import absolute_import\nimport other\n", "from __future__ import absolute_import\nimport other\n"),
    ],
)
def test_a_module_beside_gets_a_dot(before: str, after: str) -> None:
    """Of a package of Python 2, in sources that both Pythons parse; a second run changes nothing."""
    made = port_text(before, "pk/me.py", PortOptions(python2to3=True), BESIDE).after
    assert made == after
    assert port_text(made, "pk/me.py", PortOptions(python2to3=True), BESIDE).after == made


def test_the_package_decides_and_not_the_file(tmp_path: Path) -> None:
    """One source with a print statement, two that both Pythons parse: all of it is imported afterwards."""
    package, plain = tmp_path / "pk", tmp_path / "new"
    for folder in (package, plain):
        folder.mkdir()
        (folder / "__init__.py").write_text("from other import f\n", encoding="utf-8")
        (folder / "other.py").write_text("import third\ndef f():\n    return third.n / 2\n", encoding="utf-8")
        (folder / "third.py").write_text("n = 7\n", encoding="utf-8")
    (package / "a.py").write_text("import other\nprint other.f()\n", encoding="utf-8")
    (tmp_path / "script.py").write_text("import third\n", encoding="utf-8")
    assert theanodiag("port", str(tmp_path), "--python2to3", "--write").returncode == 0
    done = subprocess.run([sys.executable, "-m", "pk.a"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout == "3\n", done.stderr
    assert (plain / "__init__.py").read_text(encoding="utf-8") == "from other import f\n"
    assert (tmp_path / "script.py").read_text(encoding="utf-8") == "import third\n"


def test_without_the_option_it_is_told(tmp_path: Path) -> None:
    """At the source that no Python 3 imports."""
    (tmp_path / "__init__.py").write_text("import other\n", encoding="utf-8")
    (tmp_path / "other.py").write_text("print 1\n", encoding="utf-8")
    done = theanodiag("port", str(tmp_path))
    assert "__init__.py:1:1: by hand TD103: python2: a Python 2 source: an import of a module beside it without a dot" in done.stderr
