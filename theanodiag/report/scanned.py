"""The text output of `theanodiag scan`: a summary that fits one screen, and a table by folder."""

from __future__ import annotations

import io
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..escaping import visible
from ..findings import Finding, Location, Severity
from ..rules.not_checked import UncheckedSubject, not_checked
from ..scanned_files.model import CardRun, FileFacts, FileState
from ..units import format_bytes

SHOWN = 15
"""Number of files in each list without --verbose; JSON lists all."""
NAMED = 3
"""Number of files named in a sentence; of further ones it gives the number."""
COLUMNS = (
    "safe, unsafe, by hand: changes that theanodiag port makes, makes with --unsafe, leaves to you; "
    "other: warnings and errors on flags and memory"
)
"""Legend of the columns of the tables."""


def findings(facts: Sequence[FileFacts]) -> tuple[Finding, ...]:
    """Returns the findings of all files, sorted by path and place, including those of the script's run."""
    return tuple(f for one in sorted(facts, key=lambda f: f.path) for f in (*one.findings, *(one.run.findings if one.run else ())))


def unchecked(facts: Iterable[FileFacts], *, named: bool) -> tuple[Finding, ...]:
    """Returns a finding TD006 for each file that could not be read and each script that did not run to its end, for formats that show no
    table of files. A script that compiled no function gets such a finding only if it was `named` on the command line, because in a folder
    many files are modules that other files import.
    """
    reasons = ((f.path, _unchecked_reason(f, named)) for f in sorted(facts, key=lambda f: f.path))
    return tuple(x for path, reason in reasons for x in not_checked.check(UncheckedSubject(Location(path), reason)))


def _unchecked_reason(f: FileFacts, named: bool) -> str | None:
    if f.state is FileState.FAILED:
        return f"the file was not read: {f.reason}"
    if f.run is None:
        return None
    if f.run.outcome != "ran":
        outcome = "the script failed" if f.run.outcome == "failed" else f"not checked: {f.run.outcome}"
        return f"{outcome}: {f.run.reason}" if f.run.reason else outcome
    return next((card.verdict or "no function" for card in f.run.cards.values() if named and card.peak_bytes is None), None)


def with_findings(facts: Sequence[FileFacts], wanted: Iterable[Finding]) -> list[FileFacts]:
    """Returns copies of the files that keep only those findings that are in `wanted` (the same objects, not equal ones)."""
    kept = set(map(id, wanted))

    def left(some: tuple[Finding, ...]) -> tuple[Finding, ...]:
        return tuple(f for f in some if id(f) in kept)

    return [replace(f, findings=left(f.findings), run=f.run and replace(f.run, findings=left(f.run.findings))) for f in facts]


@dataclass(frozen=True)
class Folder:
    """Totals of one folder, without its subfolders."""

    path: str
    files: int
    lines: int
    python2: int
    gpu: int
    safe: int
    unsafe: int
    by_hand: int
    findings: int


def folders(facts: Sequence[FileFacts]) -> tuple[Folder, ...]:
    """Returns the totals for each folder that contains files that were read, sorted by path."""
    groups: dict[str, list[FileFacts]] = {}
    for f in facts:
        if f.state is FileState.READ:
            groups.setdefault(os.path.dirname(f.path) or ".", []).append(f)
    return tuple(
        Folder(
            path, len(group), sum(f.lines for f in group), sum(f.python == 2 for f in group), sum(f.gpu for f in group),
            sum(f.names.safe for f in group), sum(f.names.unsafe for f in group), sum(f.names.by_hand for f in group),
            sum(finding_count(f) for f in group),
        )
        for path, group in sorted(groups.items())
    )  # fmt: skip


def finding_count(f: FileFacts) -> int:
    """Returns the number of warnings and errors, except `port` findings about names, which have their own columns."""
    return sum(map(_has_no_column, f.findings))


def _has_no_column(x: Finding) -> bool:
    return x.severity > Severity.INFO and not x.code.startswith("TD10")


