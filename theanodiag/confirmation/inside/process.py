"""What the system says about this process."""

import os


def status(name: str) -> "int | None":
    """A line of /proc/self/status in bytes; None where there is none (Linux only)."""
    try:
        with open("/proc/self/status") as file:
            for line in file:
                if line.startswith(name + ":"):
                    return int(line.split()[1]) * 1024
    except (IOError, OSError, ValueError, IndexError):
        pass
    return None


def resident() -> "int | None":
    """The highest resident memory so far, in bytes."""
    return status("VmHWM")


def on_gpu() -> "int | None":
    """What the driver says this process has on all GPUs, contexts and all (NVML, where nvidia-ml-py is installed)."""
    try:
        import pynvml

        pynvml.nvmlInit()
        found = []  # type: list[int]
        for number in range(pynvml.nvmlDeviceGetCount()):
            rows = pynvml.nvmlDeviceGetComputeRunningProcesses(pynvml.nvmlDeviceGetHandleByIndex(number))
            found.extend(row.usedGpuMemory for row in rows if row.pid == os.getpid() and row.usedGpuMemory is not None)
        return int(sum(found)) if found else None
    except Exception:
        return None
