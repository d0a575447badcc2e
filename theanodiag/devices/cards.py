"""The cards that `--gpu` knows, with memory, context, bus and compute capability, and the names by which users and drivers call them.

Figures: NVIDIA's data sheets, and where the row says so what a driver reported. Where a card was sold with several sizes of memory
under one name, the row is of the smaller one, and its name says which.
"""

from __future__ import annotations

import difflib
import functools
import re

from ..errors import UsageError
from ..units import GIB, MIB, parse_bytes
from .profile import DEFAULT_CONTEXT, HOST, Context, DeviceProfile

PCIE2_X16 = 6.4e9
"""PCI Express 2.0 x16: 8 GB/s nominal, times 0.8."""
PCIE3_X16 = 12.6e9
"""PCI Express 3.0 x16: 15.75 GB/s nominal, times 0.8."""
PCIE4_X16 = 25.2e9
"""PCI Express 4.0 x16: 31.5 GB/s nominal, times 0.8."""
PCIE5_X16 = 50.4e9
"""PCI Express 5.0 x16: 63 GB/s nominal, times 0.8."""
PCIE3_X8 = 6.3e9
"""PCI Express 3.0 x8, the slot of smaller laptop cards: 7.88 GB/s nominal, times 0.8."""


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


def _cards(rows: str, context_mib: int, bus: float) -> dict[str, DeviceProfile]:
    """Parses a table of cards (key, name, memory in GiB, or MiB with ECC on, compute capability) into profiles by key."""
    cards: dict[str, DeviceProfile] = {}
    for row in filter(str.strip, rows.splitlines()):
        key, name, size, capability = (part.strip() for part in row.split("|"))
        major, minor = map(int, capability.split("."))
        ecc = size.endswith("MiB")
        total = int(size[:-3]) * MIB if ecc else round(float(size) * GIB)
        source = f"{size[:-3]} MiB with ECC on" if ecc else "nominal size"
        cards[key] = _card(None, name, total, context_mib, bus, (major, minor), source)
    return cards


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
    # 529 MiB when it is opened, 68 for cuBLAS, up to 6 for kernels
    "h200": _card("h200", "H200 141 GB", 150109880320, 603, PCIE5_X16, (9, 0), "cuMemGetInfo with driver 580.159.04"),
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
    **_cards(
        """
        gtx-460     | GeForce GTX 460            | 1       | 2.1
        gtx-470     | GeForce GTX 470            | 1.25    | 2.0
        gtx-480     | GeForce GTX 480            | 1.5     | 2.0
        gtx-550-ti  | GeForce GTX 550 Ti         | 1       | 2.1
        gtx-560     | GeForce GTX 560            | 1       | 2.1
        gtx-560-ti  | GeForce GTX 560 Ti         | 1       | 2.1
        gtx-570     | GeForce GTX 570            | 1.25    | 2.0
        gtx-590     | GeForce GTX 590 (one half) | 1.5     | 2.0
        c2050       | Tesla C2050                | 2687MiB | 2.0
        c2070       | Tesla C2070                | 5375MiB | 2.0
        c2075       | Tesla C2075                | 5375MiB | 2.0
        m2050       | Tesla M2050                | 2687MiB | 2.0
        m2070       | Tesla M2070                | 5375MiB | 2.0
        m2075       | Tesla M2075                | 5375MiB | 2.0
        quadro-2000 | Quadro 2000                | 1       | 2.1
        quadro-4000 | Quadro 4000                | 2       | 2.0
        quadro-5000 | Quadro 5000                | 2.5     | 2.0
        quadro-6000 | Quadro 6000                | 6       | 2.0
        """, 80, PCIE2_X16,
    ),
    **_cards(
        """
        gt-640           | GeForce GT 640 2 GB            | 2       | 3.0
        gtx-650          | GeForce GTX 650 1 GB           | 1       | 3.0
        gtx-650-ti       | GeForce GTX 650 Ti             | 1       | 3.0
        gtx-650-ti-boost | GeForce GTX 650 Ti BOOST       | 2       | 3.0
        gtx-660          | GeForce GTX 660                | 2       | 3.0
        gtx-660-ti       | GeForce GTX 660 Ti             | 2       | 3.0
        gtx-670          | GeForce GTX 670                | 2       | 3.0
        gtx-690          | GeForce GTX 690 (one half)     | 2       | 3.0
        gtx-760          | GeForce GTX 760                | 2       | 3.0
        gtx-770          | GeForce GTX 770 2 GB           | 2       | 3.0
        gtx-780          | GeForce GTX 780                | 3       | 3.5
        gtx-765m         | GeForce GTX 765M               | 2       | 3.0
        gtx-770m         | GeForce GTX 770M               | 3       | 3.0
        gtx-780m         | GeForce GTX 780M               | 4       | 3.0
        gtx-870m         | GeForce GTX 870M 3 GB          | 3       | 3.0
        gtx-880m         | GeForce GTX 880M 4 GB          | 4       | 3.0
        titan-black      | GeForce GTX TITAN Black        | 6       | 3.5
        titan-z          | GeForce GTX TITAN Z (one half) | 6       | 3.5
        grid-k1          | GRID K1                        | 4       | 3.0
        grid-k2          | GRID K2                        | 4       | 3.0
        k10              | Tesla K10 (one half)           | 3583MiB | 3.0
        k20              | Tesla K20                      | 4742MiB | 3.5
        k20x             | Tesla K20X                     | 5699MiB | 3.5
        k2000            | Quadro K2000                   | 2       | 3.0
        k4000            | Quadro K4000                   | 3       | 3.0
        k4200            | Quadro K4200                   | 4       | 3.0
        k5000            | Quadro K5000                   | 4       | 3.0
        k5200            | Quadro K5200                   | 8       | 3.5
        k6000            | Quadro K6000                   | 12      | 3.5
        k1100m           | Quadro K1100M                  | 2       | 3.0
        k2100m           | Quadro K2100M                  | 2       | 3.0
        """, 80, PCIE3_X16,
    ),
    **_cards(
        """
        gt-710       | GeForce GT 710 1 GB  | 1 | 3.5
        gt-730       | GeForce GT 730 1 GB  | 1 | 3.5
        gt-740       | GeForce GT 740 1 GB  | 1 | 3.0
        gt-650m      | GeForce GT 650M 1 GB | 1 | 3.0
        gt-740m      | GeForce GT 740M 2 GB | 2 | 3.5
        gt-750m      | GeForce GT 750M 2 GB | 2 | 3.0
        gt-755m      | GeForce GT 755M      | 2 | 3.0
        geforce-920m | GeForce 920M         | 2 | 3.5
        k600         | Quadro K600          | 1 | 3.0
        gtx-750      | GeForce GTX 750 1 GB | 1 | 5.0
        """, 80, PCIE3_X8,
    ),
    **_cards(
        """
        gtx-850m   | GeForce GTX 850M 2 GB   | 2        | 5.0
        gtx-860m   | GeForce GTX 860M 2 GB   | 2        | 5.0
        gtx-950    | GeForce GTX 950         | 2        | 5.2
        gtx-950m   | GeForce GTX 950M 2 GB   | 2        | 5.0
        gtx-960    | GeForce GTX 960 2 GB    | 2        | 5.2
        gtx-960m   | GeForce GTX 960M 2 GB   | 2        | 5.0
        gtx-965m   | GeForce GTX 965M 2 GB   | 2        | 5.2
        gtx-970m   | GeForce GTX 970M 3 GB   | 3        | 5.2
        gtx-980m   | GeForce GTX 980M 4 GB   | 4        | 5.2
        gtx-980-ti | GeForce GTX 980 Ti      | 6        | 5.2
        m4         | Tesla M4                | 4        | 5.2
        m10        | Tesla M10 (one quarter) | 8        | 5.0
        m40-24     | Tesla M40 24 GB         | 22945MiB | 5.2
        m60        | Tesla M60 (one half)    | 8        | 5.2
        k620       | Quadro K620             | 2        | 5.0
        k1200      | Quadro K1200            | 4        | 5.0
        k2200      | Quadro K2200            | 4        | 5.0
        m1000m     | Quadro M1000M 2 GB      | 2        | 5.0
        m1200      | Quadro M1200            | 4        | 5.0
        m2000      | Quadro M2000            | 4        | 5.2
        m2000m     | Quadro M2000M           | 4        | 5.0
        m2200      | Quadro M2200            | 4        | 5.2
        m4000      | Quadro M4000            | 8        | 5.2
        m5000      | Quadro M5000            | 8        | 5.2
        m6000      | Quadro M6000 12 GB      | 12       | 5.2
        m6000-24   | Quadro M6000 24 GB      | 24       | 5.2
        """, 120, PCIE3_X16,
    ),
    **_cards(
        """
        geforce-830m  | GeForce 830M       | 2 | 5.0
        geforce-840m  | GeForce 840M       | 2 | 5.0
        geforce-845m  | GeForce 845M       | 2 | 5.0
        geforce-920mx | GeForce 920MX      | 2 | 5.0
        geforce-930m  | GeForce 930M       | 2 | 5.0
        geforce-930mx | GeForce 930MX      | 2 | 5.0
        geforce-940m  | GeForce 940M       | 2 | 5.0
        geforce-940mx | GeForce 940MX 2 GB | 2 | 5.0
        mx110         | GeForce MX110      | 2 | 5.0
        mx130         | GeForce MX130      | 2 | 5.0
        """, 120, PCIE3_X8,
    ),
    **_cards(
        """
        gtx-1050    | GeForce GTX 1050 2 GB | 2        | 6.1
        gtx-1050-ti | GeForce GTX 1050 Ti   | 4        | 6.1
        gtx-1060-3  | GeForce GTX 1060 3 GB | 3        | 6.1
        gtx-1070-ti | GeForce GTX 1070 Ti   | 8        | 6.1
        p4          | Tesla P4              | 7611MiB  | 6.1
        p40         | Tesla P40             | 22919MiB | 6.1
        p100-12     | Tesla P100 12 GB      | 12       | 6.0
        p600        | Quadro P600           | 2        | 6.1
        p620        | Quadro P620           | 2        | 6.1
        p1000       | Quadro P1000          | 4        | 6.1
        p2000       | Quadro P2000          | 5        | 6.1
        p2200       | Quadro P2200          | 5        | 6.1
        p4000       | Quadro P4000          | 8        | 6.1
        p5000       | Quadro P5000          | 16       | 6.1
        p6000       | Quadro P6000          | 24       | 6.1
        gp100       | Quadro GP100          | 16       | 6.0
        """, 180, PCIE3_X16,
    ),
    **_cards(
        """
        gt-1030 | GeForce GT 1030 | 2 | 6.1
        mx150   | GeForce MX150   | 2 | 6.1
        mx250   | GeForce MX250   | 2 | 6.1
        mx330   | GeForce MX330   | 2 | 6.1
        mx350   | GeForce MX350   | 2 | 6.1
        p400    | Quadro P400     | 2 | 6.1
        """, 180, PCIE3_X8,
    ),
    **_cards(
        """
        titan-v         | TITAN V                | 12 | 7.0
        v100s           | Tesla V100S 32 GB      | 32 | 7.0
        gv100           | Quadro GV100           | 32 | 7.0
        gtx-1650        | GeForce GTX 1650       | 4  | 7.5
        gtx-1650-ti     | GeForce GTX 1650 Ti    | 4  | 7.5
        gtx-1650-super  | GeForce GTX 1650 SUPER | 4  | 7.5
        gtx-1660        | GeForce GTX 1660       | 6  | 7.5
        gtx-1660-super  | GeForce GTX 1660 SUPER | 6  | 7.5
        gtx-1660-ti     | GeForce GTX 1660 Ti    | 6  | 7.5
        rtx-2060        | GeForce RTX 2060 6 GB  | 6  | 7.5
        rtx-2060-super  | GeForce RTX 2060 SUPER | 8  | 7.5
        rtx-2070        | GeForce RTX 2070       | 8  | 7.5
        rtx-2070-super  | GeForce RTX 2070 SUPER | 8  | 7.5
        rtx-2080-super  | GeForce RTX 2080 SUPER | 8  | 7.5
        titan-rtx       | TITAN RTX              | 24 | 7.5
        t1000           | Quadro T1000           | 4  | 7.5
        t2000           | Quadro T2000           | 4  | 7.5
        quadro-rtx-3000 | Quadro RTX 3000        | 6  | 7.5
        quadro-rtx-4000 | Quadro RTX 4000        | 8  | 7.5
        quadro-rtx-5000 | Quadro RTX 5000        | 16 | 7.5
        quadro-rtx-6000 | Quadro RTX 6000        | 24 | 7.5
        quadro-rtx-8000 | Quadro RTX 8000        | 48 | 7.5
        """, 300, PCIE3_X16,
    ),
    **_cards(
        """
        rtx-3050-laptop    | GeForce RTX 3050 Laptop GPU 4 GB | 4        | 8.6
        rtx-3050-ti-laptop | GeForce RTX 3050 Ti Laptop GPU   | 4        | 8.6
        rtx-3050           | GeForce RTX 3050 8 GB            | 8        | 8.6
        rtx-3060           | GeForce RTX 3060 12 GB           | 12       | 8.6
        rtx-3060-laptop    | GeForce RTX 3060 Laptop GPU      | 6        | 8.6
        rtx-3060-ti        | GeForce RTX 3060 Ti              | 8        | 8.6
        rtx-3070           | GeForce RTX 3070                 | 8        | 8.6
        rtx-3070-laptop    | GeForce RTX 3070 Laptop GPU      | 8        | 8.6
        rtx-3070-ti        | GeForce RTX 3070 Ti              | 8        | 8.6
        rtx-3070-ti-laptop | GeForce RTX 3070 Ti Laptop GPU   | 8        | 8.6
        rtx-3080-laptop    | GeForce RTX 3080 Laptop GPU 8 GB | 8        | 8.6
        rtx-3080-ti        | GeForce RTX 3080 Ti              | 12       | 8.6
        rtx-3080-ti-laptop | GeForce RTX 3080 Ti Laptop GPU   | 16       | 8.6
        rtx-3090-ti        | GeForce RTX 3090 Ti              | 24       | 8.6
        a2                 | A2                               | 15356MiB | 8.6
        a10g               | A10G                             | 23028MiB | 8.6
        a16                | A16 (one quarter)                | 15356MiB | 8.6
        a30                | A30                              | 24       | 8.0
        a40                | A40                              | 46068MiB | 8.6
        a800-80            | A800 80 GB                       | 80       | 8.0
        a2000              | RTX A2000 6 GB                   | 6        | 8.6
        a2000-12           | RTX A2000 12 GB                  | 12       | 8.6
        a4000              | RTX A4000                        | 16       | 8.6
        a4500              | RTX A4500                        | 20       | 8.6
        a5000              | RTX A5000                        | 24       | 8.6
        a5500              | RTX A5500                        | 24       | 8.6
        rtx-4050-laptop    | GeForce RTX 4050 Laptop GPU      | 6        | 8.9
        rtx-4060           | GeForce RTX 4060                 | 8        | 8.9
        rtx-4060-laptop    | GeForce RTX 4060 Laptop GPU      | 8        | 8.9
        rtx-4060-ti        | GeForce RTX 4060 Ti 8 GB         | 8        | 8.9
        rtx-4060-ti-16     | GeForce RTX 4060 Ti 16 GB        | 16       | 8.9
        rtx-4070           | GeForce RTX 4070                 | 12       | 8.9
        rtx-4070-laptop    | GeForce RTX 4070 Laptop GPU      | 8        | 8.9
        rtx-4070-super     | GeForce RTX 4070 SUPER           | 12       | 8.9
        rtx-4070-ti        | GeForce RTX 4070 Ti              | 12       | 8.9
        rtx-4070-ti-super  | GeForce RTX 4070 Ti SUPER        | 16       | 8.9
        rtx-4080           | GeForce RTX 4080                 | 16       | 8.9
        rtx-4080-laptop    | GeForce RTX 4080 Laptop GPU      | 12       | 8.9
        rtx-4080-super     | GeForce RTX 4080 SUPER           | 16       | 8.9
        rtx-4090-laptop    | GeForce RTX 4090 Laptop GPU      | 16       | 8.9
        l40                | L40                              | 46068MiB | 8.9
        rtx-2000-ada       | RTX 2000 Ada                     | 16       | 8.9
        rtx-4000-ada       | RTX 4000 Ada                     | 20       | 8.9
        rtx-5000-ada       | RTX 5000 Ada                     | 32       | 8.9
        rtx-6000-ada       | RTX 6000 Ada                     | 48       | 8.9
        """, 400, PCIE4_X16,
    ),
    **_cards(
        """
        h100-nvl | H100 NVL | 95830MiB  | 9.0
        h20      | H20      | 97871MiB  | 9.0
        h200-nvl | H200 NVL | 143771MiB | 9.0
        gh200    | GH200    | 97871MiB  | 9.0
        """, 601, PCIE5_X16,
    ),
    **_cards(
        """
        rtx-5070    | GeForce RTX 5070    | 12 | 12.0
        rtx-5070-ti | GeForce RTX 5070 Ti | 16 | 12.0
        rtx-5080    | GeForce RTX 5080    | 16 | 12.0
        rtx-5090    | GeForce RTX 5090    | 32 | 12.0
        """, 420, PCIE5_X16,
    ),
}  # fmt: skip
"""Name that `--gpu` accepts -> profile. `context` includes cuBLAS; it is a default for each generation until it is measured."""


