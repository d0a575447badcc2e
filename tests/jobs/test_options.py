"""Each option has its effect, or is an error, on every road: `check` alone, with `--confirm`, with `--log`, and of several scripts."""

from __future__ import annotations

import dataclasses
import inspect
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import theanodiag
from theanodiag.cli.main import build_parser
from theanodiag.requests import CHECK_OPTIONS, CheckRequest

from ..cli.run import theanodiag as command
from ..interpreters import THOROUGH, find, first

SCRIPTS = Path(__file__).parent / "scripts"
SCRIPT, OTHER = str(SCRIPTS / "options.py"), str(SCRIPTS / "half_a_gigabyte.py")
LOG = str(SCRIPTS / "crash.log")
ROADS = {
    "plain": (SCRIPT,),
    "log": (SCRIPT, "--log", LOG),
    "several": (SCRIPT, OTHER),
    "confirm": (SCRIPT, "--confirm", "cpu"),
}
BASE: tuple[str, ...] = ("--gpu", "8GiB", "--max-calls", "20")
VALUES: dict[str, tuple[str, ...]] = {
    "--gpu": ("--gpu", "40MiB"),
    "--host-memory": ("--host-memory", "1MiB"),
    "--device-overhead": ("--device-overhead", "8150MiB"),
    "--batch-dim": ("--batch-dim", "nosuch:0"),
    "--cudnn": ("--cudnn", "7.6.x"),
    "--engine": ("--engine", "host"),
    "--shape": ("--shape", "nosuch:z=10,10"),
    "--calls": ("--calls", "real"),
    "--max-calls": ("--max-calls", "1"),
    "--timeout": ("--timeout", "0.01"),
    "--python": ("--python", "/no/such/python"),
    "--repeat": ("--repeat", "0"),
    "--confirm": ("--confirm", "nosuch"),
    "--tight": ("--tight",),
    "--function": ("--function", "nosuch"),
    "--select": ("--select", "TD301"),
    "--ignore": ("--ignore", "TD"),
    "--fail-on": ("--fail-on", "info"),
    "--write": ("--write", "/no/such/folder/rc"),
    "--log": ("--log", "/no/such/log"),
    "--calibrate": ("--calibrate",),
    "--baseline": ("--baseline", "/no/such/baseline"),
    "--update-baseline": ("--update-baseline",),
    "--output": ("--output", "/no/such/folder/report"),
    "--format": ("--format", "concise"),
    "--config": ("--config", "/no/such/file"),
    "--show-settings": ("--show-settings",),
    "the script's own": ("--", "640"),
}
"""Option -> a value that is another than the one in force."""
ABOUT_TEXT = ("--help", "--color", "--quiet", "--verbose", "--isolated")
"""Options about how a text looks, and that no file is read where there is none."""


TIMES = ("seconds", "compile_seconds", "median", "least", "most")


def timeless(found: object) -> object:
    """A JSON value without times, which differ from run to run, and without sizes of whole processes, which do too."""
    if isinstance(found, dict):
        resident = str(found.get("name", "")).startswith("resident")
        return {k: timeless(v) for k, v in found.items() if k not in TIMES and not (resident and k != "name")}
    return [timeless(v) for v in found] if isinstance(found, list) else found


def read(text: str) -> object:
    """What a command said, without times."""
    try:
        return timeless(json.loads(text))
    except ValueError:
        return text


