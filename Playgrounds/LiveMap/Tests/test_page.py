#!/usr/bin/env python3
"""The whole page in a real browser: load, import, drag during updates, edit, delete, reconnect.

    python3 Playgrounds/LiveMap/Tests/test_page.py PATH/TO/LiveMap

Every wait is for a condition, with a deadline. At the end the page shows what the store's file has.
"""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from browser import Browser


def step(text):
    print(f"{time.monotonic() - START:6.1f} s  {text}", flush=True)


class Server:
    """The program, with its store in a file that this test reads for itself."""

    def __init__(self, executable, store, port=0):
        self._process = subprocess.Popen(
            [executable, "--port", str(port), "--store", store], stdout=subprocess.PIPE, text=True)
        greeting = self._process.stdout.readline()
        assert greeting.startswith("Live map at http"), greeting
        self.url = greeting.split()[3]
        self.port = int(self.url.split(":")[2].strip("/"))

    def end(self, how=signal.SIGTERM):
        self._process.send_signal(how)
        return self._process.wait(30)

    def kill(self):
        self._process.kill()
        self._process.wait()


class Store:
    """The store's file, through a connection of this test's own."""

    def __init__(self, path):
        self._path = path

    def rows(self, sql, *values):
        connection = sqlite3.connect(f"file:{self._path}?mode=ro", uri=True)
        try:
            return connection.execute(sql, values).fetchall()
        finally:
            connection.close()

    def count(self, condition="1"):
        return self.rows(f"SELECT count(*) FROM sightings WHERE {condition}")[0][0]

    def pins(self):
        rows = self.rows(
            "SELECT id, longitude, latitude, coalesce(place, 'Somewhere') FROM sightings"
            " WHERE latitude IS NOT NULL AND longitude IS NOT NULL")
        return {id: [longitude, latitude, place] for id, longitude, latitude, place in rows}


SUM = "[...liveMap.pins.features.values()].reduce((sum, pin) => sum + pin.count, 0)"
MAP = """JSON.stringify([...liveMap.pins.features.values()].map((pin) => [
  pin.id, ...pin.coordinates, pin.count]).sort())"""
PINS = """Object.fromEntries([...liveMap.pins.features.values()].map((pin) => [
  pin.id, [...pin.coordinates, pin.properties.title]]))"""
LIVE = 'document.querySelector("#connection").textContent === "Live"'


def load(page, server):
    page.wait(LIVE, "the page connects")
    page.wait("liveMap.list.total === 0 && liveMap.status.pages === 1", "an empty list")
    page.wait('!document.querySelector("#empty").hidden', "it says that there is nothing")


def refuse_strangers(server):
    for path, headers, status in [
        ("live", {"Origin": "https://example.com"}, 403), ("%2e%2e/main.swift", {}, 404),
        ("../Feed/earthquakes.geojson.gz", {}, 404),
    ]:
        try:
            urllib.request.urlopen(urllib.request.Request(server.url + path, headers=headers))
            raise AssertionError(f"{path} was served")
        except urllib.error.HTTPError as error:
            assert error.code == status, f"{path}: {error.code}"


def import_feed(page, store):
    page.press("#import")
    page.wait(
        'document.querySelector("#progress").classList.contains("busy") && liveMap.status.feed.fraction < 1'
        " && liveMap.pins.features.size > 0", "pins come while the feed is being read")
    page.wait('document.querySelector("#import-result").textContent === "1,707 new"', "the import ends")
    page.wait(f"liveMap.list.total === 1707 && {SUM} === 1707", "list and map have all quakes")
    assert store.count() == 1707


def stop_import(page):
    page.press("#import")
    page.wait("liveMap.status.feed.isRunning", "the import runs")
    page.press("#import")
    page.wait('document.querySelector("#import-result").textContent.startsWith("Stopped")', "it stops")


def select_first(page):
    page.press(".item")
    page.wait("liveMap.selected && !document.querySelector('#card').hidden", "a card of the selection")
    return page.evaluate("liveMap.selected.id")


def click_cluster(page):
    zoom = page.evaluate("liveMap.camera.zoom")
    # One that no panel covers.
    x, y = page.evaluate("""[...liveMap.pins.features.values()].filter((pin) => pin.count > 1)
      .map((pin) => liveMap.camera.toScreen(pin.x, pin.y))
      .find(([x, y]) => document.elementFromPoint(x, y)?.id === "map")""")
    page.click(x, y)
    page.wait(f"liveMap.camera.zoom >= {zoom} + 0.5", "the map zooms in until the cluster comes apart")
    fly(page, 20, 30, zoom)


