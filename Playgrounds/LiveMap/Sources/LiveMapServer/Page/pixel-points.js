// Points drawn by the processor: discs of pixels are counted, and the counts become an image.
import { DENSEST, DENSITY, density, DIAMETERS, LOOKS } from "./looks.js";

/** A cell has the number of points over a pixel in its low bits, and the look of the last point above them. */
const COUNT_BITS = 8;

export class PixelPoints {
  #context;
  #image = null;
  #pixels = null;
  #cells = null;
  /** The pixel for each value of a cell. */
  #palette = new Uint32Array(LOOKS.length << COUNT_BITS);
  #theme = null;

  constructor(canvas) { this.#context = canvas.getContext("2d"); }

  takePoints() {}

  draw({ count, places, looks }, camera, theme) {
    const { width, height } = this.#context.canvas;
    if (this.#image?.width !== width || this.#image.height !== height) {
      this.#image = this.#context.createImageData(width, height);
      this.#pixels = new Uint32Array(this.#image.data.buffer);
      this.#cells = new Uint16Array(this.#pixels.length);
    }
    this.#takeColors(theme);
    this.#cells.fill(0);
    const discs = DIAMETERS.map((diameter) => disc(diameter * theme.density, width));
    const margin = Math.ceil(Math.max(...DIAMETERS) * theme.density);
    const scale = camera.scale * theme.density;
    const [originX, originY] = [camera.middleX * theme.density, camera.middleY * theme.density];
    const { x: middleX, y: middleY, copies } = camera;
    for (let index = 0; index < count; index += 1) {
      const py = Math.round(originY + (places[2 * index + 1] - middleY) * scale);
      if (py < margin || py >= height - margin) continue;
      const way = places[2 * index] - middleX;
      const first = originX + (way - Math.round(way)) * scale;
      for (let copy = -copies; copy <= copies; copy += 1) {
        const px = Math.round(first + copy * scale);
        if (px >= margin && px < width - margin) this.#stamp(discs[looks[index]], looks[index], py * width + px);
      }
    }
    for (let index = 0; index < this.#cells.length; index += 1) this.#pixels[index] = this.#palette[this.#cells[index]];
    this.#context.putImageData(this.#image, 0, 0);
  }

  #stamp(offsets, look, position) {
    for (let index = 0; index < offsets.length; index += 1) {
      const at = position + offsets[index];
      const count = this.#cells[at] & DENSEST;
      this.#cells[at] = (look << COUNT_BITS) | (count < DENSEST ? count + 1 : count);
    }
  }

  #takeColors(theme) {
    if (theme === this.#theme) return;
    this.#theme = theme;
    const ink = theme.rgb("ink");
    LOOKS.forEach((look, index) => {
      const color = theme.rgb(look);
      for (let count = 1; count <= DENSEST; count += 1) {
        const share = density(count);
        const shaded = color.map((part, at) => part + (ink[at] - part) * share * DENSITY.shade);
        const opacity = DENSITY.opacity + (1 - DENSITY.opacity) * share;
        this.#palette[(index << COUNT_BITS) | count] = pixel(shaded, opacity);
      }
    });
  }
}

/** The offsets of the pixels of a disc around its middle. */
function disc(diameter, width) {
  const radius = diameter / 2;
  const reach = Math.ceil(radius);
  const offsets = [];
  for (let y = -reach; y <= reach; y += 1) {
    for (let x = -reach; x <= reach; x += 1) {
      if (x * x + y * y < radius * radius) offsets.push(y * width + x);
    }
  }
  return Int32Array.from(offsets);
}

/** A colour in the order of bytes of an image on a little-endian machine. */
function pixel(color, opacity) {
  const [red, green, blue, alpha] = [...color, 255 * opacity].map(Math.round);
  return ((alpha << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}
