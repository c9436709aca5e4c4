// The card of the selected sighting.
import { when } from "./list.js";

const $ = (selector) => document.querySelector(selector);

export class Card {
  sighting = null;
  /** The note that the user saw before the edit. */
  #base = "";
  /** The conflict that the user has not decided; its sighting may be selected later. */
  #conflict = null;
  #on;

  /** @param on `closed`, `revealed`, `noted` with the text and the note before, `deleted`, `resolved`. */
  constructor(on) {
    this.#on = on;
    const note = $("#card-note");
    note.addEventListener("focus", () => { this.#base = note.value; });
    note.addEventListener("change", () => {
      if (this.sighting && note.value !== this.#base) on.noted(this.sighting.id, this.#base, note.value);
      this.#base = note.value;
    });
    $("#card-close").addEventListener("click", on.closed);
    $("#card-reveal").addEventListener("click", () => on.revealed(this.sighting.id));
    $("#card-delete").addEventListener("click", () => on.deleted(this.sighting.id));
    $("#keep-mine").addEventListener("click", () => this.#resolve(true));
    $("#take-theirs").addEventListener("click", () => this.#resolve(false));
  }

  /** @param waiting the text of a note that waits for the server; undefined if there is none. */
  show(sighting, waiting) {
    const isOther = sighting?.id !== this.sighting?.id;
    this.sighting = sighting;
    $("#card").hidden = !sighting;
    this.#drawConflict();
    if (!sighting) return;
    $("#card-title").textContent = sighting.place ?? "Somewhere";
    const magnitude = sighting.magnitude === undefined
      ? "" : `Magnitude ${sighting.magnitude.toFixed(1)} · `;
    const place = [degrees(sighting.latitude, "N", "S"), degrees(sighting.longitude, "E", "W")].join("  ");
    $("#card-detail").textContent = `${magnitude}${when(sighting)}\n${place}`;
    const note = $("#card-note");
    // A note that is being written stays.
    if (isOther || document.activeElement !== note || note.value === this.#base) {
      note.value = waiting ?? sighting.note;
      this.#base = note.value;
    }
  }

  /** Shows both notes, and asks the user. */
  showConflict(conflict) {
    this.#conflict = conflict;
    this.#drawConflict();
  }

  #drawConflict() {
    const isShown = this.#conflict && this.#conflict.id === this.sighting?.id;
    $("#card-conflict").hidden = !isShown;
    if (!isShown) return;
    const { mine, theirs } = this.#conflict;
    $("#card-conflict p").textContent = theirs
      ? `Another page saved “${theirs.note}”. Yours is “${mine?.note ?? ""}”.`
      : "Another page deleted the sighting.";
  }

  /** Shows the note that the user has chosen. */
  endConflict(keepsMine) {
    this.#conflict = null;
    this.#drawConflict();
    if (keepsMine || !this.sighting) return;
    $("#card-note").value = this.sighting.note;
    this.#base = this.sighting.note;
  }

  #resolve(keepsMine) {
    this.endConflict(keepsMine);
    this.#on.resolved(keepsMine);
  }
}

function degrees(value, positive, negative) {
  if (value === undefined) return "nowhere";
  return `${Math.abs(value).toFixed(2)}° ${value < 0 ? negative : positive}`;
}
