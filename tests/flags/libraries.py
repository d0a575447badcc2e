"""Real libraries that answer questions about environments: see `real_library.py`."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from tests.interpreters import find
from theanodiag.cli.config_input import RealDisk, accounts
from theanodiag.flags.model import Dialect, FailureKind, Host, Resolution
from theanodiag.flags.resolve import resolve
from theanodiag.ir.shape import Unknown

SCRIPT = Path(__file__).with_name("real_library.py")
DIALECTS = {
    "theano": Dialect.THEANO,
    "theano27": Dialect.THEANO,
    "aesara": Dialect.AESARA,
    "pytensor": Dialect.PYTENSOR,
    "pytensor_new": Dialect.PYTENSOR,
}
LIBRARIES = tuple(DIALECTS)
SEED = {"PYTHONHASHSEED": "0"}
"""So that messages list the members of a set in the same order in every process."""


@dataclass(frozen=True)
class Library:
    """One running library."""

    dialect: Dialect
    process: subprocess.Popen[str]
    facts: dict[str, Any]

    @property
    def version(self) -> str:
        """Its version."""
        return str(self.facts["version"])

    def ask(self, environ: Mapping[str, str], cwd: str) -> dict[str, Any]:
        """What it makes of `environ`."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps({"environ": dict(environ), "cwd": cwd}) + "\n")
        self.process.stdin.flush()
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    def host(self, cwd: str, pid: int) -> Host:
        """The machine as that process saw it."""
        facts = tuple((name, value) for name, value in self.facts["facts"])
        python = tuple(self.facts["python"])
        home = os.path.expanduser("~")
        known = Host(python=(python[0], python[1]), home=home, user_homes=accounts(), cxx=self.facts["cxx"], facts=facts)
        return replace(known, pid=pid, disk=RealDisk(cwd))

    def resolved(self, environ: Mapping[str, str], cwd: str, pid: int) -> Resolution:
        """What we make of `environ`."""
        return resolve(self.dialect, self.version, environ, RealDisk(cwd).read, self.host(cwd, pid))


@cache
def library(name: str) -> Library:
    """Starts the library of interpreter `name`; skips the test where there is none."""
    home = SCRIPT.parent / "__pycache__"
    home.mkdir(exist_ok=True)
    dialect = DIALECTS[name]
    command = [find(name), str(SCRIPT), dialect.value, "serve"]
    environ = {"PATH": os.environ["PATH"], "HOME": str(home.resolve()), **SEED}
    process = subprocess.Popen(command, stdin=-1, stdout=-1, stderr=subprocess.DEVNULL, text=True, env=environ)
    assert process.stdout
    return Library(dialect, process, json.loads(process.stdout.readline()))


def fresh(name: str, environ: Mapping[str, str], cwd: str) -> dict[str, Any]:
    """What the library says in a process of its own, imported as by any script."""
    command = [find(name), str(SCRIPT), DIALECTS[name].value, "fresh"]
    done = subprocess.run(command, capture_output=True, text=True, env={**environ, **SEED}, cwd=cwd, timeout=300, check=True)
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def differences(resolution: Resolution, answer: Mapping[str, Any]) -> list[str]:
    """Where we and the library do not agree, in words; empty if we do."""
    failure = resolution.failure
    if answer["failure"]:
        exception, message = answer["failure"]
        if failure is None:
            return [f"the library fails: {exception}: {message}"]
        return [] if failure.exception == exception else [f"{failure.exception} ({failure.message}) is {exception} ({message})"]
    if failure and failure.kind is not FailureKind.IMPORT:
        return [f"the library starts, we say {failure}"]
    return [*value_differences(resolution, answer["values"]), *warning_differences(resolution, answer["warnings"])]


def value_differences(resolution: Resolution, values: Mapping[str, list[str]]) -> list[str]:
    """Flags whose value is not the library's; what we do not know must be a default."""
    found = [] if {s.flag.name for s in resolution.settings} >= set(values) else [f"unknown flags {set(values)}"]
    for setting in resolution.settings:
        ours, theirs = setting.value, values.get(setting.flag.name)
        if theirs is None or (isinstance(ours, Unknown) and setting.is_default):
            silent = theirs and theirs[0] == "error" and "raises" not in str(ours)
            found.extend([f"{setting.flag.name}: {ours} is {theirs}"] if silent else [])
            continue
        kind = type(ours).__name__
        if [kind, str(ours)] != theirs:
            found.append(f"{setting.flag.name}: {ours!r} is {theirs}")
    return found


def warning_differences(resolution: Resolution, warnings: list[str]) -> list[str]:
    """Flags over which only one of us warns."""
    ours = {i.entry.key for i in resolution.ignored if i.warns}
    theirs = {w.partition(": ")[2] if "recognise" in w else w.split("'", 1)[1].rpartition("' has no value")[0] for w in warnings}
    return [f"warned about: {sorted(ours)} is {sorted(theirs)}"] if ours != theirs else []


def compare(name: str, environ: Mapping[str, str], cwd: str) -> list[str]:
    """Asks the library, resolves, and says where they differ."""
    running = library(name)
    answer = running.ask(environ, cwd)
    return differences(running.resolved(environ, cwd, answer["pid"]), answer)
