// The comparison: the bytes and frames of a map by Strata, and of a map that gets everything at each change.
import { bytes } from "./headline.js";

const $ = (selector) => document.querySelector(selector);
/** The measure of a mode begins after its first events, in milliseconds. */
const SETTLING = 1500;

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

  /** @param interval the time since the frame before, while the map moves. */
  frame(interval) {
    this.#frames.push(interval);
    if (this.#frames.length > 60) this.#frames.shift();
  }

  show(now, rate) {
    if (now - this.#began < SETTLING) return;
    $(`#${this.mode}-bytes`).textContent = bytes(rate);
    if (this.#frames.length < 10) return;
    const mean = this.#frames.reduce((sum, time) => sum + time, 0) / this.#frames.length;
    $(`#${this.mode}-frames`).textContent = String(Math.round(1000 / mean));
  }
}
