// Many pins as columns of numbers, in the order of drawing: the weakest first.
import { GPUPoints } from "./gpu-points.js";
import { LOOKS, strength } from "./looks.js";
import { PixelPoints } from "./pixel-points.js";

/** How far from its pin a click may be, in points. */
const REACH = 7;

export class Points {
  count = 0;
  /** The places, x and y in turn. */
  places = new Float32Array(0);
  /** The position of each pin's look in `LOOKS`. */
  looks = new Uint8Array(0);
  #pins = [];
  #canvas;
  #renderer = null;

  /** @param canvas the layer of the points. It gets its context with the first points. */
  constructor(canvas) { this.#canvas = canvas; }

  /** The name of the class that draws; undefined before the first points. */
  get renderer() { return this.#renderer?.constructor.name; }

  /** Takes the pins of the map. */
  take(pins) {
    this.#renderer ??= GPUPoints.make(this.#canvas) ?? new PixelPoints(this.#canvas);
    const byLook = LOOKS.map(() => []);
    for (const pin of pins) byLook[lookOf(pin)].push(pin);
    this.#pins = byLook.flat();
    this.count = this.#pins.length;
    if (this.looks.length < this.count) {
      this.places = new Float32Array(this.count * 3);
      this.looks = new Uint8Array(this.count * 1.5);
    }
    let index = 0;
    byLook.forEach((some, look) => {
      for (const pin of some) {
        this.places[2 * index] = pin.x;
        this.places[2 * index + 1] = pin.y;
        this.looks[index] = look;
        index += 1;
      }
    });
    this.#renderer.takePoints(this);
  }

  draw(camera, theme) { this.#renderer.draw(this, camera, theme); }

  /** The pin nearest to a point of the screen, within reach. */
  at(px, py, camera) {
    const [x, y] = camera.toWorld(px, py);
    const reach = REACH / camera.scale;
    let best = -1;
    let bestDistance = reach * reach;
    for (let index = 0; index < this.count; index += 1) {
      const dy = this.places[2 * index + 1] - y;
      if (dy > reach || dy < -reach) continue;
      const way = this.places[2 * index] - x;
      const dx = way - Math.round(way);
      const distance = dx * dx + dy * dy;
      if (distance <= bestDistance) [best, bestDistance] = [index, distance];
    }
    return this.#pins[best] ?? null;
  }
}

function lookOf({ properties }) {
  if (properties.style === "balloon") return LOOKS.indexOf("balloon");
  return LOOKS.indexOf(strength(properties.priority ?? 0));
}
