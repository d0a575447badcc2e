"""Reads what the hook tells of calls of PyMC's samplers (events `sampling`, `sampling_end` and `own_code`)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

from ..ir import Unknown
from ..ir.cursor import Cursor
from ..ir.dtype import is_dtype
from ..ir.shape import Dim
from ..samplers.model import DrawArray, DrawStatistic, OwnCode, ProgramFigures, SamplingCall
from .events import flag, site


def read_sampling(rows: Sequence[Cursor], after: Sequence[Cursor], numbers: Mapping[int, int]) -> tuple[SamplingCall, ...]:
    """The calls of which `rows`, the events `sampling` and `sampling_end` in their order, tell.

    `after`: the events `own_code`. `numbers`: a function's index in the stream -> its index in the Script.
    """
    found: list[SamplingCall] = []
    for row in rows:
        if row.key("event").text() == "sampling":
            found.append(_call(row, numbers))
        else:
            number = row.key("number").integer()
            found = [dataclasses.replace(c, dropped_before=len(found)) if c.number == number else c for c in found]
    own: dict[int, list[OwnCode]] = {}
    for row in after:
        part = OwnCode(*(row.key(name).integer() for name in ("draws", "peak", "kept")))
        own.setdefault(row.key("number").integer(), []).append(part)
    return tuple(dataclasses.replace(c, own_code=tuple(own.get(c.number, ()))) for c in found)


def _call(at: Cursor, numbers: Mapping[int, int]) -> SamplingCall:
    roles = at.key("functions")
    cores = at.maybe_integer("cores")
    return SamplingCall(
        number=at.key("number").integer(),
        kind=at.key("kind").text(),
        sampler=at.key("sampler").text(),
        version=at.maybe_text("version") or "",
        draws=at.maybe_integer("draws") or 0,
        tune=_or(at.maybe_integer("tune"), 1000),
        chains=_or(at.maybe_integer("chains"), max(2, cores or 4)),
        cores=cores or 1,
        parallel=flag(at, "parallel"),
        start_method=at.maybe_text("start_method"),
        variables=tuple(_arrays(at, "variables")),
        statistics=tuple(
            DrawStatistic(row.key("name").text(), row.key("dtype").text(), row.key("bytes").integer()) for row in at.rows("statistics")
        ),
        log_likelihood=tuple(_arrays(at, "log_likelihood")),
        made=tuple(_arrays(at, "made")),
        held=tuple(_arrays(at, "held")),
        rows=at.maybe_integer("rows"),
        scored=flag(at, "scored"),
        checks=_or_true(at, "checks"),
        discard_tuned=_or_true(at, "discard_tuned"),
        converted=_or_true(at, "converted"),
        include_transformed=flag(at, "include_transformed"),
        storage=at.maybe_text("storage"),
        storage_chunk=at.maybe_integer("storage_chunk"),
        storage_in_memory=flag(at, "storage_in_memory"),
        storage_transformed=flag(at, "storage_transformed"),
        var_names=tuple(row.text() for row in at.rows("var_names")) if at.maybe("var_names") is not None else None,
        chain_method=at.maybe_text("chain_method") or "parallel",
        vectorize=at.maybe_text("vectorize") or "vmap",
        post_device=at.maybe_text("post_device"),
        post_processing=_programs(at, "xla"),
        density=_programs(at, "xla_log_likelihood"),
        density_constants=at.maybe_integer("density_constants") or 0,
        programs=tuple(_program(row) for row in at.rows("programs")),
        devices=at.maybe_integer("devices") or 1,
        sequential=flag(at, "sequential"),
        local_devices=at.maybe_integer("local_devices"),
        constants=at.maybe_integer("constants") or 0,
        post_constants=at.maybe_integer("post_constants") or 0,
        refused=at.maybe_text("programs_error"),
        loads=tuple(row.text() for row in at.rows("loads")),
        functions={role: tuple(numbers[i] for i in roles.integers(role) if i in numbers) for role in roles.table()},
        site=site(at),
        entry=at.maybe_text("entry") or "",
        uncounted=flag(at, "uncounted"),
        failed=at.maybe_text("failed"),
        imported_bytes=at.maybe_integer("imported"),
        resident_bytes=at.maybe_integer("resident"),
        compiled_bytes=at.maybe_integer("compiled"),
        present=tuple(row.text() for row in at.rows("present")),
        start=at.maybe_text("start"),
    )


def _or(value: int | None, default: int) -> int:
    return default if value is None else value


def _or_true(at: Cursor, name: str) -> bool:
    """A flag that is true where nothing was told."""
    return at.table().get(name) is not False


def _arrays(at: Cursor, name: str) -> Iterator[DrawArray]:
    for row in at.rows(name):
        dtype = row.key("dtype").text()
        if not is_dtype(dtype):
            raise row.wrong(f"no array of a draw is {dtype}")
        dims: tuple[Dim, ...] = tuple(Unknown("its type does not tell it") if d.value is None else d.integer() for d in row.rows("shape"))
        yield DrawArray(row.key("name").text(), row.key("kind").text(), dtype, dims, flag(row, "sampled"))


def _programs(at: Cursor, name: str) -> Mapping[str, ProgramFigures]:
    """XLA's figures for each way of going through the draws; empty where it told none."""
    told = at.maybe(name)
    return {} if told is None else {way: _program(told.key(way)) for way in told.table()}


def _program(at: Cursor) -> ProgramFigures:
    return ProgramFigures(*(at.key(name).integer() for name in ("argument", "output", "temporary", "alias")))
