#!/usr/bin/env python3
"""The whole page in a real browser: the story, five sizes, edits, a lost connection, 100,000 pins.

    python3 Playgrounds/LiveMap/Tests/test_page.py PATH/TO/LiveMap

Every wait is for a condition, with a deadline. At the end the page shows what the store's file has.
"""

import json
import os
import signal
import sys
import tempfile
import time
import urllib.error
import urllib.request

from access import access
from browser import Browser
from edits import edit_and_delete, offline, quiet_list, second_page, select_first
from many import many
from server import Server, Store, until
from sizes import sizes
from story import story


def step(text):
    print(f"{time.monotonic() - START:6.1f} s  {text}", flush=True)


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
        '!document.querySelector("#progress").hidden && liveMap.status.feed.fraction < 1'
        " && liveMap.pins.features.size > 0", "pins come while the feed is being read")
    page.wait('document.querySelector("#import-result").textContent === "1,707 new"', "the import ends")
    page.wait(f"liveMap.list.total === 1707 && {SUM} === 1707", "list and map have all quakes")
    assert store.count() == 1707


def stop_import(page):
    page.press("#import")
    page.wait("liveMap.status.feed.isRunning", "the import runs")
    page.press("#import")
    page.wait('document.querySelector("#import-result").textContent.startsWith("Stopped")', "it stops")


def click_cluster(page):
    zoom = page.evaluate("liveMap.camera.zoom")
    # One that no panel covers.
    x, y = page.evaluate("""[...liveMap.pins.features.values()].filter((pin) => pin.count > 1)
      .map((pin) => liveMap.camera.toScreen(pin.x, pin.y))
      .find(([x, y]) => document.elementFromPoint(x, y)?.id === "map")""")
    page.click(x, y)
    page.wait(f"liveMap.camera.zoom >= {zoom} + 0.1", "the map zooms in until the cluster comes apart")
    fly(page, 20, 30, zoom)


def fly(page, longitude, latitude, zoom):
    page.evaluate(f"""(async () => {{
      const {{ project }} = await import("/camera.js");
      liveMap.camera.flyTo(...project({longitude}, {latitude}), {zoom}, performance.now(), 1);
      liveMap.map.invalidate();
    }})()""")
    page.wait(f"Math.abs(liveMap.camera.zoom - {zoom}) < 0.001", "the map is there")


ROWS = """JSON.stringify([...document.querySelectorAll(".item")].map((item) => [
  item.dataset.id, item.textContent, item.ariaPosInSet]))"""


def rows_agree(page):
    """The rows after all differences are the rows that the server sends anew."""
    differences, sent = page.evaluate("[liveMap.connection.bytes.rowChanges, liveMap.connection.bytes.rows]")
    assert differences > 0, "no differences of rows came"
    rows = page.evaluate(ROWS)
    page.evaluate("liveMap.list.ask(true)")
    page.wait(f"liveMap.connection.bytes.rows > {sent}", "the rows come anew")
    assert page.evaluate(ROWS) == rows


def order(page, name):
    page.evaluate(f"""(() => {{
      const select = document.querySelector("#order");
      select.value = "{name}";
      select.dispatchEvent(new Event("change"));
    }})()""")


