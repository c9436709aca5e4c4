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

/** The length of the longest scale of the map, in points of the screen. */
export const SCALE = 80;
const EQUATOR = 40_075;

/** The kilometres of a point of the screen at a latitude. */
export function kilometresPerPoint(latitude, scale) {
  return (EQUATOR * Math.cos((latitude * Math.PI) / 180)) / scale;
}

/** The zoom at which the longest scale of the map shows a distance. */
export function zoomForScale(kilometres, latitude) {
  return Math.log2((kilometresPerPoint(latitude, TILE) * SCALE) / kilometres);
}

/** The visible part of the world. The camera's place is in the middle of the part without panels. */
export class Camera {
  /** As `ClusterOptions.maximumZoom` has it: beyond, the outlines have nothing to show. */
  static maximum = 8;

  x = 0.5;
  y = 0.42;
  zoom = 0;
  width = 1;
  height = 1;
  /** The part of the screen that no panel covers. */
  free = { left: 0, top: 0, right: 1, bottom: 1 };
  #flight = null;

  get scale() { return this.scaleAt(this.zoom); }

  /** The width of the world in points of the screen. */
  scaleAt(zoom) { return TILE * 2 ** zoom; }

  get middleX() { return (this.free.left + this.free.right) / 2; }
  get middleY() { return (this.free.top + this.free.bottom) / 2; }

  /** The zoom at which the world fills the free part. */
  get minimum() {
    const { left, top, right, bottom } = this.free;
    return Math.log2(Math.max(right - left, bottom - top, 200) / TILE);
  }

  /** The place in the middle of the free part stays there. */
  resize(width, height, free) {
    const isWorld = this.zoom <= this.minimum + 0.01;
    Object.assign(this, { width, height, free });
    if (isWorld) this.zoom = this.minimum;
    this.#settle();
  }

  /** The position of a place on the screen: of its copies, the copy nearest to the middle. */
  toScreen(x, y) {
    return [
      this.middleX + eastward(this.x, x) * this.scale, this.middleY + (y - this.y) * this.scale,
    ];
  }

  toWorld(px, py) {
    return [this.x + (px - this.middleX) / this.scale, this.y + (py - this.middleY) / this.scale];
  }

  /** The number of copies of the world that are visible to the left and right. */
  get copies() {
    const side = Math.max(this.middleX, this.width - this.middleX);
    return Math.ceil(side / this.scale);
  }

  panBy(dx, dy) {
    this.#flight = null;
    this.x -= dx / this.scale;
    this.y -= dy / this.scale;
    this.#settle();
  }

  /** Zooms so that the place at a point of the screen stays there. */
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
    const to = {
      x: this.x + eastward(this.x, x), y,
      zoom: Math.min(Math.max(zoom, this.minimum), Camera.maximum),
    };
    this.#flight = { from, to, start: now, duration };
  }

  /** Goes to a part of the world: `[west, north, east, south]` in the unit square. */
  fit([west, north, east, south], now) {
    const { left, top, right, bottom } = this.free;
    const scale = Math.min((right - left) / (east - west), (bottom - top) / (south - north)) * 0.9;
    const zoom = Math.min(Math.log2(scale / TILE), 5);
    this.flyTo((west + east) / 2, (north + south) / 2, zoom, now);
  }

  /** Goes on with a flight; answers whether there is one. */
  advance(now) {
    if (!this.#flight) return false;
    const { from, to, start, duration } = this.#flight;
    const t = Math.min(1, (now - start) / duration);
    const share = t < 0.5 ? 4 * t ** 3 : 1 - (2 - 2 * t) ** 3 / 2;
    this.zoom = from.zoom + (to.zoom - from.zoom) * share;
    // Even on the screen rather than in the world: a long way lies before the zoom.
    const scales = [from.zoom, this.zoom, to.zoom].map((zoom) => 2 ** -zoom);
    const way = scales[0] === scales[2] ? share : (scales[0] - scales[1]) / (scales[0] - scales[2]);
    this.x = from.x + (to.x - from.x) * way;
    this.y = from.y + (to.y - from.y) * way;
    if (t === 1) this.#flight = null;
    this.#settle();
    return true;
  }

  /** The visible part, in degrees. */
  get region() {
    const [west, top] = this.toWorld(0, 0);
    const [east, bottom] = this.toWorld(this.width, this.height);
    const [, north] = unproject(0, Math.max(0, top));
    const [, south] = unproject(0, Math.min(1, bottom));
    if (east - west >= 1) return { south, west: -180, north, east: 180 };
    const degrees = (x) => (x - Math.floor(x) - 0.5) * 360;
    return { south, west: degrees(west), north, east: degrees(east) };
  }

  /** Keeps the world over the free part. */
  #settle() {
    this.zoom = Math.min(Math.max(this.zoom, this.minimum), Camera.maximum);
    this.x -= Math.floor(this.x);
    const half = Math.min(0.5, (this.free.bottom - this.free.top) / 2 / this.scale);
    this.y = Math.min(Math.max(this.y, half), 1 - half);
  }
}
