"""Lines of a traced program's own in its trace."""

import ctypes
import os


def simulated():
    """The simulated driver, if it is there."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    return driver if hasattr(driver, "virtual_mark") else None


driver = simulated()


def mark(text):
    """One line; on other devices than the simulated one it is written here."""
    if driver is not None:
        driver.virtual_mark(text.encode())
        return
    file = os.open(os.environ["VIRTUAL_DEVICE_TRACE"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(file, f"mark {text}\n".encode())
    os.close(file)
