"""TD261: compiled code on a network disk

What it finds
    The folder for compiled code on a file system of the network (NFS, CIFS, Lustre …).

Why it matters
    Thousands of small files and a lock: compiling is slow, and jobs on several machines wait for each other's lock.

Example
    A home folder on NFS with the default `base_compiledir`.

What to do
    `base_compiledir` on a local disk, such as `/tmp/%(USER)s/theano`.

Limits
    Only as far as the mount table shows it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...flags.diagnose import ConfigSubject, Context, about, fix
from ..base import Rule
from .examples import config


def check(s: ConfigSubject) -> Iterator[Finding]:
    """At most one finding."""
    name = "compiledir" if s.winner("compiledir") else "base_compiledir"
    home = s.env("HOME") or "/home/user"
    path = (s.text(name) or f"{home}/.{s.dialect.value}").replace("~", home, 1)
    disk = next((f for f in s.context.network_folders if (path + "/").startswith(f.rstrip("/") + "/")), None)
    if disk:
        message = f"{path} is on a network disk ({disk}): compiling is slow, and jobs wait for each other's lock"
        yield about("TD261", Severity.WARNING, s, name, message, fix(f"set {name} to a local disk"))


RULE = Rule(
    "TD261",
    "network-compiledir",
    check,
    __doc__,
    fires=lambda: config("[global]\nbase_compiledir = /net/home/x\n", context=Context(network_folders=("/net",))),
    silent=lambda: config("[global]\nbase_compiledir = /network\n", context=Context(network_folders=("/net",))),
)