def with_values(base: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    """A command line in which `more` stands in place of what `base` says of the same option."""
    if more and more[0] in base:
        at = base.index(more[0])
        base = base[:at] + base[at + 2 :]
    return (*base, *more)


@cache
def said(road: str, more: tuple[str, ...], words: tuple[str, ...] = ()) -> tuple[int, Any]:
    """Exit code and answer; `words` are for the script."""
    python = () if "--python" in more else ("--python", find("pytensor"))
    ours = with_values((*ROADS[road], *BASE), ("--format", "json")) if "--format" not in more else (*ROADS[road], *BASE)
    done = command("check", *python, *with_values(ours, more), *words)
    return done.returncode, read(done.stdout)


def differs(road: str, more: tuple[str, ...]) -> bool:
    """Whether the option makes a difference to the answer or the exit code; an error is one."""
    words = ("--", "64", "all") if more[0] == "--max-calls" else ()  # which counts where no function is never called
    return said(road, (), words) != said(road, more, words)


OFTEN = {"plain": tuple(VALUES), "log": ("--batch-dim",), "several": ("--engine", "--batch-dim", "--select"), "confirm": ("--batch-dim",)}
"""What is tried each time: all of one road, and of the others one that each had dropped."""
CASES = [pytest.param(road, name, marks=() if name in OFTEN[road] else THOROUGH) for road in ROADS for name in VALUES]


@pytest.mark.parametrize(("road", "name"), CASES)
def test_an_option_has_its_effect_or_is_an_error(road: str, name: str) -> None:
    """On this road: the road itself is answered, and with another value it is answered otherwise."""
    code, answer = said(road, ())
    assert code in (0, 53)
    assert isinstance(answer, dict)
    assert differs(road, VALUES[name])
    assert said(road, VALUES[name])[0] != 4


def test_the_same_command_says_the_same() -> None:
    """Else every option would seem to make a difference."""
    first = said("plain", ())
    said.cache_clear()
    assert said("plain", ()) == first


@pytest.mark.parametrize("name", first(("--engine", "--function"), ("--batch-dim", "--function", "--engine", "--calls", "--cudnn")))
def test_what_was_dropped_on_some_roads(name: str) -> None:
    """What is wrong is an error whatever else is asked; what is right changes the prediction beside which is measured."""
    plain, confirmed = said("plain", VALUES[name]), said("confirm", VALUES[name])
    assert confirmed[0] == plain[0]
    if plain[0] in (0, 53):
        assert confirmed[1]["process"] == plain[1]["process"]


def test_every_option_is_in_the_table() -> None:
    """A new one too."""
    parser = build_parser("check")
    (commands,) = (a.choices for a in parser._actions if a.dest == "command")
    assert commands is not None
    offered = {a.option_strings[-1] for a in commands["check"]._actions if a.option_strings}  # type: ignore[call-overload]
    assert offered == VALUES.keys() - {"the script's own"} | set(ABOUT_TEXT)


def test_every_field_of_the_request_has_an_option_and_an_argument_of_the_api() -> None:
    """No road can leave one out."""
    fields = {f.name for f in dataclasses.fields(CheckRequest)}
    assert fields == CHECK_OPTIONS.keys() | {"path", "args"}
    assert inspect.signature(theanodiag.check).parameters.keys() == fields | {"stdout", "stderr"}
    assert set(CHECK_OPTIONS.values()) <= VALUES.keys()


REQUESTS = [
    {"python": "python9"}, {"device": "4GiB"}, {"device": "k520", "device_overhead": "1MiB"},
    {"device": "k520", "cudnn": "7.6.5"},
    {"shapes": ("f:x=1,2", "g:y=3")}, {"calls": "real"}, {"max_calls": 7}, {"timeout": 1.5}, {"engine": "torch"},
    {"batch_dim": ("x:0", "y:1")},
    {"confirm": "cpu", "repeat": 3, "tight": True}, {"device": "none", "host_memory": "4GiB"}, {"args": ("--epochs", "3")},
]  # fmt: skip


@pytest.mark.parametrize("given", REQUESTS)
def test_the_command_line_of_a_request_asks_the_same(given: dict[str, object]) -> None:
    """By which `scan --run` and several scripts hand theirs to processes of their own."""
    from theanodiag.cli import check, configured
    from theanodiag.cli.main import parse

    request = CheckRequest("model.py", **given)  # type: ignore[arg-type]
    args = parse(["check", "--isolated", *request.words()], "check")
    configured.fill(args, args.model)
    again = check.request_of(args)
    assert again == request
    assert request != CheckRequest("model.py")
