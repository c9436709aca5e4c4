// The pins of the map by keyboard: N and P go from pin to pin, Enter opens a pin.
import { words } from "./labels.js";

/** @param on `opened` with a pin. */
export function followKeys(map, on) {
  const spoken = document.querySelector("#map-spoken");
  document.querySelector("#map").addEventListener("keydown", (event) => {
    const step = { n: 1, p: -1 }[event.key.toLowerCase()];
    if (event.key === "Enter" && map.pointed) {
      on.opened(map.pointed);
    } else if (step && !event.ctrlKey && !event.metaKey) {
      const pins = visible(map);
      if (pins.length === 0) return;
      const index = pins.findIndex(({ id }) => id === map.pointed?.id);
      const next = index < 0 && step < 0 ? pins.length - 1 : (index + step + pins.length) % pins.length;
      map.pointed = pins[next];
      spoken.textContent = words(map.pointed);
      map.invalidate();
    }
  });
}

/** The pins in the free part of the map, from left to right. */
function visible({ camera, pins }) {
  const { left, top, right, bottom } = camera.free;
  const places = [];
  for (const pin of pins.features.values()) {
    const [x, y] = camera.toScreen(pin.x, pin.y);
    if (x >= left && x <= right && y >= top && y <= bottom) places.push({ pin, x });
  }
  return places.sort((a, b) => a.x - b.x).map(({ pin }) => pin);
}
