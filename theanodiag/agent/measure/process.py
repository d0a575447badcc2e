"""Memory of this process as reported by the operating system."""

import os


def status(name: str) -> "int | None":
    """A size in /proc/self/status, in bytes; None if it is missing (Linux only)."""
    try:
        with open("/proc/self/status") as file:
            for line in file:
                if line.startswith(name + ":"):
                    return int(line.split()[1]) * 1024
    except (IOError, OSError, ValueError, IndexError):
        pass
    return None


def resident() -> "int | None":
    """Peak resident memory in bytes."""
    return status("VmHWM")


def forget_peak() -> bool:
    """Resets the peak of `resident` to the current size. False if the system cannot (Linux: proc(5), clear_refs)."""
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
        return True
    except (IOError, OSError):
        return False


def on_gpu() -> "int | None":
    """Bytes that this process uses on all GPUs, contexts included, according to NVML (needs nvidia-ml-py); None if unknown."""
    try:
        import pynvml

        pynvml.nvmlInit()
        sizes = []  # type: list[int]
        for number in range(pynvml.nvmlDeviceGetCount()):
            rows = pynvml.nvmlDeviceGetComputeRunningProcesses(pynvml.nvmlDeviceGetHandleByIndex(number))
            sizes.extend(row.usedGpuMemory for row in rows if row.pid == os.getpid() and row.usedGpuMemory is not None)
        return int(sum(sizes)) if sizes else None
    except Exception:
        return None
