"""The page in five windows: nothing is covered, nothing is too small to touch, no state is hidden."""

from moves import fly
from server import until

SIZES = [(1440, 900), (1024, 768), (900, 700), (844, 390), (390, 844)]

# The controls that are visible now, and cannot be used: covered, outside of the window, or too small.
BAD = """(least, scope) => {
  const bad = [];
  for (const element of document.querySelectorAll("button, input, select, summary, #list, output, #connection, .figure b")) {
    if (!element.checkVisibility({ visibilityProperty: true }) || element.closest(".unseen")) continue;
    if (!element.closest(scope)) continue;
    const target = element.type === "radio" ? element.closest("label") : element;
    const scroller = target.closest("#side, #steps");
    target.scrollIntoView({ block: "nearest", inline: "nearest" });
    const box = target.getBoundingClientRect();
    const name = element.id || element.dataset.step || element.className || element.name;
    const [x, y] = [box.x + box.width / 2, box.y + Math.min(box.height, 40) / 2];
    if (x < 0 || y < 0 || x > innerWidth || y > innerHeight) bad.push(`${name} is outside`);
    else if (!target.contains(document.elementFromPoint(x, y))) {
      const over = document.elementFromPoint(x, y);
      bad.push(`${name} is under ${over.id || over.className}`);
    }
    if (!element.matches("button, input, select, summary")) continue;
    const needed = element.matches("[role=switch]") ? 24 : least;
    const label = element.closest(".switches label") ?? target;
    const size = label.getBoundingClientRect();
    if (size.height < needed || size.width < Math.min(needed, 30)) bad.push(`${name} is ${size.width} x ${size.height}`);
    if (scroller) scroller.scrollTop = scroller.scrollLeft = 0;
  }
  if (document.documentElement.scrollWidth > innerWidth) bad.push("the page is too wide");
  return bad;
}"""
PLACE_IS_FREE = """import("/camera.js").then(({ project }) => {
  const { longitude, latitude } = liveMap.selected;
  const [x, y] = liveMap.camera.toScreen(...project(longitude, latitude));
  return document.elementFromPoint(x, y)?.id === "map";
})"""
FOLDED = "document.querySelector('#{0}').classList.contains('folded')"


def sizes(page, look=lambda name: None):
    """`look` gets a name for each state, for a picture."""
    for width, height in SIZES:
        page.resize(width, height)
        page.wait(f"innerWidth === {width} && liveMap.camera.width === {width}", "the page has the size")
        is_small = width < 760 or height < 520
        least = 44 if is_small else 24
        check(page, least, f"{width} x {height}")
        look(f"{width}x{height}")
        tell(page)
        check(page, least, f"{width} x {height} with a result of the tour")
        look(f"{width}x{height}-tour")
        for panel, toggle in [("list-panel", "#list-toggle"), ("side", "#side-toggle")]:
            if page.evaluate(FOLDED.format(panel)):
                page.press(toggle)
            page.wait(f"!{FOLDED.format(panel)}", f"{panel} unfolds")
            # A panel that lies over the map covers the tour, and nothing else has to be used meanwhile.
            is_over = is_small or (panel == "side" and width < 1180)
            check(page, least, f"{width} x {height} with {panel}", f"#top, #{panel}" if is_over else "body")
            look(f"{width}x{height}-{panel}")
            if panel == "list-panel":
                rows = page.evaluate("document.querySelector('#list').clientHeight")
                assert rows >= 130, f"{width} x {height}: the list has a height of {rows}"
                select(page)
                if is_small:
                    # The list gives way to the card, and the map shows the place above the card.
                    page.wait(FOLDED.format(panel), "the list folds")
                    until(lambda: page.evaluate(PLACE_IS_FREE), page, "no panel covers the place")
                write(page)
            if not page.evaluate(FOLDED.format(panel)):
                page.press(toggle)
            page.wait(FOLDED.format(panel), f"{panel} folds")
            if panel == "list-panel":
                check(page, least, f"{width} x {height} with a card")
                look(f"{width}x{height}-card")
                reveal(page)
                sea(page)
                page.press("#card-close")
                page.wait("document.querySelector('#card').hidden", "the card closes")
    page.resize(1440, 900)
    page.wait("liveMap.camera.width === 1440 && !document.querySelector('#side').classList.contains('folded')"
              " && !document.querySelector('#list-panel').classList.contains('folded')", "all panels are back")


def check(page, least, state, scope="body"):
    """Looks again until animations have ended."""
    bad = []
    for _ in range(40):
        bad = page.evaluate(f"({BAD})({least}, '{scope}')")
        if not bad:
            return
        page.evaluate("new Promise((resolve) => setTimeout(resolve, 25))")
    raise AssertionError(f"{state}: {bad}")


def tell(page):
    """The longest result of the tour."""
    play(page, "shuffle")
    page.wait("!document.querySelector('#tour').classList.contains('running')"
              " && document.querySelector('#chapter-text').textContent.endsWith('equal.')", "the clusters are equal")


def play(page, step):
    """Begins a step of the tour, on a small window by its arrows and its only chip."""
    if page.evaluate("document.querySelector('#steps').checkVisibility()"):
        return page.press(f"[data-step={step}]")
    for _ in range(6):
        if page.evaluate(f"document.querySelector('#tour-chip').dataset.shows === '{step}'"):
            break
        page.press("#tour-forward")
    assert len(page.text("#tour-chip span")) > 10, "the chip has no words"
    page.press("#tour-chip")


def write(page):
    """The note of the card can be pressed, and takes the focus."""
    page.press("#card-note")
    assert page.evaluate("document.activeElement.id") == "card-note", "the note has no focus"
    page.evaluate("document.activeElement.blur()")


def sea(page):
    """A view without pins offers the way back."""
    assert not page.evaluate("document.querySelector('#show-all').checkVisibility()")
    fly(page, -140, 45, 6)
    page.press("#show-all")
    page.wait("liveMap.camera.zoom <= liveMap.camera.minimum + 0.01", "the world again")
    page.wait("document.querySelector('#show-all').hidden", "there are pins")


def select(page):
    page.press(".item")
    page.wait("liveMap.selected && document.querySelector('#card').checkVisibility()", "a card of the selection")


def reveal(page):
    """The place of the selection is on the free part of the map."""
    page.press("#card-reveal")
    # A panel that folds enlarges the world with the free part, so only more than the world is an answer.
    page.wait("liveMap.camera.zoom > liveMap.camera.minimum + 0.3", "the map zooms in")
    until(lambda: page.evaluate(PLACE_IS_FREE), page, "no panel covers the place")
    page.wait("parseInt(document.querySelector('#scale b').textContent.replace(',', '')) >= 200", "the coast can be seen")
    page.evaluate("liveMap.map.zoomBy(-8)")
    page.wait("liveMap.camera.zoom <= liveMap.camera.minimum + 0.01", "the world again")
