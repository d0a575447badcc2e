"""NVML where there is none: the reason, and no device."""

from __future__ import annotations

import pytest

from theanodiag.probe.cuda import NoNvml, all_gpus, find_gpu


def test_without_a_gpu_there_is_a_reason() -> None:
    """Either the package or the driver is missing."""
    if find_gpu() is not None:
        pytest.skip("there is a GPU here")
    with pytest.raises(NoNvml, match=r"^(nvidia-ml-py is not installed in theanodiag's environment$|NVML: )"):
        all_gpus()


def test_a_gpu_that_is_not_there() -> None:
    """None, whatever NVML says of its number."""
    assert find_gpu(1000) is None