def spread_stack(page, store):
    """Balloons that were launched from one place and have not moved."""
    # New balloons push each other down.
    order(page, "newest")
    page.wait("Number(document.querySelector('.item .size').textContent) < 6", "the newest is first")
    page.slide("#count", 1500)
    page.wait("liveMap.list.total === 3207 && document.querySelector('.item.balloon')", "the list has the balloons")
    page.wait("liveMap.status.balloons === 1500 && !document.querySelector('.item.new')", "all are launched")
    rows_agree(page)
    order(page, "strongest")
    page.wait("!document.querySelector('.item.balloon')", "the strongest is first")
    longitude, latitude, count = store.rows(
        "SELECT longitude, latitude, count(*) FROM sightings GROUP BY longitude, latitude"
        " HAVING count(*) > 2 ORDER BY abs(latitude) LIMIT 1")[0]
    zoom = page.evaluate("liveMap.camera.zoom")
    fly(page, longitude, latitude, 8)
    x, y = page.evaluate("[liveMap.camera.middleX, liveMap.camera.middleY]")
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
    x, y = 720, 460
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
    page.evaluate("liveMap.counters.recent.intervals.length = liveMap.counters.recent.work.length = 0")
    page.wait(f"liveMap.counters.recent.intervals.length === 120 && liveMap.status.moved > {moved}"
              f" && liveMap.status.commit >= {commit} + 10", "120 frames under 20,000 moves a second")
    intervals, work, worst = page.evaluate(
        "[liveMap.counters.recent.intervals, liveMap.counters.recent.work,"
        " liveMap.status.worstSliceMilliseconds]")
    page.slide("#moves", 500)
    for name, times in [("between frames", intervals), ("to draw one", work)]:
        times.sort()
        print(f"          {name}: p50 {times[60]:.1f} ms, p95 {times[114]:.1f} ms, worst {times[-1]:.1f} ms")
    print(f"          worst slice of the registry: {worst:.1f} ms", flush=True)


def filter_list(page, store):
    alaska = store.count("place LIKE '%alaska%'")
    assert alaska > 100
    page.type("#search", "alaska")
    page.wait(f"liveMap.list.total === {alaska} && {SUM} === {alaska}", "list and map are filtered")
    page.type("#search", "")
    page.wait("liveMap.list.total === 3206", "everything is there again")


def agree(page, store):
    """Without clusters every pin is one of the store's rows."""
    page.press("#clusters")
    page.wait("liveMap.pins.features.size === liveMap.list.total", "a pin for each sighting")
    until(lambda: page.evaluate(PINS) == store.pins(), page, "the page shows what the store has")


def whole_page(executable, folder):
    path = os.path.join(folder, "store.sqlite")
    store = Store(path)
    server = Server(executable, path)
    browser = Browser()
    try:
        step("the story")
        story(browser, executable, os.path.join(folder, "story.sqlite"))
        page = browser.open(server.url)
        step("load")
        load(page, server)
        refuse_strangers(server)
        step("import")
        import_feed(page, store)
        step("five sizes")
        sizes(page)
        step("contrast, names, keys")
        access(page)
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
        quiet_list(page)
        step("a second page")
        second_page(browser, page, server, store)
        assert page.complaints == [], page.complaints
        step("edits without a server")
        server = offline(page, server, executable, path, store)
        # Chromium itself complains of a server that is down. Nothing else may.
        others = [text for source, text in page.complaints
                  if source != "network" and "WebSocket connection to" not in text]
        assert others == [], others
        step("agree")
        agree(page, store)
        step("import again")
        page.press("#import")
        page.wait('document.querySelector("#import-result").textContent === "2 new, 1,705 as before"',
                  "only the deleted sightings come")
        until(lambda: page.evaluate(PINS) == store.pins(), page, "the page shows what the store has")
        stop_import(page)
        strangers = [url for url in page.requested if not url.startswith(server.url)]
        assert strangers == [], strangers
        assert server.end() == 0
    finally:
        browser.close()
        Server.kill_all()


def main(executable):
    with tempfile.TemporaryDirectory() as folder:
        whole_page(executable, folder)
        step("100,000 pins")
        many(executable, os.path.join(folder, "many.sqlite"), 100_000,
             ("--disable-gpu", "--disable-3d-apis"), "", "PixelPoints", 5)
        step("pins by WebGL, on a processor that plays the GPU")
        many(executable, os.path.join(folder, "gpu.sqlite"), 5_000,
             ("--use-angle=swiftshader", "--enable-unsafe-swiftshader"), "?gpu", "GPUPoints", 1)
        step("passed")


if __name__ == "__main__":
    START = time.monotonic()
    main(*sys.argv[1:])
