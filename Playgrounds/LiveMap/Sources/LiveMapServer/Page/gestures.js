// Fingers, mouse and keys, as moves of a camera.

/** A shorter way of a finger, in points, is a click. */
const CLICK = 4;
const KEYS = {
  ArrowLeft: [90, 0], ArrowRight: [-90, 0], ArrowUp: [0, 90], ArrowDown: [0, -90],
};

export class Gestures {
  #canvas;
  #camera;
  #on;
  #pointers = new Map();
  #isDragging = false;
  #velocity = [0, 0];
  #lastMove = 0;

  /** @param on `moved`, `began` and `ended` of a drag, `clicked`, `pointed`. */
  constructor(canvas, camera, on) {
    this.#canvas = canvas;
    this.#camera = camera;
    this.#on = on;
    canvas.addEventListener("pointerdown", (event) => this.#down(event));
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    for (const name of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(name, (event) => this.#up(event, name === "pointerup"));
    }
    canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    canvas.addEventListener("dblclick", (event) => {
      const [x, y] = camera.toWorld(event.offsetX, event.offsetY);
      camera.flyTo(x, y, camera.zoom + 1, performance.now(), 260);
      on.moved();
    });
    canvas.addEventListener("keydown", (event) => this.#key(event));
  }

  /** Goes on gliding after a drag; answers whether it does. */
  advance(elapsed) {
    if (this.#pointers.size > 0 || !this.#isDragging) return false;
    const [vx, vy] = this.#velocity;
    if (Math.hypot(vx, vy) < 0.02) {
      this.#end();
      return false;
    }
    this.#camera.panBy(vx * elapsed, vy * elapsed);
    const friction = Math.exp(-elapsed / 160);
    this.#velocity = [vx * friction, vy * friction];
    return true;
  }

  #down(event) {
    this.#canvas.setPointerCapture(event.pointerId);
    this.#canvas.focus({ preventScroll: true });
    const point = { x: event.offsetX, y: event.offsetY };
    this.#pointers.set(event.pointerId, { ...point, start: point });
    this.#velocity = [0, 0];
  }

  #move(event) {
    const pointer = this.#pointers.get(event.pointerId);
    const point = { x: event.offsetX, y: event.offsetY };
    if (!pointer) return this.#on.pointed(point.x, point.y);
    if (!this.#isDragging) {
      if (Math.hypot(point.x - pointer.start.x, point.y - pointer.start.y) < CLICK) return;
      this.#isDragging = true;
      this.#canvas.classList.add("dragging");
      this.#on.began();
    }
    if (this.#pointers.size === 2) this.#pinch(pointer, point, event.pointerId);
    else this.#pan(pointer, point, event.timeStamp);
    pointer.x = point.x;
    pointer.y = point.y;
    this.#on.moved();
  }

  #pan(pointer, point, time) {
    const [dx, dy] = [point.x - pointer.x, point.y - pointer.y];
    const elapsed = Math.max(1, time - this.#lastMove);
    this.#lastMove = time;
    const keep = Math.exp(-elapsed / 40);
    this.#velocity = [
      this.#velocity[0] * keep + (dx / elapsed) * (1 - keep),
      this.#velocity[1] * keep + (dy / elapsed) * (1 - keep),
    ];
    this.#camera.panBy(dx, dy);
  }

  #pinch(pointer, point, id) {
    const [, other] = [...this.#pointers].find(([key]) => key !== id);
    const before = Math.hypot(pointer.x - other.x, pointer.y - other.y);
    const after = Math.hypot(point.x - other.x, point.y - other.y);
    this.#camera.panBy((point.x - pointer.x) / 2, (point.y - pointer.y) / 2);
    const by = Math.log2(Math.max(after, 1) / Math.max(before, 1));
    this.#camera.zoomAt((point.x + other.x) / 2, (point.y + other.y) / 2, by);
  }

  #up(event, isClick) {
    const pointer = this.#pointers.get(event.pointerId);
    this.#pointers.delete(event.pointerId);
    if (!pointer || this.#pointers.size > 0) return;
    if (!this.#isDragging) {
      if (isClick) this.#on.clicked(event.offsetX, event.offsetY);
      return;
    }
    // The finger rested before it left.
    if (event.timeStamp - this.#lastMove > 80) this.#velocity = [0, 0];
    this.#on.moved();
  }

  #end() {
    this.#isDragging = false;
    this.#canvas.classList.remove("dragging");
    this.#on.ended();
  }

  #wheel(event) {
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    const by = -event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.0028);
    this.#camera.zoomAt(event.offsetX, event.offsetY, Math.min(Math.max(by, -0.6), 0.6));
    this.#on.moved();
  }

  #key(event) {
    const { middleX, middleY } = this.#camera;
    if (KEYS[event.key]) this.#camera.panBy(...KEYS[event.key]);
    else if (event.key === "+" || event.key === "=") this.#camera.zoomAt(middleX, middleY, 0.5);
    else if (event.key === "-") this.#camera.zoomAt(middleX, middleY, -0.5);
    else return;
    event.preventDefault();
    this.#on.moved();
  }
}
