// The panels around the map: folded and unfolded, and the part of the window that they leave free.

/** On a narrow or low window the panels lie over the map, and begin folded. */
const NARROW = matchMedia("(width < 760px), (height < 520px)");
const MEDIUM = matchMedia("(width < 1180px)");

const $ = (selector) => document.querySelector(selector);

/**
 * @param changed called when the free part may have changed.
 * @returns a function that folds the list where it lies over the map, and answers whether it does.
 */
export function followPanels(changed) {
  const fold = (name, isOpen) => {
    $(`#${name === "list" ? "list-panel" : "side"}`).classList.toggle("folded", !isOpen);
    document.body.classList.toggle(`${name}-folded`, !isOpen);
    $(`#${name}-toggle`).ariaExpanded = String(isOpen);
  };
  const settle = () => {
    fold("list", !NARROW.matches);
    fold("side", !MEDIUM.matches && !NARROW.matches);
    changed();
  };
  for (const [name, other] of [["list", "side"], ["side", "list"]]) {
    $(`#${name}-toggle`).addEventListener("click", () => {
      const isOpen = $(`#${name}-toggle`).ariaExpanded !== "true";
      fold(name, isOpen);
      if (isOpen && NARROW.matches) fold(other, false);
      changed();
    });
  }
  for (const query of [NARROW, MEDIUM]) query.addEventListener("change", settle);
  new ResizeObserver(changed).observe($("#middle"));
  new ResizeObserver(changed).observe($("#tour"));
  settle();
  return {
    foldList() {
      if (!NARROW.matches) return false;
      fold("list", false);
      changed();
      return true;
    },
  };
}

/** The part of the window between the panels, above the tour, or above the card in its place. */
export function freePart() {
  const middle = $("#middle").getBoundingClientRect();
  const lowest = [$("#tour"), $("#card")].find((panel) => panel.checkVisibility());
  const bottom = lowest ? lowest.getBoundingClientRect().top - 8 : middle.bottom;
  return {
    left: middle.left, top: middle.top, right: Math.max(middle.right, middle.left + 120),
    bottom: Math.max(bottom, middle.top + 80),
  };
}
