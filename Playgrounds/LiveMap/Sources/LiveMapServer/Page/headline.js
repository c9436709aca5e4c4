// The headline: rows changed, map operations, bytes, each second.

const NUMBER = new Intl.NumberFormat("en");
/** The rates are those of the last samples. */
const SAMPLES = 10;

export class Headline {
  /** The rates of the last sample. */
  rates = { rows: 0, operations: 0, bytes: 0, moves: 0 };
  #samples = [];

  /** Begins to count anew, with other words for the operations. */
  restart(name) {
    this.#samples = [];
    text("#operations-name", name);
  }

  /** Takes the totals so far; call it a few times in a second. */
  sample(now, totals) {
    this.#samples.push({ now, ...totals });
    if (this.#samples.length > SAMPLES) this.#samples.shift();
    const [first] = this.#samples;
    const elapsed = (now - first.now) / 1000;
    if (elapsed <= 0) return;
    for (const name of Object.keys(this.rates)) {
      // A new session counts from zero.
      this.rates[name] = Math.max(0, totals[name] - first[name]) / elapsed;
    }
    text("#figure-rows", `${NUMBER.format(Math.round(this.rates.rows))}/s`);
    text("#figure-operations", `${NUMBER.format(Math.round(this.rates.operations))}/s`);
    text("#figure-bytes", `${bytes(this.rates.bytes)}/s`);
    text("#moves-reached", NUMBER.format(Math.round(this.rates.moves)));
  }
}

export function bytes(count) {
  if (count < 1000) return `${Math.round(count)} B`;
  if (count < 1e6) return `${(count / 1000).toFixed(count < 1e4 ? 1 : 0)} KB`;
  return `${(count / 1e6).toFixed(1)} MB`;
}

function text(selector, value) {
  const element = document.querySelector(selector);
  if (element.textContent !== value) element.textContent = value;
}
