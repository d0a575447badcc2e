"""Pictures of the terminal: runs real commands and draws what they print, as PNG.

    python tools/pictures.py              writes docs/images/check.png, the picture in the README (`make pictures`)
    python tools/pictures.py --all DIR    writes every command at 80, 100 and 140 columns to DIR, to be looked at

It runs in an interpreter that has theanodiag and a framework, and draws with headless Chromium.
"""

from __future__ import annotations

import argparse
import fcntl
import html
import io
import os
import pty
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

ROOT = Path(__file__).parents[1]
README_COMMAND = ("check", "examples/big_shared_w.py", "--gpu", "512MiB", "-q")
COLUMNS = (80, 100, 140)
FONT = 14
"""Pixels."""
LINE = 18
"""Pixels from line to line."""
LONGEST = 150
"""Lines of one picture."""
PASTE = """\
GpuGemm{inplace=True} [id A] ''   1
 |GpuAllocEmpty{dtype='float32', context_name=None} [id B] ''   0
 | |Shape_i{0} [id C] ''
 | | |x [id D]
 | |TensorConstant{500} [id E]
 |TensorConstant{1.0} [id F]
 |GpuFromHost<None> [id G] ''
 | |x [id D]
 |W [id H]
 |TensorConstant{0.0} [id I]
"""
LOG = """\
Using cuDNN version 5110 on context None
Mapped name None to device cuda: GRID K520 (0000:00:03.0)
Traceback (most recent call last):
  File "model.py", line 41, in <module>
    train(x, y)
MemoryError: Error allocating 86118400 bytes of device memory (out of memory). Driver report 32735232 bytes free and 4294770688 bytes total
Apply node that caused the error: GpuDot22(GpuFromHost.0, W1)
Inputs shapes: [(128, 784), (784, 168200)]
"""
RC = "[global]\nflaotX = float32\ndevice = gpu0\n[lib]\ncnmem = 0.8\n"
FAILS = "import numpy as np\nfrom theano import tensor as T\nx = T.matrix('x')\nassert False, 'no data here'\n"
PYTHON2 = (
    "import theano\nprint 'building'\nx = theano.tensor.sqr(theano.tensor.matrix())\nf = theano.function([], theano.tensor.dot(x, x))\n"
)
EMPTY = ""
FILES = {"paste.txt": PASTE, "job.log": LOG, "rc": RC, "fails.py": FAILS, "python2.py": PYTHON2, "empty.py": EMPTY}
EXAMPLES = str(ROOT / "examples")
ALL = {
    "check-fits": ("check", "examples/mlp_sgd.py", "--gpu", "t4"),
    "check-too-large": ("check", "examples/big_shared_w.py", "--gpu", "400MiB"),
    "check-verbose": ("check", "examples/mlp_sgd.py", "--gpu", "t4", "--verbose"),
    "check-host": ("check", "examples/mlp_sgd.py", "--gpu", "none"),
    "check-lstm": ("check", "examples/legacy/lstm.py", "--gpu", "1GiB"),
    "check-batch": ("check", "examples/mlp_sgd.py", "--gpu", "310MiB", "--batch-dim", "x:0,y:0"),
    "check-confirm": ("check", "examples/mlp_sgd.py", "--gpu", "none", "--confirm", "cpu"),
    "check-fails": ("check", "fails.py", "--gpu", "none"),
    "check-python2": ("check", "python2.py", "--gpu", "none"),
    "check-empty": ("check", "empty.py", "--gpu", "none"),
    "check-no-file": ("check", "modle.py"),
    "check-bad-gpu": ("check", "examples/mlp_sgd.py", "--gpu", "rtx"),
    "check-no-framework": ("check", "examples/mlp_sgd.py", "--python", "/usr/bin/python3", "--gpu", "k520"),
    "check-log": ("check", "examples/mlp_sgd.py", "--gpu", "k520", "--log", "job.log"),
    "graph": ("graph", "paste.txt", "--shape", "x=128,784", "--shape", "W=784,500", "--gpu", "4GiB"),
    "graph-unknown": ("graph", "paste.txt", "--gpu", "4GiB"),
    "config-check": ("config", "check", "rc"),
    "config-show": ("config", "show", "rc"),
    "config-set": ("config", "set", "floatX=float32", "rc", "--diff"),
    "config-rewrite": ("config", "rewrite", "rc", "--to", "theano-1.0", "--diff"),
    "doctor": ("doctor",),
    "explain": ("explain", "TD301"),
    "explain-log": ("explain-log", "job.log"),
    "rules": ("rules",),
    "port": ("port", "python2.py"),
    "port-diff": ("port", "examples/legacy/lstm.py", "--diff"),
    "scan": ("scan", "examples", "--no-cache"),
    "compare": ("compare", "examples/mlp_sgd.py", "--python", sys.executable, "--against", sys.executable),
    "run": ("run", "examples/mlp_sgd.py"),
    "weights": ("weights", "job.log"),
    "help": ("--help",),
    "help-check": ("check", "--help"),
    "nothing": (),
    "unknown": ("chekc", "model.py"),
}
"""Name of the picture -> the command, in a folder that has `FILES` and our examples."""


