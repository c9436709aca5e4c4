// A stack of pins at one place, spread out around it.
import { project } from "./camera.js";
import { Pin } from "./pin.js";
import { Sprites } from "./sprites.js";

const OPEN = 240;

export class Spread {
  #sprites = new Sprites();
  #legs = new Map();
  #opened = 0;
  /** The pin that is spread out; its id is that of its cluster. */
  pin = null;

  get isOpen() { return this.pin !== null; }

  isBusy(now) { return this.isOpen && now < this.#opened + OPEN; }

  /** Shows legs. A leg that is open already goes on from its place. */
  open(pin, legs, now) {
    if (this.pin?.id !== pin.id) {
      this.#legs.clear();
      this.#opened = now;
    }
    this.pin = pin;
    const old = this.#legs;
    this.#legs = new Map(legs.map(({ sighting, x, y }) => {
      const properties = { style: sighting.kind, priority: sighting.magnitude, title: sighting.place };
      const leg = old.get(sighting.id)?.leg ?? new Pin(sighting.id, x, y, null, properties);
      leg.goTo(x, y, now);
      return [sighting.id, { leg, sighting }];
    }));
  }

  close() {
    this.pin = null;
    this.#legs.clear();
  }

  get ids() { return [...this.#legs.keys()]; }

  #place(leg, camera, now) {
    const [cx, cy] = camera.toScreen(this.pin.x, this.pin.y);
    const t = Math.min(1, (now - this.#opened) / OPEN);
    const share = 1 - (1 - t) ** 3;
    const [x, y] = leg.at(now);
    return [cx + x * share, cy + y * share];
  }

  draw(context, camera, theme, now, selectedID) {
    if (!this.isOpen) return;
    const [cx, cy] = camera.toScreen(this.pin.x, this.pin.y);
    const places = [...this.#legs.values()].map(({ leg }) => [leg, ...this.#place(leg, camera, now)]);
    const reach = Math.max(0, ...places.map(([, x, y]) => Math.hypot(x - cx, y - cy)));
    context.beginPath();
    context.arc(cx, cy, reach + 20, 0, 2 * Math.PI);
    context.fillStyle = theme.cluster;
    context.strokeStyle = theme.line;
    context.globalAlpha = 0.92;
    context.fill();
    context.stroke();
    context.globalAlpha = 0.5;
    context.strokeStyle = theme.label;
    context.lineWidth = 1;
    context.beginPath();
    for (const [, x, y] of places) {
      context.moveTo(cx, cy);
      context.lineTo(x, y);
    }
    context.stroke();
    context.globalAlpha = 1;
    for (const [leg, x, y] of places) {
      this.#sprites.draw(context, theme, leg, x, y, 1.35);
      if (leg.id !== selectedID) continue;
      context.beginPath();
      context.arc(x, y, Sprites.radius(leg) + 6, 0, 2 * Math.PI);
      context.strokeStyle = theme.accent;
      context.lineWidth = 2.5;
      context.stroke();
    }
  }

  /** The leg at a point of the screen. */
  at(px, py, camera, now) {
    for (const { leg } of this.#legs.values()) {
      const [x, y] = this.#place(leg, camera, now);
      if (Math.hypot(px - x, py - y) < 14) return leg;
    }
    return null;
  }

  get legCount() { return this.#legs.size; }
}
