// The map: its layers, its camera, and the pins on it.
import { Camera, project } from "./camera.js";
import { Gestures } from "./gestures.js";
import { drawLabel, drawScale } from "./labels.js";
import { Land } from "./land.js";
import { Pin } from "./pin.js";
import { Pins } from "./pins.js";
import { Spread } from "./spread.js";

/** How often the server learns of a move of the camera, in milliseconds. */
const VIEW_INTERVAL = 80;

export class MapView {
  camera = new Camera();
  pins;
  spread = new Spread();
  /** The sighting with the ring; null for none. */
  selected = null;
  /** The pin under the pointer, or the pin that the keyboard has reached. */
  pointed = null;
  theme = null;
  /** Whether the user has moved the map. */
  isTouched = false;
  #base = document.querySelector("#base");
  #canvas = document.querySelector("#map");
  #land = new Land();
  #gestures;
  #on;
  #isScheduled = false;
  #isBaseStale = true;
  #isDrawn = [];
  #lastFrame = 0;
  #wasBusy = false;
  #viewTimer = 0;

  /**
   * @param on `viewed` when the server has to learn of the view, `began` and `ended` of a drag,
   * `clicked` with a pin or null, `clickedLeg`, and `drew` after each frame.
   */
  constructor(on) {
    this.#on = on;
    this.pins = new Pins(document.querySelector("#points"));
    this.#gestures = new Gestures(this.#canvas, this.camera, {
      moved: () => {
        this.isTouched = true;
        this.moved();
      },
      began: on.began,
      ended: on.ended,
      clicked: (x, y) => this.#click(x, y),
      pointed: (x, y) => this.#point(x, y),
    });
  }

  async load() {
    await this.#land.load();
    this.moved();
  }

  // MARK: Changes

  change(difference) {
    this.pins.apply(difference, this.camera, performance.now());
    this.invalidate();
  }

  select(sighting) {
    this.selected = sighting;
    this.invalidate();
  }

  /** @param share the part of the free height that lies above the place. */
  flyTo(longitude, latitude, zoom, share = 0.5) {
    const { camera } = this;
    const [x, y] = project(longitude, latitude);
    const level = Math.min(Math.max(zoom, camera.zoom), Camera.maximum);
    const below = (0.5 - share) * (camera.free.bottom - camera.free.top);
    camera.flyTo(x, y + below / camera.scaleAt(level), level, performance.now());
    this.invalidate();
  }

  zoomBy(by) {
    const { camera } = this;
    camera.flyTo(camera.x, camera.y, camera.zoom + by, performance.now(), 260);
    this.invalidate();
  }

  /** Whether the map is zoomed in to a part without a pin. */
  get isEmpty() {
    const { camera } = this;
    if (camera.zoom < camera.minimum + 0.3) return false;
    const { left, top, right, bottom } = camera.free;
    for (const pin of this.pins.features.values()) {
      const [x, y] = camera.toScreen(pin.x, pin.y);
      if (x >= left && x <= right && y >= top && y <= bottom) return false;
    }
    return true;
  }

  /** Shows the world. */
  showAll() {
    const { camera } = this;
    camera.flyTo(camera.x, camera.y, camera.minimum, performance.now());
    this.invalidate();
  }

  /** Moves slowly to the side, as a finger does. */
  sweep() {
    const { camera } = this;
    camera.flyTo(camera.x + 120 / camera.scale, camera.y, camera.zoom, performance.now(), 2500);
    this.invalidate();
  }

  /** Shows all pins, unless the user has moved the map. */
  fit() {
    const { bounds } = this.pins;
    if (this.isTouched || !bounds || bounds[2] - bounds[0] > 0.5) return;
    this.camera.fit(bounds, performance.now());
    this.invalidate();
  }

  /** @param free the part of the window that no panel covers. */
  resize(theme, free) {
    const { innerWidth: width, innerHeight: height, devicePixelRatio: density } = window;
    for (const layer of [this.#base, this.#canvas, document.querySelector("#points")]) {
      layer.width = width * density;
      layer.height = height * density;
    }
    this.theme = theme;
    this.camera.resize(width, height, free);
    this.moved();
  }

  // MARK: Frames

  /** Calls a function when the changes so far are on the screen. */
  whenDrawn(body) {
    this.#isDrawn.push(body);
    this.invalidate();
  }

  invalidate() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    requestAnimationFrame(() => this.#frame());
  }

  #frame() {
    // The frame began before the last events, so its own time is too early.
    const now = performance.now();
    this.#isScheduled = false;
    const isFlying = this.camera.advance(now);
    const isGliding = this.#gestures.advance(Math.min(50, now - this.#lastFrame));
    this.#lastFrame = now;
    if (isFlying || isGliding) this.moved();
    if (this.#isBaseStale) this.#drawBase();
    this.#drawPins(now);
    for (const body of this.#isDrawn.splice(0)) body();
    this.#on.drew(now, performance.now() - now, this.#wasBusy);
    this.#wasBusy = isFlying || isGliding || this.pins.isBusy(now) || this.spread.isBusy(now);
    if (this.#wasBusy) this.invalidate();
  }

  #drawBase() {
    this.#isBaseStale = false;
    const context = this.#base.getContext("2d");
    context.setTransform(this.theme.density, 0, 0, this.theme.density, 0, 0);
    this.#land.draw(context, this.camera, this.theme);
    drawScale(this.camera);
  }

  #drawPins(now) {
    const { camera, theme, pins, pointed } = this;
    pins.drawPoints(camera, theme);
    const context = this.#canvas.getContext("2d");
    context.setTransform(theme.density, 0, 0, theme.density, 0, 0);
    context.clearRect(0, 0, camera.width, camera.height);
    const marked = [];
    const isPointed = pointed && pins.features.has(pointed.id);
    if (isPointed) marked.push({ pin: pointed, color: theme.label });
    const selected = this.#selectedPin();
    if (selected) marked.push({ pin: selected, color: theme.accent });
    pins.draw(context, camera, theme, now, marked);
    this.spread.draw(context, camera, theme, now, this.selected?.id);
    if (isPointed) drawLabel(context, camera, theme, pointed, now);
  }

  /** The pin of the selected sighting, the cluster nearest to its place, or else its place. */
  #selectedPin() {
    const { selected, pins, camera } = this;
    if (!selected || this.spread.ids.includes(selected.id)) return null;
    const pin = pins.features.get(selected.id);
    if (pin) return pin;
    if (selected.latitude === undefined || selected.longitude === undefined) return null;
    const [x, y] = project(selected.longitude, selected.latitude);
    return pins.clusterNear(x, y, camera) ?? new Pin(selected.id, x, y, null, { style: "balloon" });
  }

  // MARK: The view and the pointer

  /** Draws the new view, and tells the server, but not for every frame. */
  moved() {
    this.#isBaseStale = true;
    this.invalidate();
    if (!this.#viewTimer) this.#viewTimer = setTimeout(() => this.sendView(), VIEW_INTERVAL);
  }

  sendView() {
    clearTimeout(this.#viewTimer);
    this.#viewTimer = 0;
    this.#on.viewed({ ...this.camera.region, zoom: Math.max(0, this.camera.zoom) });
  }

  #point(x, y) {
    const now = performance.now();
    const pin = this.pins.at(x, y, this.camera, now);
    const leg = this.spread.at(x, y, this.camera, now);
    this.#canvas.classList.toggle("pointing", Boolean(pin ?? leg));
    if (pin === this.pointed) return;
    this.pointed = pin;
    this.invalidate();
  }

  #click(x, y) {
    const now = performance.now();
    const leg = this.spread.at(x, y, this.camera, now);
    if (leg) return this.#on.clickedLeg(leg);
    this.spread.close();
    this.#on.clicked(this.pins.at(x, y, this.camera, now));
    this.invalidate();
  }
}