NEAR = 0.12
"""Allowed relative deviation of a card's memory from its nominal size: ECC reserves a part, and names are rounded."""
MOST = 6
"""Maximum number of similar names listed in an error message."""
_MEMORY = re.compile(r"(?<![\d.])(\d+) ?gi?b\b")
_ASIDE = re.compile(
    r"\b(?:nvidia|corporation|geforce|tesla|grid|pcie|sxm\d?|hbm\d?e?|dgxs|mxm|fhhl|gpu|generation|with|design|max[ -]?q)\b|"
    r"\(one (?:half|quarter)\)"
)
"""Matches what drivers add to the name of a card that is still the same card: the maker, the connector. A Max-Q card has the memory of the
card that it is named after.
"""
_OTHER_NAMES = {"k10 g1 8gb": "k10", "k10 g2 8gb": "k10", "k20xm": "k20x", "gh200 480gb": "gh200"}
"""Names that drivers print, without the maker -> key of the card, for names from which the rules below do not find it."""


def by_name(text: str) -> DeviceProfile:
    """Parses the value of `--gpu`: `none`, a size such as `4GiB`, or a card by its name in the table or in the driver.

    Raises `UsageError`, with similar names if there are any, for any other text.
    """
    key = text.strip().lower().replace(" ", "-").replace("_", "-")
    if key == "none":
        return HOST
    if key in CARDS:
        return CARDS[key]
    try:
        total = parse_bytes(text)
    except ValueError:
        card = card_of(text, None)
        if card is not None:
            return card
        near = _similar(key)
        suggestion = f"did you mean {' or '.join(near)}? " if near else ""
        names = "" if near else ", or the name of a known card, such as t4 or 'GeForce GTX 1080'"
        advice = f"{suggestion}give the memory that nvidia-smi prints for it, such as 4096MiB or 4GiB, none (the host){names}"
        raise UsageError(f"not a card or a size: {text!r}", help=advice) from None
    if text.strip().isdecimal() and total < MIB:
        near = _similar(key)
        suggestion = f"did you mean {' or '.join(near)}? " if near else ""
        raise UsageError(f"a device of {total} bytes: {text!r} has no unit", help=f"{suggestion}write a size such as {total}MiB or 4GiB")
    if total <= 0:
        raise UsageError(f"a device of {total} bytes holds nothing", help="write a size such as 4GiB, or none for host memory")
    return DeviceProfile(text.strip(), total, DEFAULT_CONTEXT, bus_bytes_per_second=PCIE3_X16, source="size given by the user")


