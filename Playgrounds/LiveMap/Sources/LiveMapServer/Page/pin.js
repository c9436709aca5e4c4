// A pin of the map, and its way to its place.
import { eastward } from "./camera.js";

/** The duration of a way, in milliseconds. */
export const MOVE = 320;

/** One feature and its way across the map. */
export class Pin {
  /** The image, until the properties change. */
  sprite = null;
  appears = -Infinity;
  leaves = 0;
  /** When the last operation came. */
  blinks = -Infinity;
  #fromX;
  #fromY;
  #start = -Infinity;

  constructor(id, x, y, coordinates, properties) {
    Object.assign(this, { id, x, y, coordinates, properties });
    [this.#fromX, this.#fromY] = [x, y];
  }

  /** The number of sightings that the pin stands for. */
  get count() { return this.properties.point_count ?? 1; }

  goTo(x, y, now) {
    if (x === this.x && y === this.y) return;
    [this.#fromX, this.#fromY] = this.at(now);
    [this.x, this.y, this.#start] = [x, y, now];
  }

  comeFrom(x, y, now) { [this.#fromX, this.#fromY, this.#start] = [x, y, now]; }

  /** The place on the way to the present place, by the shorter way around the world. */
  at(now) {
    const t = (now - this.#start) / MOVE;
    if (t >= 1) return [this.x, this.y];
    const share = 1 - (1 - Math.max(0, t)) ** 3;
    return [
      this.#fromX + eastward(this.#fromX, this.x) * share,
      this.#fromY + (this.y - this.#fromY) * share,
    ];
  }
}
