"""What a simulation needs to know of a device: its size, the driver's overhead, the speed of the bus."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import UsageError
from ..units import GIB, MIB, format_bytes, parse_bytes


@dataclass(frozen=True)
class Context:
    """Device memory that the driver keeps: its context, modules, and the handles of cuBLAS and cuDNN. No array can use it."""

    bytes: int
    """Size of all of it."""
    origin: str
    """`default`, `measured`, or `derived` (given by the user)."""


@dataclass(frozen=True)
class DeviceProfile:
    """A device, or the host, for which `total_bytes` is None and `free_bytes` is the memory available to arrays, if known."""

    name: str
    total_bytes: int | None
    """Memory of the device as its driver reports it; None for the host."""
    context: Context
    free_bytes: int | None = None
    """Bytes free now, as the driver says; None where it was not asked. Of the host: its memory."""
    bus_bytes_per_second: float | None = None
    """Bandwidth of a copy from pinned host memory: about 0.8 of the bus's nominal rate."""
    compute_capability: tuple[int, int] | None = None
    """CUDA compute capability (major, minor); None where unknown."""
    source: str = ""
    """Where the figures come from; of the host: what limits its memory."""
    pool_bytes: int | None = None
    """Size of the pool in which a compiler's allocator places arrays; None where the driver serves each request."""
    unsized: bool = False
    """Whether this is a GPU of which nothing is known, not even its size."""
    chip: str | None = None
    """Key of the card in `xla_target.CHIPS`; None where XLA cannot compile for it or it is not listed."""

    @property
    def is_host(self) -> bool:
        """Whether this is host memory, not a device."""
        return self.total_bytes is None and not self.unsized

    @property
    def place(self) -> str:
        """Where arrays are, for messages: `on k520`."""
        if not self.is_host:
            return f"on {self.name}"
        if self.source == "--host-memory":
            return f"in {format_bytes(self.free_bytes or 0)} of host memory"
        limited = self.free_bytes is not None and self.source != PHYSICAL
        return f"in the memory that {self.source} allows here" if limited else "in the memory of this host"

    @property
    def available_bytes(self) -> int | None:
        """Bytes available to the script's arrays: free memory if known, else the total less the context; of a pool no more than it has.

        None: unknown.
        """
        free = self.free_bytes
        if free is None and self.total_bytes is not None:
            free = max(0, self.total_bytes - self.context.bytes)
        return free if free is None or self.pool_bytes is None else min(self.pool_bytes, free)


def taken_off(device: DeviceProfile, need: int) -> str | None:
    """A note where `need` bytes fit on the device but not beside its context, whose size is only a default; else None."""
    total, context = device.total_bytes, device.context
    if total is None or device.free_bytes is not None or context.origin != "default" or not total - context.bytes < need <= total:
        return None
    return (
        f"we assume {format_bytes(context.bytes)} of {format_bytes(total)} for the CUDA context; measure yours with "
        "theanodiag doctor --calibrate, or give it with --device-overhead"
    )


DEFAULT_CONTEXT = Context(300 * MIB, "default")
"""A CUDA context with cuBLAS and cuDNN handles takes 200 to 450 MiB, by card and driver: this default is to be replaced by a measurement.
"""

PHYSICAL = "physical memory"
"""What limits the memory of a host where nothing limits it to less."""
HOST = DeviceProfile("none", None, Context(0, "derived"), source=PHYSICAL)
"""Host memory, of unknown size."""


def with_overhead(device: DeviceProfile, bytes_: int) -> DeviceProfile:
    """The same device with a context of `bytes_` bytes, given by the user (`--device-overhead`)."""
    return dataclasses.replace(device, context=Context(bytes_, "derived"))


def overhead_bytes(text: str | int | None) -> int | None:
    """Parses `--device-overhead TEXT` to bytes; None for None. Raises `UsageError` where it is no size."""
    try:
        return None if text is None else parse_bytes(text)
    except ValueError as error:
        raise UsageError(f"--device-overhead: {error}") from None


PCIE2_X16 = 6.4e9
"""PCI Express 2.0 x16: 8 GB/s nominal, times 0.8."""
PCIE3_X16 = 12.6e9
"""PCI Express 3.0 x16: 15.75 GB/s nominal, times 0.8."""
PCIE4_X16 = 25.2e9
"""PCI Express 4.0 x16: 31.5 GB/s nominal, times 0.8."""
PCIE5_X16 = 50.4e9
"""PCI Express 5.0 x16: 63 GB/s nominal, times 0.8."""
UNSIZED = DeviceProfile("GPU", None, Context(0, "derived"), source="a GPU of unknown size", unsized=True)


def _card(
    chip: str | None,
    name: str,
    total: int,
    context_mib: int,
    bus: float,
    capability: tuple[int, int],
    source: str = "nominal size",
) -> DeviceProfile:
    context = Context(context_mib * MIB, "default")
    return DeviceProfile(
        name,
        total,
        context,
        bus_bytes_per_second=bus,
        compute_capability=capability,
        source=source,
        chip=chip,
    )


