"""A real Chromium without a window, driven through its own driver."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

import pytest

FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--allow-file-access-from-files",
)  # fmt: skip


class Browser:
    """One window."""

    def __init__(self, profile: Path) -> None:
        webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")
        program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
        driver = shutil.which("chromedriver")
        if program is None or driver is None:
            pytest.skip("needs Chromium and its driver: apt-get install chromium chromium-driver")
        options = webdriver.ChromeOptions()
        options.binary_location = program
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver: Any = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))

    def look(self, width: int, height: int = 1000, *, dark: bool = False, media: str = "screen") -> None:
        """The size of the window, and what the system prefers."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        wanted = {"media": media, "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", wanted)

    def open(self, page: Path, fragment: str = "") -> None:
        """Loads a page from a file, with what stands behind its `#`."""
        self.driver.get("about:blank")
        self.driver.get(f"{page.as_uri()}#{fragment}")

    def run(self, script: str, *args: object) -> Any:
        """What a function with this body returns."""
        return self.driver.execute_script(script, *args)

    def wait(self, script: str, seconds: float = 20) -> Any:
        """What it returns once that is true; what it was last where that takes too long."""
        until = time.monotonic() + seconds
        while not (found := self.run(script)) and time.monotonic() < until:
            time.sleep(0.05)
        return found

    def errors(self) -> list[str]:
        """Errors that the console has since the last question."""
        return [e["message"] for e in self.driver.get_log("browser") if e["level"] == "SEVERE"]
