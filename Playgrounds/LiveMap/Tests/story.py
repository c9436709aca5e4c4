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
        first_words(page)
        arrive(page)
        tour(page, Store(path))
        compare(page)
        assert page.complaints == [], page.complaints
        page.close()
        assert server.end() == 0
    finally:
        server.kill()


def first_words(page):
    """The gate of a new session is closed until the page has told its view. The page does not speak of it."""
    gate = "document.querySelector('#holding')"
    assert page.evaluate(f"""new Promise((resolve) => {{
      const look = () => {{
        if (!{gate}.hidden) resolve(false);
        else if (liveMap.pins.features.size > 10) resolve(true);
        else setTimeout(look, 5);
      }};
      const wait = () => globalThis.liveMap ? look() : setTimeout(wait, 5);
      wait();
    }})"""), "the first words are about the gate"


def arrive(page):
    """Without a click: quakes, balloons, and numbers over the map."""
    page.wait(f"{LIVE} && liveMap.pins.features.size > 10", "pins come by themselves")
    page.wait("liveMap.list.total === 3207", "all quakes and balloons are there")
    page.wait('liveMap.headline.rates.rows > 100 && liveMap.headline.rates.operations > 0'
              ' && liveMap.headline.rates.bytes > 0', "the headline has rates")
    assert re.fullmatch(r"[\d,]+/s", page.text("#figure-rows"))
    assert re.fullmatch(r"[\d,.]+ (B|KB|MB)/s", page.text("#figure-bytes"))
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
            page.press("#tour-save")
            page.wait(f"/Now the file has magnitude 9.9, too/.test({TEXT})", "the answer is about the magnitude")
            assert store.count("magnitude = 9.9") == 1
            page.press("[data-step=unsaved]")
            page.wait(f"/magnitude 9.8 at once. The file still has 9.9/.test({TEXT})", "another edit")
            page.press("#tour-discard")
            page.wait('document.querySelector(".item .size").textContent === "9.9"', "it is taken back")
            # The next step selects the sighting by itself.
            page.press("#card-close")
        if step == "conflict":
            page.wait("!document.querySelector('#card-conflict').hidden", "the card shows both notes")
            id = page.evaluate("liveMap.selected.id")
            assert store.note(id) == "Checked"
            page.press("#tour-save")
            page.wait(f"{TEXT} === 'Your note is saved over the other.'", "the tour answers")
            until(lambda: store.note(id) == "I felt it", page, "the note that the user keeps")
            page.press("[data-step=conflict]")
            page.wait(f"!document.querySelector('#card-conflict').hidden && new RegExp({json.dumps(words)}).test({TEXT})",
                      "the same question again")
            page.press("#tour-discard")
            page.wait(f"{TEXT} === 'The other note stays.'", "the tour answers")
            until(lambda: store.note(id) == "Checked", page, "the note of the other page")


def compare(page, look=lambda: None):
    """The same changes as differences, and as everything at each change, while `look` is called."""
    page.wait('document.querySelector("#clusters-bytes").textContent.includes("B")', "bytes with clusters")
    before = page.evaluate("liveMap.headline.rates.bytes")
    assert page.text("#operations-name") == "map operations"
    page.press("[data-mode=pins]")
    page.wait('liveMap.pins.features.size === 3207 && document.querySelector("#pins-bytes").textContent.includes("B")',
              "bytes with a pin for each row")
    page.press("[data-mode=everything]")
    page.wait("liveMap.connection.bytes.everything > 3e6", "everything is sent again and again")
    page.wait('document.querySelector("#everything-bytes").textContent.includes("MB")'
              ' || document.querySelector("#everything-bytes").textContent.includes("KB")', "bytes of everything")
    after = page.evaluate("liveMap.headline.rates.bytes")
    look()
    assert page.evaluate("liveMap.pins.features.size") == 3207
    assert after > 10 * before, (before, after)
    page.wait('document.querySelector("#everything-frames").textContent !== "–"', "frames of everything")
    assert page.text("#operations-name") == "rows sent again"
    page.wait("liveMap.headline.rates.operations > liveMap.headline.rates.rows", "all rows count, again and again")
    for mode in ["clusters", "pins", "everything"]:
        print(f"          {mode}: {page.text(f'#{mode}-bytes')} and {page.text(f'#{mode}-frames')} frames a second", flush=True)
    page.press("[data-mode=clusters]")
    page.wait("liveMap.pins.features.size < 500 && liveMap.pins.features.size > 10", "clusters are back")
