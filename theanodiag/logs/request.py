"""The failed allocation and the device's memory, from the groups of a message and its context."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from math import prod

from ..units import KIB, MIB
from . import amounts, context
from .matching import Event
from .model import Cause, FailedRequest, LoggedMemory

MOST_BYTES = 1 << 80
"""Larger than any size of an array, including overflowed sizes."""

_LINE = 1000
"""Characters read of the line of a message."""
_NOT_FIRST = re.compile(r"failed to alloc (?:sm|am) output")
"""The second and third output of a softmax with its cost (Theano, tensor/nnet/nnet.py): the rule of shapes is for the first."""
_LAUNCH = re.compile(r"LaunchKernel|LAUNCH_OUT_OF_RESOURCES|LaunchOutOfResources|resources requested for launch")
"""The start of a kernel failed: what it asked for is none of its node's arrays."""


def says_bytes(match: re.Match[str]) -> int | None:
    """Returns the requested bytes that a message contains; None if it contains none."""
    groups = match.groupdict()
    if groups.get("bytes"):
        return int(groups["bytes"].replace(",", ""))
    for name, factor in (("mib", MIB), ("elements", 4), ("kib", KIB)):
        if groups.get(name):
            return int(groups[name]) * factor
    if groups.get("shape") and groups.get("dtype") and (kind := amounts.dtype(_numpy(groups["dtype"]))):
        return amounts.nbytes(amounts.shape(groups["shape"]), kind)
    return amounts.amount(groups["amount"]) if groups.get("amount") else None


def failed_request(text: str, events: Sequence[Event], root: Event) -> tuple[FailedRequest, LoggedMemory]:
    """Returns the request and the memory of a message, completed from other messages about the same request and from the rest of
    the log.
    """
    request, memory = _request(root.match), _memory(root.match)
    for other in reversed(events):
        if memory.free is None and request.bytes is not None and says_bytes(other.match) == request.bytes:
            memory = _memory(other.match)
    card = context.card(text)
    memory = replace(memory, total=memory.total or card.total, device=card.device)
    if memory.unused is None and root.cause is Cause.CAPACITY:
        memory = replace(memory, unused=context.unused(text, root.at))
    node = context.node_request(text, root.at)
    line = text[text.rfind("\n", 0, root.at) + 1 : root.at + _LINE].partition("\n")[0]
    is_output = not root.match.groupdict().get("workspace") and not _LAUNCH.search(line) and not _NOT_FIRST.search(line)
    fits = (
        is_output and node.shape is not None and node.dtype is not None and request.bytes in (None, amounts.nbytes(node.shape, node.dtype))
    )
    request = replace(request, node=node.node, input_shapes=node.input_shapes, site=node.site)
    if fits and request.shape is None and root.cause.is_memory:
        request = replace(request, shape=node.shape, dtype=node.dtype, bytes=request.bytes if request.bytes is not None else node.bytes)
    if request.rounded and request.shape is not None and request.dtype is not None:
        request = replace(request, bytes=amounts.nbytes(request.shape, request.dtype), rounded=False)
    if request.bytes is None and request.shape is not None and prod(request.shape) == 0:
        request = replace(request, bytes=0)
    return request, memory


def plausible(request: FailedRequest) -> FailedRequest:
    """Returns the request without implausible sizes, which occur in damaged logs."""
    return request if request.bytes is None or request.bytes < MOST_BYTES else replace(request, bytes=None, shape=None)


def _numpy(name: str) -> str:
    """NumPy's name of TensorFlow's dtypes `float` and `double`."""
    return {"float": "float32", "double": "float64"}.get(name, name)


def _request(match: re.Match[str]) -> FailedRequest:
    groups = match.groupdict()
    shape = amounts.shape(groups["shape"]) if groups.get("shape") else None
    kind = amounts.dtype(_numpy(groups["dtype"])) if groups.get("dtype") else None
    exact = groups.get("bytes") or groups.get("elements") or groups.get("kib") or groups.get("mib") or (shape is not None and kind)
    return FailedRequest(says_bytes(match), not exact, shape, kind)


def _memory(match: re.Match[str]) -> LoggedMemory:
    groups = match.groupdict()

    def one(name: str) -> int | None:
        if groups.get(name):
            return int(groups[name])
        for suffix, factor in (("mib", MIB), ("kib", KIB)):
            if groups.get(f"{name}_{suffix}"):
                return int(groups[f"{name}_{suffix}"]) * factor
        text = groups.get(f"{name}_amount") or groups.get(f"{name}_new")
        return amounts.amount(text) if text else None

    allocated, reserved, unused = one("allocated"), one("reserved"), one("unused")
    if reserved is None and allocated is not None and unused is not None:
        reserved = allocated + unused
    if unused is None and allocated is not None and reserved is not None:
        unused = max(0, reserved - allocated)
    total = one("total") or None  # 0 of 0: the driver does not know it
    free = None if total is None and "total" in groups and groups["total"] else one("free")
    return LoggedMemory(free, total, held=max(filter(None, (one("own"), reserved)), default=None), unused=unused)
