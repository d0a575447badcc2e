"""Flags rewritten where they stand: nothing else of the file changes, and what does not fit there is left with the reason."""

from __future__ import annotations

import pytest

from tests.flags.carriers.test_reading import CASES
from theanodiag.flags.carriers.file_kinds import FileKind, kind_of
from theanodiag.flags.carriers.rewriting import rewrite
from theanodiag.flags.migrate import TARGETS, target_table

THEANO = [
    ("a.sh", "export THEANO_FLAGS=device=gpu0,floatX=float32 # x\n", "export THEANO_FLAGS=device=cuda0,floatX=float32 # x\n"),
    ("Dockerfile", "FROM a\nENV THEANO_FLAGS  device=gpu, nvcc.fastmath=True\r\n", "FROM a\nENV THEANO_FLAGS  device=cuda\r\n"),
    ("a.py", "os.environ['THEANO_FLAGS'] = ('device=gp' \"u0,\" 'mode=%s' % m)\n",
     "os.environ['THEANO_FLAGS'] = ('device=cuda' \"0,\" 'mode=%s' % m)\n"),
    ("a.sh", "export THEANO_FLAGS=device=${D:-gpu}\n", "export THEANO_FLAGS=device=${D:-cuda}\n"),
    ("a.sh", "D=gpu\nexport THEANO_FLAGS=device=$D\n", "D=gpu\nexport THEANO_FLAGS=device=cuda\n"),
    ("a.sh", "D=gpu0\nexport THEANO_FLAGS=device=$D,floatX=float32\n", "D=gpu0\nexport THEANO_FLAGS=device=cuda0,floatX=float32\n"),
    ("a.sh", "THEANO_FLAGS=device=gpu$1,floatX=float32 python a.py\n", "THEANO_FLAGS=device=cuda$1,floatX=float32 python a.py\n"),
    ("a.py", "import os\nos.environ['THEANO_FLAGS'] = 'device=gpu{}'.format(n)\n",
     "import os\nos.environ['THEANO_FLAGS'] = 'device=cuda{}'.format(n)\n"),
    ("a.py", "rc = '~/.theanorc'\nf.write('\\n'.join(['[global]', 'device = gpu', 'floatX = float32']))\n",
     "rc = '~/.theanorc'\nf.write('\\n'.join(['[global]', 'device = cuda', 'floatX = float32']))\n"),
    ("ci.yml", "env:\n  THEANO_FLAGS: 'device=gpu'  # x\n", "env:\n  THEANO_FLAGS: 'device=cuda'  # x\n"),
    ("a.sh", "cat > ~/.theanorc <<E\n[global]\ndevice=gpu\nE\n", "cat > ~/.theanorc <<E\n[global]\ndevice=cuda\nE\n"),
    ("a.sh", 'echo "[global]\\ndevice=gpu1" > ~/.theanorc\n', 'echo "[global]\\ndevice=cuda1" > ~/.theanorc\n'),
    ("a.ipynb", '{"nbformat": 4, "cells": [{"cell_type": "code", "source": ["%env THEANO_FLAGS=device=gpu\\n"]}]}',
     '{"nbformat": 4, "cells": [{"cell_type": "code", "source": ["%env THEANO_FLAGS=device=cuda\\n"]}]}'),
]  # fmt: skip
PYTENSOR = [
    (
        "export THEANO_FLAGS=device=gpu0,floatX=float32\necho $THEANO_FLAGS\n",
        "export PYTENSOR_FLAGS=floatX=float32\necho $PYTENSOR_FLAGS\n",
    ),
    ('export THEANO_FLAGS="${THEANO_FLAGS:+$THEANO_FLAGS,}device=gpu"\n', 'export PYTENSOR_FLAGS="${PYTENSOR_FLAGS:+$PYTENSOR_FLAGS,}"\n'),
    ("THEANO_FLAGS=device=gpu python a.py\n", "PYTENSOR_FLAGS= python a.py\n"),
    (
        ': "${THEANO_FLAGS:=floatX=float32}"\nAPPTAINERENV_THEANO_FLAGS=blas.ldflags=-lx apptainer run a.sif\n',
        ': "${PYTENSOR_FLAGS:=floatX=float32}"\nAPPTAINERENV_PYTENSOR_FLAGS=blas__ldflags=-lx apptainer run a.sif\n',
    ),
    (  # the same text is in three values, in one of which more follows it
        "export THEANO_FLAGS=mode=FAST_RUN,device=gpu\nexport THEANO_FLAGS=$THEANO_FLAGS,lib.cnmem=1\n"
        "export THEANO_FLAGS=$THEANO_FLAGS,floatX=float32\n",
        "export PYTENSOR_FLAGS=mode=FAST_RUN\nexport PYTENSOR_FLAGS=$PYTENSOR_FLAGS\n"
        "export PYTENSOR_FLAGS=$PYTENSOR_FLAGS,floatX=float32\n",
    ),
    ("export THEANO_FLAGS=$THEANO_FLAGS,blas.ldflags=-lx\n", "export PYTENSOR_FLAGS=$PYTENSOR_FLAGS,blas__ldflags=-lx\n"),
]
LEFT = [
    ("Dockerfile", "FROM a\nENV THEANO_FLAGS device=gpu\n", "pytensor", "none of these flags"),
    ("a.sh", "echo '[global]\\ndevice=gpu' > ~/.theanorc\n", "pytensor", "which pytensor does not read"),
    ("a.sh", "echo '[lib]\\ncnmem=0.1' > ~/.theanorc\n", "theano-1.0", "'cnmem=0.1' left unchanged: its change needs lines of its own"),
    (
        "a.sh",
        "cat > ~/.theanorc <<E\n[global]\ndevice = gpu$1\nE\n",
        "theano-1.0",
        "'device = gpu...' left unchanged: a part of it",
    ),
    ("a.sh", 'export THEANO_FLAGS="device=gpu,cxx=\'x"\n', "theano-1.0", "not closed"),
    ("a.sh", "D=${D:-gpu}\nexport THEANO_FLAGS=device=$D\n", "theano-1.0", "D has this value only where no other is given"),
    ("Makefile", "D ?= gpu\nexport THEANO_FLAGS = device=$(D)\n", "theano-1.0", "D has this value only where no other is given"),
    ("a.sh", "export PYTENSOR_FLAGS=a=b\nexport THEANO_FLAGS=floatX=float32\n", "pytensor", "has PYTENSOR_FLAGS already"),
]