def fly(page, longitude, latitude, zoom):
    page.evaluate(f"""(async () => {{
      const {{ project }} = await import("/camera.js");
      liveMap.camera.flyTo(...project({longitude}, {latitude}), {zoom}, performance.now(), 1);
      window.dispatchEvent(new Event("resize"));
    }})()""")
    page.wait(f"Math.abs(liveMap.camera.zoom - {zoom}) < 0.001", "the map is there")


def spread_stack(page, store):
    """Balloons that were launched from one place and have not moved."""
    page.slide("#count", 1500)
    page.wait("liveMap.list.total === 3207", "the list has the balloons")
    longitude, latitude, count = store.rows(
        "SELECT longitude, latitude, count(*) FROM sightings GROUP BY longitude, latitude"
        " HAVING count(*) > 2 ORDER BY abs(latitude) LIMIT 1")[0]
    zoom = page.evaluate("liveMap.camera.zoom")
    fly(page, longitude, latitude, 10)
    x, y = page.evaluate("[liveMap.camera.width / 2, liveMap.camera.height / 2]")
    page.wait(f"liveMap.pins.at({x}, {y}, liveMap.camera, performance.now()).count === {count}", "a stack")
    page.click(x, y)
    page.wait(f"liveMap.spread.legCount === {count}", "all of the stack, spread out")
    page.evaluate("document.querySelector('#map').dispatchEvent("
                  "new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))")
    page.wait("!liveMap.spread.isOpen", "the stack is closed again")
    fly(page, 20, 30, zoom)


def drag_during_updates(page):
    page.slide("#moves", 2000)
    page.wait("liveMap.status.moved > 20", "balloons move")
    x, y = 720, 620
    page.mouse("mouseMoved", x, y, button="none")
    page.mouse("mousePressed", x, y)
    for distance in range(8, 88, 8):
        page.mouse("mouseMoved", x + distance, y - distance / 2)
    page.wait("liveMap.status.isHolding && liveMap.status.pending > 0", "the gate is closed, pins wait")
    held, commit = page.evaluate(f"[{MAP}, liveMap.status.commit]")
    page.wait(f"liveMap.status.commit >= {commit} + 10", "commits go on")
    assert page.evaluate(MAP) == held, "the map changed while the gate was closed"
    page.mouse("mouseReleased", x + 80, y - 40)
    page.wait("!liveMap.status.isHolding", "the gate is open")
    page.wait(f"{MAP} !== {json.dumps(held)}", "what has waited comes")
    # The rest goes on under changes, too, but a debug build has enough with these.
    page.slide("#moves", 500)


def frames(page):
    """As many moves a second as there are: the page goes on drawing, and says how long it takes."""
    page.slide("#moves", 20000)
    commit, moved = page.evaluate("[liveMap.status.commit, liveMap.status.moved]")
    page.evaluate("liveMap.meters.recent.intervals.length = liveMap.meters.recent.work.length = 0")
    page.wait(f"liveMap.meters.recent.intervals.length === 120 && liveMap.status.moved > {moved}"
              f" && liveMap.status.commit >= {commit} + 10", "120 frames under 20,000 moves a second")
    intervals, work, worst = page.evaluate(
        "[liveMap.meters.recent.intervals, liveMap.meters.recent.work,"
        " liveMap.status.worstSliceMilliseconds]")
    page.slide("#moves", 500)
    for name, times in [("between frames", intervals), ("to draw one", work)]:
        times.sort()
        print(f"          {name}: p50 {times[60]:.1f} ms, p95 {times[114]:.1f} ms, worst {times[-1]:.1f} ms")
    print(f"          worst slice of the registry: {worst:.1f} ms", flush=True)


