"""How XLA's client allocates a GPU's memory, by the environment variables that JAX reads.

Source: JAX, jax/_src/xla_bridge.py (`_options_from_jax_configs`, `generate_pjrt_gpu_plugin_options`) and its documentation, "GPU memory
allocation": a fraction and whether it is preallocated; allocators `default` and `bfc`, `platform`, `cuda_async`, `vmm`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

FRACTION = 0.75
"""XLA's default share of a GPU's memory."""
NEW, OLD = "XLA_CLIENT_MEM_FRACTION", "XLA_PYTHON_CLIENT_MEM_FRACTION"
PREALLOCATE, ALLOCATOR = "XLA_PYTHON_CLIENT_PREALLOCATE", "XLA_PYTHON_CLIENT_ALLOCATOR"
DRIVERS = ("platform", "cuda_async")
"""Allocators without a pool of their own: each request goes to the driver."""


@dataclass(frozen=True)
class Client:
    """The memory settings of XLA's client on a GPU."""

    fraction: float = FRACTION
    """The pool's share of the device; above 1 it also uses host memory."""
    preallocate: bool = True
    """Whether the pool is allocated at the start."""
    pooled: bool = True
    """Whether it has a pool of its own; if not, the driver serves each request."""

    def pool(self, total: int) -> int | None:
        """Bytes of the pool on a device of `total` bytes; None where it has no pool."""
        return int(total * self.fraction) if self.pooled else None

    @property
    def says(self) -> str:
        """The settings in words."""
        if not self.pooled:
            return "each request goes to the driver"
        return f"{self.fraction:g} of the device, {'taken at its start' if self.preallocate else 'taken as it is needed'}"


def client(environment: Mapping[str, str]) -> Client:
    """The client that JAX makes in this environment."""
    fraction = next((f for name in (NEW, OLD) if (f := _number(environment.get(name))) is not None), FRACTION)
    allocator = environment.get(ALLOCATOR, "default").strip().lower()
    preallocate = environment.get(PREALLOCATE, "true").strip().lower() not in ("false", "0")
    pooled = allocator not in DRIVERS
    return Client(fraction, preallocate, pooled)


def effects(environment: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """(name, value, effect in words) of each variable in `environment`."""
    pooled = client(environment).pooled
    for name, value in environment.items():
        yield name, value, _effect(name, value.strip(), environment, pooled)


def _number(text: str | None) -> float | None:
    """The fraction in a text; None where it is no number between 0 and 100."""
    try:
        found = float(text) if text is not None else None
    except ValueError:
        return None
    return found if found is not None and 0 < found < 100 else None


def _effect(name: str, value: str, environment: Mapping[str, str], pooled: bool) -> str:
    if name in (NEW, OLD):
        if NEW in environment and OLD in environment:
            return f"JAX does not start where both {NEW} and {OLD} are set"
        if _number(value) is None:
            return "not a share of a device: JAX does not start"
        none = f"none: with {ALLOCATOR}={environment.get(ALLOCATOR)} there is no share"
        return f"XLA may take {_number(value):g} of the device" if pooled else none
    if name == PREALLOCATE:
        return "XLA's pool starts empty and grows" if value.lower() in ("false", "0") else "XLA reserves its share when it starts"
    if name == ALLOCATOR:
        return "one pool (BFC)" if pooled else "each request goes to the driver: slower, and no memory is kept for reuse"
    if name == "XLA_FLAGS":
        return "changes XLA's code, and so its temporaries; our figures are made with it"
    if name == "TF_GPU_ALLOCATOR":
        return "TensorFlow's; JAX takes XLA_PYTHON_CLIENT_ALLOCATOR=cuda_async instead"
    return "options of torch's allocator; no effect on XLA"
