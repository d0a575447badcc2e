"""Describes a GPU to XLA's compiler, which then compiles for it ahead of time: a GpuTargetConfigProto as text.

Figures: NVIDIA's data sheets and the CUDA C++ Programming Guide ("Compute Capabilities"), and for the cards that XLA itself describes
(openxla/xla, xla/backends/gpu/target_config/specs) the memory, clock and bandwidth given there.
"""

from __future__ import annotations

from dataclasses import dataclass

from .profile import DeviceProfile

OLDEST = (5, 2)
"""The lowest compute capability for which JAX's CUDA plugin has code."""


@dataclass(frozen=True)
class Generation:
    """Properties that all cards of one compute capability share."""

    fpus: int
    """Number of float32 lanes per multiprocessor."""
    threads: int
    """Number of resident threads per multiprocessor."""
    shared: int
    """Bytes of shared memory per multiprocessor."""
    shared_optin: int
    """The most bytes of shared memory that one block may request."""
    accelerated: bool = False
    """Whether it has architecture-specific instructions (sm_90a, sm_100a)."""


GENERATIONS = {
    (5, 2): Generation(128, 2048, 98304, 49152),
    (6, 0): Generation(64, 2048, 65536, 49152),
    (6, 1): Generation(128, 2048, 98304, 49152),
    (7, 0): Generation(64, 2048, 98304, 98304),
    (7, 5): Generation(64, 1024, 65536, 65536),
    (8, 0): Generation(64, 2048, 167936, 166912),
    (8, 6): Generation(128, 1536, 102400, 101376),
    (8, 9): Generation(128, 1536, 102400, 101376),
    (9, 0): Generation(128, 2048, 233472, 232448, True),
    (10, 0): Generation(128, 2048, 233472, 232448, True),
}
"""Compute capability -> properties of its cards."""


@dataclass(frozen=True)
class Chip:
    """The properties of one GPU model that XLA's compiler needs."""

    name: str
    """Its name as the driver reports it."""
    cores: int
    """Number of the chip's multiprocessors."""
    clock_ghz: float
    l2_bytes: int
    """Bytes of the chip's L2 cache."""
    memory_bytes: int
    """Bytes of the chip's memory."""
    bandwidth: int
    """Bandwidth of its memory in bytes per second."""


CHIPS = {
    "gtx-titan-x": Chip("GeForce GTX TITAN X", 24, 1.076, 3145728, 12884901888, 336500000000),
    "gtx-980": Chip("GeForce GTX 980", 16, 1.216, 2097152, 4294967296, 224300000000),
    "gtx-1080": Chip("GeForce GTX 1080", 20, 1.733, 2097152, 8589934592, 320300000000),
    "gtx-1080-ti": Chip("GeForce GTX 1080 Ti", 28, 1.582, 2883584, 11811160064, 484400000000),
    "p100": Chip("Tesla P100-SXM2-16GB", 56, 1.4805, 4194304, 17066885120, 732160000000),
    "v100-16": Chip("Tesla V100-SXM2-16GB", 80, 1.53, 6291456, 16935682048, 898048000000),
    "v100-32": Chip("Tesla V100-SXM2-32GB", 80, 1.53, 6291456, 34089730048, 898048000000),
    "t4": Chip("Tesla T4", 40, 1.59, 4194304, 15843721216, 320064000000),
    "rtx-2080-ti": Chip("GeForce RTX 2080 Ti", 68, 1.545, 5767168, 11554717696, 616000000000),
    "a100-40": Chip("NVIDIA A100-SXM4-40GB", 108, 1.41, 41943040, 42331013120, 1555200000000),
    "a100-80": Chip("NVIDIA A100-SXM4-80GB", 108, 1.41, 41943040, 85100068864, 2039040000000),
    "a6000": Chip("NVIDIA RTX A6000", 84, 1.8, 6291456, 51041271808, 768096000000),
    "h100-80": Chip("NVIDIA H100 80GB HBM3", 132, 1.98, 52428800, 84942979072, 3352320000000),
    "h200": Chip("NVIDIA H200 141GB HBM3e", 132, 1.98, 52428800, 151397597184, 4800000000000),
    "gtx-970": Chip("GeForce GTX 970", 13, 1.178, 1835008, 4294967296, 224300000000),
    "gtx-1060": Chip("GeForce GTX 1060 6GB", 10, 1.708, 1572864, 6442450944, 192200000000),
    "gtx-1070": Chip("GeForce GTX 1070", 15, 1.683, 2097152, 8589934592, 256300000000),
    "titan-x-pascal": Chip("NVIDIA TITAN X (Pascal)", 28, 1.531, 3145728, 12884901888, 480400000000),
    "titan-xp": Chip("NVIDIA TITAN Xp", 30, 1.582, 3145728, 12884901888, 547600000000),
    "rtx-2080": Chip("GeForce RTX 2080", 46, 1.71, 4194304, 8589934592, 448000000000),
    "rtx-3080": Chip("NVIDIA GeForce RTX 3080", 68, 1.71, 5242880, 10737418240, 760300000000),
    "rtx-3090": Chip("NVIDIA GeForce RTX 3090", 82, 1.695, 6291456, 25769803776, 936200000000),
    "rtx-4090": Chip("NVIDIA GeForce RTX 4090", 128, 2.52, 75497472, 25769803776, 1008100000000),
    "a10": Chip("NVIDIA A10", 72, 1.695, 6291456, 24146608128, 600200000000),
    "l4": Chip("NVIDIA L4", 58, 2.04, 50331648, 24152899584, 300100000000),
    "l40s": Chip("NVIDIA L40S", 142, 2.52, 100663296, 48305799168, 864000000000),
    "b200": Chip("NVIDIA B200", 148, 1.965, 132644864, 191514411008, 7672320000000),
}
"""Name that `--gpu` accepts -> properties of the card. The compiler gets the memory size given here; the free memory is that of the device
profile.
"""
CAPABILITIES = {
    "gtx-titan-x": (5, 2), "gtx-980": (5, 2), "gtx-1080": (6, 1), "gtx-1080-ti": (6, 1), "p100": (6, 0), "v100-16": (7, 0),
    "v100-32": (7, 0), "t4": (7, 5), "rtx-2080-ti": (7, 5), "a100-40": (8, 0), "a100-80": (8, 0), "a6000": (8, 6), "h100-80": (9, 0),
    "h200": (9, 0), "b200": (10, 0), "gtx-970": (5, 2), "gtx-1060": (6, 1), "gtx-1070": (6, 1), "titan-x-pascal": (6, 1),
    "titan-xp": (6, 1),
    "rtx-2080": (7, 5), "rtx-3080": (8, 6), "rtx-3090": (8, 6), "rtx-4090": (8, 9), "a10": (8, 6), "l4": (8, 9), "l40s": (8, 9),
}  # fmt: skip
"""Name that `--gpu` accepts -> compute capability of the card."""
ASSUMED = "a100-80"
"""The chip that is described to XLA where the user gave only a size."""


