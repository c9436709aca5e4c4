// How long frames take, and what the registry does.

const SAMPLES = 120;
const NUMBER = new Intl.NumberFormat("en");

class Sparkline {
  #canvas;
  #values = [];

  constructor(selector) { this.#canvas = document.querySelector(selector); }

  add(value) {
    this.#values.push(value);
    if (this.#values.length > SAMPLES) this.#values.shift();
  }

  get values() { return this.#values; }

  /** @param line a value to draw a line at, and to have room for at least. */
  draw(color, faint, line) {
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const density = devicePixelRatio;
    this.#canvas.width = width * density;
    this.#canvas.height = height * density;
    const context = this.#canvas.getContext("2d");
    context.scale(density, density);
    const top = Math.max(line * 1.25, ...this.#values);
    context.fillStyle = faint;
    context.fillRect(0, height - (line / top) * height, width, 1);
    context.fillStyle = color;
    const step = width / SAMPLES;
    this.#values.forEach((value, index) => {
      const tall = Math.max(value > 0 ? 1 : 0, (value / top) * height);
      context.fillRect((SAMPLES - this.#values.length + index) * step, height - tall, step - 0.6, tall);
    });
  }
}

export class Meters {
  #frames = new Sparkline("#frames");
  #operations = new Sparkline("#operations");
  #counters = document.querySelector("#counters");
  #lastFrame = 0;
  #applied = 0;
  #sampled = { applied: 0, time: 0 };
  #status = null;

  /** Times in milliseconds of the last frames: from one to the next, and of drawing. */
  recent = { intervals: [], work: [] };

  /** @param isContinuous whether the frame before was asked for to go on. */
  frame(now, work, isContinuous) {
    const { intervals, work: times } = this.recent;
    if (isContinuous && this.#lastFrame > 0) {
      const interval = now - this.#lastFrame;
      intervals.push(interval);
      this.#frames.add(interval);
    }
    times.push(work);
    for (const list of [intervals, times]) if (list.length > SAMPLES) list.shift();
    this.#lastFrame = now;
  }

  show(status) {
    this.#status = status;
    this.#applied = status.added + status.moved + status.restyled + status.removed;
  }

  /** Draws what has been counted; call it a few times in a second. */
  sample(now, theme) {
    const elapsed = (now - this.#sampled.time) / 1000;
    // After a reconnection the counters begin anew.
    const rate = Math.max(0, this.#applied - this.#sampled.applied) / elapsed;
    this.#sampled = { applied: this.#applied, time: now };
    this.#operations.add(rate);
    this.#operations.draw(theme.accent, theme.line, 20);
    this.#frames.draw(theme.medium, theme.line, 16.7);
    const last = this.#operations.values.slice(-5);
    text("#rate", NUMBER.format(Math.round(last.reduce((sum, value) => sum + value, 0) / last.length)));
    const isIdle = now - this.#lastFrame > 400;
    text("#frame-time", isIdle ? "idle" : `${percentile(this.recent.work, 0.95).toFixed(1)} ms to draw`);
    if (this.#status) this.#list(this.#status);
  }

  #list(status) {
    const numbers = {
      added: status.added, moved: status.moved, restyled: status.restyled, removed: status.removed,
      coalesced: status.coalesced, suppressed: status.suppressed, pending: status.pending,
      peak: status.highWater, shown: status.shown, slices: status.slices,
      "worst slice": `${status.worstSliceMilliseconds.toFixed(1)} ms`, commit: status.commit,
      clusters: status.clustersLag ? "behind" : "exact", pages: status.pages,
    };
    if (this.#counters.childElementCount === 0) {
      for (const name of Object.keys(numbers)) {
        this.#counters.append(
          Object.assign(document.createElement("dt"), { textContent: name }),
          document.createElement("dd"),
        );
      }
    }
    Object.values(numbers).forEach((value, index) => {
      const shown = typeof value === "number" ? NUMBER.format(value) : value;
      this.#counters.children[2 * index + 1].textContent = shown;
    });
  }
}

function text(selector, value) { document.querySelector(selector).textContent = value; }

function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
