"""Edits: saved, undone, in conflict with another page, and made while the server is away."""

import json
import signal

from server import Server, Store, until

LIVE = 'document.querySelector("#connection").textContent === "Live"'
SUM = "[...liveMap.pins.features.values()].reduce((sum, pin) => sum + pin.count, 0)"


def select_first(page):
    page.press(".item")
    page.wait("liveMap.selected && !document.querySelector('#card').hidden", "a card of the selection")
    return page.evaluate("liveMap.selected.id")


def edit_and_delete(page, store, id):
    assert page.evaluate("liveMap.selected.id") == id, "the selection is lost"
    page.type("#card-note", "felt it on the third floor")
    page.wait('document.querySelector(".item.flash.noted[aria-selected=true]")', "the edited row flashes")
    until(lambda: store.count("note <> ''") == 1, page, "the note is in the store")
    page.wait('document.querySelector(".item[aria-selected=true] .when").textContent'
              ' === "felt it on the third floor"', "the list shows the note")
    page.press("#card-delete")
    page.wait("document.querySelector('#card').hidden && liveMap.list.total === 3206", "it is gone")
    until(lambda: store.count("note <> '' AND isHidden") == 1, page, "the store has hidden it")
    page.wait("!document.querySelector('#undo').disabled", "the deletion can be undone")
    page.press("#undo")
    page.wait("liveMap.list.total === 3207", "it is back")
    until(lambda: store.count("note <> '' AND NOT isHidden") == 1, page, "with its note")
    page.wait(f"document.querySelector('.item').dataset.id === {json.dumps(id)}", "where it was")
    page.press(".item")
    page.wait(f"liveMap.selected?.id === {json.dumps(id)}", "it can be selected again")
    page.press("#card-delete")
    page.wait("liveMap.list.total === 3206", "it is gone again")


def quiet_list(page):
    """Balloons move, and no visible row changes: the list gets nothing. A note sends one row."""
    page.evaluate("liveMap.list.scrollToTop()")
    rows = "(liveMap.connection.bytes.rows ?? 0) + (liveMap.connection.bytes.rowChanges ?? 0)"
    before, commit = page.evaluate(f"[{rows}, liveMap.status.commit]")
    page.wait(f"liveMap.status.commit >= {commit} + 20", "balloons move on")
    assert page.evaluate(rows) == before, "rows were sent for balloons that the list does not show"
    select_first(page)
    page.type("#card-note", "one row")
    page.wait('document.querySelector(".item .when").textContent === "one row"', "the note is in the list")
    sent = page.evaluate(rows) - before
    assert 0 < sent < 600, f"one note took {sent} bytes of rows"
    page.press("#undo")
    page.wait('document.querySelector(".item .when").textContent !== "one row"', "the note is undone")


def second_page(browser, page, server, store):
    other = browser.open(server.url)
    other.wait(f"{LIVE} && liveMap.list.total === 3206", "a second page")
    page.wait("liveMap.status.pages === 2", "both have a registry")
    id = select_first(other)
    conflict(page, other, store, id)
    undo_own(page, other, store, id)
    other.close()
    page.bring_to_front()
    page.wait("liveMap.status.pages === 1", "the closed page's session is freed")


def conflict(page, other, store, id):
    """Both pages edit the note that both have seen."""
    page.bring_to_front()
    assert select_first(page) == id
    page.evaluate("document.querySelector('#card-note').select()")
    page.call("Input.insertText", {"text": "mine"})
    other.type("#card-note", "theirs")
    until(lambda: store.note(id) == "theirs", page, "the other page's note is saved")
    page.wait("liveMap.selected.note === 'theirs'", "the page has it, too")
    assert page.evaluate("document.querySelector('#card-note').value") == "mine", "the note that is being written is lost"
    page.key("Enter")
    page.wait("!document.querySelector('#card-conflict').hidden", "the conflict is shown")
    assert "“theirs”" in page.text("#card-conflict p") and "“mine”" in page.text("#card-conflict p")
    assert store.note(id) == "theirs"
    page.press("#take-theirs")
    page.evaluate("document.querySelector('#card-note').blur()")
    page.wait("document.querySelector('#card-conflict').hidden"
              " && document.querySelector('#card-note').value === 'theirs'", "the other note stays")
    page.press("#card-close")


