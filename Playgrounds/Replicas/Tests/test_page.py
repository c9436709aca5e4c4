#!/usr/bin/env python3
"""Three hosts and a PostgreSQL, driven in a browser: moves, a host without a cable, a conflict, a refusal, a
story of four buttons, a phone.

    python3 Playgrounds/Replicas/Tests/test_page.py PATH/TO/Replicas [FOLDER-FOR-PICTURES]

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
    with urllib.request.urlopen(url + "state") as answer:
        return {host["name"]: host for host in json.load(answer)["hosts"]}


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


def badge(id, kind, words=""):
    """A condition: the row of a sighting has a badge, with these words in the row."""
    row = f"document.querySelector('.item[data-id={json.dumps(id)}]')"
    return f"{row}.dataset.badge === {json.dumps(kind)} && {row}.textContent.includes({json.dumps(words)})"


def told(host, kind, words):
    """A condition: the newest note of a host is in a state."""
    note = f"document.querySelector('#{host} .notes li')"
    return f"{note}?.className.split(' ')[0] === {json.dumps(kind)} && {note}.querySelector('.state').textContent === {json.dumps(words)}"


def write_unplugged(outer, page, host, note, id):
    """Cuts the cable of a host, and writes a note that waits."""
    outer.bring_to_front()
    outer.press(f".cable[data-host={host}]")
    outer.wait(f"document.querySelector('#{host} .phase').textContent === 'offline'"
               f" && document.querySelector('.cable[data-host={host}]').classList.contains('cut')", f"{host} is offline")
    page.bring_to_front()
    write(page, note)
    outer.wait(f"document.querySelector('#{host} .waiting').textContent === '1 edit waits'", "it waits")
    outer.wait(told(host, "waits", "waits"), "the note waits")
    page.wait(badge(id, "waits", "waits"), "its row waits")


def plug(outer, host):
    """Mends the cable of a host, and waits until the server has its edit."""
    outer.bring_to_front()
    outer.press(f".cable[data-host={host}]")
    outer.wait(f"document.querySelector('#{host} .waiting').textContent === 'nothing waits'"
               f" && document.querySelector('#{host} .phase').textContent === 'live'"
               f" && !document.querySelector('.cable[data-host={host}]').classList.contains('cut')", f"{host} has come back")


def conflict(outer, maps):
    """Two unplugged hosts write a note on the same quake. The last stays, and the other host is told."""
    north, south = maps
    id = select(north, 1)
    assert select(south, 1) == id
    write_unplugged(outer, north, "north", "A: mine", id)
    write_unplugged(outer, south, "south", "B: theirs", id)
    plug(outer, "south")
    outer.wait(told("south", "settled", "everybody has it"), "the server has the note of the south")
    south.wait(badge(id, "settled", "everybody has it"), "its row says so")
    plug(outer, "north")
    outer.wait(told("north", "settled", "everybody has it. It replaced South’s “B: theirs”"), "the winner is told")
    outer.wait(told("south", "replaced", "North’s “A: mine” replaced yours"), "the loser is told")
    south.wait(badge(id, "replaced", "North’s “A: mine” replaced yours"), "its row says so")
    for page in maps:
        page.wait(f"{NOTE} === 'A: mine'", "both have the note that came last")
    outer.press("#south li.replaced button")
    for page in maps:
        page.wait(f"{NOTE} === 'B: theirs'", "the loser has put its note back")
    outer.wait(told("north", "replaced", "South’s “B: theirs” replaced yours"), "now the other host is told")
    for page in maps:
        page.bring_to_front()
        page.press("#card-close")


def refusal(outer, maps):
    """The server refuses a long note. It is repaired by an edit, and another one is taken back."""
    north, south = maps
    long = "It was so strong that all books fell from the shelves."
    words = "refused: it is longer than 40 letters"
    id = select(north, 2)
    assert select(south, 2) == id
    north.bring_to_front()
    write(north, long)
    outer.wait(told("north", "refused", words), "the refusal is shown, in words")
    outer.wait("document.querySelector('#north .waiting').textContent === '1 edit is refused'", "and counted")
    north.wait(badge(id, "refused", "refused"), "its row says so")
    assert south.evaluate(NOTE) == "", "the other host has what the server refused"
    write(north, "all books fell")
    outer.wait(told("north", "settled", "everybody has it"), "the edit has repaired it")
    south.wait(f"{NOTE} === 'all books fell'", "the other host has the repaired note")
    write(north, long)
    outer.bring_to_front()
    outer.wait(told("north", "refused", words), "it is refused again")
    outer.press("#north .refused button")
    outer.wait("document.querySelector('#north .refused') === null", "it is given up")
    north.wait(f"{NOTE} === 'all books fell'", "the note of before is back")
    for page in maps:
        page.bring_to_front()
        page.press("#card-close")


def story(outer):
    """Four buttons play it all."""
    outer.bring_to_front()
    for act, condition in [
        ("unplug", "document.querySelectorAll('.cable.cut').length === 2"),
        ("edit", told("south", "waits", "waits")),
        ("plug", told("south", "replaced", "North’s “felt in the north” replaced yours")),
        ("break", told("north", "refused", "refused: it is longer than 40 letters")),
    ]:
        outer.wait(f"!document.querySelector('[data-act={act}]').disabled", "the act before has ended")
        outer.press(f"[data-act={act}]")
        outer.wait(condition, act)
        outer.wait(f"document.querySelector('[data-act={act}]').ariaPressed === 'true'", "the button shows it")
    assert outer.text("#rows") == "1,747 rows", outer.text("#rows")


def phone(outer, browser, url, look=lambda name: None):
    """One column, nothing to the side; in a frame the map has no chrome of its own."""
    for width, height in [(390, 844), (1024, 768), (WIDTH, HEIGHT)]:
        outer.resize(width, height)
        outer.wait(f"innerWidth === {width}", "the page has the size")
        look(f"{width}")
        wide = outer.evaluate("""[...document.querySelectorAll("body *")].filter((element) =>
          element.getBoundingClientRect().right > innerWidth + 0.5).map(({ className, tagName }) => `${tagName} ${className}`)""")
        assert wide == [] and outer.evaluate("document.documentElement.scrollWidth") <= width, (width, wide)
        lefts = outer.evaluate("[...document.querySelectorAll('section')].map((section) => section.getBoundingClientRect().left)")
        assert (lefts[0] == lefts[1]) == (width < 760), (width, lefts)
    frame = browser.open(hosts(url)["south"]["address"] + "?embed=1", 390, 460)
    frame.wait(f"{LIVE} && liveMap.list.total === 1747", "a frame")
    shown = frame.evaluate("""["#tour", "#claim", "#connection", "h1"].filter((selector) =>
      document.querySelector(selector).checkVisibility())""")
    assert shown == [], shown
    look("frame")
    return frame


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
        step("two hosts without a cable edit, come back, and the loser is told")
        refusal(outer, maps)
        step("a refused note is shown, repaired and taken back")
        story(outer)
        step("four buttons play the story")
        frame = phone(outer, browser, url, pictures(outer))
        step("one column on a phone")
        for page in [outer, frame, *maps]:
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


def pictures(page):
    """With a folder as the second argument, a picture of each state."""
    if len(sys.argv) < 3:
        return lambda name: None
    return lambda name: page.screenshot(os.path.join(sys.argv[2], f"replicas-{name}.png"))


START = time.monotonic()
main(sys.argv[1])
