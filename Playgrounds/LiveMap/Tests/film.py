#!/usr/bin/env python3
"""Films the map, in light and in dark: rows arrive, balloons drift, a finger drags, the finger lets go.

    python3 Playgrounds/LiveMap/Tests/film.py PATH/TO/LiveMap FILM.webp [FIGURES.jsonl]

FILM~dark.webp lies beside FILM.webp. First the page runs, and the events of the server are recorded with their
times. Then the page runs twice more, on a clock of its own, from the recorded events. So both films show the same
moments and figures, and have 12 frames in each second, however slow the machine is.

FIGURES.jsonl gets the bytes that a page receives each second, by Strata's operations and by everything at each
change.
"""

import json
import os
import sys
import tempfile

from browser import Browser
from server import Server
from story import arrive, compare
from webp import animation

SIZE = (720, 400)
RATE = 12
BEAT = 1500
LARGEST = 1_500_000
# Longitude, latitude, zoom.
VIEW = (112, 24, 2.3)
# The way of the finger, in points.
WAY = 250

# Records each event of the server, with its time.
RECORDER = """
  globalThis.tape = [];
  globalThis.WebSocket = class extends WebSocket {
    constructor(...values) {
      super(...values);
      this.addEventListener("message", ({ data }) => tape.push([performance.now(), data]));
    }
  };"""

# A clock that stands still between two steps, and a connection that plays events.
PLAYER = """
  globalThis.film = { now: 0, frames: [], socket: null };
  performance.now = () => film.now;
  globalThis.requestAnimationFrame = (body) => film.frames.push(body);
  globalThis.WebSocket = class {
    static OPEN = 1;
    readyState = 1;
    constructor() {
      film.socket = this;
      setTimeout(() => this.onopen());
    }
    send() {}
    close() {}
  };
  film.draw = () => { for (const body of film.frames.splice(0)) body(film.now); };"""

# The view, and the drag as a function of its share.
DIRECTOR = f"""(async () => {{
  const {{ project }} = await import("/camera.js");
  const {{ camera, map }} = liveMap;
  const [x, y] = project({VIEW[0]}, {VIEW[1]});
  map.isTouched = true;
  globalThis.drag = (share) => {{
    const way = {WAY} * (share < 0.5 ? 2 * share ** 2 : 1 - 2 * (1 - share) ** 2);
    camera.flyTo(x - way / camera.scaleAt({VIEW[2]}), y, {VIEW[2]}, performance.now() - 2, 1);
    map.invalidate();
    return way;
  }};
  drag(0);
}})()"""

# Runs the story, and answers the times at which its beats begin.
STORY = f"""(async () => {{
  const {{ connection, map, list }} = liveMap;
  const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const until = async (holds) => {{ while (!holds()) await wait(20); }};
  const beats = [];
  connection.send("startImport");
  connection.send("balloons", {{ count: 1500, movesPerSecond: 1500 }});
  await until(() => liveMap.pins.features.size > 0);
  // The first frame stands for the film where nothing moves, so it has pins.
  await wait(400);
  beats.push(performance.now());
  await until(() => list.total === 3207 && !liveMap.status.feed.isRunning);
  await wait(2500);
  beats.push(performance.now());
  await wait({BEAT});
  connection.send("hold", {{ reason: "drag" }});
  const start = performance.now();
  beats.push(start);
  while (performance.now() < start + {BEAT}) {{
    drag((performance.now() - start) / {BEAT});
    map.moved();
    await wait(16);
  }}
  drag(1);
  map.sendView();
  connection.send("release", {{ reason: "drag" }});
  beats.push(start + {BEAT});
  await wait({BEAT} + 500);
  return beats;
}})()"""

# The figures under the map, and a finger.
OVERLAY = """(() => {
  const style = new CSSStyleSheet();
  document.adoptedStyleSheets.push(style);
  style.replaceSync(`
    #map-foot, #notices, #stage { display: none !important; }
    #ticker {
      position: fixed; inset: auto 0 0 0; height: 54px; z-index: 9; display: flex; align-items: center;
      justify-content: center; gap: 12px; background: var(--panel); border-top: 1px solid var(--line);
      font-size: 28px; font-weight: 620; letter-spacing: -0.01em; white-space: nowrap; color: var(--ink);
    }
    #ticker b { font-weight: 720; color: var(--medium-ink); }
    #ticker b + i + b, #ticker b:only-of-type { color: var(--accent); }
    #ticker i { font-style: normal; color: var(--muted); }
    #finger {
      position: fixed; z-index: 8; width: 46px; height: 46px; margin: -23px; border-radius: 50%; opacity: 0.75;
      background: var(--accent); border: 4px solid var(--on-accent); box-shadow: var(--shadow);
    }`);
  document.body.append(Object.assign(document.createElement("p"), { id: "ticker" }));
  document.body.append(Object.assign(document.createElement("div"), { id: "finger", hidden: true }));
})()"""


