"""`theanodiag/explain-log/v1`: what a log says about a failed job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Optional

from ...logs import Cause, Diagnosis
from .common import Document, Part, from_attributes

if TYPE_CHECKING:
    from typing_extensions import Self


class SiteV1(Part):
    """A line of the script."""

    path: str
    line: int


class ConsequenceV1(Part):
    """A later message in the log that this failure explains."""

    line: int
    message: str


class RequestV1(Part):
    """The allocation that failed."""

    bytes: Optional[int]
    rounded: bool
    """whether the log rounds it to a few digits"""
    shape: Optional[list[int]]
    dtype: Optional[str]
    node: Optional[str]
    input_shapes: list[Optional[list[int]]]
    site: Optional[SiteV1]


class MemoryV1(Part):
    """The device's memory when the allocation failed."""

    free_bytes: Optional[int]
    total_bytes: Optional[int]
    device: Optional[str]
    held_bytes: Optional[int]
    unused_bytes: Optional[int]


class StoredV1(Part):
    """An entry of the log's storage map."""

    name: str
    kind: Literal["shared", "input", "intermediate"]
    shape: list[int]
    bytes: int


class ExplainLogV1(Document, kw_only=True):
    """The explanation of a failed job's log."""

    schema: Literal["theanodiag/explain-log/v1"]
    source: str
    recognised: bool
    cause: str
    is_memory: bool
    why: str
    message: str
    line: int
    printed_by: Optional[str]
    """project, version and source file that print the message"""
    consequences: list[ConsequenceV1] = []
    """later messages in the log that this failure explains"""
    only_end: bool = False
    """whether only the last 32 MiB of the log were read, as it is longer"""
    request: RequestV1
    memory: MemoryV1
    live: list[StoredV1]
    """the entries of the log's storage map, largest first"""
    compiler_bytes: dict[str, int]
    flags: dict[str, str]
    advice: list[str]
    command: Optional[str]
    """the command to run next"""

    @classmethod
    def of(cls, d: Diagnosis, source: str, **more: Any) -> Self:
        """Returns the JSON document of a diagnosis; names and texts as in the log, sizes in bytes."""
        request, memory = d.request, d.memory
        return cls(
            schema="theanodiag/explain-log/v1",
            source=source,
            recognised=d.cause is not Cause.NOT_RECOGNISED,
            cause=d.cause.value,
            is_memory=d.cause.is_memory,
            why=d.why,
            message=d.message,
            line=d.line,
            printed_by=d.source or None,
            consequences=[from_attributes(ConsequenceV1, other) for other in d.consequences],
            only_end=d.only_end,
            request=RequestV1(
                bytes=request.bytes,
                rounded=request.rounded,
                shape=None if request.shape is None else list(request.shape),
                dtype=request.dtype,
                node=request.node,
                input_shapes=[None if s is None else list(s) for s in request.input_shapes],
                site=None if request.site is None else SiteV1(path=request.site[0], line=request.site[1]),
            ),
            memory=MemoryV1(
                free_bytes=memory.free, total_bytes=memory.total, device=memory.device, held_bytes=memory.held, unused_bytes=memory.unused
            ),
            live=[from_attributes(StoredV1, s) for s in d.live],
            compiler_bytes=dict(d.parts),
            flags=dict(d.flags),
            advice=list(d.advice),
            command=d.command,
            **more,
        )


class ReproducedV1(Part):
    """An array of the script with the same size as the failed request."""

    function: str
    variable: str
    op: Optional[str]
    dtype: str
    shape: list[int]
    bytes: int
    site: Optional[SiteV1]
    sure: bool
    """whether the node in the log, or its line of the script, matches too"""


class LogV1(ExplainLogV1, kw_only=True):
    """What the log of a failed run of the script says."""

    reproduced: list[ReproducedV1]
