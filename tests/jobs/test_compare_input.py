"""What `compare` is given is read before the first run, which may take long."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from theanodiag import compare
from theanodiag.errors import UnreadableError


def ran(folder: Path) -> str:
    """A script that leaves a file behind."""
    path = folder / "ran.py"
    path.write_text(f"open({str(folder / 'mark')!r}, 'w').close()\n")
    return str(path)


@pytest.mark.parametrize(
    ("name", "text", "reason", "help"),
    [
        ("nope.py", None, "no such file", "the two scripts"),
        ("old.py", "print 1\n", "this is Python 2, which CPython 3", "theanodiag port old.py --python2to3 --into old_python3.py"),
    ],
)
def test_the_second_script_is_read_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str | None, reason: str, help: str
) -> None:
    """An error that it would cause comes at once."""
    monkeypatch.chdir(tmp_path)
    if text is not None:
        Path(name).write_text(text)
    with pytest.raises(UnreadableError, match=reason) as error:
        compare(ran(tmp_path), name, python=sys.executable, against=sys.executable)
    assert help in (error.value.help or "")
    assert not (tmp_path / "mark").exists()
