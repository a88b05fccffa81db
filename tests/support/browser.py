"""A browser without a window, driven through chromedriver by the W3C's protocol: nothing but Python's own library."""

import base64
import json
import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the protocol's name of a reference


def find_browser():
    """The programs chromium and chromedriver, or None."""
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Browser:
    """Opens pages from the disk; no name can be looked up, so nothing can come from a network."""

    def __init__(self, programs, directory, size=(1280, 800)):
        port = free_port()
        self.root = f"http://127.0.0.1:{port}"
        self.driver = subprocess.Popen([programs[1], f"--port={port}"], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        options = {
            "binary": programs[0],
            "args": ["--headless=new", "--no-sandbox", "--disable-gpu-sandbox", "--use-angle=swiftshader",
                     "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--hide-scrollbars",
                     "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND",
                     f"--window-size={size[0]},{size[1]}", f"--user-data-dir={os.path.join(directory, 'profile')}"],
        }
        capabilities = {"browserName": "chrome", "goog:chromeOptions": options,
                        "goog:loggingPrefs": {"browser": "ALL"}}
        for attempt in range(100):
            try:
                made = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
                break
            except urllib.error.HTTPError:
                raise
            except (urllib.error.URLError, ConnectionError):
                if attempt == 99:
                    raise
                time.sleep(0.1)
        self.root += "/session/" + made["sessionId"]

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.root + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=300) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as problem:
            raise RuntimeError(f"{method} {path}: {problem.read().decode()[:2000]}") from None

    def open(self, path):
        self.ask("POST", "/url", {"url": "file://" + os.path.abspath(path)})

    def run(self, script, *arguments):
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, condition, seconds=300):
        """Until a JavaScript expression is true; long, for machines that are busy."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.run(f"return Boolean({condition})"):
                return True
            time.sleep(0.05)
        return False

    def find(self, selector):
        return self.ask("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def screenshot(self, path=None, selector=None):
        """The bytes of a PNG file."""
        where = f"/element/{self.find(selector)}/screenshot" if selector else "/screenshot"
        data = base64.b64decode(self.ask("GET", where))
        if path:
            with open(path, "wb") as file:
                file.write(data)
        return data

    def complaints(self):
        """What the console was told, but for plain messages."""
        return [entry["message"] for entry in self.ask("POST", "/se/log", {"type": "browser"})
                if entry["level"] in ("SEVERE", "WARNING")]

    def close(self):
        try:
            self.ask("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
