#!/usr/bin/env python3
"""Films the map: arriving data, a drag that the gate waits for, a cluster that opens.

    python3 Playgrounds/LiveMap/Tests/film.py PATH/TO/LiveMap FILM.webp [FIGURES.jsonl]

The frames are pictures of the page, over the DevTools protocol. A WebP animation is a sequence of WebP
pictures in one container, so no encoder is needed. FIGURES.jsonl gets the bytes that a page receives each
second, by Strata's operations and by everything at each change.
"""

import base64
import json
import os
import struct
import sys
import tempfile

from browser import Browser
from server import Server
from story import arrive, compare

WIDTH, HEIGHT = 960, 600
QUALITY = 40


class Film:
    def __init__(self, page):
        self.page = page
        self.frames = []

    def take(self, milliseconds=170):
        """Adds a frame, shown for a while."""
        data = self.page.call("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})["data"]
        self.frames.append((picture(base64.b64decode(data)), milliseconds))

    def write(self, path):
        chunks = chunk(b"VP8X", struct.pack("<I", 0x02) + size(WIDTH) + size(HEIGHT))
        chunks += chunk(b"ANIM", struct.pack("<IH", 0xFFFFFFFF, 0))
        for data, milliseconds in self.frames:
            # At the left and at the top, not blended.
            head = size(1) + size(1) + size(WIDTH) + size(HEIGHT) + three(milliseconds) + b"\x02"
            chunks += chunk(b"ANMF", head + data)
        with open(path, "wb") as file:
            file.write(b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WEBP" + chunks)


def three(number):
    return struct.pack("<I", number)[:3]


def size(pixels):
    """A length in a WebP container, which is one less."""
    return three(pixels - 1)


def chunk(name, data):
    return name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)


def picture(file):
    """The chunk of the picture in a WebP file."""
    at = 12
    while at < len(file):
        length = struct.unpack_from("<I", file, at + 4)[0]
        if file[at:at + 4] in (b"VP8 ", b"VP8L"):
            return chunk(file[at:at + 4], file[at + 8:at + 8 + length])
        at += 8 + length + length % 2
    raise ValueError("no picture in a WebP file")


def drag(page, film):
    """Drags the map, and lets go after some frames."""
    x, y = WIDTH * 0.55, HEIGHT * 0.55
    page.mouse("mousePressed", x, y)
    for step in range(10):
        page.mouse("mouseMoved", x - 18 * step, y + 4 * step)
        film.take()
    page.mouse("mouseReleased", x - 200, y + 44)
    for _ in range(4):
        film.take()


def zoom(page, film):
    """Flies to the quakes of Japan, whose clusters come apart on the way."""
    page.evaluate("""(async () => {
      const { project } = await import("/camera.js");
      liveMap.camera.flyTo(...project(138, 36), liveMap.camera.zoom + 2.5, performance.now(), 2500);
      liveMap.map.invalidate();
    })()""")
    for _ in range(20):
        film.take()


def main(executable, path, figures=None):
    with tempfile.TemporaryDirectory() as folder:
        server, browser = Server(executable, os.path.join(folder, "film.sqlite"), options=()), Browser()
        try:
            page = browser.open(server.url, WIDTH, HEIGHT)
            arrive(page)
            film = Film(page)
            for _ in range(12):
                film.take()
            drag(page, film)
            zoom(page, film)
            film.write(path)
            if figures:
                page.resize(1440, 900)
                rates = {"strata": page.evaluate("liveMap.headline.rates.bytes")}
                rates["rows"] = page.evaluate("liveMap.headline.rates.rows")
                compare(page, lambda: rates.update(
                    everything=page.evaluate("liveMap.headline.rates.bytes")))
                with open(figures, "w") as file:
                    file.write(json.dumps({"workload": "wire", **rates}) + "\n")
        finally:
            browser.close()
            server.kill()
    print(f"{len(film.frames)} frames, {os.path.getsize(path):,} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
