"""Scripts that do not fit a card: the first plan that is offered, applied, makes them run there, with the peak that was predicted."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.interpreters import THOROUGH

from .judge import SCRIPTS, applied, offered, ran, reported

CASES = {
    "big_data": ("", 0.4),
    "kept_intermediates": ("allow_gc=False", 0.7),
    "indexed_data": ("", 0.5),
    "three_sets": ("", 0.5),
    "big_batch": ("", 0.6),
    "conv_batch": ("", 0.5),
    "long_scan": ("", 0.6),
    "whole_validation": ("", 0.5),
    "double": ("floatX=float64", 0.7),
    "large_product": ("", 0.4),
    "grown_table": ("", 0.6),
    "autoencoder_batch": ("", 0.5),
    "sliced_batch": ("", 0.5),
    "whole_set": ("", 0.5),
    "data_and_batch": ("floatX=float32", 0.25),
    "wide_and_deep": ("floatX=float64", 0.2),
    "word2vec": ("floatX=float32", 0.6),
    "knn": ("floatX=float32", 0.6),
    "logp": ("floatX=float32", 0.6),
    "full_batch": ("floatX=float32", 0.6),
    "features": ("floatX=float32", 0.6),
    "too_much_reserved": ("gpuarray.preallocate=300", 0.5),
    "train_and_validate": ("floatX=float32", 0.4),
    "tutorial_net": ("floatX=float32", 0.6),
    "rotated_chunk": ("floatX=float32", 0.4),
    "embedding": ("floatX=float32", 0.75),
    "two_tables": ("floatX=float32", 0.9),
    "sampler_chain": ("floatX=float32", 0.6),
    "style_transfer": ("floatX=float32", 0.6),
}
"""The flags of each, and the share of what it needs that the card has."""
BOUNDED = {
    "embedding_adagrad": ("floatX=float32", 0.85),
    "language_model": ("floatX=float32", 0.6),
    "pictures": ("floatX=float32", 0.6),
    "one_hot": ("floatX=float32", 0.6),
}
"""The same of scripts whose first plan has an upper bound."""
MORE = {
    "deconvolution": ("floatX=float32", 0.6),
    "residual": ("floatX=float32", 0.6),
    "gradient_penalty": ("floatX=float32", 0.6),
    "memory_network": ("floatX=float32", 0.6),
    "mapped_rows": ("floatX=float32", 0.6),
    "ladder": ("floatX=float32", 0.6),
    "pixels": ("floatX=float32", 0.6),
    "triplets": ("floatX=float32", 0.6),
    "translation": ("floatX=float32", 0.6),
    "reviews": ("floatX=float32", 0.6),
    "tested_at_once": ("floatX=float32", 0.6),
    "compared": ("floatX=float32", 0.6),
    "volumes": ("floatX=float32", 0.6),
    "given_data": ("floatX=float32", 0.6),
    "subepochs": ("floatX=float32", 0.6),
    "sound": ("floatX=float32", 0.6),
    "unet": ("floatX=float32", 0.6),
    "turing": ("floatX=float32", 0.6),
    "sentences": ("floatX=float32", 0.6),
    "vae": ("floatX=float32", 0.6),
    "dqn": ("floatX=float32", 0.6),
    "highway": ("floatX=float32", 0.6),
    "siamese": ("floatX=float32", 0.6),
    "dcgan": ("floatX=float32", 0.6),
    "factors": ("floatX=float32", 0.6),
    "alignment": ("floatX=float32", 0.6),
    "flat_targets": ("floatX=float32", 0.6),
    "gibbs": ("floatX=float32", 0.6),
    "data_in_float64": ("floatX=float32", 0.7),
}
"""The same of scripts that `python -m tests.plans` follows alone."""
QUICK = ("kept_intermediates",)


@pytest.mark.parametrize("name", [n if n in QUICK else pytest.param(n, marks=THOROUGH) for n in CASES])
def test_the_first_plan_makes_it_run(name: str, tmp_path: Path) -> None:
    """Before it fails on the card; afterwards it runs, and the driver gives as many bytes as were predicted."""
    flags, share = CASES[name]
    available = int(reported(name, flags, None).process.reserved_peak_bytes * share)
    report = reported(name, flags, available)
    assert report.process.fits is False
    plan = offered(report)
    assert plan is not None, [f.code for f in report.findings]
    assert plan.after is not None
    script, new_flags = applied(tmp_path / "applied", name, flags, plan)
    after = ran(tmp_path, script, new_flags, available)
    assert after.fits, after.error
    assert after.reserved == plan.after.reserved_bytes


@pytest.mark.parametrize("name", [n if n in QUICK else pytest.param(n, marks=THOROUGH) for n in CASES])
def test_it_does_not_run_as_it_is(name: str, tmp_path: Path) -> None:
    """The prediction that it does not fit is no false alarm."""
    flags, share = CASES[name]
    available = int(reported(name, flags, None).process.reserved_peak_bytes * share)
    assert not ran(tmp_path, SCRIPTS / f"{name}.py", flags, available).fits


LARGEST = ("big_batch", "conv_batch", "sliced_batch", "autoencoder_batch", "rotated_chunk", "tutorial_net", "sampler_chain")
"""Scripts of which the largest batch that fits is said."""


@pytest.mark.parametrize("name", [pytest.param(n, marks=THOROUGH) for n in LARGEST])
def test_one_row_more_does_not_fit(name: str, tmp_path: Path) -> None:
    """The batch after the largest does not run on the card; TD301 has the same numbers as TD303."""
    flags, share = CASES[name]
    available = int(reported(name, flags, None).process.reserved_peak_bytes * share)
    report = reported(name, flags, available)
    found = next(f for f in report.findings if f.code == "TD303")
    assert found.fix is not None
    batch = int(re.findall(r" = (\d+)  # was ", str(found.fix.code))[0])
    told = next(n for f in report.findings if f.code == "TD301" for n in f.notes if n.startswith("the batch is "))
    assert f": {batch} fits and needs" in told
    assert f", {batch + 1} does not" in told
    more = replace(found, fix=replace(found.fix, code=str(found.fix.code).replace(f" = {batch} ", f" = {batch + 1} ")))
    script, new_flags = applied(tmp_path / "applied", name, flags, more)
    assert not ran(tmp_path, script, new_flags, available).fits
