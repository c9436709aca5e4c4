// The clusters of the legend: three sizes, drawn as on the map.
import { Sprites } from "./sprites.js";

const COUNTS = [2, 100, 10_000];
const HEIGHT = 44;

export function drawLegend(theme) {
  const canvas = document.querySelector("#legend-clusters");
  const context = canvas.getContext("2d");
  const sprites = new Sprites();
  const width = 40 * COUNTS.length + 10;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${HEIGHT}px`;
  canvas.width = width * theme.density;
  canvas.height = HEIGHT * theme.density;
  context.scale(theme.density, theme.density);
  COUNTS.forEach((count, index) => {
    // The number of balloons, medium, strong and great quakes.
    const values = [0.2, 0.3, 0.15, 0.05].map((share) => Math.round(share * count));
    const pin = { count, properties: { values } };
    sprites.draw(context, theme, pin, 22 + index * 40, HEIGHT / 2, 1);
  });
}
