// The name of a pin, and the scale of the map.
import { kilometresPerPoint, SCALE, unproject } from "./camera.js";

const STEPS = [1, 2, 5];
const NUMBER = new Intl.NumberFormat("en");

/** The words for a pin: its title and its subtitle, or its number. */
export function words(pin) {
  if (pin.count > 1) return `${NUMBER.format(pin.count)} sightings`;
  const { title, subtitle } = pin.properties;
  return subtitle ? `${title} · ${subtitle}` : title;
}

export function drawLabel(context, camera, theme, pin, now) {
  const [x, y] = camera.toScreen(...pin.at(now));
  const text = words(pin);
  context.font = `560 12.5px ${theme.font}`;
  const width = context.measureText(text).width + 18;
  const left = Math.min(Math.max(x - width / 2, 8), camera.width - width - 8);
  context.fillStyle = theme.ink;
  context.beginPath();
  context.roundRect(left, y - 50, width, 25, 8);
  context.fill();
  context.fillStyle = theme.sea;
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.fillText(text, left + 9, y - 37);
}

/** Shows a round distance in the middle of the map. */
export function drawScale(camera) {
  const [, latitude] = unproject(camera.x, camera.y);
  const kilometres = kilometresPerPoint(latitude, camera.scale);
  const most = kilometres * SCALE;
  const power = 10 ** Math.floor(Math.log10(most));
  const distance = STEPS.findLast((step) => step * power <= most) * power;
  document.querySelector("#scale i").style.width = `${distance / kilometres}px`;
  document.querySelector("#scale b").textContent = `${NUMBER.format(distance)} km`;
}
