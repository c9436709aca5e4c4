"""A map of many pins without clusters, drawn as points."""

import http.server
import json
import random
import threading
import time

from browser import Browser
from server import Server, until

LIVE = 'document.querySelector("#connection").textContent === "Live"'
# Frames a second while the map moves: 10 frames, each after a step to the side.
PAN = """new Promise((resolve) => {
  const { map } = liveMap;
  const times = [];
  const step = () => {
    times.push(performance.now());
    if (times.length > 10) return resolve((10 * 1000) / (times.at(-1) - times[0]));
    map.camera.panBy(times.length % 2 ? 9 : -7, 0);
    map.moved();
    map.whenDrawn(() => requestAnimationFrame(step));
  };
  requestAnimationFrame(step);
})"""


class Feed:
    """A feed of many quakes, served to the program."""

    def __init__(self, count):
        seeded = random.Random(7)
        features = [{
            "type": "Feature", "id": f"made{number}",
            "properties": {"mag": round(seeded.uniform(0, 7), 1), "place": f"Place {number}", "time": 1.5e12 + number},
            "geometry": {"type": "Point", "coordinates": [
                round(seeded.uniform(-180, 180), 4), round(seeded.uniform(-60, 75), 4), 10]},
        } for number in range(count)]
        body = json.dumps({"type": "FeatureCollection", "features": features}).encode()

        class Answer(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/feed.geojson"

    def close(self):
        self._server.shutdown()


# The pins in the free part of the map, and the pins of them that are painted.
PAINTED = """(() => {
  const { camera, map, pins } = liveMap, { left, top, right, bottom } = camera.free;
  pins.drawPoints(camera, map.theme);
  const canvas = document.querySelector("#points");
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
  let [free, painted] = [0, 0];
  for (const pin of pins.features.values()) {
    const [x, y] = camera.toScreen(pin.x, pin.y).map(Math.round);
    if (x < left || x > right || y < top || y > bottom) continue;
    free += 1;
    if (data[4 * (y * canvas.width + x) + 3] > 100) painted += 1;
  }
  return [free, painted];
})()"""


# The number of different opacities of the pixels under points.
DENSITIES = """(() => {
  const { camera, map, pins } = liveMap;
  pins.drawPoints(camera, map.theme);
  const canvas = document.querySelector("#points");
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
  const found = new Set();
  for (let at = 3; at < data.length; at += 4) if (data[at] > 0) found.add(data[at]);
  return found.size;
})()"""


def many(executable, path, count, flags, query, renderer):
    """Opens the page with these flags of the browser. Its frames a second are printed: a busy machine has few."""
    feed = Feed(count)
    server = Server(executable, path, options=("--quiet", "--feed", feed.url))
    browser = Browser(flags=flags)
    try:
        page = browser.open(server.url + query)
        page.wait(LIVE, "the page connects")
        assert page.text("#import") == "Import 127.0.0.1", page.text("#import")
        page.press("#import")
        until(lambda: page.evaluate(f"liveMap.list.total === {count} && !liveMap.status.feed.isRunning"),
              page, "the import ends", 120)
        page.wait("!liveMap.status.clustersLag && liveMap.status.pending === 0", "the clusters are exact")
        begin = time.monotonic()
        page.press("[data-mode=pins]")
        page.wait("liveMap.pins.areMany", "the first pins")
        first = time.monotonic() - begin
        ghosts = page.evaluate("[...liveMap.pins.features.values()].filter(({ count }) => count > 1).length")
        assert ghosts == 0, f"{ghosts} clusters lie over their own pins"
        page.wait(f"liveMap.pins.features.size === {count}", "a pin for each sighting")
        every = time.monotonic() - begin
        page.wait("liveMap.status.pending === 0", "nothing waits")
        frames = page.evaluate(PAN)
        slice, take, turns, bytes = page.evaluate(
            "[liveMap.status.worstSliceMilliseconds, liveMap.status.longestTakeMilliseconds,"
            " liveMap.status.longestTurnMilliseconds, liveMap.connection.bytes.change]")
        assert page.evaluate("liveMap.pins.renderer") == renderer, page.evaluate("liveMap.pins.renderer")
        print(f"          {renderer}: first pins after {first:.1f} s, all after {every:.1f} s, {bytes / 1e6:.0f} MB,"
              f" {frames:.0f} frames a second; longest slice {slice:.1f} ms, take {take:.1f} ms,"
              f" turns between two beats {turns:.1f} ms", flush=True)
        assert frames > 0, "nothing is drawn"
        free, painted = page.evaluate(PAINTED)
        assert painted == free > count / 2, f"{painted} of {free} pins are painted"
        assert page.evaluate(DENSITIES) >= 3, "dense places look like single points"
        click(page)
        browser.close()
        browser = None
        assert server.end() == 0
    finally:
        if browser:
            browser.close()
        server.kill()
        feed.close()


def click(page):
    """A click finds one of the points."""
    x, y = page.evaluate("""(() => {
      const { camera, pins } = liveMap, { left, top, right, bottom } = camera.free;
      for (const pin of pins.features.values()) {
        const [x, y] = camera.toScreen(pin.x, pin.y);
        if (x > left + 60 && x < right - 60 && y > top + 60 && y < bottom - 60) return [x, y];
      }
    })()""")
    page.click(x, y)
    page.wait("liveMap.selected && !document.querySelector('#card').hidden", "a point is selected")
