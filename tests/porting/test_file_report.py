"""The report of one moved file."""

from __future__ import annotations

from theanodiag.errors import UnreadableError
from theanodiag.porting.model import PortOptions, Safety
from theanodiag.porting.source_port import failed, port_text


def test_it_is_shown_in_a_line() -> None:
    """Not with the whole text before and after; a name cannot break the line."""
    report = port_text("import theano\nf = theano.function([], [])\n" + "x = 1\n" * 1000, "a\nb.py", PortOptions())
    assert report.count(Safety.SAFE) > 0
    assert repr(report) == f"<FileReport of a\\nb.py: {report.count(Safety.SAFE)} safe, 0 unsafe, 0 by hand>"
    assert repr(failed("b.py", "", UnreadableError("no such file"))).startswith("<FileReport of b.py: ")