def edit_and_delete(page, store, id):
    assert page.evaluate("liveMap.selected.id") == id, "the selection is lost"
    page.type("#card-note", "felt it on the third floor")
    until(lambda: store.count("note <> ''") == 1, page, "the note is in the store")
    page.wait('document.querySelector(".item[aria-selected=true] .when").textContent'
              ' === "felt it on the third floor"', "the list shows the note")
    page.press("#card-delete")
    page.wait("document.querySelector('#card').hidden && liveMap.list.total === 3206", "it is gone")
    until(lambda: store.count("note <> ''") == 0, page, "it is gone from the store")
    page.wait("!document.querySelector('#undo').disabled", "the deletion can be undone")
    page.press("#undo")
    page.wait("liveMap.list.total === 3207", "it is back")
    assert store.count("note <> ''") == 1
    page.wait(f"document.querySelector('.item').dataset.id === {json.dumps(id)}", "where it was")
    page.press(".item")
    page.wait(f"liveMap.selected?.id === {json.dumps(id)}", "it can be selected again")
    page.press("#card-delete")
    page.wait("liveMap.list.total === 3206", "it is gone again")


def filter_list(page, store):
    alaska = store.count("place LIKE '%alaska%'")
    assert alaska > 100
    page.type("#search", "alaska")
    page.wait(f"liveMap.list.total === {alaska} && {SUM} === {alaska}", "list and map are filtered")
    page.type("#search", "")
    page.wait("liveMap.list.total === 3206", "everything is there again")


def second_page(browser, page, server):
    other = browser.open(server.url)
    other.wait(f"{LIVE} && liveMap.list.total === 3206", "a second page")
    page.wait("liveMap.status.pages === 2", "both have a registry")
    other.close()
    page.bring_to_front()
    page.wait("liveMap.status.pages === 1", "the closed page's session is freed")


def reconnect(page, server, executable, path):
    id = select_first(page)
    before = page.evaluate("liveMap.pins.features.size")
    server.end(signal.SIGKILL)
    page.wait('document.querySelector("#connection").textContent === "Reconnecting"', "it is noticed")
    assert page.evaluate("liveMap.pins.features.size") >= before * 0.5, "the map was emptied"
    server = Server(executable, path, server.port)
    page.wait(f"{LIVE} && liveMap.list.total === 3206 && {SUM} === 3206", "the page connects again")
    assert page.evaluate("liveMap.selected?.id") == id, "the selection is lost"
    page.press("#card-delete")
    page.wait("document.querySelector('#card').hidden && liveMap.list.total === 3205",
              "the new session knows what is selected")
    return server


def agree(page, store):
    """Without clusters every pin is one of the store's rows."""
    page.press("#clusters")
    page.wait("liveMap.pins.features.size === liveMap.list.total", "a pin for each sighting")
    until(lambda: page.evaluate(PINS) == store.pins(), page, "the page shows what the store has")


def until(condition, page, what):
    """Waits for what the page cannot see; the page is asked for the pause."""
    end = time.monotonic() + 50
    while not condition():
        assert time.monotonic() < end, f"waited 50 seconds: {what}"
        page.evaluate("new Promise((resolve) => setTimeout(resolve, 20))")


def main(executable):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "store.sqlite")
        store = Store(path)
        server = Server(executable, path)
        browser = Browser()
        try:
            page = browser.open(server.url)
            step("load")
            load(page, server)
            refuse_strangers(server)
            step("import")
            import_feed(page, store)
            id = select_first(page)
            step("clusters and stacks")
            click_cluster(page)
            spread_stack(page, store)
            step("drag during updates")
            drag_during_updates(page)
            step("frames")
            frames(page)
            step("edit, delete, undo, filter")
            edit_and_delete(page, store, id)
            filter_list(page, store)
            step("a second page")
            second_page(browser, page, server)
            assert page.complaints == [], page.complaints
            step("reconnect")
            server = reconnect(page, server, executable, path)
            # What Chromium itself says about a server that is down, and nothing else.
            others = [text for source, text in page.complaints
                      if source != "network" and "WebSocket connection to" not in text]
            assert others == [], others
            step("agree")
            agree(page, store)
            step("import again")
            page.press("#import")
            page.wait('document.querySelector("#import-result").textContent === "2 new, 1,705 as before"',
                      "only what was deleted comes")
            until(lambda: page.evaluate(PINS) == store.pins(), page, "the page shows what the store has")
            stop_import(page)
            strangers = [url for url in page.requested if not url.startswith(server.url)]
            assert strangers == [], strangers
            assert server.end() == 0
            step("passed")
        finally:
            browser.close()
            server.kill()


START = time.monotonic()
main(*sys.argv[1:])
