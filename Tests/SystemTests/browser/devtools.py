"""Headless Chromium over its DevTools pipe: the standard library is enough.

    with Browser() as browser:
        page = browser.open("http://127.0.0.1:7480/s/ID", width=390, height=844, scale=2)
        page.wait("document.querySelector('.number').textContent !== '--'", seconds=5)
        page.screenshot("live.png")
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


class BrowserGone(ConnectionError):
    """The browser's own process ended: a fault of Chromium, for no page can end it."""


class Browser:
    """One Chromium process; each page has its own context, so pages share no cookies or storage."""

    def __init__(self, language="en-US", flags=()):
        binary = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        if not binary:
            raise FileNotFoundError("chromium is missing: apt-get install chromium")
        self.folder = tempfile.mkdtemp(prefix="pulsecast-browser-")
        read_by_browser, self.write_end = os.pipe()
        self.read_end, written_by_browser = os.pipe()
        arguments = [
            binary, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--hide-scrollbars", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--disable-extensions",
            "--remote-debugging-pipe", f"--user-data-dir={self.folder}", f"--lang={language}",
            f"--accept-lang={language}", *flags,
        ]

        def place_pipes():
            # DevTools reads from descriptor 3 and writes to 4; copies first, for they may be those.
            reader, writer = os.dup(read_by_browser), os.dup(written_by_browser)
            os.dup2(reader, 3)
            os.dup2(writer, 4)

        self.process = subprocess.Popen(
            arguments, preexec_fn=place_pipes, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=self._complaints())
        os.close(read_by_browser)
        os.close(written_by_browser)
        self.buffer = b""
        self.number = 0
        self.pages = {}
        self.listener = None  # Takes the events that are of no page.

    def _complaints(self):
        """The file that Chromium writes its errors to."""
        return open(os.path.join(self.folder, "stderr"), "wb")

    def _last_words(self):
        with open(os.path.join(self.folder, "stderr"), "rb") as file:
            lines = file.read().decode(errors="replace").splitlines()
        status = self.process.poll()
        return f"the browser ended with {status}: {' | '.join(lines[-20:])}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        os.close(self.write_end)
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.read_end)
        shutil.rmtree(self.folder, ignore_errors=True)

    def post(self, method, params=None, session=None):
        """Calls a DevTools method; the number of its answer."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        return self.number

    def send(self, method, params=None, session=None):
        """Calls a DevTools method and waits for its answer."""
        wanted = self.post(method, params, session)
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            answer = self.receive(deadline - time.monotonic())
            if answer and answer.get("id") == wanted:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
        raise TimeoutError(method)

    def receive(self, seconds):
        """The next message; events are handed to their page. None when nothing comes in time."""
        deadline = time.monotonic() + seconds
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.read_end], [], [], left)[0]:
                return None
            part = os.read(self.read_end, 1 << 20)
            if not part:
                raise BrowserGone(self._last_words())
            self.buffer += part
        line, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(line)
        page = self.pages.get(message.get("sessionId"))
        if page and "method" in message:
            page.take(message["method"], message["params"])
        elif "method" in message and self.listener:
            self.listener(message["method"], message["params"])
        return message

    def main_thread_seconds(self):
        """Processor time of the main threads of all pages so far."""
        ticks = 0
        for process in self.send("SystemInfo.getProcessInfo")["processInfo"]:
            if process["type"] == "renderer":
                with open(f"/proc/{process['id']}/task/{process['id']}/stat", encoding="utf-8") as file:
                    fields = file.read().rpartition(")")[2].split()
                ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def open(self, url, width=1280, height=900, scale=1, dark=False, calm=False, touch=False,
             first=None, context=None):
        """`first`: JavaScript that runs in the new document before its own. `context`: of a page
        whose storage this one shares."""
        context = context or self.send("Target.createBrowserContext")["browserContextId"]
        target = self.send("Target.createTarget", {"url": "about:blank", "browserContextId": context})
        session = self.send(
            "Target.attachToTarget", {"targetId": target["targetId"], "flatten": True})["sessionId"]
        page = Page(self, session, target["targetId"], context)
        self.pages[session] = page
        for domain in ["Page", "Runtime", "Network", "Log", "Performance"]:
            page.call(f"{domain}.enable")
        page.resize(width, height, scale, touch)
        page.theme("dark" if dark else "light", calm)
        if first:
            page.call("Page.addScriptToEvaluateOnNewDocument", {"source": first})
        page.call("Page.navigate", {"url": url})
        return page


class Page:
    """One tab, and what it has said and asked for."""

    def __init__(self, browser, session, target, context):
        self.browser = browser
        self.session = session
        self.target = target
        self.context = context
        self.complaints = []
        self.requests = []
        self.received_bytes = 0
        # Each with its time: answers when they have ended, and messages of WebSockets.
        self.receipts = []
        self.is_dead = False

    def call(self, method, params=None):
        return self.browser.send(method, params, self.session)

    def take(self, method, params):
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.complaints.append(
                details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
            self.complaints.append(" ".join(str(each.get("value")) for each in params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            entry = params["entry"]
            self.complaints.append(f"{entry['text']} {entry.get('url', '')}")
        elif method in ("Network.requestWillBeSent", "Network.webSocketCreated"):
            self.requests.append(params["request"]["url"] if "request" in params else params["url"])
        elif method == "Inspector.targetCrashed":
            self.is_dead = True
        elif method == "Network.loadingFinished":
            self.received_bytes += params["encodedDataLength"]
            self.receipts.append((params["timestamp"], params["encodedDataLength"]))
        elif method == "Network.webSocketFrameReceived":
            self.receipts.append((params["timestamp"], len(params["response"]["payloadData"].encode()) + 4))

    def bytes_until(self, milliseconds):
        """All bytes received until a time of the page's own clock."""
        metrics = {each["name"]: each["value"] for each in self.call("Performance.getMetrics")["metrics"]}
        return sum(count for at, count in self.receipts if at <= metrics["NavigationStart"] + milliseconds / 1000)

    def run(self, expression, tapped=False):
        """The value of a JavaScript expression; promises are waited for. `tapped`: as from a tap of
        a person."""
        answer = self.call("Runtime.evaluate", {
            "expression": expression, "returnByValue": True, "awaitPromise": True,
            "userGesture": tapped})
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    def wait(self, condition, seconds=5):
        """Seconds until the condition held."""
        began = time.monotonic()
        while time.monotonic() - began < seconds:
            try:
                if self.run(f"Boolean({condition})"):
                    return time.monotonic() - began
            except RuntimeError:
                pass  # The page is between two documents.
            time.sleep(0.02)
        raise TimeoutError(f"after {seconds} s still not: {condition}")

    def pump(self, seconds):
        """Lets time pass, and takes what the page says meanwhile."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self.browser.receive(deadline - time.monotonic())

    def resize(self, width, height, scale=1, touch=False):
        self.call("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": scale, "mobile": touch})

    def theme(self, name, calm=False):
        """`light` or `dark`, as the system would say."""
        self.call("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": name},
            {"name": "prefers-reduced-motion", "value": "reduce" if calm else "no-preference"}]})

    def text(self, selector):
        return self.run(f"document.querySelector({json.dumps(selector)})?.textContent ?? null")

    def press(self, key, times=1):
        codes = {"Tab": 9, "Enter": 13, " ": 32, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39,
                 "ArrowDown": 40, "Home": 36, "End": 35}
        for _ in range(times):
            event = {"key": key, "code": key, "windowsVirtualKeyCode": codes.get(key, ord(key[0].upper()))}
            text = {"Enter": "\r"}.get(key, key if len(key) == 1 else None)
            down = {"type": "keyDown", **event, **({"text": text} if text else {})}
            self.call("Input.dispatchKeyEvent", down)
            self.call("Input.dispatchKeyEvent", {"type": "keyUp", **event})

    def screenshot(self, path, transparent=False):
        if transparent:
            self.call("Emulation.setDefaultBackgroundColorOverride",
                      {"color": {"r": 0, "g": 0, "b": 0, "a": 0}})
        picture = self.call("Page.captureScreenshot", {"format": "png"})
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture["data"]))

    def kill(self):
        """As a system without memory does: the page's process dies without a word."""
        self.call("Inspector.enable")
        self.browser.post("Page.crash", session=self.session)
        deadline = time.monotonic() + 30
        while not self.is_dead:
            if time.monotonic() > deadline:
                raise TimeoutError("the page lives")
            self.pump(0.1)

    def close(self, with_storage=True):
        self.browser.pages.pop(self.session, None)
        self.browser.send("Target.closeTarget", {"targetId": self.target})
        if with_storage and not any(page.context == self.context for page in self.browser.pages.values()):
            self.browser.send("Target.disposeBrowserContext", {"browserContextId": self.context})