def begin(browser, url, script, scheme="light"):
    page = browser.open("about:blank", *SIZE)
    page.call("Page.addScriptToEvaluateOnNewDocument", {"source": script})
    page.call("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    page.call("Page.navigate", {"url": url + "?embed=map"})
    page.wait("globalThis.liveMap && liveMap.connection.isOpen", "the page is there")
    page.evaluate(DIRECTOR)
    return page


def record(browser, url):
    """The events with their times in milliseconds, and the times at which the beats begin."""
    page = begin(browser, url, RECORDER)
    beats = page.evaluate(STORY)
    tape = page.evaluate("tape")
    page.close()
    return [(time, text) for time, text in tape], beats


class Figures:
    """The figures of the film, from the recorded events."""

    def __init__(self, tape, beats):
        self._events = [(time, *next(iter(json.loads(text).items())), len(text)) for time, text in tape]
        begin, end = self._counts(beats[1]), self._counts(beats[1] + BEAT)
        self.rows = round((end[0] - begin[0]) * 1000 / BEAT)
        self.operations = round((end[1] - begin[1]) * 1000 / BEAT)
        self.bytes = round(sum(size for time, name, _, size in self._events if name != "status"
                               and beats[1] <= time < beats[1] + BEAT) * 1000 / BEAT)
        closed, opened = self._counts(beats[2]), self._counts(beats[3])
        self.dragged = opened[0] - closed[0]
        # The operations until no pin waits any more.
        settled = next(time for time, name, content, _ in self._events if name == "status" and time > beats[3]
                       and not content["status"]["isHolding"] and content["status"]["pending"] == 0)
        self.after = self._counts(settled)[1] - opened[1]

    def _last(self, name, end):
        found = {}
        for time, each, content, _ in self._events:
            if each == name and time <= end:
                found = content
        return found

    def _counts(self, end):
        """The rows changed and the operations up to a time."""
        status = self._last("status", end).get("status", {})
        return status.get("rowsChanged", 0), sum(status.get(each, 0) for each in ("added", "moved", "restyled", "removed"))

    def waiting(self, end):
        status = self._last("status", end).get("status", {})
        return status.get("pending", 0) if status.get("isHolding") else 0

    def arrived(self, end):
        total = 0
        for time, name, content, _ in self._events:
            if time <= end and name in ("rows", "rowChanges"):
                total = content.get("total", content.get("changes", {}).get("total", total))
        return total

    def words(self, beat, time):
        """The text of the ticker, with figures in bold."""
        size = f"{self.bytes / 1000:.1f} KB" if self.bytes < 10_000 else f"{self.bytes / 1000:.0f} KB"
        return [
            f"<b>{self.arrived(time):,}</b> rows arrive",
            f"<b>{self.rows:,}</b> rows<i>→</i><b>{self.operations:,}</b> operations<i>→</i>{size} a second",
            f"A finger drags: <b>{self.waiting(time):,}</b> pins wait",
            f"It lets go: <b>{self.dragged:,}</b> rows<i>→</i><b>{self.after:,}</b> operations",
        ][beat]


def play(browser, url, tape, beats, figures, scheme):
    """The frames of the film, each a PNG in base64 and its duration in milliseconds."""
    page = begin(browser, url, PLAYER, scheme)
    page.evaluate(OVERLAY)
    frames, at = [], 0
    in_beat = RATE * BEAT // 1000
    for number in range(4 * in_beat):
        beat, moment = divmod(number, in_beat)
        time = beats[beat] + moment * 1000 / RATE
        events = []
        while at < len(tape) and tape[at][0] <= time:
            events.append(tape[at])
            at += 1
        share = 0 if beat < 2 else moment / in_beat if beat == 2 else 1
        page.evaluate(f"""(() => {{
          for (const [time, data] of {json.dumps(events)}) {{
            film.now = time;
            film.socket.onmessage({{ data }});
          }}
          film.now = {time};
          const way = drag({share});
          // The first drawing ends the flight of the camera.
          film.draw();
          film.draw();
          document.querySelector("#ticker").innerHTML = {json.dumps(figures.words(beat, time))};
          const finger = document.querySelector("#finger");
          finger.hidden = {json.dumps(beat != 2)};
          finger.style.left = `${{{SIZE[0]} * 0.26 + way}}px`;
          finger.style.top = "{SIZE[1] * 0.62}px";
        }})()""")
        if number == 0:
            # The first picture of a page may lack what is drawn only now.
            page.call("Page.captureScreenshot", {"format": "png"})
        png = page.call("Page.captureScreenshot", {"format": "png"})["data"]
        frames.append((png, (number + 1) * 1000 // RATE - number * 1000 // RATE))
    page.close()
    return frames


def write(page, frames, path):
    """Writes the film in the best quality that is small enough."""
    for quality in range(75, 10, -8):
        film = animation(page, frames, SIZE, quality)
        if len(film) <= LARGEST:
            break
    with open(path, "wb") as file:
        file.write(film)
    print(f"{path}: {len(frames)} frames, {len(film):,} bytes, quality {quality}")


def measure(browser, url, path):
    page = browser.open(url, 1440, 900)
    arrive(page)
    rates = {"strata": page.evaluate("liveMap.headline.rates.bytes"), "rows": page.evaluate("liveMap.headline.rates.rows")}
    compare(page, lambda: rates.update(everything=page.evaluate("liveMap.headline.rates.bytes")))
    with open(path, "w") as file:
        file.write(json.dumps({"workload": "wire", **rates}) + "\n")


def main(executable, path, figures=None):
    with tempfile.TemporaryDirectory() as folder:
        server, browser = Server(executable, os.path.join(folder, "film.sqlite")), Browser()
        try:
            tape, beats = record(browser, server.url)
            shown = Figures(tape, beats)
            encoder = browser.open("about:blank")
            for scheme, name in [("light", path), ("dark", path.replace(".webp", "~dark.webp"))]:
                write(encoder, play(browser, server.url, tape, beats, shown, scheme), name)
            print(f"{shown.rows:,} rows, {shown.operations:,} operations and {shown.bytes:,} bytes a second; "
                  f"{shown.dragged:,} rows under the finger, {shown.after:,} operations after it")
            if figures:
                measure(browser, server.url, figures)
        finally:
            browser.close()
            server.kill()


if __name__ == "__main__":
    main(*sys.argv[1:])
