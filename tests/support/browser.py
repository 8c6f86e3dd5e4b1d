# SPDX-License-Identifier: BSD-3-Clause
"""Chromium without a window, driven over the DevTools protocol through a pair of pipes; and the checks of a page."""
import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("--headless", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         "--no-first-run", "--disable-extensions", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND", "--force-device-scale-factor=1")


class BrowserError(Exception):
    pass


def find():
    """The browser's path, or None. Some systems have a program of that name that only tells what to install."""
    for path in filter(None, map(shutil.which, NAMES)):
        version = subprocess.run([path, "--version"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL, timeout=600)
        if version.returncode == 0 and version.stdout:
            return path
    return None


def luminance(colour):
    """As the accessibility guidelines (WCAG 2) define it, of "rgb(r, g, b)"."""
    parts = [int(part) / 255 for part in colour[colour.index("(") + 1:-1].split(",")[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


class Checks:
    def __init__(self, name=""):
        self.name, self.failed, self.done = "", [], 0

    def equal(self, what, found, expected):
        self.done += 1
        if found != expected:
            self.failed.append(f"{self.name}: {what}: {str(found)[:300]}, not {str(expected)[:300]}")

    def close(self, what, found, expected, tolerance):
        self.equal(f"{what}: how many", len(found), len(expected))
        for i, (one, other) in enumerate(zip(found, expected)):
            if abs(one - other) > tolerance * max(abs(other), 1e-3):
                self.equal(f"{what}, the one at {i}", one, other)
                return
        self.done += 1

    def summary(self):
        """Prints what failed, and how many checks there were; returns the exit status."""
        for words in self.failed:
            print(words)
        print(f"{self.done} checks, {len(self.failed)} failed")
        return 1 if self.failed or not self.done else 0


class Browser:
    """A running browser: with Browser(path, seconds) as browser."""

    def __init__(self, path, seconds):
        self.deadline = time.monotonic() + seconds
        self.profile = tempfile.TemporaryDirectory(prefix="papi-page-", ignore_cleanup_errors=True)
        self.log = open(os.path.join(self.profile.name, "log"), "w+b")
        self.buffer, self.last, self.events = b"", 0, []
        # The browser reads from its descriptor 3 and writes to 4; high numbers here, so that neither is lost
        # when the other is put in its place.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 20) for pair in (os.pipe(), os.pipe()) for end in pair]
        browser_in, self.out, self.input, browser_out = ends

        def in_place():
            os.dup2(browser_in, 3)
            os.dup2(browser_out, 4)

        environment = {**os.environ, "HOME": self.profile.name}
        self.process = subprocess.Popen([path, *FLAGS, "--user-data-dir=" + self.profile.name, "about:blank"],
                                        preexec_fn=in_place, pass_fds=(3, 4), env=environment,
                                        stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        os.close(browser_in)
        os.close(browser_out)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.send("Browser.close")
            self.process.wait(20)
        except (BrowserError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.out)
        os.close(self.input)
        self.log.close()
        self.profile.cleanup()

    def said(self):
        self.log.seek(0)
        return self.log.read()[-2000:].decode(errors="replace")

    def send(self, method, session=None, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        return self.last

    def receive(self):
        """The next message: an answer or an event."""
        while b"\0" not in self.buffer:
            left = self.deadline - time.monotonic()
            if left <= 0 or not select.select([self.input], [], [], left)[0]:
                raise BrowserError("the browser did not answer in time:\n" + self.said())
            more = os.read(self.input, 1 << 20)
            if not more:
                raise BrowserError("the browser ended:\n" + self.said())
            self.buffer += more
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def call(self, method, session=None, **parameters):
        number = self.send(method, session, **parameters)
        while True:
            message = self.receive()
            if message.get("id") == number:
                if "error" in message:
                    raise BrowserError(f"{method}: {message['error']}")
                return message["result"]
            if "method" in message:
                self.events.append(message)

    def wait(self, method, session):
        """Until that event came, which may be before."""
        while not any(e["method"] == method and e.get("sessionId") == session for e in self.events):
            message = self.receive()
            if "method" in message:
                self.events.append(message)


class Page:
    """A page that was opened and has loaded."""

    def __init__(self, browser, path, width=1200, height=900):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        # What came with about:blank is not this page's.
        browser.events = [e for e in browser.events if e.get("sessionId") != self.session]
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        browser.wait("Page.loadEventFired", self.session)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise BrowserError(f"{expression}: {json.dumps(result['exceptionDetails'])}")
        return result["result"].get("value")

    def happened(self, method):
        return [e["params"] for e in self.browser.events
                if e["method"] == method and e.get("sessionId") == self.session]

    def complaints(self):
        """What the console shows in red, and requests to other places than files and the page itself."""
        found = [json.dumps(p["exceptionDetails"]) for p in self.happened("Runtime.exceptionThrown")]
        found += [json.dumps(p["args"]) for p in self.happened("Runtime.consoleAPICalled")
                  if p["type"] in ("error", "warning", "assert")]
        found += [json.dumps(p["entry"]) for p in self.happened("Log.entryAdded")
                  if p["entry"]["level"] in ("error", "warning")]
        found += [p["request"]["url"] for p in self.happened("Network.requestWillBeSent")
                  if not p["request"]["url"].startswith(("file:", "data:"))]
        return found

    def press(self, key):
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                      windowsVirtualKeyCode={"ArrowRight": 39, "Home": 36, "End": 35, "Tab": 9}[key])

    def scheme(self, name):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def screenshot(self, path):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        image = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                          clip={"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1})
        with open(path, "wb") as file:
            file.write(base64.b64decode(image["data"]))

    def close(self):
        self.call("Page.close")
