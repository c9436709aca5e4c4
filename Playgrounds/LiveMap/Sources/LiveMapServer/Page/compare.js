// The comparison: the bytes and frames of a map by Strata, and of a map that gets everything at each change.
import { bytes } from "./headline.js";

const $ = (selector) => document.querySelector(selector);
/** The frames of these milliseconds count. */
const WINDOW = 2000;

export class Compare {
  mode = "strata";
  #began = performance.now();
  #frames = [];

  /** @param chose called with the new mode. */
  constructor(chose) {
    for (const button of document.querySelectorAll("[name=mode]")) {
      button.addEventListener("change", () => {
        this.mode = button.value;
        this.#began = performance.now();
        this.#frames = [];
        chose(this.mode);
      });
    }
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