def undo_own(page, other, store, id):
    """A page deletes a sighting. The other page's undo takes back its own note, and not the deletion."""
    page.press(".item:nth-child(3)")
    page.wait(f"liveMap.selected && liveMap.selected.id !== {json.dumps(id)}", "another sighting")
    page.press("#card-delete")
    page.wait("liveMap.list.total === 3205", "it is gone")
    other.bring_to_front()
    other.wait("!document.querySelector('#undo').disabled", "the other page has its note to undo")
    other.press("#undo")
    until(lambda: store.note(id) == "", other, "the note is undone")
    assert store.count() == 3205, "the other page's undo took back the deletion"
    page.bring_to_front()
    page.press("#undo")
    page.wait("liveMap.list.total === 3206", "the deletion is undone by its own page")


def offline(page, server, executable, path, store):
    """A note and a deletion wait while the server is away, and arrive."""
    noted = select_first(page)
    before = page.evaluate("liveMap.pins.features.size")
    server.end(signal.SIGKILL)
    state = 'document.querySelector("#connection").textContent'
    page.wait(f'{state} === "Reconnecting"', "the loss is noticed")
    assert page.evaluate("liveMap.pins.features.size") >= before * 0.5, "the map was emptied"
    page.type("#card-note", "written offline")
    page.wait(f'{state} === "Reconnecting · 1 edit waits"', "the note waits")
    page.wait('document.querySelector(".item.waiting .when").textContent === "Waits: written offline"', "so does its row")
    page.evaluate("document.querySelector('#list').focus()")
    page.evaluate("""liveMap.outbox.add({ delete: {
      id: document.querySelector(".item:nth-child(2)").dataset.id } })""")
    page.wait(f'{state} === "Reconnecting · 2 edits wait"', "the deletion waits")
    server = Server(executable, path, server.port)
    page.wait(f"{LIVE} && liveMap.outbox.count === 0", "the page connects again, and nothing waits")
    page.wait(f"liveMap.list.total === 3205 && {SUM} === 3205", "the deletion has arrived")
    until(lambda: store.note(noted) == "written offline", page, "the note is in the store")
    assert page.evaluate("liveMap.selected?.id") == noted, "the selection is lost"
    assert page.evaluate("document.querySelector('#card-note').value") == "written offline"
    return server


def deletion_stays(browser, executable, path):
    """A quake that is deleted while the server is away stays deleted, with its note, through each later import."""
    store = Store(path)
    server = Server(executable, path, options=())
    page = browser.open(server.url)
    result = 'document.querySelector("#import-result").textContent'
    page.wait(f'{LIVE} && {result} === "1,707 new" && liveMap.list.total === 3207', "the import at the start")
    id = select_first(page)
    server.end(signal.SIGKILL)
    page.wait('document.querySelector("#connection").textContent === "Reconnecting"', "the loss is noticed")
    page.type("#card-note", "the lamp swung")
    page.press("#card-delete")
    page.wait('document.querySelector("#connection").textContent === "Reconnecting · 2 edits wait"', "both wait")
    server = Server(executable, path, server.port, options=())
    before = f'{result} === "1,707 as before" && liveMap.outbox.count === 0 && liveMap.list.total === 3206'
    page.wait(f"{LIVE} && {before}", "the import at the start brings nothing back")
    page.press("#import")
    page.wait("liveMap.status.feed.isRunning", "the import runs again")
    page.wait(f"!liveMap.status.feed.isRunning && {before}", "another import brings nothing back")
    assert store.rows("SELECT note, isHidden FROM sightings WHERE id = ?", id) == [("the lamp swung", 1)]
    page.close()
    assert server.end() == 0
