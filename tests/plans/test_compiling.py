"""The statement that compiles a function, written with other inputs, updates or values."""

from __future__ import annotations

from theanodiag.ir import Site
from theanodiag.plans.compiling import find_compiling

TEXT = """import theano
class Net:
    def __init__(self, x, y):
        self.step = theano.function(
            inputs=[theano.In(x, borrow=True), y],
            outputs=cost, updates=ups,
            givens=shared_values)
f = theano.function([x, i], cost, givens={i: 2})
names = [x]
g, h = theano.function(names, cost), theano.function(names, y)
"""


def test_inputs_values_and_updates_are_changed() -> None:
    """Those that stay keep their options; values that are no dictionary in the text are joined with the new ones."""
    found = find_compiling(TEXT, Site("m.py", 4))
    assert found is not None
    assert found.in_method
    assert found.inputs == ["x", "y"]
    text = found.changed(inputs=["x", "k"], givens={"y": "data[k]"}, updates="more({})".format)
    assert text == (
        "self.step = theano.function(inputs=[theano.In(x, borrow=True), k], outputs=cost, updates=more(ups), "
        "givens=list(dict(shared_values).items()) + [(y, data[k])])  # line 4"
    )
    plain = find_compiling(TEXT, Site("m.py", 8))
    assert plain is not None
    assert not plain.in_method
    assert plain.changed(givens={"x": "data"}) == "f = theano.function([x, i], cost, givens={i: 2, x: data})  # line 8"


def test_what_the_text_does_not_show_is_not_written() -> None:
    """Two functions in one statement; a line of another file; a text that cannot be read."""
    assert find_compiling(TEXT, Site("m.py", 10)) is None
    assert find_compiling(TEXT, Site("other.py", 8, None, "f = theano.function([z], z)")) is None
    assert find_compiling("f = (", Site("m.py", 1)) is None
    assert find_compiling(TEXT, None) is None
