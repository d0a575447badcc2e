"""Each option of the commands that ask something has its effect, or is an error, on every road.

Roads are `check` alone, with each device of `--confirm`, with `--log` and of several scripts, `graph`, `compare`, `scan` with and
without `--run`, and the API.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import theanodiag
from theanodiag.cli.parameters import Option, load, parse
from theanodiag.errors import TheanodiagError, UsageError
from theanodiag.requests import CHECK_OPTIONS, CheckRequest, CompareRequest

from ..cli.run import theanodiag as command
from ..interpreters import THOROUGH, find, first

SCRIPTS = Path(__file__).parent / "scripts"
SCRIPT, OTHER = str(SCRIPTS / "options.py"), str(SCRIPTS / "half_a_gigabyte.py")
TRAINING = str(SCRIPTS / "training.py")
LOG = str(SCRIPTS / "crash.log")
Values = dict[str, tuple[str, ...]]
FINDINGS: Values = {
    "--select": ("--select", "TD301"),
    "--ignore": ("--ignore", "TD"),
    "--fail-on": ("--fail-on", "info"),
    "--baseline": ("--baseline", "/no/such/baseline"),
    "--update-baseline": ("--update-baseline",),
    "--output": ("--output", "/no/such/folder/report"),
    "--format": ("--format", "concise"),
    "--config": ("--config", "/no/such/file"),
    "--show-settings": ("--show-settings",),
}
REPORTS: Values = {
    **FINDINGS,
    "--gpu": ("--gpu", "40MiB"),
    "--device-overhead": ("--device-overhead", "8150MiB"),
    "--batch-dim": ("--batch-dim", "nosuch:0"),
    "--shape": ("--shape", "nosuch:z=10,10"),
    "--function": ("--function", "nosuch"),
}
VALUES: Values = {
    **REPORTS,
    "--host-memory": ("--host-memory", "1MiB"),
    "--cudnn": ("--cudnn", "7.6.x"),
    "--engine": ("--engine", "host"),
    "--calls": ("--calls", "real"),
    "--max-calls": ("--max-calls", "1"),
    "--timeout": ("--timeout", "0.01"),
    "--python": ("--python", "/no/such/python"),
    "--repeat": ("--repeat", "0"),
    "--confirm": ("--confirm", "nosuch"),
    "--tight": ("--tight",),
    "--fix": ("--fix", "/no/such/folder/rc"),
    "--diff": ("--diff",),
    "--log": ("--log", "/no/such/log"),
    "--calibrate": ("--calibrate",),
    "the script's own": ("--", "640"),
}
"""Option of `check` -> a value that is another than the one in force."""
DIFF: Values = {
    "--gpu": ("--gpu", "7GiB"),
    "--device-overhead": ("--device-overhead", "3MiB"),
    "--ignore": ("--ignore", "TD303"),
    "--select": ("--select", "TD301"),
    "--engine": ("--engine", "torch"),
    "the script's own": ("--", "65"),
    "--config": VALUES["--config"],
    "--function": VALUES["--function"],
    "--format": VALUES["--format"],
    "--output": VALUES["--output"],
    "--confirm": VALUES["--confirm"],
    "--log": VALUES["--log"],
    "--calibrate": VALUES["--calibrate"],
    "--fix": VALUES["--fix"],
    "--batch-dim": VALUES["--batch-dim"],
    "--shape": VALUES["--shape"],
    "--host-memory": VALUES["--host-memory"],
    "--show-settings": VALUES["--show-settings"],
    "--timeout": VALUES["--timeout"],
    "--python": VALUES["--python"],
    "--baseline": VALUES["--baseline"],
}
"""Options of `check --diff` -> a value that gives another plan, or is an error."""
GRAPH: Values = {
    **REPORTS,
    "--value": ("--value", "nosuch=3"),
    "--floatX": ("--floatX", "float32"),
    "--dtype": ("--dtype", "x=float32"),
    "--allow-gc": ("--no-allow-gc",),
    "--preallocate": ("--preallocate", "0.5"),
}
COMPARE: Values = {
    "--python": ("--python", "/no/such/python"),
    "--against": ("--against", "/no/such/python"),
    "--calls": ("--calls", "1"),
    "--stop-after": ("--stop-after", "1"),
    "--rtol": ("--rtol", "1"),
    "--atol": ("--atol", "1e9"),
    "--seed": ("--seed", "7"),
    "--timeout": ("--timeout", "0.01"),
    "--no-node": ("--no-node",),
    "--same-draws": ("--same-draws",),
    "--density": ("--density",),
    "--format": ("--format", "text"),
}
SCAN: Values = {
    **FINDINGS,
    "--exclude": ("--exclude", "options.py"),
    "--jobs": ("--jobs", "0"),
    "--file-timeout": ("--file-timeout", "0"),
    "--scheduler": ("--scheduler", "tcp://localhost:1"),
    "--trust-cluster": ("--trust-cluster",),
    "--cache": ("--cache", "/no/such/folder"),
    "--run": ("--run",),
    "--gpu": ("--gpu", "40MiB"),
    "--python": ("--python", "/no/such/python"),
    "--timeout": ("--timeout", "0.01"),
    "--memory": ("--memory", "1MiB"),
    "--arguments": ("--arguments", "/no/such/file"),
}


@dataclasses.dataclass(frozen=True)
class Road:
    """A command with what it is about, and what two values of each of its options are told apart by."""

    words: tuple[str, ...]
    base: tuple[str, ...]
    """What is in force, unless the option that is tried says otherwise."""
    values: Values
    python: str | None = "pytensor"
    """The interpreter of `--python`; None: it is not given."""
    form: tuple[str, ...] = ("--format", "json")
    """In what form it answers."""


BASE = ("--gpu", "8GiB", "--max-calls", "20")
ROADS = {
    "plain": Road(("check", SCRIPT), BASE, VALUES),
    "log": Road(("check", SCRIPT, "--log", LOG), BASE, VALUES),
    "diff": Road(("check", TRAINING, "--diff"), ("--gpu", "6MiB", "--device-overhead", "0", "--max-calls", "20"), DIFF, "theano", ()),
    "several": Road(("check", SCRIPT, OTHER), BASE, VALUES),
    "confirm": Road(("check", SCRIPT, "--confirm", "cpu"), BASE, VALUES),
    "jax": Road(("check", SCRIPT, "--confirm", "jax"), BASE, VALUES, "pymc_jax"),
    "torch": Road(("check", SCRIPT, "--confirm", "torch"), BASE, VALUES, "torch"),
    "virtual": Road(("check", SCRIPT, "--confirm", "virtual"), BASE, VALUES, "gpu"),
    "pymc": Road(("check", str(SCRIPTS / "sampling.py"), "--confirm", "pymc"), BASE, VALUES, "pymc"),
    "graph": Road(
        ("graph", str(SCRIPTS / "untyped.txt")),
        ("--gpu", "4GiB", "--device-overhead", "0", "--shape", "x=100,100", "--floatX", "float64"),
        GRAPH,
        None,
    ),
    "compare": Road(("compare", str(SCRIPTS / "compared.py"), str(SCRIPTS / "compared_other.py")), ("--calls", "3"), COMPARE),
    "scan": Road(("scan", str(SCRIPTS)), ("--no-cache", "--exclude", "compared*"), SCAN, None),
    "scan --run": Road(("scan", str(SCRIPTS), "--run"), ("--no-cache", "--gpu", "8GiB", "--exclude", "compared*"), SCAN),
}
ABOUT_TEXT = ("--help", "--color", "--quiet", "--verbose", "--isolated")
"""Options about how a text looks, and that no file is read where there is none."""
ABOUT_WORK = ("--dask", "--no-cache", "--clear-cache")
"""Options of `scan` about how the same answer is come by."""


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


def pythons(road: Road) -> tuple[str, ...]:
    """The options that name interpreters."""
    if road.python is None:
        return ()
    path = find(road.python)
    return ("--python", path, "--against", path) if road.words[0] == "compare" else ("--python", path)


@cache
def said(name: str, more: tuple[str, ...], words: tuple[str, ...] = ()) -> tuple[int, Any]:
    """Exit code and answer; `words` are for the script."""
    road = ROADS[name]
    base = (*road.words, *pythons(road), *road.base, *road.form)
    done = command(*with_values(base, more), *words)
    return done.returncode, read(done.stdout)


def differs(road: str, more: tuple[str, ...]) -> bool:
    """Whether the option makes a difference to the answer or the exit code; an error is one."""
    words = ("--", "64", "all") if more[0] == "--max-calls" else ()  # which counts where no function is never called
    return said(road, (), words) != said(road, more, words)


OFTEN: dict[str, tuple[str, ...]] = {
    "plain": tuple(VALUES),
    "log": ("--batch-dim",),
    "several": ("--engine", "--batch-dim", "--select"),
    "confirm": ("--batch-dim",),
    "diff": ("--function", "--confirm"),
    "graph": tuple(GRAPH),
    "compare": ("--stop-after", "--rtol"),
    "scan": tuple(SCAN),
    "scan --run": ("--gpu", "--timeout"),
}
"""What is tried each time: all of quick roads, and of the others what each had dropped."""
CASES = [
    pytest.param(name, option, marks=() if option in OFTEN.get(name, ()) else THOROUGH)
    for name, road in ROADS.items()
    for option in road.values
]


@pytest.mark.parametrize(("road", "name"), CASES)
def test_an_option_has_its_effect_or_is_an_error(road: str, name: str) -> None:
    """On this road: the road itself is answered, and with another value it is answered otherwise."""
    code, answer = said(road, ())
    assert code in (0, 1, 53)
    assert answer
    assert differs(road, ROADS[road].values[name])
    assert said(road, ROADS[road].values[name])[0] != 4


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


@pytest.mark.parametrize(("name", "values"), [("check", VALUES), ("graph", GRAPH), ("compare", COMPARE), ("scan", SCAN)])
def test_every_option_is_in_the_table(name: str, values: Values) -> None:
    """A new one too."""
    assert options_of(name) == values.keys() - {"the script's own"} | set(ABOUT_TEXT if name != "compare" else ABOUT_TEXT[:3]) | (
        set(ABOUT_WORK) if name == "scan" else set()
    )


def options_of(name: str) -> set[str]:
    """The long names of the options of a command."""
    return {next(o for o in param.opts if o.startswith("--")) for param in load(name).params if isinstance(param, Option)}


WRONG: dict[str, object] = {
    "device": "nosuch", "device_overhead": "x", "cudnn": "x", "shapes": ("x",), "calls": "x", "max_calls": 0, "timeout": 0.0,
    "engine": "x", "batch_dim": ("x",), "confirm": "x", "repeat": 0, "tight": True, "host_memory": "x",
}  # fmt: skip
"""Field of a `CheckRequest` -> what it cannot be."""
WRONG_COMPARED: dict[str, object] = {"calls": 0, "rtol": -1.0, "atol": float("nan"), "seed": -1, "timeout": 0.0, "stop_after": 0}


@pytest.mark.parametrize("name", WRONG)
def test_check_of_the_api_hands_on_each_argument(name: str) -> None:
    """What is wrong is an error that names it."""
    with pytest.raises(UsageError) as error:
        theanodiag.check(SCRIPT, **{name: WRONG[name]})  # type: ignore[arg-type]
    assert error.value.option == name


@pytest.mark.parametrize("name", WRONG_COMPARED)
def test_compare_of_the_api_hands_on_each_argument(name: str) -> None:
    """As `check` does; and a path or an interpreter that is not there is named."""
    with pytest.raises(UsageError) as error:
        theanodiag.compare(SCRIPT, python="python3", against="python3", **{name: WRONG_COMPARED[name]})  # type: ignore[arg-type]
    assert error.value.option == name


@pytest.mark.parametrize("which", [{"python": "/no/such"}, {"against": "/no/such"}, {"other": "/no/such.py"}])
def test_compare_of_the_api_reads_what_is_named(which: dict[str, str]) -> None:
    """The message has its name."""
    given: dict[str, Any] = {"python": find("pytensor"), "against": find("pytensor"), **which}
    with pytest.raises(TheanodiagError, match="/no/such"):
        theanodiag.compare(SCRIPT, **given)


def test_every_field_of_the_request_has_an_option_and_an_argument_of_the_api() -> None:
    """No road can leave one out."""
    fields = {f.name for f in dataclasses.fields(CheckRequest)}
    assert fields == CHECK_OPTIONS.keys() | {"path", "args"}
    assert inspect.signature(theanodiag.check).parameters.keys() == fields | {"stdout", "stderr"}
    assert set(CHECK_OPTIONS.values()) <= VALUES.keys()
    compared = {f.name for f in dataclasses.fields(CompareRequest)}
    assert inspect.signature(theanodiag.compare).parameters.keys() == compared | {"stdout"}


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
    from theanodiag.cli import check

    request = CheckRequest("model.py", **given)  # type: ignore[arg-type]
    _, args = parse(["check", "--isolated", *request.as_arguments()])
    again = check.request_of(args)
    assert again == request
    assert request != CheckRequest("model.py")