CARDS = {
    "k520": _card(None, "GRID K520", 4294770688, 90, PCIE3_X16, (3, 0), "cuMemGetInfo on an AWS g2.2xlarge"),
    "k80": _card(None, "Tesla K80 (one half)", 11441 * MIB, 100, PCIE3_X16, (3, 7), "11441 MiB with ECC on"),
    "gtx-980": _card("gtx-980", "GeForce GTX 980", 4 * GIB, 120, PCIE3_X16, (5, 2)),
    "titan-x": _card("gtx-titan-x", "GeForce GTX Titan X", 12 * GIB, 140, PCIE3_X16, (5, 2)),
    "gtx-1080": _card("gtx-1080", "GeForce GTX 1080", 8 * GIB, 180, PCIE3_X16, (6, 1)),
    "gtx-1080-ti": _card("gtx-1080-ti", "GeForce GTX 1080 Ti", 11 * GIB, 180, PCIE3_X16, (6, 1)),
    "p100": _card("p100", "Tesla P100 16 GB", 16 * GIB, 250, PCIE3_X16, (6, 0)),
    "v100-16": _card("v100-16", "Tesla V100 16 GB", 16 * GIB, 300, PCIE3_X16, (7, 0)),
    "v100-32": _card("v100-32", "Tesla V100 32 GB", 32 * GIB, 300, PCIE3_X16, (7, 0)),
    "t4": _card("t4", "Tesla T4", 15109 * MIB, 300, PCIE3_X16, (7, 5), "15109 MiB with ECC on"),
    "rtx-2080-ti": _card("rtx-2080-ti", "GeForce RTX 2080 Ti", 11 * GIB, 300, PCIE3_X16, (7, 5)),
    "a100-40": _card("a100-40", "A100 40 GB", 40 * GIB, 420, PCIE4_X16, (8, 0)),
    "a100-80": _card("a100-80", "A100 80 GB", 80 * GIB, 420, PCIE4_X16, (8, 0)),
    # 527 MiB when it is opened, 68 for cuBLAS, up to 6 for kernels (docs/accuracy/receipts.md)
    "h100-80": _card("h100-80", "H100 80 GB", 85017493504, 601, PCIE5_X16, (9, 0), "cuMemGetInfo with driver 580.159.04"),
    "a6000": _card("a6000", "RTX A6000", 48 * GIB, 420, PCIE4_X16, (8, 6)),
    "h200": _card("h200", "H200 141 GB", 151397597184, 520, PCIE5_X16, (9, 0), "what its driver reports"),
    "b200": _card("b200", "B200", 191514411008, 560, PCIE5_X16, (10, 0), "what its driver reports"),
    "gtx-580": _card(None, "GeForce GTX 580", 1536 * MIB, 80, PCIE2_X16, (2, 0)),
    "gtx-680": _card(None, "GeForce GTX 680", 2 * GIB, 80, PCIE3_X16, (3, 0)),
    "gtx-750-ti": _card(None, "GeForce GTX 750 Ti", 2 * GIB, 100, PCIE3_X16, (5, 0)),
    "gtx-780-ti": _card(None, "GeForce GTX 780 Ti", 3 * GIB, 100, PCIE3_X16, (3, 5)),
    "titan": _card(None, "GeForce GTX TITAN", 6 * GIB, 100, PCIE3_X16, (3, 5)),
    "k40": _card(None, "Tesla K40", 11439 * MIB, 100, PCIE3_X16, (3, 5), "11439 MiB with ECC on"),
    "m40": _card(None, "Tesla M40", 11443 * MIB, 120, PCIE3_X16, (5, 2), "11443 MiB with ECC on"),
    "gtx-970": _card("gtx-970", "GeForce GTX 970", 4 * GIB, 120, PCIE3_X16, (5, 2)),
    "gtx-1060": _card("gtx-1060", "GeForce GTX 1060 6 GB", 6 * GIB, 180, PCIE3_X16, (6, 1)),
    "gtx-1070": _card("gtx-1070", "GeForce GTX 1070", 8 * GIB, 180, PCIE3_X16, (6, 1)),
    "titan-x-pascal": _card("titan-x-pascal", "TITAN X (Pascal)", 12 * GIB, 180, PCIE3_X16, (6, 1)),
    "titan-xp": _card("titan-xp", "TITAN Xp", 12 * GIB, 180, PCIE3_X16, (6, 1)),
    "rtx-2080": _card("rtx-2080", "GeForce RTX 2080", 8 * GIB, 300, PCIE3_X16, (7, 5)),
    "rtx-3080": _card("rtx-3080", "GeForce RTX 3080", 10 * GIB, 420, PCIE4_X16, (8, 6)),
    "rtx-3090": _card("rtx-3090", "GeForce RTX 3090", 24 * GIB, 420, PCIE4_X16, (8, 6)),
    "rtx-4090": _card("rtx-4090", "GeForce RTX 4090", 24 * GIB, 420, PCIE4_X16, (8, 9)),
    "a10": _card("a10", "A10", 23028 * MIB, 420, PCIE4_X16, (8, 6), "23028 MiB with ECC on"),
    "l4": _card("l4", "L4", 23034 * MIB, 420, PCIE4_X16, (8, 9), "23034 MiB with ECC on"),
    "l40s": _card("l40s", "L40S", 46068 * MIB, 420, PCIE4_X16, (8, 9), "46068 MiB with ECC on"),
    "m2090": _card(None, "Tesla M2090", 5375 * MIB, 80, PCIE2_X16, (2, 0), "5375 MiB with ECC on"),
}
"""Name that `--gpu` takes -> profile. `context` is that of a context with cuBLAS: a default by generation until it is measured."""