def ran(command: tuple[str, ...], columns: int, folder: Path) -> str:
    """What `theanodiag COMMAND` writes to a terminal of so many columns."""
    main, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "THEANO_FLAGS": "", "PYTENSOR_FLAGS": ""}
    env.pop("NO_COLOR", None)
    process = subprocess.Popen(
        [sys.executable, "-m", "theanodiag", *command], cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal
    )
    os.close(terminal)
    written = bytearray()
    while True:
        try:
            piece = os.read(main, 65536)
        except OSError:  # how Linux says that no one has the terminal open any more
            break
        if not piece:
            break
        written += piece
    os.close(main)
    code = process.wait()
    return written.decode("utf-8", "replace").replace("\r\n", "\n") + (f"[exit code {code}]\n" if code else "")


def draw(command: tuple[str, ...], text: str, columns: int, path: Path) -> None:
    """Draws a prompt with the command, and below it the text with its colours."""
    console = Console(record=True, width=columns, file=io.StringIO(), force_terminal=True, color_system="truecolor", legacy_windows=False)
    console.print(Text(f"$ theanodiag {' '.join(command)}", style="bold"), soft_wrap=True)
    lines = [line.rsplit("\r", 1)[-1] for line in text.rstrip("\n").split("\n")][:LONGEST]
    console.print(Text.from_ansi("\n".join(lines)), soft_wrap=True)
    body = console.export_html(theme=MONOKAI, inline_styles=True, code_format="{code}")
    rows = sum(max(1, -(-len(Text.from_ansi(line).plain) // columns)) for line in lines) + 2
    style = f"font:{FONT}px/{LINE}px 'DejaVu Sans Mono',monospace;width:{columns}ch;white-space:pre-wrap;word-break:break-all;margin:12px"
    page = f"<title>{html.escape(path.stem)}</title><body style='background:#1b1b1b;color:#d9d9d9;margin:0'>"
    page += f'<div style="{style}">{body}</div>'
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "page.html")
        source.write_text(f"<!doctype html><meta charset=utf-8>{page}", encoding="utf-8")
        width, height = round(columns * FONT * 0.602) + 28, rows * LINE + 12
        chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        if chromium is None:
            sys.exit("pictures.py: there is no Chromium\nhelp: install chromium")
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={folder}"]
        shot = [f"--screenshot={path}", f"--window-size={width},{height}", source.as_uri()]
        subprocess.run([chromium, *options, *shot], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--all", metavar="DIR", type=Path, help="every command at 80, 100 and 140 columns, to this folder")
    parser.add_argument("--columns", type=int, action="append", help="other widths")
    parser.add_argument("names", nargs="*", help=f"only these pictures: {', '.join(ALL)}")
    asked = parser.parse_args()
    if asked.all is None:
        path = ROOT / "docs" / "images" / "check.png"
        path.parent.mkdir(exist_ok=True)
        draw(README_COMMAND, ran(README_COMMAND, 80, ROOT), 80, path)
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size} bytes")
        return 0
    asked.all.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, text in FILES.items():
            (folder / file).write_text(text, encoding="utf-8")
        (folder / "examples").symlink_to(ROOT / "examples")
        for name in asked.names or ALL:
            for columns in asked.columns or COLUMNS:
                text = ran(ALL[name], columns, folder)
                (asked.all / f"{name}-{columns}.txt").write_text(text, encoding="utf-8")
                draw(ALL[name], text, columns, asked.all / f"{name}-{columns}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
