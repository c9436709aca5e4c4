// The pins of the map: the features of the GeoJSON source, and their ways to their places.
import { eastward, project } from "./camera.js";
import { MOVE, Pin } from "./pin.js";
import { Points } from "./points.js";
import { Sprites } from "./sprites.js";

const APPEAR = 200;
/** Pins come out of a cluster, and go into one, that is as near as this, in points. */
const NEAR = 140;
/** The distance of a pin from its cluster, at most, in points: the radius of clusters, and a zoom between two levels. */
const CLUSTER_REACH = 88;
/** More at once simply fade. */
const MOST_PAIRS = 60_000;
const BLINK = 500;
/** More at once do not blink. */
const MOST_BLINKS = 80;
const REDUCED = matchMedia("(prefers-reduced-motion: reduce)");
/** More pins are drawn as points, without moves and fades. */
const MOST_SPRITES = 3_000;

export class Pins {
  /** The features that the server has sent, by id. */
  features = new Map();
  #points;
  /** Whether the points are those of the features. */
  #arePointsCurrent = true;
  #leaving = [];
  #stale = new Set();
  #hasNoClusters = false;
  #sprites = new Sprites();
  /** Until when something moves or fades. */
  #busyUntil = 0;

  /** @param canvas the layer for points. */
  constructor(canvas) { this.#points = new Points(canvas); }

  isBusy(now) { return now < this.#busyUntil; }

  /** Whether the pins are drawn as points. */
  get areMany() { return this.features.size > MOST_SPRITES; }

  /** The name of the class that draws points. */
  get renderer() { return this.#points.renderer; }

  /** The part of the world with pins, `[west, north, east, south]` in the unit square; null without pins. */
  get bounds() {
    let [west, north, east, south] = [Infinity, Infinity, -Infinity, -Infinity];
    for (const { x, y } of this.features.values()) {
      [west, east] = [Math.min(west, x), Math.max(east, x)];
      [north, south] = [Math.min(north, y), Math.max(south, y)];
    }
    return west <= east ? [west, north, east, south] : null;
  }

  // MARK: The source

  /**
   * A new connection sends everything again. A pin that is sent again must not flicker.
   *
   * @param hasNoClusters whether the connection sends a pin for each row. Then the first of them take the
   * place of all clusters, which would lie over their own pins.
   */
  expectAll(hasNoClusters = false) {
    this.#stale = new Set(this.features.keys());
    this.#hasNoClusters = hasNoClusters;
  }

  /** Removes the pins that a new connection has not sent again. */
  complete(camera, now) {
    this.apply({ add: [], update: [], remove: [...this.#stale] }, camera, now);
    this.#stale.clear();
  }

  /** Takes a difference, in the form of MapLibre's `GeoJSONSource.updateData`. */
  apply({ add, update, remove }, camera, now) {
    this.#arePointsCurrent = false;
    const ghosts = this.#hasNoClusters && add.length > 0 ? this.#clusters() : [];
    if (add.length > 0) this.#hasNoClusters = false;
    const gone = [...ghosts, ...remove].map((id) => this.#take(id)).filter((pin) => pin);
    const changed = update.map((change) => this.#change(change, now)).filter((pin) => pin);
    const come = add.map((feature) => this.#put(feature, now)).filter((pin) => pin);
    if (this.areMany) {
      this.#leaving = [];
      return;
    }
    this.#blink([...update, ...add], now);
    const isPaired = (gone.length + changed.length) * (come.length + 1) < MOST_PAIRS;
    const sources = isPaired ? [...gone, ...changed].filter((pin) => pin.count > 1) : [];
    for (const pin of come) this.#enter(pin, nearest(pin, sources, camera), now);
    const targets = isPaired ? [...come, ...changed].filter((pin) => pin.count > 1) : [];
    for (const pin of gone) this.#leave(pin, nearest(pin, targets, camera), now);
    this.#busyUntil = Math.max(this.#busyUntil, now + MOVE);
  }

  #clusters() { return [...this.features.values()].filter((pin) => pin.count > 1).map(({ id }) => id); }

  #put({ id, geometry, properties }, now) {
    this.#stale.delete(id);
    const [x, y] = project(...geometry.coordinates);
    const known = this.features.get(id);
    if (known) {
      known.coordinates = geometry.coordinates;
      known.goTo(x, y, now);
      known.properties = properties;
      known.sprite = null;
      return null;
    }
    const pin = new Pin(id, x, y, geometry.coordinates, properties);
    this.features.set(id, pin);
    return pin;
  }

  #change({ id, newGeometry, removeProperties = [], addOrUpdateProperties = [] }, now) {
    const pin = this.features.get(id);
    if (!pin) return null;
    if (newGeometry) {
      pin.coordinates = newGeometry.coordinates;
      pin.goTo(...project(...newGeometry.coordinates), now);
    }
    if (removeProperties.length + addOrUpdateProperties.length === 0) return null;
    const properties = { ...pin.properties };
    for (const key of removeProperties) delete properties[key];
    for (const { key, value } of addOrUpdateProperties) properties[key] = value;
    pin.properties = properties;
    pin.sprite = null;
    return pin;
  }

  /** Each pin that got an operation blinks once. If many got one, such as at the beginning, none does. */
  #blink(changes, now) {
    if (changes.length > MOST_BLINKS || REDUCED.matches) return;
    for (const { id } of changes) {
      const pin = this.features.get(id);
      if (pin) pin.blinks = now;
    }
    if (changes.length > 0) this.#busyUntil = Math.max(this.#busyUntil, now + BLINK);
  }

  #take(id) {
    const pin = this.features.get(id);
    this.features.delete(id);
    return pin;
  }

  #enter(pin, source, now) {
    pin.appears = now;
    if (source) pin.comeFrom(...source.at(now), now);
  }

  #leave(pin, target, now) {
    pin.leaves = now;
    if (target) pin.goTo(target.x, target.y, now);
    this.#leaving.push(pin);
  }

  // MARK: Drawing

  /** Draws the layer of points; with few pins it is empty. */
  drawPoints(camera, theme) {
    const { areMany } = this;
    if (!areMany && this.#points.count === 0) return;
    if (!this.#arePointsCurrent) {
      this.#arePointsCurrent = true;
      this.#points.take(areMany ? this.#singles() : []);
    }
    this.#points.draw(camera, theme);
  }

  * #singles() {
    for (const pin of this.features.values()) if (pin.count === 1) yield pin;
  }

  draw(context, camera, theme, now, marked) {
    this.#leaving = this.#leaving.filter((pin) => now - pin.leaves < APPEAR);
    for (const pin of this.#leaving) this.#drawPin(context, camera, theme, now, pin);
    const clusters = [];
    const { areMany } = this;
    for (const pin of this.features.values()) {
      if (pin.count > 1) clusters.push(pin);
      else if (!areMany) this.#drawPin(context, camera, theme, now, pin);
    }
    for (const pin of clusters) this.#drawPin(context, camera, theme, now, pin);
    for (const { pin, color } of marked) this.#drawRing(context, camera, now, pin, color);
  }

  #drawPin(context, camera, theme, now, pin) {
    const [px, py] = camera.toScreen(...pin.at(now));
    if (py < -30 || py > camera.height + 30) return;
    const alpha = pin.leaves
      ? 1 - (now - pin.leaves) / APPEAR
      : Math.min(1, (now - pin.appears) / APPEAR);
    if (alpha <= 0) return;
    const size = 0.55 + 0.45 * alpha;
    const blink = (now - pin.blinks) / BLINK;
    if (alpha < 1) context.globalAlpha = alpha;
    for (let copy = -camera.copies; copy <= camera.copies; copy += 1) {
      const x = px + copy * camera.scale;
      if (x < -30 || x > camera.width + 30) continue;
      this.#sprites.draw(context, theme, pin, x, py, size);
      if (blink < 1) drawBlink(context, theme, x, py, Sprites.radius(pin), blink);
    }
    if (alpha < 1) context.globalAlpha = 1;
  }

  #drawRing(context, camera, now, pin, color) {
    const [px, py] = camera.toScreen(...pin.at(now));
    context.beginPath();
    context.arc(px, py, Sprites.radius(pin) + 4, 0, 2 * Math.PI);
    context.strokeStyle = color;
    context.lineWidth = 2.5;
    context.stroke();
  }

  /** The cluster nearest to a place, if it is near enough to have the place; null without one. */
  clusterNear(x, y, camera) {
    const reach = CLUSTER_REACH / camera.scale;
    let best = null;
    let bestDistance = reach;
    for (const pin of this.features.values()) {
      if (pin.count === 1) continue;
      const distance = Math.hypot(eastward(pin.x, x), pin.y - y);
      if (distance < bestDistance) [best, bestDistance] = [pin, distance];
    }
    return best;
  }

  /** The pin at a point of the screen. */
  at(px, py, camera, now) {
    if (this.areMany) return this.#points.at(px, py, camera);
    let best = null;
    let bestDistance = Infinity;
    for (const pin of this.features.values()) {
      const [x, y] = camera.toScreen(...pin.at(now));
      const wrapped = ((px - x + camera.scale / 2) % camera.scale) - camera.scale / 2;
      const distance = Math.hypot(Math.abs(px - x) < 40 ? px - x : wrapped, py - y);
      const reach = Math.max(Sprites.radius(pin), 8) + 2;
      if (distance < reach && distance - reach < bestDistance) {
        [best, bestDistance] = [pin, distance - reach];
      }
    }
    return best;
  }
}

/** A ring that grows and fades. */
function drawBlink(context, theme, x, y, radius, share) {
  const before = context.globalAlpha;
  context.globalAlpha = before * (1 - share) * 0.9;
  context.beginPath();
  context.arc(x, y, radius + 1 + 7 * share, 0, 2 * Math.PI);
  context.strokeStyle = theme.accent;
  context.lineWidth = 2;
  context.stroke();
  context.globalAlpha = before;
}

function nearest(pin, others, camera) {
  let best = null;
  let bestDistance = NEAR / camera.scale;
  for (const other of others) {
    const distance = Math.hypot(eastward(pin.x, other.x), pin.y - other.y);
    if (distance < bestDistance) [best, bestDistance] = [other, distance];
  }
  return best;
}
