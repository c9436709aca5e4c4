"""A headless Chromium, driven over the DevTools protocol through two pipes.

With --remote-debugging-pipe the browser reads commands from file descriptor 3 and writes answers and
events to 4: JSON texts, each ended by a zero byte. So it takes no library and no port.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

DEADLINE = 60


class Browser:
    def __init__(self, executable="chromium", flags=("--disable-gpu", "--disable-3d-apis")):
        self._profile = tempfile.mkdtemp(prefix="livemap-")
        commands_out, self._commands = os.pipe()
        self._answers, answers_in = os.pipe()
        # The shell gives the pipes the numbers that Chromium expects; sh knows numbers of one digit only.
        command = f'exec "$0" "$@" 3<&{commands_out} 4>&{answers_in}'
        self._process = subprocess.Popen(
            ["bash", "-c", command, executable, "--headless=new", "--remote-debugging-pipe",
             # Everything that is shown is this repository's own.
             "--no-sandbox", *flags, "--disable-dev-shm-usage", "--no-first-run",
             # A page draws although another one was opened over it.
             "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding",
             "--disable-background-timer-throttling", "--disable-extensions", "--disable-background-networking", "--disable-component-update",
             f"--user-data-dir={self._profile}"],
            pass_fds=[commands_out, answers_in], stderr=subprocess.DEVNULL)
        os.close(commands_out)
        os.close(answers_in)
        self._received = b""
        self._last_id = 0
        self._results = {}
        self.pages = {}

    def close(self):
        self._process.kill()
        self._process.wait()
        os.close(self._commands)
        os.close(self._answers)
        shutil.rmtree(self._profile, ignore_errors=True)

    def open(self, url, width=1440, height=900):
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        page = Page(self, target, session)
        self.pages[session] = page
        for domain in ["Page", "Runtime", "Log", "Network"]:
            page.call(f"{domain}.enable")
        page.resize(width, height)
        page.call("Page.navigate", {"url": url})
        return page

    def call(self, method, params=None, session=None):
        self._last_id += 1
        command = {"id": self._last_id, "method": method, "params": params or {}}
        if session:
            command["sessionId"] = session
        text = json.dumps(command).encode() + b"\0"
        while text:
            text = text[os.write(self._commands, text):]
        end = time.monotonic() + DEADLINE
        while self._last_id not in self._results:
            self._receive(end, method)
        answer = self._results.pop(self._last_id)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def _receive(self, end, method):
        ready, _, _ = select.select([self._answers], [], [], max(0, end - time.monotonic()))
        if not ready:
            raise TimeoutError(f"{method}: no answer in {DEADLINE} seconds")
        piece = os.read(self._answers, 1 << 20)
        if not piece:
            raise RuntimeError("the browser is gone")
        *texts, self._received = (self._received + piece).split(b"\0")
        for message in map(json.loads, texts):
            if "id" in message:
                self._results[message["id"]] = message
            elif message.get("sessionId") in self.pages:
                self.pages[message["sessionId"]].note(message["method"], message["params"])


class Page:
    """One tab."""

    def __init__(self, browser, target, session):
        self._browser = browser
        self._target = target
        self._session = session
        # What the page complained of: (source, text).
        self.complaints = []
        # Every URL that it asked for.
        self.requested = []

    def call(self, method, params=None):
        return self._browser.call(method, params, self._session)

    def note(self, method, params):
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            text = details.get("exception", {}).get("description") or details["text"]
            self.complaints.append(("exception", text))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            text = " ".join(str(value.get("value", "")) for value in params["args"])
            self.complaints.append(("console", text))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            source, text = params["entry"]["source"], params["entry"]["text"]
            # The server's last frame and the page's end of the connection may cross.
            if source != "network" or not text.endswith("Data frame received after close"):
                self.complaints.append((source, text))
        elif method == "Network.requestWillBeSent":
            self.requested.append(params["request"]["url"])

    def evaluate(self, expression):
        """The value of a JavaScript expression, or of the promise that it makes."""
        answer = self.call("Runtime.evaluate", {
            "expression": expression, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(f"{expression}: {details.get('exception', details).get('description')}")
        return answer["result"].get("value")

    def wait(self, condition, what, seconds=DEADLINE - 10):
        """Waits until a JavaScript condition holds, looking again and again."""
        looking = f"""new Promise((resolve) => {{
          const look = () => {{
            let holds = false;
            try {{ holds = Boolean({condition}); }} catch {{ }}
            if (holds) resolve(true);
            else if (performance.now() > end) resolve(false);
            else setTimeout(look, 20);
          }};
          const end = performance.now() + {seconds * 1000};
          look();
        }})"""
        if not self.evaluate(looking):
            picture = os.path.join(tempfile.gettempdir(), "livemap-failed.png")
            self.screenshot(picture)
            raise AssertionError(
                f"waited {seconds} seconds: {what}; the page: {self.complaints}; see {picture}")

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def text(self, selector):
        return self.evaluate(f"document.querySelector({json.dumps(selector)}).textContent")

    def key(self, key):
        """Presses a key, as a keyboard does."""
        code = {"Tab": 9, "Enter": 13, "Escape": 27, "Delete": 46}.get(key, ord(key[0].upper()))
        text = "\r" if key == "Enter" else key if len(key) == 1 else ""
        for kind in ["keyDown", "keyUp"]:
            self.call("Input.dispatchKeyEvent", {
                "type": kind, "key": key, "windowsVirtualKeyCode": code,
                "text": text if kind == "keyDown" else ""})

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", {
            "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1, **more})

    def click(self, x, y):
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y)

    def press(self, selector):
        """Clicks in the middle of an element, once it stands still and nothing covers it."""
        self.wait(f"""(() => {{
          const element = document.querySelector({json.dumps(selector)});
          const box = element?.getBoundingClientRect();
          const place = box ? [box.x + box.width / 2, box.y + box.height / 2] : [-1, -1];
          const isStill = String(place) === globalThis.lastPlace;
          globalThis.lastPlace = String(place);
          return isStill && element?.contains(document.elementFromPoint(...place));
        }})()""", f"{selector} can be clicked")
        self.click(*map(float, self.evaluate("globalThis.lastPlace").split(",")))

    def slide(self, selector, value):
        """Sets a slider, as a drag does."""
        self.evaluate(f"""(() => {{
          const slider = document.querySelector({json.dumps(selector)});
          slider.value = {value};
          slider.dispatchEvent(new Event("input", {{ bubbles: true }}));
        }})()""")

    def type(self, selector, text):
        """Replaces the text of a field."""
        self.evaluate(f"document.querySelector({json.dumps(selector)}).select()")
        self.call("Input.insertText", {"text": text})
        self.key("Enter")

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", {"format": "png"})["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def bring_to_front(self):
        self.call("Page.bringToFront")

    def close(self):
        self._browser.call("Target.closeTarget", {"targetId": self._target})
