// The map behind the pins: Natural Earth's outlines, drawn once for each view that stands still.
import { project } from "./camera.js";

/** Points of the unit square from the distances between hundredths of degrees. */
function decode(line) {
  const points = new Float64Array(line.length);
  let [longitude, latitude] = [0, 0];
  let [west, north, east, south] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < line.length; i += 2) {
    longitude += line[i];
    latitude += line[i + 1];
    const [x, y] = project(longitude / 100, latitude / 100);
    points[i] = x;
    points[i + 1] = y;
    [west, east] = [Math.min(west, x), Math.max(east, x)];
    [north, south] = [Math.min(north, y), Math.max(south, y)];
  }
  return { points, west, north, east, south };
}

export class Land {
  #levels = { coarse: [], fine: [], borders: [] };
  #cities = [];

  async load() {
    const [outlines, cities] = await Promise.all(
      ["data/outlines.json", "data/cities.json"].map(async (path) => (await fetch(path)).json()),
    );
    for (const [name, lines] of Object.entries(outlines)) this.#levels[name] = lines.map(decode);
    this.#cities = cities.map(([name, longitude, latitude]) => {
      const [x, y] = project(longitude, latitude);
      return { name, x, y };
    });
  }

  draw(context, camera, colors) {
    context.fillStyle = colors.sea;
    context.fillRect(0, 0, camera.width, camera.height);
    this.#drawGrid(context, camera, colors);
    // South of the outlines lies the Antarctic.
    const [, south] = camera.toScreen(0, 1);
    context.fillStyle = colors.land;
    context.fillRect(0, south - 1, camera.width, Math.max(0, camera.height - south + 1));
    const land = this.#path(camera, camera.zoom < 2.2 ? "coarse" : "fine");
    context.fillStyle = colors.land;
    context.fill(land, "evenodd");
    context.lineJoin = "round";
    context.strokeStyle = colors.border;
    context.lineWidth = 1;
    context.stroke(this.#path(camera, "borders"));
    context.strokeStyle = colors.coast;
    context.lineWidth = camera.zoom < 2 ? 0.6 : 0.9;
    context.stroke(land);
    if (camera.zoom > 2.6) this.#drawCities(context, camera, colors);
  }

  /** Only lines that can be seen, in points of the screen, without steps smaller than half a point. */
  #path(camera, level) {
    const path = new Path2D();
    const { scale, copies } = camera;
    const [left, top] = camera.toWorld(0, 0);
    const [right, bottom] = camera.toWorld(camera.width, camera.height);
    for (let copy = -copies; copy <= copies; copy += 1) {
      for (const { points, west, north, east, south } of this.#levels[level]) {
        if (west + copy > right || east + copy < left || north > bottom || south < top) continue;
        if (level !== "borders" && (east - west) * scale < 1.2) continue;
        this.#trace(path, points, copy - left, -top, scale);
      }
    }
    return path;
  }

  #trace(path, points, dx, dy, scale) {
    let px = (points[0] + dx) * scale;
    let py = (points[1] + dy) * scale;
    path.moveTo(px, py);
    for (let i = 2; i < points.length; i += 2) {
      const x = (points[i] + dx) * scale;
      const y = (points[i + 1] + dy) * scale;
      if (Math.abs(x - px) + Math.abs(y - py) < 0.6 && i < points.length - 2) continue;
      path.lineTo(x, y);
      [px, py] = [x, y];
    }
  }

  #drawGrid(context, camera, colors) {
    const step = camera.zoom < 3 ? 30 : camera.zoom < 5 ? 10 : 2;
    const [left, top] = camera.toWorld(0, 0);
    const [right, bottom] = camera.toWorld(camera.width, camera.height);
    context.beginPath();
    const first = Math.ceil(((left - 0.5) * 360) / step) * step;
    for (let degrees = first; degrees <= (right - 0.5) * 360; degrees += step) {
      const x = (degrees / 360 + 0.5 - left) * camera.scale;
      context.moveTo(x, 0);
      context.lineTo(x, camera.height);
    }
    for (let degrees = -90 + step; degrees < 90; degrees += step) {
      const [, y] = project(0, degrees);
      if (y < top || y > bottom) continue;
      context.moveTo(0, (y - top) * camera.scale);
      context.lineTo(camera.width, (y - top) * camera.scale);
    }
    context.strokeStyle = colors.grid;
    context.lineWidth = 1;
    context.stroke();
  }

  /** The largest cities whose names have room. */
  #drawCities(context, camera, colors) {
    context.font = '11.5px Inter, "SF Pro Text", "Segoe UI", "Liberation Sans", sans-serif';
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.lineWidth = 3;
    const taken = [];
    for (const { name, x, y } of this.#cities) {
      const [px, py] = camera.toScreen(x, y);
      if (px < 0 || py < 0 || px > camera.width || py > camera.height) continue;
      const box = [px - 4, py - 9, px + 12 + name.length * 6.4, py + 9];
      const meets = (o) => box[0] < o[2] && box[2] > o[0] && box[1] < o[3] && box[3] > o[1];
      if (taken.some(meets)) continue;
      taken.push(box);
      context.strokeStyle = colors.halo;
      context.strokeText(name, px + 7, py);
      context.fillStyle = colors.label;
      context.fillText(name, px + 7, py);
      context.beginPath();
      context.arc(px, py, 2, 0, 2 * Math.PI);
      context.fill();
    }
  }
}
