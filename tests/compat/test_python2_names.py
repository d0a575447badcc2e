"""Names and modules of Python 2's standard library, in translated sources."""

from __future__ import annotations

from pathlib import Path

from tests import interpreters

from .test_numpy1 import printed

PROGRAM = """import string, sys, os, operator, types, __builtin__, new, exceptions
from sys import maxint, stdout
from string import letters as abc, maketrans, join, split, atoi, punctuation
from types import ListType, StringTypes, NoneType, ClassType
from os import getcwdu, path
from operator import div, isCallable
from contextlib import nested, contextmanager
from base64 import encodestring, decodestring
from UserDict import UserDict, DictMixin
from sets import Set
from md5 import md5
from __builtin__ import raw_input, unicode
from cgi import escape
import md5 as sums, sha
print maxint == sys.maxint, stdout is sys.stdout, abc, len(punctuation), join(["a", "b"], "-"), join(["a", "b"]), split("a b"), atoi("12")
print "hello".translate(maketrans("lo", "01")), string.upper("a"), string.replace("aXa", "X", "b"), string.lowercase, string.zfill("7", 3)
print isinstance([], ListType), isinstance("a", StringTypes), NoneType is type(None), isinstance(3, types.StringTypes), types.IntType is int
print getcwdu() == os.getcwd(), os.errno.ENOENT, path.join("a", "b"), div(7, 2), isCallable(len), operator.sequenceIncludes([1], 1)
@contextmanager
def named(name):
    yield name
with nested(named("a"), named("b")) as (a, b):
    print a, b
print encodestring("text").strip() == "dGV4dA==", unicode("a") == "a", __builtin__.raw_input is raw_input, escape("<a> \\"b\\"")
class Table(DictMixin):
    def keys(self): return ["x", "y"]
    def __getitem__(self, key): return key * 2
print sorted(Table().items()), "x" in Table(), len(Table()), dict(UserDict({1: 2})), sorted(Set([1, 1]))
print exceptions.ValueError is ValueError
print md5("a").hexdigest(), sums.new("b").hexdigest(), sha.new("c").hexdigest(), new.module("m").__name__
def words(string): return string.split(",")
print words("a,b"), sys.exc_clear()
try:
    string.nothing
except AttributeError as error:
    print "AttributeError"
from string import *
print letters == abc, uppercase
"""


def test_old_names_do_what_they_did(tmp_path: Path) -> None:
    """As under CPython 2.7."""
    script = tmp_path / "script.py"
    script.write_text(PROGRAM)
    done = interpreters.python("theano27", str(script))
    assert done.returncode == 0, done.stderr
    assert printed("--fix-numpy", str(script), folder=tmp_path).splitlines() == done.stdout.splitlines()
