#!/usr/bin/env python3
"""Three hosts and a PostgreSQL, driven in a browser: moves, a host without a cable, a conflict, a refusal.

    python3 Playgrounds/Replicas/Tests/test_page.py PATH/TO/Replicas

Every wait is for a condition, with a deadline.
"""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../LiveMap/Tests"))
from browser import Browser

LIVE = 'document.querySelector("#connection").textContent === "Live"'
SUM = "[...liveMap.pins.features.values()].reduce((sum, pin) => sum + pin.count, 0)"
NOTE = 'document.querySelector("#card-note").value'
WIDTH, HEIGHT = 1600, 900


def step(text):
    print(f"{time.monotonic() - START:6.1f} s  {text}", flush=True)


def hosts(url):
    with urllib.request.urlopen(url + "hosts") as answer:
        return {host["name"]: host for host in json.load(answer)}


def select(page, number):
    """Selects a row of the list, and returns the id of its sighting."""
    page.bring_to_front()
    page.press(f".item:nth-child({number})")
    page.wait(f"liveMap.selected?.id === document.querySelector('.item:nth-child({number})').dataset.id"
              " && !document.querySelector('#card').hidden", "a card")
    return page.evaluate("liveMap.selected.id")


def write(page, text):
    """Writes a note. The field then shows what others write."""
    page.type("#card-note", text)
    page.evaluate("document.querySelector('#card-note').blur()")


def balloons_move(maps):
    """The same balloon is at a new place on both maps, and comes to the same place on both."""
    north, south = maps
    for page in maps:
        page.bring_to_front()
        page.type("#search", "Balloon from")
        page.wait("liveMap.list.total === 40", "the list has the balloons alone")
    id = select(north, 1)
    south.bring_to_front()
    south.evaluate(f"document.querySelector('.item[data-id={json.dumps(id)}]').click()")
    south.wait(f"liveMap.selected?.id === {json.dumps(id)}", "the same balloon")
    places = [page.evaluate("[liveMap.selected.latitude, liveMap.selected.longitude]") for page in maps]
    for page, place in zip(maps, places):
        page.wait(f"liveMap.selected.latitude !== {place[0]}", "the balloon moves")
    for page in maps:
        page.bring_to_front()
        page.press("#card-close")
        page.type("#search", "")
        page.wait("liveMap.list.total === 1747", "the whole list")


def write_unplugged(outer, page, host, note):
    """Unplugs a host, and writes a note that waits."""
    outer.bring_to_front()
    outer.press(f"#{host} .plug")
    outer.wait(f"document.querySelector('#{host} .phase').textContent === 'offline'", f"{host} is offline")
    page.bring_to_front()
    assert page.evaluate(NOTE) == ""
    write(page, note)
    outer.wait(f"document.querySelector('#{host} .waiting').textContent === '1 edit waits'", "it waits")


def plug(outer, host):
    """Plugs a host in again, and waits until the server has its edit."""
    outer.bring_to_front()
    outer.press(f"#{host} .plug")
    outer.wait(f"document.querySelector('#{host} .waiting').textContent === 'nothing waits'"
               f" && document.querySelector('#{host} .phase').textContent === 'live'", f"{host} has come back")


def conflict(outer, maps):
    """Two unplugged hosts write a note on the same quake. The edit that comes last is shown."""
    north, south = maps
    id = select(north, 1)
    assert select(south, 1) == id
    write_unplugged(outer, north, "north", "felt in the north")
    write_unplugged(outer, south, "south", "felt in the south")
    plug(outer, "south")
    plug(outer, "north")
    outer.wait("document.querySelector('#north .conflict')?.textContent.endsWith("
               "'“felt in the north” has replaced “felt in the south”')", "the conflict is shown")
    for page in maps:
        page.wait(f"{NOTE} === 'felt in the north'", "both have the note that came last")
        page.bring_to_front()
        page.press("#card-close")


def refusal(outer, maps):
    """The server refuses a long note. It is repaired by an edit, and another one is reverted."""
    north, south = maps
    long = "It was so strong that all books fell from the shelves."
    id = select(north, 2)
    assert select(south, 2) == id
    north.bring_to_front()
    write(north, long)
    outer.wait(f"document.querySelector('#north .refused')?.textContent.includes({json.dumps(long)})"
               " && document.querySelector('#north .refused').textContent.includes('a_note_is_short')",
               "the refusal is shown")
    assert south.evaluate(NOTE) == "", "the other host has what the server refused"
    write(north, "all books fell")
    outer.wait("document.querySelector('#north .refused') === null", "the edit has repaired it")
    south.wait(f"{NOTE} === 'all books fell'", "the other host has the repaired note")
    write(north, long)
    outer.bring_to_front()
    outer.wait("document.querySelector('#north .refused') !== null", "it is refused again")
    outer.press("#north .refused button")
    outer.wait("document.querySelector('#north .refused') === null", "it is given up")
    north.wait(f"{NOTE} === 'all books fell'", "the note of before is back")


def children(process):
    """The programs that a program has started, on Linux."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc") if os.path.isdir("/proc") else []):
        try:
            with open(f"/proc/{pid}/stat") as file:
                if int(file.read().rsplit(")", 1)[1].split()[1]) == process.pid:
                    found.append(pid)
        except OSError:
            pass
    return found


def main(executable):
    program = subprocess.Popen([executable, "--port", "0"], stdout=subprocess.PIPE, text=True)
    browser = None
    try:
        url = program.stdout.readline().split()[2]
        step("three hosts follow a PostgreSQL")
        browser = Browser()
        outer = browser.open(url, WIDTH, HEIGHT)
        outer.wait("document.querySelectorAll('iframe').length === 2", "two maps")
        maps = [browser.open(hosts(url)[name]["address"], WIDTH, HEIGHT) for name in ["north", "south"]]
        for page in maps:
            # The map of a page that nobody sees gets nothing.
            page.bring_to_front()
            page.wait(f"{LIVE} && liveMap.list.total === 1747 && {SUM} === 1747", "all quakes and balloons")
        step("both maps have the quakes and the balloons of the third host")
        balloons_move(maps)
        step("balloons move on both")
        conflict(outer, maps)
        step("a host without a cable edits, comes back, and shows the conflict")
        refusal(outer, maps)
        step("a refused note is shown, repaired and reverted")
        if len(sys.argv) > 2:
            outer.bring_to_front()
            outer.screenshot(sys.argv[2])
        for page in [outer, *maps]:
            assert not page.complaints, page.complaints
            assert all("//localhost:" in each or each.startswith("data:") for each in page.requested)
        started = children(program)
        program.send_signal(signal.SIGTERM)
        assert program.wait(30) == 0
        assert not any(os.path.exists(f"/proc/{pid}") for pid in started), "a server is left"
        step("nothing is left")
    finally:
        # The program ends its PostgreSQL.
        program.send_signal(signal.SIGTERM)
        program.wait(30)
        if browser:
            browser.close()


START = time.monotonic()
main(sys.argv[1])
