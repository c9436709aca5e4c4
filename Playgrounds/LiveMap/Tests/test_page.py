#!/usr/bin/env python3
"""The whole page in a real browser: the story, five sizes, edits, a lost connection, 100,000 pins or another number.

    python3 Playgrounds/LiveMap/Tests/test_page.py PATH/TO/LiveMap [PINS]

Every wait is for a condition, with a deadline. At the end the page shows the rows of the store.
"""

import os
import sys
import tempfile
import time
import urllib.error
import urllib.request

from access import access
from browser import Browser
from edits import deletion_stays, edit_and_delete, offline, quiet_list, second_page, select_first
from many import many
from moves import click_cluster, drag_during_updates, frames, spread_stack
from server import Server, Store, until
from sizes import sizes
from stage import stage
from story import story


def step(text):
    print(f"{time.monotonic() - START:6.1f} s  {text}", flush=True)


SUM = "[...liveMap.pins.features.values()].reduce((sum, pin) => sum + pin.count, 0)"
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


def filter_list(page, store):
    alaska = store.count("place LIKE '%alaska%'")
    assert alaska > 100
    page.type("#search", "alaska")
    page.wait(f"liveMap.list.total === {alaska} && {SUM} === {alaska}", "list and map are filtered")
    page.type("#search", "")
    page.wait("liveMap.list.total === 3206", "everything is there again")


def agree(page, store):
    """Without clusters every pin is one of the store's rows."""
    page.press("[data-mode=pins]")
    page.wait("liveMap.pins.features.size === liveMap.list.total", "a pin for each sighting")
    until(lambda: page.evaluate(PINS) == store.pins(), page, "the page shows the rows of the store")


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
        page.wait('document.querySelector("#import-result").textContent === "1,707 as before"',
                  "the deleted sightings do not come back")
        until(lambda: page.evaluate(PINS) == store.pins(), page, "the page shows the rows of the store")
        stop_import(page)
        strangers = [url for url in page.requested if not url.startswith(server.url)]
        assert strangers == [], strangers
        assert server.end() == 0
        step("ten seconds on stage")
        stage(browser, executable, folder)
        step("a deletion without a server, and imports")
        deletion_stays(browser, executable, os.path.join(folder, "deletion.sqlite"))
    finally:
        browser.close()
        Server.kill_all()


def main(executable, pins="100000"):
    pins = int(pins)
    with tempfile.TemporaryDirectory() as folder:
        whole_page(executable, folder)
        step(f"{pins:,} pins")
        many(executable, os.path.join(folder, "many.sqlite"), pins,
             ("--disable-gpu", "--disable-3d-apis"), "", "PixelPoints")
        step("pins by WebGL, on a processor that plays the GPU")
        many(executable, os.path.join(folder, "gpu.sqlite"), 5_000,
             ("--use-angle=swiftshader", "--enable-unsafe-swiftshader"), "?gpu", "GPUPoints")
        step("passed")


if __name__ == "__main__":
    START = time.monotonic()
    main(*sys.argv[1:])
