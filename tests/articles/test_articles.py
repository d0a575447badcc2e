"""Each trouble: what `check` says first, what it advises, and what comes of following it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

import theanodiag
from tests.interpreters import ROOT, THOROUGH, find
from tests.memory.stand.run import on_device
from theanodiag.confirmation.simulated_cuda import VirtualDevice
from theanodiag.findings import Finding
from theanodiag.report.model import Report
from theanodiag.rules.selection import order
from theanodiag.units import parse_bytes

SCRIPTS = Path(__file__).parent / "scripts"
EXAMPLES = ROOT / "examples"


@dataclass(frozen=True)
class Article:
    """A script that is in trouble on a card, and the script after the advice."""

    script: Path
    card: str
    first: str
    """The code of the finding that comes first."""
    advice: str
    """That of the first one that says what to do."""
    edits: tuple[tuple[str, str], ...]
    """The advice, applied to the text."""

    def mended(self) -> str:
        """The text after it."""
        text = self.script.read_text(encoding="utf-8")
        for old, new in self.edits:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        return text


LARGE_WEIGHTS = Article(
    EXAMPLES / "big_shared_w.py", "256MiB", "TD301", "TD305",
    (
        ("numpy.zeros((n, n), dtype=floatX), name='W'", "numpy.zeros((n, n // 2), dtype=floatX), name='W'"),
        ("numpy.zeros((n,), dtype=floatX), name='b'", "numpy.zeros((n // 2,), dtype=floatX), name='b'"),
        (
            "out = layer(numpy.ones((16, n), dtype=floatX))",
            "rows, parts = numpy.ones((16, n), dtype=floatX), []\n"
            "for part in range(2):\n"
            "    W.set_value(numpy.full((n, n // 2), part, dtype=floatX))\n"
            "    parts.append(layer(rows))\n"
            "out = numpy.concatenate(parts, axis=1)",
        ),
    ),
)  # fmt: skip
SEARCH = Article(
    SCRIPTS / "search.py", "64MiB", "TD301", "TD330",
    (
        ("models.append((rate, score, W, train))", "models.append((rate, score, W.get_value(), None))\n    del W, train\n    gc.collect()"),
        ("import numpy\n", "import gc\n\nimport numpy\n"),
    ),
)  # fmt: skip
EVALUATION = Article(
    SCRIPTS / "evaluation.py", "k520", "TD501", "TD501",
    (
        ('evaluate = theano.function([x], T.mean(T.dot(x, W)), name="evaluate")',
         "there = theano.shared(test, borrow=True)\n"
         "evaluate = theano.function([], T.mean(T.dot(x, W)), givens={x: there}, name='evaluate')"),
        ("evaluate(test)", "evaluate()"),
    ),
)  # fmt: skip
PINNED = Article(
    EXAMPLES / "minibatch_argument.py", "k520", "TD501", "TD501",
    (
        (
            "W = theano.shared",
            "there_x, there_y = theano.shared(data_x), theano.shared(data_y)\n"
            "start, stop = T.lscalars('start', 'stop')\n"
            "W = theano.shared",
        ),
        ("theano.function([x, y], cost,", "theano.function([start, stop], cost, givens={x: there_x[start:stop], y: there_y[start:stop]},"),
        ("train(data_x[batch], data_y[batch])", "train(batch.start, batch.stop)"),
    ),
)  # fmt: skip
ARTICLES = [
    pytest.param(LARGE_WEIGHTS, id="large-weights"),
    pytest.param(SEARCH, id="kept-models"),
    pytest.param(EVALUATION, id="copied-on-every-evaluation"),
    pytest.param(PINNED, id="pinned-and-cut"),
]


def checked(path: Path, card: str, monkeypatch: pytest.MonkeyPatch) -> Report:
    """The report, for a card of which the script has everything."""
    monkeypatch.setenv("THEANO_FLAGS", "floatX=float32")
    return theanodiag.check(path, python=find("theano"), device=card, device_overhead=0, stdout=2)


def ordered(report: Report) -> list[Finding]:
    """The findings as they are shown."""
    return sorted(report.findings, key=order)


@pytest.mark.parametrize("article", ARTICLES)
def test_cause_first_and_advice_that_mends(article: Article, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The finding that comes first names the cause; the script after the advice fits, and neither finding comes again."""
    before = checked(article.script, article.card, monkeypatch)
    found = ordered(before)
    assert found[0].code == article.first
    advice = next(f for f in found if f.fix is not None and f.saves is not None)
    assert advice.code == article.advice
    path = tmp_path / article.script.name
    path.write_text(article.mended(), encoding="utf-8")
    after = checked(path, article.card, monkeypatch)
    assert after.script.status == "finished", after.script.traceback
    assert after.process.fits is True
    assert not {article.first, article.advice} & {f.code for f in after.findings}
    if before.process.fits is False:
        assert advice.after is not None
        assert after.process.reserved_peak_bytes <= 1.1 * advice.after.reserved_bytes


@THOROUGH
@pytest.mark.parametrize("article", ARTICLES[:2])
def test_the_real_allocator_agrees(article: Article, tmp_path: Path) -> None:
    """On a simulated device of that size the script fails, and runs after the advice."""
    path = tmp_path / article.script.name
    path.write_text(article.mended(), encoding="utf-8")
    device = VirtualDevice(free_bytes=parse_bytes(article.card))
    before, after = (on_device(p, flags="floatX=float32", device=device) for p in (article.script, path))
    assert before.returncode != 0
    assert "out of memory" in before.stderr
    assert after.returncode == 0, after.stderr
