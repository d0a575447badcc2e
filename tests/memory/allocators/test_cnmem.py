"""NVIDIA's cnmem: random traces of the real one replayed, address by address."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from theanodiag.memory.allocators import BASE, TOP, CnmemAllocator, Driver
from theanodiag.memory.settings import AddressPolicy
from theanodiag.memory.simulated_device import cnmem_bytes

from ...interpreters import THOROUGH

HERE = Path(__file__).parent / "cnmem"
MIB = 1 << 20
KINDS = ((0, 1, 511, 512, 513, 4096), 20_000, MIB, 6 * MIB)
Command = tuple[str, int, int]
"""take or give, number of the request, its bytes."""


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program around NVIDIA's own source, which a release of Theano brought along."""
    sources, compiler = os.environ.get("THEANODIAG_CNMEM"), shutil.which("g++") or shutil.which("clang++")
    if not sources or not compiler:
        pytest.skip("needs a C++ compiler and the sources of cnmem: run `make test`, or set THEANODIAG_CNMEM to their folder")
    program = tmp_path_factory.mktemp("cnmem") / "pool"
    command = [compiler, "-O2", "-w", f"-I{HERE}", f"-I{sources}", str(HERE / "pool.cpp"), "-o", str(program), "-lpthread"]
    subprocess.run(command, check=True)
    return program


def commands(rng: random.Random) -> Iterator[Command]:
    """Requests and releases of one pool."""
    held: list[int] = []
    for number in range(rng.randrange(20, 150)):
        if held and rng.random() < 0.48:
            yield "give", held.pop(rng.randrange(len(held))), 0
        kind = rng.choice(KINDS)
        held.append(number)
        yield "take", number, rng.choice(kind) if isinstance(kind, tuple) else rng.randrange(1, kind)


def pools(count: int, seed: int) -> Iterator[tuple[int, int, bool, list[Command]]]:
    """Limit of the device, reserve, whether its addresses go down, and the commands."""
    rng = random.Random(seed)
    for _ in range(count):
        reserve = rng.choice((1, 512, 10_000, 4 * MIB, 30 * MIB + 7))
        limit = rng.choice((40 * MIB, 100 * MIB, 4096 * MIB))
        yield limit, reserve, rng.random() < 0.3, list(commands(rng))


def replayed(limit: int, reserve: int, down: bool, requests: list[Command]) -> Iterator[str]:
    """What our pool answers."""
    driver = Driver(limit, AddressPolicy.DOWN if down else AddressPolicy.UP, strict=True)
    pool = CnmemAllocator(driver, reserve)
    held: dict[int, int] = {}
    for command, number, nbytes in requests:
        if command == "give":
            pool.release(held.pop(number, -1))
            continue
        grant = pool.allocate(nbytes)
        if grant is not None:
            held[number] = grant.address
        # The program's driver begins at BASE whichever way it goes.
        address = 0 if grant is None or grant.address <= 0 else grant.address - (TOP - BASE if down else 0)
        yield f"{address} {driver.taken} {pool.driver_requests}"


def compare(program: Path, count: int, seed: int) -> int:
    """How many requests there were; each has the same address, and took the same from the driver."""
    made = list(pools(count, seed))
    lines = []
    for limit, reserve, down, requests in made:
        lines.append(f"pool {limit} {reserve} {down:d}")
        lines += [f"{c} {n} {size}" if c == "take" else f"{c} {n}" for c, n, size in requests]
    text = "\n".join(lines) + "\n"
    answers = subprocess.run([program], input=text, capture_output=True, text=True, check=True).stdout.splitlines()
    expected = [answer for pool in made for answer in replayed(*pool)]
    assert len(answers) == len(expected)
    assert [pair for pair in zip(answers, expected) if pair[0] != pair[1]] == []
    return len(answers)


def test_real_traces_are_predicted_address_by_address(real: Path) -> None:
    """Every address, every byte taken, every request to the driver."""
    assert compare(real, 300, 1) > 20_000


@THOROUGH
@pytest.mark.parametrize("seed", range(2, 12))
def test_ten_thousand_traces(real: Path, seed: int) -> None:
    """A thousand for each seed."""
    assert compare(real, 1000, seed) > 70_000


@pytest.mark.parametrize(
    ("flag", "total", "expected"),
    [
        (0.0, 4 << 30, 0),
        (100.0, None, 100 * MIB),
        (1.5, 1000, 1_572_864),
        (0.5, 4_294_770_688, 2_147_385_344),
        (0.1, 4_294_770_688, 429_477_088),
        (1.0, 4_294_770_688, 4_080_032_000),
        (0.95, 1_000_000_000, 950_000_000),
    ],
)
def test_the_flag_is_a_float_of_c(flag: float, total: int | None, expected: int) -> None:
    """Total and fraction have 24 bits each."""
    assert cnmem_bytes(flag, total) == expected


def test_nothing_is_asked_for_nothing() -> None:
    """Two empty arrays can be released one by one."""
    pool = CnmemAllocator(Driver(), 0)
    first, second = pool.allocate(0), pool.allocate(0)
    assert first is not None
    assert second is not None
    assert first.address != second.address
    assert (pool.live, pool.reserved, first.held) == (0, 0, 0)
    pool.release(first.address)
    pool.release(second.address)
    assert pool.free_bytes() == 0
