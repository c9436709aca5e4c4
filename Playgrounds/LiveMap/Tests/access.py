"""The page for keyboards, screen readers and weak eyes."""

# Texts whose contrast with their background is below 4.5.
PALE = """() => {
  const bytes = (text) => {
    const numbers = (text.match(/-?[\\d.]+/g) ?? []).map(Number);
    const isShare = text.startsWith("color(");
    const [red, green, blue, alpha = 1] = numbers;
    return [...[red, green, blue].map((value) => isShare ? value * 255 : value), alpha];
  };
  const over = (top, below) => [0, 1, 2].map((index) => top[index] * top[3] + below[index] * (1 - top[3]));
  const light = (rgb) => {
    const [red, green, blue] = rgb.map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (a, b) => {
    const [bright, dark] = [light(a), light(b)].sort((x, y) => y - x);
    return (bright + 0.05) / (dark + 0.05);
  };
  const style = getComputedStyle(document.documentElement);
  const probe = document.body.appendChild(document.createElement("i"));
  const named = (name) => {
    probe.style.color = style.getPropertyValue(name);
    return bytes(getComputedStyle(probe).color);
  };
  const grounds = ["--sea", "--land"].map((name) => named(name).slice(0, 3));
  const behind = (element, ground) => {
    if (!element) return ground;
    const below = behind(element.parentElement === document.body ? null : element.parentElement, ground);
    return over(bytes(getComputedStyle(element).backgroundColor), below);
  };
  const pale = [];
  for (const element of document.querySelectorAll("body *")) {
    const isText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!isText && !element.placeholder) continue;
    if (!element.checkVisibility() || element.disabled || element.closest(".unseen, option, .item.new")) continue;
    for (const ground of grounds) {
      const background = behind(element, ground);
      const color = bytes(getComputedStyle(element, element.placeholder && !element.value ? "::placeholder" : null).color);
      const found = contrast(over(color, background), background);
      if (found < 4.5) pale.push(`${element.id || element.className || element.tagName} ${found.toFixed(2)}`);
    }
  }
  for (const ground of grounds) {
    const found = contrast(named("--label").slice(0, 3), ground);
    if (found < 4.5) pale.push(`labels of the map ${found.toFixed(2)}`);
  }
  for (const name of ["--edge", "--weak", "--medium", "--strong", "--great", "--balloon"]) {
    const found = contrast(named(name).slice(0, 3), over(named("--panel"), grounds[0]));
    if (found < 3) pale.push(`${name} ${found.toFixed(2)}`);
  }
  probe.remove();
  return [...new Set(pale)];
}"""


def access(page):
    contrast(page)
    names(page)
    rows(page)
    pins(page)


def contrast(page):
    page.evaluate("document.querySelector('#side details').open = true")
    for is_dark in [False, True]:
        if page.evaluate("document.documentElement.classList.contains('dark')") != is_dark:
            page.press("#dark")
        page.wait("!document.querySelector('.item.new')", "the rows are there")
        # Backgrounds change in 120 ms.
        page.wait(f"({PALE})().length === 0 || (globalThis.pale = ({PALE})(), false)", "every text is readable", 5)
    page.press("#dark")
    page.evaluate("document.querySelector('#side details').open = false")


def names(page):
    """Landmarks, and a name for each control that says nothing else."""
    page.call("Accessibility.enable")
    nodes = [node for node in page.call("Accessibility.getFullAXTree")["nodes"] if not node["ignored"]]
    found = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes]
    page.call("Accessibility.disable")
    assert sum(role == "main" for role, _ in found) == 1, "one main landmark"
    assert sum(role == "banner" for role, _ in found) == 1, "one banner"
    for wanted in [("slider", "In the air"), ("slider", "Moves a second, asked"), ("listbox", "Sightings"),
                   ("region", "Controls"), ("region", "Tour"), ("heading", "Live map")]:
        assert wanted in found, f"{wanted} is not in {sorted(set(found))}"
    nameless = [role for role, name in found
                if not name and role in ("button", "slider", "checkbox", "switch", "radio", "combobox", "textbox", "searchbox")]
    assert nameless == [], nameless


def rows(page):
    page.press(".item:nth-child(2)")
    page.wait("document.querySelector('#list').getAttribute('aria-activedescendant')"
              " === document.querySelector('.item[aria-selected=true]').id", "the active row is told")
    total = page.evaluate("liveMap.list.total")
    first, size = page.evaluate(
        "(({ ariaPosInSet, ariaSetSize }) => [ariaPosInSet, ariaSetSize])(document.querySelector('.item'))")
    assert [first, size] == ["1", str(total)], (first, size, total)
    page.key("Escape")
    page.wait("!liveMap.selected", "Escape deselects")


def pins(page):
    """The keyboard reaches the map, sees that, and goes from pin to pin."""
    page.evaluate("document.querySelector('#order').focus()")
    page.evaluate("document.querySelector('#side-toggle').focus()")
    for _ in range(3):
        page.key("Tab")
        if page.evaluate("document.activeElement.id") == "map":
            break
    assert page.evaluate("document.activeElement.id") == "map", "Tab reaches the map"
    assert page.evaluate("getComputedStyle(document.querySelector('#middle')).outlineStyle") == "solid", "no ring"
    page.key("n")
    page.wait("document.querySelector('#map-spoken').textContent.length > 2", "the pin is spoken")
    first = page.evaluate("liveMap.map.pointed.id")
    page.key("n")
    page.wait(f"liveMap.map.pointed.id !== '{first}'", "the next pin")
    page.key("p")
    page.wait(f"liveMap.map.pointed.id === '{first}'", "the pin before")
    zoom = page.evaluate("liveMap.camera.zoom")
    page.key("Enter")
    page.wait(f"liveMap.camera.zoom > {zoom} || liveMap.selected || liveMap.spread.isOpen", "Enter opens the pin")
    page.key("Escape")
    page.evaluate("liveMap.map.zoomBy(-8)")
    page.wait("liveMap.camera.zoom <= liveMap.camera.minimum + 0.01", "the world again")