@dataclass(frozen=True)
class XlaTarget:
    """The description of a GPU that XLA's compiler gets."""

    card: str
    """The card's name; where the user named none, also how it was chosen."""
    text: str
    """The GpuTargetConfigProto as text."""


def too_old(device: DeviceProfile) -> str | None:
    """Returns the reason why JAX cannot run on an old card; None if it can, or the card's compute capability is unknown."""
    capability = device.compute_capability
    if capability is None or capability >= OLDEST:
        return None
    return f"XLA has no code for {device.name}: its compute capability {capability[0]}.{capability[1]} is below 5.2"


def target_of(device: DeviceProfile) -> XlaTarget | str:
    """Returns the description of a device for XLA's compiler, or the reason why XLA cannot compile for it."""
    capability = device.compute_capability
    if (refusal := too_old(device)) is not None:
        return refusal
    key = chip_of(device)
    if key is None:
        reason = (
            "a size does not name a card"
            if capability is None
            else f"theanodiag has no XLA description of a card with {device.name}'s compute capability"
        )
        return XlaTarget(f"a {CHIPS[ASSUMED].name}, since {reason}", described(ASSUMED, device.total_bytes))
    if device.chip is not None:
        return XlaTarget(device.name, described(key))
    return XlaTarget(f"{device.name}, described as {CHIPS[key].name}", described(key, device.total_bytes))


def chip_of(device: DeviceProfile) -> str | None:
    """Returns the key in `CHIPS` of the device's card, or of the most similar card; None if only the memory size is known."""
    return device.chip or _by_capability(device)


def _by_capability(device: DeviceProfile) -> str | None:
    """The key of the chip with the device's compute capability whose memory size is nearest; None if no chip has that capability."""
    total, capability = device.total_bytes or 0, device.compute_capability
    same = [key for key, known in CAPABILITIES.items() if known == capability]
    return min(same, key=lambda key: abs(CHIPS[key].memory_bytes - total), default=None)


def described(key: str, memory: int | None = None) -> str:
    """Returns the GpuTargetConfigProto of the chip `key` as text. If `memory` is given, it replaces the chip's own memory, in bytes."""
    chip, capability = CHIPS[key], CAPABILITIES[key]
    major, minor = capability
    of = GENERATIONS[capability]
    features = "ACCELERATED_FEATURES" if of.accelerated else "NONE"
    device = {
        "threads_per_block_limit": 1024, "threads_per_warp": 32, "shared_memory_per_block": 49152, "shared_memory_per_core": of.shared,
        "threads_per_core_limit": of.threads, "core_count": chip.cores, "fpus_per_core": of.fpus, "block_dim_limit_x": 2147483647,
        "block_dim_limit_y": 65535, "block_dim_limit_z": 65535, "memory_bandwidth": chip.bandwidth, "l2_cache_size": chip.l2_bytes,
        "clock_rate_ghz": chip.clock_ghz, "device_memory_size": memory or chip.memory_bytes,
        "shared_memory_per_block_optin": of.shared_optin,
        "cuda_compute_capability": f"{{ major: {major} minor: {minor} feature_extension: {features} }}",
        "registers_per_core_limit": 65536, "registers_per_block_limit": 65536, "thread_dim_limit_x": 1024, "thread_dim_limit_y": 1024,
        "thread_dim_limit_z": 64, "device_vendor": '"NVIDIA Corporation"',
        "platform_version": f'"Compute Capability {major}.{minor}{"a" if of.accelerated else ""}"', "device_address_bits": 64,
        "ecc_enabled": "true", "name": f'"{chip.name}"', "driver_version": '"13.0.0"', "runtime_version": '"12.8.0"',
        "compile_time_toolkit_version": '"12.8.0"', "dnn_version": '"9.10.0"',
    }  # fmt: skip
    rows = "".join(f"  {name}{'' if str(value).startswith('{') else ':'} {value}\n" for name, value in device.items())
    more = f'platform_name: "CUDA"\ndnn_version_info {{ major: 9 minor: 10 patch: 0 }}\ndevice_description_str: "{chip.name}"\n'
    return f"gpu_device_info {{\n{rows}}}\n{more}"
