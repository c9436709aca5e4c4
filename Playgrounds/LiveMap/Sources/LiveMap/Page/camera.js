// Web Mercator. The world is the unit square; longitudes go on beyond its sides.

/** The width of the world in points of the screen at zoom 0, as `ClusterOptions.tileSize` has it. */
export const TILE = 512;

export function project(longitude, latitude) {
  const sine = Math.sin((Math.min(Math.max(latitude, -85.0511), 85.0511) * Math.PI) / 180);
  return [longitude / 360 + 0.5, 0.5 - (0.25 * Math.log((1 + sine) / (1 - sine))) / Math.PI];
}

export function unproject(x, y) {
  return [(x - 0.5) * 360, (Math.atan(Math.sinh((0.5 - y) * 2 * Math.PI)) * 180) / Math.PI];
}

/** The shorter way around the world from one x to another. */
export function eastward(from, to) {
  const way = to - from;
  return way - Math.round(way);
}

/** What of the world is on the screen, and where. */
export class Camera {
  /** As `ClusterOptions.maximumZoom` has it: beyond, the outlines have nothing to show. */
  static maximum = 10;

  x = 0.5;
  y = 0.42;
  zoom = 1;
  width = 1;
  height = 1;
  #flight = null;

  get scale() { return TILE * 2 ** this.zoom; }

  /** The zoom at which the world is as high as the screen. */
  get minimum() { return Math.log2(Math.max(this.height, 256) / TILE); }

  resize(width, height) {
    this.width = width;
    this.height = height;
    this.#settle();
  }

  /** Where a point of the world is on the screen: of its copies, the one nearest to the middle. */
  toScreen(x, y) {
    return [
      this.width / 2 + eastward(this.x, x) * this.scale,
      this.height / 2 + (y - this.y) * this.scale,
    ];
  }

  toWorld(px, py) {
    return [
      this.x + (px - this.width / 2) / this.scale, this.y + (py - this.height / 2) / this.scale,
    ];
  }

  /** How far copies of the world to the left and right are visible. */
  get copies() { return Math.ceil((this.width / this.scale - 1) / 2 + 0.5); }

  panBy(dx, dy) {
    this.#flight = null;
    this.x -= dx / this.scale;
    this.y -= dy / this.scale;
    this.#settle();
  }

  /** Zooms so that what is at a point of the screen stays there. */
  zoomAt(px, py, by) {
    this.#flight = null;
    const [x, y] = this.toWorld(px, py);
    this.zoom += by;
    this.#settle();
    const [nx, ny] = this.toWorld(px, py);
    this.x += x - nx;
    this.y += y - ny;
    this.#settle();
  }

  /** Goes to a place in a moment. */
  flyTo(x, y, zoom, now, duration = 420) {
    const from = { x: this.x, y: this.y, zoom: this.zoom };
    const to = { x: this.x + eastward(this.x, x), y, zoom: Math.min(zoom, Camera.maximum) };
    this.#flight = { from, to, start: now, duration };
  }

  /** Goes on with a flight; answers whether there is one. */
  advance(now) {
    if (!this.#flight) return false;
    const { from, to, start, duration } = this.#flight;
    const t = Math.min(1, (now - start) / duration);
    const share = t < 0.5 ? 4 * t ** 3 : 1 - (2 - 2 * t) ** 3 / 2;
    this.zoom = from.zoom + (to.zoom - from.zoom) * share;
    // Evenly on the screen rather than in the world: what is far goes by before the zoom.
    const scales = [from.zoom, this.zoom, to.zoom].map((zoom) => 2 ** -zoom);
    const way = scales[0] === scales[2] ? share : (scales[0] - scales[1]) / (scales[0] - scales[2]);
    this.x = from.x + (to.x - from.x) * way;
    this.y = from.y + (to.y - from.y) * way;
    if (t === 1) this.#flight = null;
    this.#settle();
    return true;
  }

  /** What is visible, in degrees. */
  get region() {
    const half = this.width / 2 / this.scale;
    const [, north] = unproject(0, Math.max(0, this.y - this.height / 2 / this.scale));
    const [, south] = unproject(0, Math.min(1, this.y + this.height / 2 / this.scale));
    if (half >= 0.5) return { south, west: -180, north, east: 180 };
    const degrees = (x) => (x - Math.floor(x) - 0.5) * 360;
    return { south, west: degrees(this.x - half), north, east: degrees(this.x + half) };
  }

  #settle() {
    this.zoom = Math.min(Math.max(this.zoom, this.minimum), Camera.maximum);
    this.x -= Math.floor(this.x);
    const half = Math.min(0.5, this.height / 2 / this.scale);
    this.y = Math.min(Math.max(this.y, half), 1 - half);
  }
}
