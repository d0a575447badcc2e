"""The JSON Schemas: sound, in the package, and as strict as the documents."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import theanodiag
from theanodiag.capture.model import StandIn
from theanodiag.cli import rules
from theanodiag.cli.parameters import Arguments
from theanodiag.confirmation.model import OutOfMemory, Tight
from theanodiag.findings import Figures, Fix, Saving, Skipped
from theanodiag.probe.model import FrameworkSeen, GpuSeen, InterpreterSeen, LibrarySeen, NvidiaDriver, ProbeResult, SeenDevice
from theanodiag.report.model import Report
from theanodiag.report.v1.common import text
from theanodiag.report.v1.doctor import DoctorV1

from ..schemas import NAMES, closed, flaws, load
from .test_confirmed import WHOLE


@pytest.mark.parametrize("name", NAMES)
def test_sound(name: str) -> None:
    """Each is a schema, and says of which document."""
    schema = load(name)
    Draft202012Validator.check_schema(schema)
    assert schema["properties"]["schema"] == {"const": f"theanodiag/{name.removesuffix('-v1')}/v1"}
    assert {"report-v1", "config-show-v1", "config-rewrite-v1"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_in_the_package(name: str) -> None:
    """What is installed has them."""
    assert (Path(theanodiag.__file__).parent / "report" / "schemas" / f"{name}.json").is_file()


def test_a_newer_report_may_have_more_keys() -> None:
    """Those who read reports are told what is there, not that nothing else will be; the tests are."""
    newer = {"schema": "theanodiag/error/v1", "error": dict.fromkeys(("path", "line", "column", "help")), "more": 1}
    newer["error"] |= {"exit_code": 2, "kind": "usage", "code": "usage", "message": "no"}  # type: ignore[operator]
    assert list(Draft202012Validator(load("error-v1")).iter_errors(newer)) == []
    assert flaws(newer) == ["$: Additional properties are not allowed ('more' was unexpected)"]


@pytest.fixture
def document(too_large: Report) -> Any:
    """A report with all parts that one may have."""
    framework = too_large.target.framework
    assert framework is not None
    seen = replace(framework, stand_in=StandIn({"device": "cpu"}, 7605))
    found = too_large.findings[0]
    confirmed = replace(WHOLE, tight=Tight(100, 100, 99), out_of_memory=OutOfMemory("f", 1, 2, "Dot", 100, 50, (("x", 4),), "no memory"))
    whole = replace(
        too_large,
        target=replace(too_large.target, framework=seen),
        findings=(*too_large.findings, replace(found, fix=Fix("do it"), after=Figures(1, 2, 1, 3), saves=Saving(1, 0.5))),
        ignored=((found, "--ignore"),),
        reserved_range=(1, 2),
        confirmation=confirmed,
        skipped=(Skipped("this", "that"),),
    )
    return json.loads(whole.to_json())


def places(document: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every key of a document."""
    parts = document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    for key, value in parts:
        if isinstance(document, dict):
            yield (*at, key)
        yield from places(value, (*at, key))


def damaged(document: Any) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The document without any one of its keys, and with one that is of another kind."""
    for path in places(document):
        without, other = copy.deepcopy(document), copy.deepcopy(document)
        for changed in (without, other):
            at: Any = changed
            for key in path[:-1]:
                at = at[key]
            if changed is without:
                del at[path[-1]]
            else:
                at[path[-1]] = {"strange": [{}]}
        if path != ("schema",):
            yield path, without
            yield path, other


def test_every_key_of_a_report_is_described(document: dict[str, Any]) -> None:
    """A report without any one of its keys, or with one that is of another kind, is not valid; but one made before a key was added is."""
    assert flaws(document) == []
    for path, changed in damaged(document):
        open_ended = "replaced_flags" in path[:-1] or (len(path) == 5 and path[3] in ("predicted", "measured"))
        if not open_ended:  # flags, and the figures of a device, are as many as there are
            earlier = path == ("target", "framework", "flags_text") and path[-1] not in changed["target"]["framework"]
            assert bool(flaws(changed)) is not earlier, path


def test_every_key_of_the_doctor_is_described() -> None:
    """With every part that a machine may have."""
    devices = (SeenDevice("cuda", "cuda0", "K80", 100, 90, "compute_37", "not now"),)
    interpreter = InterpreterSeen("/py", "3.8", "/", ("/site",), (FrameworkSeen("pygpu", "0.7.6", "/pygpu", devices, "no"),), "no")
    library = LibrarySeen("libnvrtc.so", (12, 4), (37, 90), True, "no")
    found = ProbeResult((interpreter,), (library,), NvidiaDriver("550", (12, 4)), "no", (GpuSeen("K80", 100, 90, (3, 7)),), "/usr/bin/cc")
    document = json.loads(text(DoctorV1.of(found)))
    assert flaws(document) == []
    for path, changed in damaged(document):
        assert flaws(changed), path


def test_every_key_of_the_rules_is_described(capsys: pytest.CaptureFixture[str]) -> None:
    """Both lists; each says what it is."""
    for shapes, said in ((False, "theanodiag/rules/v1"), (True, "theanodiag/shape-rules/v1")):
        rules.run(Arguments(shapes=shapes, format="json"))
        document = json.loads(capsys.readouterr().out)
        assert (document["schema"], flaws(document)) == (said, [])
        for path, changed in damaged({key: value if key == "schema" else value[:3] for key, value in document.items()}):
            assert flaws(changed), path


def test_all_objects_are_closed() -> None:
    """No object of a schema lets an unknown key pass where the tests look."""

    def open_(schema: Any) -> bool:
        if isinstance(schema, list):
            return any(map(open_, schema))
        if not isinstance(schema, dict):
            return False
        return (schema.get("type") == "object" and "additionalProperties" not in schema) or any(map(open_, schema.values()))

    assert [name for name in NAMES if open_(closed(load(name)))] == []