def by_name(text: str) -> DeviceProfile:
    """The device that `--gpu TEXT` names: `none`, a card such as `k520` or `GTX 1080 Ti`, or a size such as `4GiB`.

    Raises `UsageError`, with the known cards, where it is neither.
    """
    key = text.strip().lower().replace(" ", "-").replace("_", "-")
    if key == "none":
        return HOST
    if key in CARDS:
        return CARDS[key]
    near = _near(key, tuple(CARDS))
    if len(near) == 1 and not key.isdecimal() and _plain(near[0]) == _plain(key):
        return CARDS[near[0]]
    called = card_of(text, None)
    if called is not None:
        return called
    meant = f"did you mean {' or '.join(near)}? " if near else ""
    try:
        total = parse_bytes(text)
    except ValueError:
        known = ", ".join(sorted(CARDS))
        advice = f"{meant}write a size such as 4GiB, none (the host), or a card: {known}"
        raise UsageError(f"not a card or a size: {text!r}", help=advice) from None
    if text.strip().isdecimal() and total < MIB:
        raise UsageError(f"a device of {total} bytes: {text!r} has no unit", help=f"{meant}write a size such as {total}MiB or 4GiB")
    if total <= 0:
        raise UsageError(f"a device of {total} bytes holds nothing", help="write a size such as 4GiB, or none for host memory")
    return DeviceProfile(text.strip(), total, DEFAULT_CONTEXT, bus_bytes_per_second=PCIE3_X16, source="size given by the user")


def card_of(name: str, total: int | None) -> DeviceProfile | None:
    """The card that a driver calls `name`, such as `Tesla V100-SXM2-32GB`; None where it is not known for sure.

    Of two of one name that of `total` bytes, or as many as the name says.
    """
    words = set(_words(name))
    stated = re.search(r"(\d+) ?gb", name.lower())
    size = total or (int(stated[1]) * GIB if stated else None)
    aside = _ASIDE | set(filter(str.isdecimal, words)) | ({"c", "m"} if "tesla" in words else set())
    cores = {key: set(_words(key.removesuffix(f"-{(card.total_bytes or 0) // GIB}"))) for key, card in CARDS.items()}
    said = [key for key, core in cores.items() if core <= words and words - core <= aside]
    most = max((len(cores[key]) for key in said), default=0)
    found = [CARDS[key] for key in said if len(cores[key]) == most]
    if size is not None:
        found = [card for card in found if abs((card.total_bytes or 0) - size) <= NEAR * size]
    return found[0] if len(found) == 1 else None


def option_of(device: DeviceProfile) -> str:
    """What `--gpu` takes for a device that `by_name` found."""
    return next((key for key, card in CARDS.items() if card.name == device.name), device.name)


NEAR = 0.12
"""How far a card's memory may be from what is said of it: ECC takes a part, and names round."""
_MAKERS = ("nvidia", "geforce", "tesla", "quadro")
_ASIDE = frozenset((*_MAKERS, "grid", "rtx", "gtx", "gb", "pcie", "sxm", "hbm"))
"""What drivers add to the name of a card that is still the same one: makers, how it is plugged in, and its memory."""


def _near(key: str, cards: Sequence[str]) -> list[str]:
    """The cards that a name may mean: those with the same letters and digits except the maker's words, else all with the same number."""
    words = [w for w in re.findall(r"[a-z]+|\d+", key) if w not in _MAKERS]
    same = [c for c in cards if _plain(c) == _plain(key)]
    numbers = [w for w in words if w.isdigit() and len(w) > 1]
    if same or not numbers:
        return same
    if words[0].isalpha() and len(words[0]) == 1:  # k80, m2090: the letter is a part of the name
        return sorted(c for c in cards if c.split("-")[0] == "".join(words[:2])) or sorted(c for c in cards if c.startswith(words[0]))
    return sorted(c for c in cards if numbers[0] in re.findall(r"\d+", c))


def _words(name: str) -> list[str]:
    """The words and numbers of a card's name."""
    return re.findall(r"[a-z]+|\d+", name.lower())


def _plain(name: str) -> str:
    """A card's name without the maker's words, spaces and hyphens: `Tesla K80` and `k80` give the same."""
    return "".join(w for w in _words(name) if w not in _MAKERS)
