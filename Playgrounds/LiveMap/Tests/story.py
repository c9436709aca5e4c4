"""The story of the page: data at once, a headline, a tour of six steps, and a comparison."""

import json
import re

from server import Server, Store, until

LIVE = 'document.querySelector("#connection").textContent === "Live"'
TEXT = 'document.querySelector("#chapter-text").textContent'
STEPS = {
    "again": r"1,707 records read, 1,707 as before\. The result: 0 commits, 0 list updates, 0 map operations\.",
    "gate": r"[\d,]+ rows changed .* got 0 operations\. .* [1-9][\d,]* operations? brought the map up to date\.",
    "unsaved": r"show magnitude 9\.9 at once\. The file still has 6\.4",
    "conflict": r"The save of your note failed and lost nothing",
    "undo": r"Undo took back yours: your quake has (no note|“(?!Your note).*”), the other has “Checked",
    "shuffle": r"clusters at nine zoom levels\. .*: equal\.",
}


def story(browser, executable, path):
    server = Server(executable, path, options=())
    try:
        page = browser.open(server.url)
        arrive(page)
        tour(page, Store(path))
        compare(page)
        assert page.complaints == [], page.complaints
        page.close()
        assert server.end() == 0
    finally:
        server.kill()


def arrive(page):
    """Without a click: quakes, balloons, and numbers over the map."""
    page.wait(f"{LIVE} && liveMap.pins.features.size > 10", "pins come by themselves")
    page.wait("liveMap.list.total === 3207", "all quakes and balloons are there")
    page.wait('liveMap.headline.rates.rows > 100 && liveMap.headline.rates.operations > 0'
              ' && liveMap.headline.rates.bytes > 0', "the headline has rates")
    assert re.fullmatch(r"[\d,]+", page.text("#figure-rows"))
    hidden = page.evaluate("""[...liveMap.pins.features.values()].filter(({ x }) => {
      const [px] = liveMap.camera.toScreen(x, 0.5), { left, right } = liveMap.camera.free;
      return px < left - 1 || px > right + 1;
    }).length""")
    assert hidden == 0, f"{hidden} pins lie under the panels"
    assert re.search("equal to a database", page.text("#claim"))
    assert page.evaluate('fetch(document.querySelector("#claim a").href).then((answer) => answer.ok)')
    # More than the rows of the map in its operations: that is the point.
    page.wait("liveMap.headline.rates.operations < liveMap.headline.rates.rows / 2", "fewer operations than rows")


def tour(page, store):
    top = "liveMap.selected && !document.querySelector('#card').hidden"
    for number, (step, words) in enumerate(STEPS.items()):
        page.press("#tour-next" if number % 2 == 0 else f"[data-step={step}]")
        page.wait(f"document.querySelector('[data-step={step}]').ariaPressed === 'true' && "
                  f"{json.dumps(words)} && new RegExp({json.dumps(words)}).test({TEXT})", f"step {step}: {words}")
        print(f"          {page.text('#chapter-text')}", flush=True)
        if step == "unsaved":
            page.wait(f'{top} && document.querySelector(".item .size").textContent === "9.9"', "the list shows it")
            assert store.count("magnitude = 9.9") == 0
            page.press("#tour-discard")
            page.wait('document.querySelector(".item .size").textContent === "6.4"', "it is taken back")
            # The next step selects the sighting by itself.
            page.press("#card-close")
        if step == "conflict":
            page.wait("!document.querySelector('#card-conflict').hidden", "the card shows both notes")
            id = page.evaluate("liveMap.selected.id")
            assert store.note(id) == "Checked"
            page.press("#tour-save")
            until(lambda: store.note(id) == "I felt it", page, "the note that the user keeps")


def compare(page, look=lambda: None):
    """The same changes as differences, and as everything at each change, while `look` is called."""
    page.wait('document.querySelector("#strata-bytes").textContent.includes("B")', "bytes of Strata")
    before = page.evaluate("liveMap.headline.rates.bytes")
    page.press("#compare .segments label:last-child")
    page.wait("liveMap.connection.bytes.everything > 3e6", "everything is sent again and again")
    page.wait('document.querySelector("#everything-bytes").textContent.includes("MB")'
              ' || document.querySelector("#everything-bytes").textContent.includes("KB")', "bytes of everything")
    after = page.evaluate("liveMap.headline.rates.bytes")
    look()
    assert page.evaluate("liveMap.pins.features.size") == 3207
    assert after > 10 * before, (before, after)
    page.wait('document.querySelector("#everything-frames").textContent !== "–"', "frames of everything")
    figures = [page.text(f"#{mode}-{what}") for mode in ["strata", "everything"] for what in ["bytes", "frames"]]
    print(f"          Strata {figures[0]} and {figures[1]} frames a second,"
          f" everything {figures[2]} and {figures[3]}", flush=True)
    page.press("#compare .segments label:first-child")
    page.wait("liveMap.pins.features.size < 500 && liveMap.pins.features.size > 10", "clusters are back")
