"""TD229: the rc variable is the place, and each path has its finding."""

from __future__ import annotations

import pytest

from tests.rules.config.cases import findings, spots, starts
from theanodiag.flags.diagnose import MachineFacts
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config


@pytest.mark.parametrize("to", list(Dialect), ids=lambda d: d.name)
def test_paths_are_named(to: Dialect) -> None:
    """In the order of the variable, under the name that the library reads."""
    found = findings("TD229", config(to=to, context=MachineFacts(missing_files=("/b", "/a"))))
    assert [f.location.detail for f in found] == ["/b", "/a"]
    assert {str(f.location) for f in found} == {to.rc_variable}
    assert [f.message.split()[0] for f in found] == ["/b", "/a"]


def test_how_bad() -> None:
    """A warning: the library starts without the file."""
    subject = config(context=MachineFacts(missing_files=("/b",)))
    assert spots("TD229", subject) == ["THEANORC warning, derived"]
    assert starts(subject)


def test_other_facts_are_no_files() -> None:
    """A network folder is not a missing file."""
    assert findings("TD229", config(context=MachineFacts(network_folders=("/b",), numpy=(1, 22)))) == []
