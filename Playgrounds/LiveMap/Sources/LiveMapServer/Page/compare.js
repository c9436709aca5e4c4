// The comparison: the bytes and frames of a map by Strata, and of a map that gets everything at each change.
import { bytes } from "./headline.js";

const $ = (selector) => document.querySelector(selector);
/** The frames of these milliseconds count. */
const WINDOW = 2000;
const WORDS = {
  clusters: "What changed, as clusters.",
  pins: "What changed, with a pin for each row.",
  everything: "All rows at each change, with the same pins. No registry.",
};

export class Compare {
  /** The kind of the map, as `Session.MapStyle` has it. */
  mode = "clusters";
  #began = performance.now();
  #frames = [];

  /** @param chose called after a change of the mode. */
  constructor(chose) {
    for (const button of document.querySelectorAll("[name=mode]")) {
      button.addEventListener("change", () => {
        this.mode = button.value;
        this.restart();
        $("#compare-words").textContent = WORDS[this.mode];
        chose();
      });
    }
  }

  get isEverything() { return this.mode === "everything"; }

  /** Chooses a mode, as the user does. */
  choose(mode) { if (mode !== this.mode) $(`[name=mode][value=${mode}]`).click(); }

  /** The bytes and frames so far do not count. */
  restart() {
    this.#began = performance.now();
    this.#frames = [];
  }

  /** Counts a frame that was drawn. */
  frame(now) { this.#frames.push(now); }

  /** @param rate the bytes of the last seconds, each second. */
  show(now, rate) {
    this.#frames = this.#frames.filter((time) => now - time < WINDOW);
    if (now - this.#began < WINDOW) return;
    $(`#${this.mode}-bytes`).textContent = bytes(rate);
    $(`#${this.mode}-frames`).textContent = String(Math.round((this.#frames.length * 1000) / WINDOW));
  }
}
