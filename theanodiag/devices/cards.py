"""The known cards: total memory as their drivers report it, and their buses.

Totals: the K520's is the driver's own figure in error messages of that card on an AWS g2.2xlarge (4294770688 bytes). For the others
`cuMemGetInfo` reports slightly less than the nominal size, differently by driver; the nominal size less the ECC share is used here, and a
measurement (`--gpu SIZE`, or the card found through NVML) is better. Buses, bandwidths and capabilities: NVIDIA's data sheets.
"""

from __future__ import annotations

from ..units import GIB, MIB
from .profile import PCIE2_X16, PCIE3_X16, PCIE4_X16, PCIE5_X16, Context, DeviceProfile


def _card(
    chip: str | None,
    name: str,
    total: int,
    context_mib: int,
    bus: float,
    memory_gb: float,
    capability: tuple[int, int],
    source: str = "nominal size",
) -> DeviceProfile:
    context = Context(context_mib * MIB, "default")
    return DeviceProfile(
        name,
        total,
        context,
        bus_bytes_per_second=bus,
        memory_bytes_per_second=memory_gb * 1e9,
        compute_capability=capability,
        source=source,
        chip=chip,
    )


CARDS = {
    "k520": _card(None, "GRID K520", 4294770688, 90, PCIE3_X16, 160, (3, 0), "cuMemGetInfo on an AWS g2.2xlarge"),
    "k80": _card(None, "Tesla K80 (one half)", 11441 * MIB, 100, PCIE3_X16, 240, (3, 7), "11441 MiB with ECC on"),
    "gtx-980": _card("gtx-980", "GeForce GTX 980", 4 * GIB, 120, PCIE3_X16, 224, (5, 2)),
    "titan-x": _card("gtx-titan-x", "GeForce GTX Titan X", 12 * GIB, 140, PCIE3_X16, 336, (5, 2)),
    "gtx-1080": _card("gtx-1080", "GeForce GTX 1080", 8 * GIB, 180, PCIE3_X16, 320, (6, 1)),
    "gtx-1080-ti": _card("gtx-1080-ti", "GeForce GTX 1080 Ti", 11 * GIB, 180, PCIE3_X16, 484, (6, 1)),
    "p100": _card("p100", "Tesla P100 16 GB", 16 * GIB, 250, PCIE3_X16, 732, (6, 0)),
    "v100-16": _card("v100-16", "Tesla V100 16 GB", 16 * GIB, 300, PCIE3_X16, 900, (7, 0)),
    "v100-32": _card("v100-32", "Tesla V100 32 GB", 32 * GIB, 300, PCIE3_X16, 900, (7, 0)),
    "t4": _card("t4", "Tesla T4", 15109 * MIB, 300, PCIE3_X16, 320, (7, 5), "15109 MiB with ECC on"),
    "rtx-2080-ti": _card("rtx-2080-ti", "GeForce RTX 2080 Ti", 11 * GIB, 300, PCIE3_X16, 616, (7, 5)),
    "a100-40": _card("a100-40", "A100 40 GB", 40 * GIB, 420, PCIE4_X16, 1555, (8, 0)),
    "a100-80": _card("a100-80", "A100 80 GB", 80 * GIB, 420, PCIE4_X16, 1935, (8, 0)),
    "h100-80": _card("h100-80", "H100 80 GB", 80 * GIB, 520, PCIE5_X16, 2039, (9, 0)),
    "a6000": _card("a6000", "RTX A6000", 48 * GIB, 420, PCIE4_X16, 768, (8, 6)),
    "h200": _card("h200", "H200 141 GB", 151397597184, 520, PCIE5_X16, 4800, (9, 0), "what its driver reports"),
    "b200": _card("b200", "B200", 191514411008, 560, PCIE5_X16, 7672, (10, 0), "what its driver reports"),
    "gtx-580": _card(None, "GeForce GTX 580", 1536 * MIB, 80, PCIE2_X16, 192, (2, 0)),
    "gtx-680": _card(None, "GeForce GTX 680", 2 * GIB, 80, PCIE3_X16, 192, (3, 0)),
    "gtx-750-ti": _card(None, "GeForce GTX 750 Ti", 2 * GIB, 100, PCIE3_X16, 86, (5, 0)),
    "gtx-780-ti": _card(None, "GeForce GTX 780 Ti", 3 * GIB, 100, PCIE3_X16, 336, (3, 5)),
    "titan": _card(None, "GeForce GTX TITAN", 6 * GIB, 100, PCIE3_X16, 288, (3, 5)),
    "k40": _card(None, "Tesla K40", 11439 * MIB, 100, PCIE3_X16, 288, (3, 5), "11439 MiB with ECC on"),
    "m40": _card(None, "Tesla M40", 11443 * MIB, 120, PCIE3_X16, 288, (5, 2), "11443 MiB with ECC on"),
    "gtx-970": _card("gtx-970", "GeForce GTX 970", 4 * GIB, 120, PCIE3_X16, 224, (5, 2)),
    "gtx-1060": _card("gtx-1060", "GeForce GTX 1060 6 GB", 6 * GIB, 180, PCIE3_X16, 192, (6, 1)),
    "gtx-1070": _card("gtx-1070", "GeForce GTX 1070", 8 * GIB, 180, PCIE3_X16, 256, (6, 1)),
    "titan-x-pascal": _card("titan-x-pascal", "TITAN X (Pascal)", 12 * GIB, 180, PCIE3_X16, 480, (6, 1)),
    "titan-xp": _card("titan-xp", "TITAN Xp", 12 * GIB, 180, PCIE3_X16, 548, (6, 1)),
    "rtx-2080": _card("rtx-2080", "GeForce RTX 2080", 8 * GIB, 300, PCIE3_X16, 448, (7, 5)),
    "rtx-3080": _card("rtx-3080", "GeForce RTX 3080", 10 * GIB, 420, PCIE4_X16, 760, (8, 6)),
    "rtx-3090": _card("rtx-3090", "GeForce RTX 3090", 24 * GIB, 420, PCIE4_X16, 936, (8, 6)),
    "rtx-4090": _card("rtx-4090", "GeForce RTX 4090", 24 * GIB, 420, PCIE4_X16, 1008, (8, 9)),
    "a10": _card("a10", "A10", 23028 * MIB, 420, PCIE4_X16, 600, (8, 6), "23028 MiB with ECC on"),
    "l4": _card("l4", "L4", 23034 * MIB, 420, PCIE4_X16, 300, (8, 9), "23034 MiB with ECC on"),
    "l40s": _card("l40s", "L40S", 46068 * MIB, 420, PCIE4_X16, 864, (8, 9), "46068 MiB with ECC on"),
    "m2090": _card(None, "Tesla M2090", 5375 * MIB, 80, PCIE2_X16, 177, (2, 0), "5375 MiB with ECC on"),
}
"""Name that `--gpu` takes -> profile. `context` is that of a context with cuBLAS: a default by generation until it is measured."""
