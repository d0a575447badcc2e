"""What kind a file is, by its name or by what is in it."""

from __future__ import annotations

import pytest

from theanodiag.flags.carriers.file_kinds import FileKind, kind_of

BY_NAME = [
    (".theanorc", FileKind.RC), ("theanorc.txt", FileKind.RC), (".pytensorrc", FileKind.RC),
    ("a.py", FileKind.PYTHON), ("a.ipynb", FileKind.NOTEBOOK),
    ("Dockerfile.gpu", FileKind.DOCKERFILE), ("x.dockerfile", FileKind.DOCKERFILE),
    ("Makefile", FileKind.MAKEFILE), ("a.bat", FileKind.BATCH),
    ("a.ps1", FileKind.POWERSHELL), ("config.fish", FileKind.FISH), (".cshrc", FileKind.CSH),
    (".bashrc", FileKind.SHELL), ("job.slurm", FileKind.SHELL),
    ("ci.yml", FileKind.YAML), ("a.toml", FileKind.TOML), ("a.json", FileKind.JSON), ("README.md", FileKind.PROSE),
]  # fmt: skip
BY_CONTENT = [
    ("# build\nFROM ubuntu:16.04\nRUN apt-get update\n", FileKind.DOCKERFILE),
    ("ENV A=1\nRUN b\n", FileKind.DOCKERFILE),
    ("#!/usr/bin/env bash\necho\n", FileKind.SHELL),
    ("#!/usr/bin/python\n", FileKind.PYTHON),
    ("#!/bin/tcsh -f\n", FileKind.CSH),
    ("#SBATCH -n 1\nmodule load x\n", FileKind.SHELL),
    ("export A=1\ncd b\n", FileKind.SHELL),
    ("import os\nprint(1)\n", FileKind.PYTHON),
    ("@echo off\nset A=1\n", FileKind.BATCH),
    ("$env:A = 'b'\n", FileKind.POWERSHELL),
    ("set -gx A b\n", FileKind.FISH),
    ("setenv A b\n", FileKind.CSH),
    ("all: a\n\tcc a.c\n", FileKind.MAKEFILE),
    ("a:\n  - b: 1\n", FileKind.YAML),
    ('{"a": 1}', FileKind.JSON),
    ('{"nbformat": 4, "cells": []}', FileKind.NOTEBOOK),
    ("<?xml version='1.0'?><a/>", FileKind.XML),
    ('[tool.ruff]\nline = "x"\n', FileKind.TOML),
    ("[flake8]\nignore = E1\n", FileKind.INI),
    ("[global]\ndevice = gpu\n", FileKind.RC),
    ("# theano\n[nvcc]\nflags=-x\n", FileKind.RC),
    ("[globl]\nfloatX = float32\n", FileKind.RC),
    ("floatX = float32\n", FileKind.RC),
    ("words\n", FileKind.RC),
    ("", FileKind.RC),
]


@pytest.mark.parametrize(("name", "kind"), BY_NAME)
def test_by_name(name: str, kind: FileKind) -> None:
    """Where the content says nothing."""
    assert kind_of(name, b"x\n") is kind


@pytest.mark.parametrize(("text", "kind"), BY_CONTENT)
def test_by_content(text: str, kind: FileKind) -> None:
    """Where the name says nothing."""
    assert kind_of("settings", text.encode()) is kind


@pytest.mark.parametrize("data", [b"\x7fELF\x02", b"PK\x03\x04x", b"\x1f\x8b\x08", b"\x89PNG"])
def test_binary_files(data: bytes) -> None:
    """By their first bytes, whatever they are called."""
    assert kind_of(".theanorc", data) is FileKind.BINARY


def test_a_script_called_like_an_rc_file() -> None:
    """Its first line tells."""
    assert kind_of("theanorc", b"#!/bin/sh\nexport A=1\n") is FileKind.SHELL
