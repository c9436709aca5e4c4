// The list beside the map: only the visible rows of any number are in the page.
import { strength } from "./looks.js";

const ROW = 50;
const MORE = 8;
const FLASH = 1200;
const WHEN = new Intl.DateTimeFormat("en", {
  day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hour12: false,
  timeZone: "UTC",
});
const NUMBER = new Intl.NumberFormat("en");

export class List {
  /** The number of rows of the whole list. */
  total = 0;
  #element = document.querySelector("#list");
  #content = document.querySelector("#rows");
  #nodes = new Map();
  #rows = [];
  #from = 0;
  #asked = "";
  #selectedID = null;
  /** The state of a row's edits on their way to other stores, by id. */
  #badges = {};
  #outbox;
  #on;

  /**
   * @param outbox the edits that wait for the server.
   * @param on `needed`, with the first visible row and the number of visible rows, and `chosen` with an
   * id and with whether the row was pressed.
   */
  constructor(outbox, on) {
    this.#outbox = outbox;
    this.#on = on;
    this.#element.addEventListener("scroll", () => this.ask());
    new ResizeObserver(() => this.ask()).observe(this.#element);
    this.#content.addEventListener("click", ({ target }) => {
      const item = target.closest(".item");
      if (item) on.chosen(item.dataset.id, true);
    });
    this.#element.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) this.#step(event, step);
    });
  }

  /** Asks for the visible rows, unless the page has asked already. */
  ask(isForced = false) {
    const from = Math.max(0, Math.floor(this.#element.scrollTop / ROW) - MORE);
    const count = Math.ceil(this.#element.clientHeight / ROW) + 2 * MORE;
    const asked = `${from} ${count}`;
    if (asked === this.#asked && !isForced) return;
    this.#asked = asked;
    this.#on.needed(from, count);
  }

  scrollToTop() { this.#element.scrollTop = 0; }

  /** Takes the visible rows anew. */
  show({ total, from, rows }) {
    this.total = total;
    this.#from = from;
    this.#rows = rows;
    this.#draw();
  }

  /** Takes the differences of the visible rows, and flashes the edited rows. */
  change({ total, deletions, moves, insertions, edits }) {
    this.total = total;
    const rows = this.#rows;
    const moved = moves.map(([from, to]) => ({ offset: to, row: rows[from] }));
    const leaving = [...deletions, ...moves.map(([from]) => from)].sort((a, b) => b - a);
    for (const offset of leaving) rows.splice(offset, 1);
    const arriving = [...insertions, ...moved].sort((a, b) => a.offset - b.offset);
    for (const { offset, row } of arriving) rows.splice(offset, 0, row);
    for (const { offset, row } of edits) rows[offset] = row;
    this.#draw();
    for (const { row } of edits) this.#flash(this.#nodes.get(row.id));
  }

  /** Shows the badges of the rows. A row whose edit was replaced flashes. */
  showBadges(badges) {
    const old = this.#badges;
    this.#badges = badges;
    this.refresh();
    for (const [id, { kind }] of Object.entries(badges)) {
      if (kind === "replaced" && old[id]?.kind !== kind) this.#flash(this.#nodes.get(id));
    }
  }

  /** Shows waiting edits, or no longer. */
  refresh() { for (const row of this.#rows) this.#fill(this.#nodes.get(row.id), row); }

  select(id) {
    this.#selectedID = id;
    for (const [other, node] of this.#nodes) node.ariaSelected = String(other === id);
    this.#point();
  }

  // MARK: Rows

  #draw() {
    this.#content.style.height = `${this.total * ROW}px`;
    document.querySelector("#empty").hidden = this.total > 0;
    document.querySelector("#total").textContent =
      this.total === 1 ? "1 sighting" : `${NUMBER.format(this.total)} sightings`;
    const old = this.#nodes;
    this.#nodes = new Map();
    for (const row of this.#rows) this.#nodes.set(row.id, old.get(row.id) ?? this.#make(row));
    for (const [id, node] of old) if (!this.#nodes.has(id)) node.remove();
    this.#rows.forEach((row, index) => {
      const node = this.#nodes.get(row.id);
      // A row that stood elsewhere glides to its new place.
      node.style.transform = `translateY(${(this.#from + index) * ROW}px)`;
      node.ariaPosInSet = String(this.#from + index + 1);
      node.ariaSetSize = String(this.total);
      this.#fill(node, row);
      this.#place(node, this.#content.children[index] ?? null);
    });
    this.#point();
  }

  /** The order in the document is the order that a screen reader reads. */
  #place(node, next) {
    if (node === next) return;
    // A node that is moved must go on gliding.
    if (node.isConnected && this.#content.moveBefore) this.#content.moveBefore(node, next);
    else this.#content.insertBefore(node, next);
  }

  #make(row) {
    const node = document.createElement("div");
    node.dataset.id = row.id;
    node.id = `row-${row.id}`;
    node.role = "option";
    node.className = "item new";
    for (const part of ["size", "name", "when", "mark"]) {
      node.append(Object.assign(document.createElement("span"), { className: part }));
    }
    requestAnimationFrame(() => node.classList.remove("new"));
    return node;
  }

  #fill(node, row) {
    const waiting = this.#outbox.note(row.id);
    const isDeleting = this.#outbox.isDeleting(row.id);
    const badge = this.#badges[row.id];
    const isReplaced = badge?.kind === "replaced";
    const line = isReplaced ? badge.text : isDeleting ? "Deletion waits" : waiting !== undefined ? `Waits: ${waiting}` : row.note || when(row);
    const texts = [
      row.kind === "balloon" ? "◍" : (row.magnitude?.toFixed(1) ?? "–"), row.place ?? "Somewhere", line,
      badge && !isReplaced ? badge.text : "",
    ];
    texts.forEach((text, index) => {
      if (node.children[index].textContent !== text) node.children[index].textContent = text;
    });
    const kinds = ["weak", "medium", "strong", "great", "balloon"];
    node.classList.remove(...kinds);
    node.classList.add(row.kind === "balloon" ? "balloon" : strength(row.magnitude ?? 0));
    node.dataset.badge = badge?.kind ?? "";
    node.classList.toggle("waiting", isDeleting || waiting !== undefined);
    node.classList.toggle("noted", Boolean(row.note));
    node.ariaSelected = String(row.id === this.#selectedID);
  }

  #flash(node) {
    if (!node) return;
    node.classList.remove("flash");
    // The animation begins again only after a layout without it.
    void node.offsetWidth;
    node.classList.add("flash");
    setTimeout(() => node.classList.remove("flash"), FLASH);
  }

  // MARK: Keys

  /** Tells screen readers the active row. */
  #point() {
    const node = this.#nodes.get(this.#selectedID);
    if (node) this.#element.setAttribute("aria-activedescendant", node.id);
    else this.#element.removeAttribute("aria-activedescendant");
  }

  #step(event, step) {
    event.preventDefault();
    const index = this.#rows.findIndex(({ id }) => id === this.#selectedID);
    const next = this.#rows[index < 0 ? 0 : index + step];
    if (!next) return;
    this.#on.chosen(next.id, false);
    const top = (this.#from + this.#rows.indexOf(next)) * ROW;
    const { scrollTop, clientHeight } = this.#element;
    if (top < scrollTop) this.#element.scrollTop = top;
    if (top + ROW > scrollTop + clientHeight) this.#element.scrollTop = top + ROW - clientHeight;
  }
}

/** The time of a sighting, in words. */
export function when({ time }) {
  return time === undefined || time === null ? "at some time" : `${WHEN.format(time)} UTC`;
}
