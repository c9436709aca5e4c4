"""The page in five windows: nothing is covered, nothing is too small to touch, no state is hidden."""

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
            page.press(toggle)
            page.wait(FOLDED.format(panel), f"{panel} folds")
            if panel == "list-panel":
                check(page, least, f"{width} x {height} with a card")
                look(f"{width}x{height}-card")
                reveal(page)
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
    page.press("[data-step=shuffle]")
    page.wait("!document.querySelector('#tour').classList.contains('running')"
              " && document.querySelector('#chapter-text').textContent.endsWith('equal.')", "the clusters are equal")


def select(page):
    page.press(".item")
    page.wait("liveMap.selected && document.querySelector('#card').checkVisibility()", "a card of the selection")


def reveal(page):
    """The place of the selection is on the free part of the map."""
    zoom = page.evaluate("liveMap.camera.zoom")
    page.press("#card-reveal")
    page.wait(f"liveMap.camera.zoom > {zoom}", "the map zooms in")
    place = """import("/camera.js").then(({ project }) => {
      const { longitude, latitude } = liveMap.selected;
      const [x, y] = liveMap.camera.toScreen(...project(longitude, latitude));
      return document.elementFromPoint(x, y)?.id === "map";
    })"""
    until(lambda: page.evaluate(place), page, "no panel covers the place")
    page.evaluate("liveMap.map.zoomBy(-8)")
    page.wait("liveMap.camera.zoom <= liveMap.camera.minimum + 0.01", "the world again")
