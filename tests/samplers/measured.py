"""Run by an interpreter with PyMC: runs a script for real and prints, as JSON, how far memory rises during each call of `pymc.sample`.

    python measured.py SCRIPT

A row a call: `sampling` and `peak`, bytes above the resident size at which sampling began (all is compiled then), the first with what the
worker processes do not share.
"""

import json
import os
import re
import runpy
import sys
import threading
import time

import pymc.sampling.mcmc as mcmc


def resident(key, pid="self"):
    """Bytes that /proc/PID/status tells under `key`."""
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(rf"{key}:\s*(\d+)", file.read())[1]) << 10


def unshared(pid):
    """Bytes that only this process holds."""
    try:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            return int(re.search(r"Private_Dirty:\s*(\d+)", file.read())[1]) << 10
    except (OSError, TypeError):
        return 0


class Workers(threading.Thread):
    """Looks at the child processes every 50 ms; `highest` is the most that they held together."""

    def __init__(self):
        super().__init__(daemon=True)
        self.highest, self.over = 0, False

    def run(self):
        """Until `over`."""
        path = f"/proc/{os.getpid()}/task/{os.getpid()}/children"
        while not self.over:
            with open(path) as file:
                self.highest = max(self.highest, sum(map(unshared, file.read().split())))
            time.sleep(0.05)


rows = []


def begins(own):
    """What samples, with the resident size before it as the row's zero."""

    def sampled(*args, **kwargs):
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
        row = {"zero": resident("VmRSS")}
        rows.append(row)
        workers = Workers()
        workers.start()
        try:
            return own(*args, **kwargs)
        finally:
            workers.over = True
            row["sampling"] = resident("VmHWM") + workers.highest - row["zero"]

    return sampled


def ends(own):
    """What makes the result."""

    def returned(*args, **kwargs):
        found = own(*args, **kwargs)
        rows[-1]["peak"] = max(rows[-1]["sampling"], resident("VmHWM") - rows[-1]["zero"])
        return found

    return returned


for name in ("_mp_sample", "_sample_many", "_sample_population"):
    setattr(mcmc, name, begins(getattr(mcmc, name)))
mcmc._sample_return = ends(mcmc._sample_return)
runpy.run_path(sys.argv[1], run_name="__main__")
print(json.dumps(rows))