def card_of(name: str, total: int | None) -> DeviceProfile | None:
    """Returns the card for a driver's name such as `Tesla V100-SXM2-32GB`; None if the card is not certain.

    If several cards have the name, returns the card with `total` bytes, or with the size that the name contains; if neither is known, the
    card whose key contains no size.
    """
    lower = name.lower().replace("_", " ")
    other = _OTHER_NAMES.get(" ".join(re.findall(r"[a-z\d]+", _ASIDE.sub(" ", lower))))
    if other is not None:
        return CARDS[other]
    words = words_of(name)
    keys = _by_words().get(words) or _by_words().get(_without_cooling(words), [])
    stated = _MEMORY.search(lower)
    size = total or (int(stated[1]) * GIB if stated else None)
    if size is not None:
        keys = [key for key in keys if abs((CARDS[key].total_bytes or 0) - size) <= NEAR * size]
    if len(keys) > 1:
        keys = [key for key in keys if words[-len(_words(key)) :] == _words(key)]
    return CARDS[keys[0]] if len(keys) == 1 else None


def option_of(device: DeviceProfile) -> str:
    """Returns the value of `--gpu` that selects this device: the key of its card, or else its size."""
    key = next((key for key, card in CARDS.items() if card.name == device.name), None)
    if key is not None or device.total_bytes is None:
        return key or device.name
    try:
        by_name(device.name)
    except UsageError:
        return f"{device.total_bytes}B"
    return device.name


