"""The measured rows as a page of Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from .measure import FunctionRow, ScriptRow

HEAD = """# Predicted and real

`make truth` makes this page. Each script of `tests/memory/models` ran on the real Theano 1.0.5, pygpu and libgpuarray 0.7.6 with a
simulated CUDA driver. The table compares the measured memory with the prediction of `theanodiag check`. All figures are bytes.

- *live*: the highest number of bytes in arrays of libgpuarray during any call of the function.
- *reserved*: the highest number of bytes taken from the driver.
- *exact*: both are equal to the byte.
- *smallest device*: the smallest device on which the script runs, found by trial to 64 KiB.
"""


def page(scripts: Sequence[ScriptRow], notes: str) -> str:
    """The whole page."""
    tables = ["", "## Scripts", "", *script_table(scripts), "", "## Functions", "", *function_table(scripts)]
    parts = [HEAD, *summary(scripts), "", notes, *tables]
    return "\n".join(parts).rstrip() + "\n"


def summary(scripts: Sequence[ScriptRow]) -> Iterator[str]:
    """Counts of exact rows, by flags and in all."""
    yield "| flags | scripts | functions | exact | up to chance | too high else | too low |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    by_flags: dict[str, list[ScriptRow]] = {}
    for row in scripts:
        by_flags.setdefault(row.flags, []).append(row)
    for flags, rows in (*by_flags.items(), ("all", list(scripts))):
        functions = [f for row in rows for f in row.functions]
        exact, chance, low = (sum(map(is_so, functions)) for is_so in (_exact, _by_chance, _low))
        counts = f"{exact} ({_share(exact, len(functions))}) | {chance} | {len(functions) - exact - chance - low} | {low}"
        yield f"| {_flags(flags)} | {len(rows)} | {len(functions)} | {counts} |"


def script_table(scripts: Iterable[ScriptRow]) -> Iterator[str]:
    """Requests to the driver and the smallest device."""
    yield "| script | flags | functions | exact | requests predicted | real | smallest device predicted | real | difference |"
    yield "|---|---|---:|---:|---:|---:|---:|---:|---:|"
    for row in scripts:
        need, least = row.smallest
        exact = sum(f.exact for f in row.functions)
        real, off = ("not sought", "") if least is None else (str(least), str(need - least))
        counts = f"{len(row.functions)} | {exact} | {row.requests[0]} | {row.requests[1]}"
        yield f"| {row.title} | {_flags(row.flags)} | {counts} | {need} | {real} | {off} |"


def function_table(scripts: Iterable[ScriptRow]) -> Iterator[str]:
    """Every function whose figures differ, and those of scripts with few functions; what is up to chance in one row for each script."""
    yield "| script | flags | function | live predicted | real | reserved predicted | real | difference |"
    yield "|---|---|---|---:|---:|---:|---:|---|"
    for row in scripts:
        few = len(row.functions) <= 12
        chance = [f for f in row.functions if _by_chance(f)]
        if chance:
            live, reserved = (max((mine or 0) - real for mine, real in pairs) for pairs in zip(*((f.live, f.reserved) for f in chance)))
            off = f"up to chance: live +{live}, reserved +{reserved} at most"
            yield f"| {row.title} | {_flags(row.flags)} | {len(chance)} of {len(row.functions)} |  |  |  |  | {off} |"
        for f in row.functions:
            if (few or not f.exact) and f not in chance:
                figures = f"{f.live[0]} | {f.live[1]} | {f.reserved[0]} | {f.reserved[1]}"
                yield f"| {row.title} | {_flags(row.flags)} | {f.function} {f.name} | {figures} | {_difference(f)} |"


def _difference(f: FunctionRow) -> str:
    if f.exact:
        return "0"
    parts = [f"{name} {a - b:+d}" for name, (a, b) in (("live", f.live), ("reserved", f.reserved)) if a is not None and a != b]
    return ", ".join(parts) or "not predicted"


def _exact(f: FunctionRow) -> bool:
    return f.exact


def _by_chance(f: FunctionRow) -> bool:
    """Whether it is too high, and what a search for garbage finds by chance decides how much."""
    return not f.exact and not _low(f) and f.soonest is not None


def _low(f: FunctionRow) -> bool:
    return any(mine is None or mine < real for mine, real in (f.live, f.reserved))


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


def _flags(flags: str) -> str:
    return f"`{flags}`" if flags not in ("", "all") else flags or "default"
