// All counters of the registry and of the page.

const SAMPLES = 120;
const NUMBER = new Intl.NumberFormat("en");

export class Counters {
  /** Times in milliseconds of the last frames: from frame to frame, and of drawing. */
  recent = { intervals: [], work: [] };
  #element = document.querySelector("#counters");
  #lastFrame = 0;

  /** @param isContinuous whether the frame before asked for this frame. */
  frame(now, work, isContinuous) {
    const { intervals, work: times } = this.recent;
    if (isContinuous && this.#lastFrame > 0) intervals.push(now - this.#lastFrame);
    times.push(work);
    for (const list of [intervals, times]) if (list.length > SAMPLES) list.shift();
    this.#lastFrame = now;
  }

  show(status) {
    if (!this.#element.closest("details").open) return;
    const values = {
      "Pins shown": status.shown, "Pins waiting": status.pending, "Most waiting": status.highWater,
      Added: status.added, Moved: status.moved, "New look": status.restyled, Removed: status.removed,
      "Merged while waiting": status.coalesced, "Without effect": status.suppressed,
      Slices: status.slices, "Longest slice": milliseconds(status.worstSliceMilliseconds),
      "Longest take": milliseconds(status.longestTakeMilliseconds),
      "Longest turns between two beats": milliseconds(status.longestTurnMilliseconds),
      "Time to draw": milliseconds(percentile(this.recent.work, 0.95)),
      Clusters: status.clustersLag ? "behind" : "exact", Commit: status.commit, Pages: status.pages,
    };
    if (this.#element.childElementCount === 0) {
      for (const name of Object.keys(values)) {
        this.#element.append(
          Object.assign(document.createElement("dt"), { textContent: name }),
          document.createElement("dd"),
        );
      }
    }
    Object.values(values).forEach((value, index) => {
      const shown = typeof value === "number" ? NUMBER.format(value) : value;
      this.#element.children[2 * index + 1].textContent = shown;
    });
  }
}

function milliseconds(value) { return `${value.toFixed(1)} ms`; }

function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
