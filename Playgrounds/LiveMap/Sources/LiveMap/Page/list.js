// The list beside the map: only the visible rows of any number are in the page.
import { strength } from "./sprites.js";

const ROW = 50;
const MORE = 8;
const WHEN = new Intl.DateTimeFormat("en", {
  day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hour12: false,
  timeZone: "UTC",
});
const NUMBER = new Intl.NumberFormat("en");

export class List {
  /** How many rows the whole list has. */
  total = 0;
  #element = document.querySelector("#list");
  #content = document.querySelector("#rows");
  #nodes = new Map();
  #rows = [];
  #from = 0;
  #asked = "";
  #selectedID = null;
  #on;

  /** @param on `needed`, with the first row and the number of those that are visible, and `chosen`. */
  constructor(on) {
    this.#on = on;
    this.#element.addEventListener("scroll", () => this.ask());
    new ResizeObserver(() => this.ask()).observe(this.#element);
    this.#content.addEventListener("click", ({ target }) => {
      const item = target.closest(".item");
      if (item) on.chosen(item.dataset.id);
    });
    this.#element.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) this.#step(event, step);
    });
  }

  /** Asks for the visible rows, unless they were asked for already. */
  ask(isForced = false) {
    const from = Math.max(0, Math.floor(this.#element.scrollTop / ROW) - MORE);
    const count = Math.ceil(this.#element.clientHeight / ROW) + 2 * MORE;
    const asked = `${from} ${count}`;
    if (asked === this.#asked && !isForced) return;
    this.#asked = asked;
    this.#on.needed(from, count);
  }

  scrollToTop() { this.#element.scrollTop = 0; }

  show({ total, from, rows }) {
    this.total = total;
    this.#from = from;
    this.#rows = rows;
    this.#content.style.height = `${total * ROW}px`;
    document.querySelector("#empty").hidden = total > 0;
    document.querySelector("#total").textContent =
      total === 1 ? "1 sighting" : `${NUMBER.format(total)} sightings`;
    const old = this.#nodes;
    this.#nodes = new Map();
    for (const row of rows) this.#nodes.set(row.id, old.get(row.id) ?? this.#make(row));
    for (const [id, node] of old) if (!this.#nodes.has(id)) node.remove();
    rows.forEach((row, index) => {
      const node = this.#nodes.get(row.id);
      // One that stood elsewhere glides to its new place.
      node.style.transform = `translateY(${(from + index) * ROW}px)`;
      this.#fill(node, row);
      this.#place(node, this.#content.children[index] ?? null);
    });
  }

  /** For those who do not see the list, its order in the document counts. */
  #place(node, next) {
    if (node === next) return;
    // Moving a node must not end its gliding.
    if (node.isConnected && this.#content.moveBefore) this.#content.moveBefore(node, next);
    else this.#content.insertBefore(node, next);
  }

  #make(row) {
    const node = document.createElement("div");
    node.dataset.id = row.id;
    node.role = "option";
    node.className = "item new";
    for (const part of ["size", "name", "when"]) {
      node.append(Object.assign(document.createElement("span"), { className: part }));
    }
    requestAnimationFrame(() => node.classList.remove("new"));
    return node;
  }

  #fill(node, row) {
    const texts = [
      row.kind === "balloon" ? "◍" : (row.magnitude?.toFixed(1) ?? "–"), row.place ?? "Somewhere",
      row.note || when(row),
    ];
    texts.forEach((text, index) => {
      if (node.children[index].textContent !== text) node.children[index].textContent = text;
    });
    const kind = row.kind === "balloon" ? "balloon" : strength(row.magnitude ?? 0);
    const isNew = node.classList.contains("new") ? " new" : "";
    if (node.className !== `item ${kind}${isNew}`) node.className = `item ${kind}${isNew}`;
    node.ariaSelected = String(row.id === this.#selectedID);
  }

  select(id) {
    this.#selectedID = id;
    for (const [other, node] of this.#nodes) node.ariaSelected = String(other === id);
  }

  #step(event, step) {
    event.preventDefault();
    const index = this.#rows.findIndex(({ id }) => id === this.#selectedID);
    const next = this.#rows[index < 0 ? 0 : index + step];
    if (!next) return;
    this.#on.chosen(next.id);
    const top = (this.#from + this.#rows.indexOf(next)) * ROW;
    const { scrollTop, clientHeight } = this.#element;
    if (top < scrollTop) this.#element.scrollTop = top;
    if (top + ROW > scrollTop + clientHeight) this.#element.scrollTop = top + ROW - clientHeight;
  }
}

/** When a sighting was, in words. */
export function when({ time }) {
  return time === undefined || time === null ? "at some time" : `${WHEN.format(time)} UTC`;
}
