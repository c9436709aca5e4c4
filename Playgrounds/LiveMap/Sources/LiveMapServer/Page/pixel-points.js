// Points drawn by the processor: discs of pixels, written into an image.
import { DIAMETERS, LOOKS } from "./looks.js";

export class PixelPoints {
  #context;
  #image = null;
  #pixels = null;

  constructor(canvas) { this.#context = canvas.getContext("2d"); }

  takePoints() {}

  draw({ count, places, looks }, camera, theme) {
    const { width, height } = this.#context.canvas;
    if (this.#image?.width !== width || this.#image.height !== height) {
      this.#image = this.#context.createImageData(width, height);
      this.#pixels = new Uint32Array(this.#image.data.buffer);
    }
    this.#pixels.fill(0);
    const { density } = theme;
    const discs = DIAMETERS.map((diameter) => disc(diameter * density, width));
    const margin = Math.ceil(Math.max(...DIAMETERS) * density);
    const colors = LOOKS.map((look) => pixel(theme.rgb(look)));
    const scale = camera.scale * density;
    const [originX, originY] = [camera.middleX * density, camera.middleY * density];
    const { x: middleX, y: middleY, copies } = camera;
    for (let index = 0; index < count; index += 1) {
      const py = Math.round(originY + (places[2 * index + 1] - middleY) * scale);
      if (py < margin || py >= height - margin) continue;
      const way = places[2 * index] - middleX;
      const first = originX + (way - Math.round(way)) * scale;
      for (let copy = -copies; copy <= copies; copy += 1) {
        const px = Math.round(first + copy * scale);
        if (px >= margin && px < width - margin) this.#stamp(discs[looks[index]], colors[looks[index]], py * width + px);
      }
    }
    this.#context.putImageData(this.#image, 0, 0);
  }

  #stamp(offsets, color, position) {
    for (let index = 0; index < offsets.length; index += 1) this.#pixels[position + offsets[index]] = color;
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
function pixel([red, green, blue]) { return ((230 << 24) | (blue << 16) | (green << 8) | red) >>> 0; }