def text(facts: Sequence[FileFacts], *, width: int, color: bool, verbose: bool = False) -> str:
    """Returns the summary and the tables, in `width` columns; `verbose` adds the files behind each number."""
    from rich.console import Console
    from rich.text import Text

    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=color, no_color=not color, highlight=False, soft_wrap=False)
    for line in summary(facts):
        console.print(Text(visible(line)))
    read = [f for f in facts if f.state is FileState.READ]
    _runs(console, facts, verbose)
    busy = [f"{f.path}: {to_do(f)}" for f in most_to_do(read)]
    _list(console, "Most to do", busy, verbose)
    left = [f"{f.path}: {f.reason}" for f in facts if f.state in (FileState.FAILED, FileState.SKIPPED)]
    _list(console, "Not read", left, verbose)
    if verbose:
        _list(console, "Use no framework and set no flags", [f.path for f in facts if f.state is FileState.IRRELEVANT], verbose)
    if read:
        columns = ("lines", "py 2", "GPU", "safe", "unsafe", "by hand", "other")
        rows = [
            (row.path, (row.files, row.lines, row.python2, row.gpu, row.safe, row.unsafe, row.by_hand, row.findings))
            for row in folders(facts)
        ]
        _table(console, "folder", ("files", *columns), rows)
        if verbose:
            _table(console, "file", ("imports", "Theano", *columns), [(f.path, _cells(f)) for f in read])
        more = "" if verbose else " A row for each file: --verbose."
        console.print(Text(f"\n{COLUMNS}. Each finding with its line: --format full.{more}"))
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def _cells(f: FileFacts) -> tuple[object, ...]:
    """The cells of a file's row in the table."""
    n = f.names
    return ", ".join(f.frameworks), f.releases, f.lines, int(f.python == 2), int(f.gpu), n.safe, n.unsafe, n.by_hand, finding_count(f)


