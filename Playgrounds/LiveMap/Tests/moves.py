"""The map: clusters, stacks, drags, frames, and the rows beside it."""

import json

MAP = """JSON.stringify([...liveMap.pins.features.values()].map((pin) => [
  pin.id, ...pin.coordinates, pin.count]).sort())"""


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
    page.wait(f"{MAP} !== {json.dumps(held)}", "the waiting pins come")
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