def words_of(name: str) -> tuple[str, ...]:
    """Returns the words and numbers in a card's name, without manufacturer, connector and memory: `("v", "100")` for `Tesla
    V100-SXM2-32GB`.
    """
    return _words(_MEMORY.sub(" ", _ASIDE.sub(" ", name.lower().replace("_", " "))))


def _words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[a-z]+|\d+", text))


def _without_cooling(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a name, with the letter for active or passive cooling taken off (`k40` for `k40c` and `k40m`). A laptop's card, such as
    `k1100m`, is another card and stays.
    """
    return words[:-1] if len(words) == 3 and words[2] in ("c", "m") and len(words[1]) == 2 else words


@functools.cache
def _by_words() -> dict[tuple[str, ...], list[str]]:
    """Words of a card's key or name -> keys of the cards with that key or name."""
    keys: dict[tuple[str, ...], list[str]] = {}
    for key, card in CARDS.items():
        for words in {_words(key), words_of(key), words_of(card.name)}:
            keys.setdefault(words, []).append(key)
    return keys


def _similar(key: str) -> list[str]:
    """Returns keys to suggest for an unknown `key`: those with all its words, else those with its longest number, after the same letter
    (`v100`) if any.

    None for a slice of a card (MIG): the whole card has more memory.
    """
    words = words_of(key)
    number = max(filter(str.isdecimal, words), key=len, default="")
    if "mig" in words:
        return []
    same = sorted(c for c in CARDS if words and set(words) <= set(_words(c)))
    if not number:
        return same[:MOST] or difflib.get_close_matches(key, CARDS, MOST, 0.75)
    at = words.index(number)
    part = words[at - 1 : at + 1] if at and len(words[at - 1]) == 1 else (number,)
    return (same or sorted(c for c in CARDS if len(number) > 1 and part in _runs(_words(c), len(part))))[:MOST]


def _runs(words: tuple[str, ...], length: int) -> list[tuple[str, ...]]:
    """Returns all runs of `length` consecutive words."""
    return [words[k : k + length] for k in range(len(words) - length + 1)]