def _table(console: Any, first: str, columns: Sequence[str], rows: Sequence[tuple[str, Sequence[object]]]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(first, overflow="fold")
    for name in columns:
        table.add_column(name, justify="right", no_wrap=name != "imports")
    for path, cells in rows:
        table.add_row(Text(visible(path)), *(str(cell) if cell else "" for cell in cells))
    console.print()
    console.print(table)


def summary(facts: Sequence[FileFacts]) -> list[str]:
    """Returns the key facts: number of files, their frameworks and releases, and what `port` would do."""
    states = Counter(f.state for f in facts)
    read = [f for f in facts if f.state is FileState.READ]
    beside = ", ".join(f"{states[s]} {s.value}" for s in (FileState.IRRELEVANT, FileState.FAILED, FileState.SKIPPED) if states[s])
    lines = [f"{len(read)} of {len(facts)} files use a framework or set its flags{f' ({beside})' if beside else ''}."]
    frameworks = Counter(name for f in read for name in f.frameworks)
    if frameworks:
        lines.append("Imports: " + ", ".join(f"{name} in {n}" for name, n in frameworks.most_common()) + ".")
    releases = Counter(f.releases for f in read if f.releases)
    old = {r: n for r, n in releases.items() if not r.endswith("1.0")}
    if releases:
        current = sum(releases.values()) - sum(old.values())
        needs = {r: "names of no one release" if r == "none" else f"Theano {r}" for r in old}
        files = {r: shortened([f.path for f in sorted(read, key=lambda f: f.path) if f.releases == r]) for r in old}
        counts = "; ".join(f"{n} need{'s' * (n == 1)} {needs[r]} ({files[r]})" for r, n in sorted(old.items()))
        whole = sum(releases.values())
        work = f"file{'s work' if whole > 1 else ' works'} with Theano 1.0's API"
        lines.append(f"{current} of {whole} {work}{f'; {counts}' if counts else ''}.")
    names = [sum(getattr(f.names, kind) for f in read) for kind in ("safe", "unsafe", "by_hand")]
    if any(names):
        free = sum(1 for f in read if f.frameworks and not f.names.unsafe and not f.names.by_hand)
        counts = f"{names[0]} safe change{'s' * (names[0] != 1)}, {names[1]} unsafe, {names[2]} by hand"
        lines.append(f"theanodiag port: {counts}; {free} file{'s' * (free != 1)} can be ported with safe changes only.")
    old_python = sum(f.python == 2 for f in read)
    if old_python:
        are = "file is" if old_python == 1 else "files are"
        lines.append(f"{old_python} {are} Python 2: theanodiag port --python2to3 translates {'it' if old_python == 1 else 'them'} first.")
    return lines


def shortened(paths: Sequence[str]) -> str:
    """Returns the first `NAMED` of some paths, and how many more there are."""
    more = [f"{len(paths) - NAMED} more"] if len(paths) > NAMED else []
    return ", ".join([*paths[:NAMED], *more])


def _runs(console: Any, facts: Sequence[FileFacts], verbose: bool) -> None:
    """Prints a table with a row for each script that was run and a column for each GPU; scripts that did not run come last."""
    from rich.table import Table
    from rich.text import Text

    ran = [f for f in facts if f.run is not None]
    if not ran:
        return
    cards = cards_of(ran)
    console.print(Text("\n" + runs(ran)))
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("script", overflow="fold")
    for name in cards:
        table.add_column(Text(visible(name)), justify="right")
    table.add_column("seconds", justify="right")
    table.add_column("why not", overflow="fold")
    rows = sorted(ran, key=lambda f: (did_not_run(f), f.path))
    for f in rows if verbose else rows[:SHOWN]:
        if f.run is not None:
            cells = ["" if name not in f.run.cards else card_text(f.run.cards[name]) for name in cards]
            why = f"{f.run.outcome}: {f.run.reason}" if f.run.outcome != "ran" else ""
            table.add_row(Text(visible(f.path)), *cells, f"{f.run.seconds:.0f}", Text(visible(why)))
    console.print(table)
    _more(console, len(rows), verbose)


def cards_of(facts: Sequence[FileFacts]) -> list[str]:
    """Returns the names of the GPUs for which scripts were run, in order of first use."""
    return list(dict.fromkeys(name for f in facts if f.run for name in f.run.cards))


def runs(facts: Sequence[FileFacts]) -> str:
    """Returns the sentences on how many scripts ended in which way, and how many fit on each GPU; empty if none was run."""
    outcomes = Counter(f.run.outcome for f in facts if f.run)
    if not outcomes:
        return ""
    sentences = ["Runs: " + ", ".join(f"{n} {what}" for what, n in outcomes.most_common()) + "."]
    for name in cards_of(facts):
        verdicts = Counter(f.run.cards[name].fits for f in facts if f.run and name in f.run.cards)
        if verdicts[False] or verdicts[None]:
            open_ = f", {verdicts[None]} may not" if verdicts[None] else ""
            sentences.append(f"On {name} {verdicts[False]} of {sum(verdicts.values())} do not fit{open_}.")
    return " ".join(sentences)


def did_not_run(f: FileFacts) -> bool:
    """Returns whether the script was run under `check` and did not finish."""
    return f.run is not None and f.run.outcome != "ran"


def too_large(f: FileFacts) -> bool:
    """Returns whether the script was run and does not fit on at least one of the GPUs."""
    return f.run is not None and any(c.fits is False for c in f.run.cards.values())


def card_text(card: CardRun) -> str:
    """Returns the bytes that a script needs on one GPU, and whether it fits."""
    if card.peak_bytes is None:
        return "no function"
    verdict = {True: "", False: ", does not fit", None: " or more"}[card.fits]
    return format_bytes(card.peak_bytes) + verdict


def most_to_do(facts: Sequence[FileFacts]) -> list[FileFacts]:
    """Returns the files that need work: files with the most changes by hand first, then files with the most findings."""
    busy = (f for f in facts if f.state is FileState.READ and (f.names.by_hand or finding_count(f)))
    return sorted(busy, key=lambda f: (-f.names.by_hand, -finding_count(f), f.path))


def to_do(f: FileFacts) -> str:
    """Returns what is left to do in a file, such as `3 by hand, 1 TD111`."""
    codes = Counter(x.code for x in f.findings if _has_no_column(x))
    return ", ".join([f"{f.names.by_hand} by hand"] * bool(f.names.by_hand) + [f"{n} {code}" for code, n in sorted(codes.items())])


def _list(console: Any, title: str, lines: Sequence[str], verbose: bool) -> None:
    """The first `SHOWN` of the lines, or all of them with `verbose`, below a title; nothing without lines."""
    from rich.text import Text

    if lines:
        console.print(Text(f"\n{title}:"))
    for line in lines if verbose else lines[:SHOWN]:
        console.print(Text(visible(f"  {line}")))
    _more(console, len(lines), verbose)


def _more(console: Any, rows: int, verbose: bool) -> None:
    if rows > SHOWN and not verbose:
        console.print(f"  and {rows - SHOWN} more: --verbose")