def after(name: str, text: str, to: str) -> str:
    """The file rewritten."""
    return rewrite(text, name, kind_of(name, text.encode()), target_table(to)).migration.after


@pytest.mark.parametrize(("name", "before", "wanted"), THEANO)
def test_in_place(name: str, before: str, wanted: str) -> None:
    """The characters of the flags alone."""
    assert after(name, before, "theano-1.0") == wanted
    assert after(name, wanted, "theano-1.0") == wanted


@pytest.mark.parametrize(("before", "wanted"), PYTENSOR)
def test_variable_of_another_library(before: str, wanted: str) -> None:
    """Its name is changed wherever the file has it."""
    assert after("a.sh", before, "pytensor") == wanted


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("device=$D", ["device"]),
        ("floatX=$F,device=cpu", ["device", "floatX"]),
        ("base_compiledir=$TMPDIR/x", []),
        ("nosuch=$X", ["nosuch"]),
    ],
)
def test_what_is_only_known_later_is_told_of_flags_that_do_not_take_any_text(value: str, told: list[str]) -> None:
    """A path fits whatever it is; a device need not."""
    notes = rewrite(f"export THEANO_FLAGS={value}\n", "a.sh", FileKind.SHELL, target_table("pytensor")).migration.notes
    assert [note.text.partition(":")[0] for note in notes] == told


@pytest.mark.parametrize(("name", "text", "to", "reason"), LEFT)
def test_what_does_not_fit_is_left(name: str, text: str, to: str, reason: str) -> None:
    """With the reason and the place."""
    done = rewrite(text, name, kind_of(name, text.encode()), target_table(to))
    assert [reason in note.text and note.span is not None for note in done.refused] == [True]


@pytest.mark.parametrize("to", TARGETS)
@pytest.mark.parametrize(("name", "text"), [(name, text) for name, text, _ in CASES])
def test_the_rest_of_a_file_stays(name: str, text: str, to: str) -> None:
    """Without the flags and the names of variables, both files are the same lines."""
    kind = kind_of(name, text.encode())
    done = rewrite(text, name, kind, target_table(to))
    if kind is not FileKind.RC and done.migration.after != text and "theanorc" not in text:
        assert done.migration.after.count("\n") == text.count("\n")
    again = rewrite(done.migration.after, name, kind, target_table(to))
    assert again.migration.after == done.migration.after


def test_a_value_that_two_assignments_give_is_told_once() -> None:
    """It stands once in the file."""
    text = "F = 'device=gpu0'\nos.environ['THEANO_FLAGS'] = F\nos.environ['THEANO_FLAGS'] = F + ',floatX=float32'\n"
    table = target_table("theano-1.0")
    assert len(rewrite(text, "a.py", kind_of("a.py", text.encode()), table).migration.notes) == 1


def test_a_file_that_would_be_read_otherwise_is_left() -> None:
    """Where a name of the variable stands inside a value that changes, nothing of the file is written."""
    text = "export THEANO_FLAGS=device=gpu,$THEANO_FLAGSx,cxx=THEANO_FLAGS,gpuarray.sync=THEANO_FLAGS\n"
    done = rewrite(text, "a.sh", FileKind.SHELL, target_table("pytensor"))
    assert done.migration.after == text
    assert ["have the intended meaning" in note.text for note in done.refused] == [True]


def test_a_variable_that_has_other_uses_stays() -> None:
    """The value of a plain word is taken from where it is assigned, and edited where it stands in the flags."""
    text = "CARD=cuda0\nexport THEANO_FLAGS=device=$CARD,floatX=float32\nnvidia-smi -i $CARD\n"
    rewritten = rewrite(text, "a.sh", FileKind.SHELL, target_table("pytensor"))
    assert rewritten.migration.after == text.replace("THEANO_FLAGS=device=$CARD,", "PYTENSOR_FLAGS=")
    assert not rewritten.refused


def test_a_plain_word_of_a_container_file_stays() -> None:
    """The flags change where they are set, not where the word is."""
    text = "FROM a\nENV DEV=gpu0\nENV THEANO_FLAGS=device=$DEV,floatX=float32\n"
    rewritten = rewrite(text, "Dockerfile", FileKind.DOCKERFILE, target_table("pytensor"))
    assert rewritten.migration.after == "FROM a\nENV DEV=gpu0\nENV PYTENSOR_FLAGS=floatX=float32\n"
    assert not rewritten.refused


@pytest.mark.parametrize(
    ("value", "advice"),
    [("device=$D", "pytensor has no such flag: take it out"), ("floatX=$F,device=cpu", "check whether pytensor accepts it")],
)
def test_a_value_of_a_removed_flag_that_is_only_known_later_is_to_be_taken_out(value: str, advice: str) -> None:
    """No value of it can be right; the value of a flag that is there can."""
    notes = rewrite(f"export THEANO_FLAGS={value}\n", "a.sh", FileKind.SHELL, target_table("pytensor")).migration.notes
    assert advice in next(note.text for note in notes if "only when the program runs" in note.text)
