"""Makes the flag tables of `theanodiag/flags/data` from the real libraries.

    python tools/flag_table.py --work DIR --interpreter 2.7=/path/python --interpreter 3.8=... [--only pytensor]

Each release is installed from the package registry with the pip of an interpreter of the Python that it needs (which must have numpy and
scipy), imported there, and asked for its flags by `flag_probe.py`. What was probed is kept in DIR, so that the next run only looks at new
releases: add them to `flag_releases.txt`. A release that neither installs nor imports is reported, and left out.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

from flag_kinds import Described, describe_flags, unexplained

from theanodiag.flags.model import Dialect

HERE = Path(__file__).resolve().parent
DATA = HERE.parent / "theanodiag" / "flags" / "data"

Release = tuple[str, str, str]
"""Distribution, Python that runs it, version."""


def releases() -> dict[str, list[Release]]:
    """Dialect -> its releases, oldest first, from `flag_releases.txt`."""
    found: dict[str, list[Release]] = {}
    for line in (HERE / "flag_releases.txt").read_text().splitlines():
        if not line.startswith("#"):
            dialect, distribution, python, *versions = line.split()
            found.setdefault(dialect, []).extend((distribution, python, version) for version in versions)
    return found


class Workshop:
    """Installs releases into folders of their own and probes them."""

    def __init__(self, work: Path, interpreters: dict[str, str]) -> None:
        self.work = work
        self.interpreters = interpreters
        self.library: dict[str, str] = {}
        self.seen: dict[str, dict[str, object]] = {}
        self.notes: list[str] = []
        self.wrong: list[str] = []
        """Flags whose reactions the table would not explain: it is then not to be trusted."""

    def site(self, distribution: str, version: str, python: str) -> Path | None:
        """The folder in which a release is installed, or None if it cannot be."""
        target = self.work / "sites" / f"{distribution}-{version}"
        if not target.exists():
            pip = [self.interpreters[python], "-m", "pip", "install", "-q", "--no-deps", "--target", str(target)]
            extra = ["--no-build-isolation"] if python != "2.7" else []
            done = subprocess.run([*pip, *extra, f"{distribution}=={version}"], capture_output=True, text=True, timeout=600, check=False)
            if done.returncode:
                self.notes.append(f"{distribution} {version}: not installed: {(done.stderr.strip().splitlines() or ['?'])[-1]}")
                return None
        return target

    def probe(self, dialect: str, site: Path, python: str, flags: str) -> dict[str, object]:
        """What `flag_probe.py` says about the release in `site` under these flags."""
        kept = site.parent.parent / "probes" / f"{site.name}[{flags}].json"
        if not kept.exists():
            home = self.work / "home"
            home.mkdir(exist_ok=True)
            if self.library.get(python) is None:
                ask = [self.interpreters[python], "-c", "import sysconfig; print(sysconfig.get_config_var('LIBDIR'))"]
                self.library[python] = subprocess.run(ask, capture_output=True, text=True, check=True).stdout.strip()
            # Theano 0.6 and 0.7 do not import where their C code does not link.
            library = self.library[python]
            environ = {"HOME": str(home), "PATH": os.environ["PATH"], "PYTHONPATH": str(site), f"{dialect.upper()}_FLAGS": flags}
            environ.update(LIBRARY_PATH=library, LD_LIBRARY_PATH=library)
            command = [self.interpreters[python], str(HERE / "flag_probe.py"), dialect]
            done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=300, check=False, cwd=str(home))
            kept.parent.mkdir(exist_ok=True)
            kept.write_text((done.stdout.strip().splitlines() or [json.dumps({"stopped": done.stderr[-300:], "flags": []})])[-1])
        found: dict[str, object] = json.loads(kept.read_text())
        return found

    def describe(self, dialect: str, distribution: str, python: str, version: str) -> Described | None:
        """The flags of one release, or None if nothing of it can be read."""
        site = self.site(distribution, version, python)
        if site is None:
            return None
        found = self.probe(dialect, site, python, "")
        if found["stopped"]:
            self.notes.append(f"{distribution} {version}: the import stopped at {len(found['flags'])} flags: {found['stopped']}")  # type: ignore[arg-type]

        def probe(flags: str) -> dict[str, object]:
            """The same sources react in the same way, so one release of each kind is enough."""
            key = f"{self.digest(site / dialect, 'warn' if flags.startswith('warn') else '')} {flags}"
            if key not in self.seen:
                self.seen[key] = self.probe(dialect, site, python, flags)
            return self.seen[key]

        made = describe_flags(found, probe, str(self.work / "home"))
        for flag in found["flags"] if made else ():  # type: ignore[attr-defined]
            texts = unexplained(Dialect(dialect), flag, made[flag["name"]]) if made else []
            if texts:
                self.wrong.append(f"{distribution} {version}: {flag['name']} does not react to {texts} as a {made[flag['name']]} would")
        return made

    @staticmethod
    def digest(package: Path, word: str) -> str:
        """A fingerprint of the lines with `word` in the sources that define the flags."""
        text = "".join((package / f"{name}.py").read_text("utf-8") for name in ("configparser", "configdefaults"))
        return hashlib.sha256("\n".join(line for line in text.splitlines() if word in line).encode()).hexdigest()


def merge(described: list[tuple[str, Described]]) -> dict[str, object]:
    """One dialect's data: each flag once for every run of versions in which it is the same, and the order of each run."""
    rows: list[dict[str, object]] = []
    orders: list[dict[str, object]] = []
    current: dict[str, int] = {}
    for version, flags in described:
        for name, facts in flags.items():
            if name in current and rows[current[name]]["facts"] == facts:
                rows[current[name]]["last"] = version
            else:
                current[name] = len(rows)
                rows.append({"first": version, "last": version, "facts": facts})
        current = {name: current[name] for name in flags}
        order = [current[name] for name in flags]
        if orders and orders[-1]["order"] == order:
            orders[-1]["last"] = version
        else:
            orders.append({"first": version, "last": version, "order": order})
    flat = [{"first": r["first"], "last": r["last"], **r["facts"]} for r in rows]  # type: ignore[dict-item]
    return {"versions": [v for v, _ in described], "orders": orders, "flags": flat}


def dump(data: dict[str, object]) -> str:
    """JSON with one flag and one order a line, so that a new release shows as a small diff."""
    parts = [f'"versions": {json.dumps(data["versions"])}']
    for key in ("orders", "flags"):
        rows = ",\n".join(json.dumps(row) for row in data[key])  # type: ignore[attr-defined]
        parts.append(f'"{key}": [\n{rows}\n]')
    return "{" + ",\n".join(parts) + "}\n"


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="folder for installed releases and what was probed")
    parser.add_argument("--interpreter", action="append", default=[], metavar="X.Y=PATH")
    parser.add_argument("--only", choices=sorted(releases()), help="one dialect")
    return parser.parse_args()


def main() -> int:
    """Makes the tables and says what was left out."""
    args = arguments()
    known = releases()
    workshop = Workshop(args.work.resolve(), dict(pair.split("=", 1) for pair in args.interpreter))
    for dialect in [args.only] if args.only else sorted(known):
        described = []
        for distribution, python, version in known[dialect]:
            flags = workshop.describe(dialect, distribution, python, version)
            if flags:
                described.append((version, flags))
        DATA.mkdir(exist_ok=True)
        (DATA / f"{dialect}.json").write_text(dump(merge(described)))
        print(dialect, *(f"{version}:{len(flags)}" for version, flags in described))
    print(*workshop.notes, *workshop.wrong, sep="\n", file=sys.stderr)
    return 1 if workshop.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
