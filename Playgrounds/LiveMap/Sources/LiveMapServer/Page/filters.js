// The filters of the list and the map: kinds, a text and an order.

const $ = (selector) => document.querySelector(selector);

/** @param changed called with the changed parts of the filter. */
export function followFilters(wish, changed) {
  for (const chip of document.querySelectorAll(".chip")) {
    chip.addEventListener("click", () => {
      const isOn = chip.ariaPressed !== "true";
      chip.ariaPressed = String(isOn);
      const others = wish.kinds.filter((kind) => kind !== chip.dataset.kind);
      changed({ kinds: isOn ? [...others, chip.dataset.kind] : others });
    });
  }
  $("#search").addEventListener("input", ({ target }) => changed({ text: target.value.trim() }));
  $("#order").addEventListener("change", ({ target }) => changed({ order: target.value }));
}
