// The feed, the balloons and the switches beside the map.

const NUMBER = new Intl.NumberFormat("en");
const $ = (selector) => document.querySelector(selector);

export class Controls {
  #isImporting = false;
  #wasImporting = false;
  #on;

  /** @param on `importing` with whether to begin, `blew` with a setting, `imported` after an import. */
  constructor(on) {
    this.#on = on;
    $("#import").addEventListener("click", () => on.importing(!this.#isImporting));
    for (const [id, setting] of [["count", "count"], ["moves", "movesPerSecond"]]) {
      $(`#${id}`).addEventListener("input", ({ target }) => {
        $(`#${id}-value`).textContent = NUMBER.format(target.value);
        on.blew({ [setting]: Number(target.value) });
      });
    }
  }

  show(status) {
    this.#showFeed(status.feed);
    for (const [id, value] of [["count", status.balloons], ["moves", status.movesPerSecond]]) {
      const slider = $(`#${id}`);
      if (document.activeElement === slider) continue;
      slider.value = value;
      $(`#${id}-value`).textContent = NUMBER.format(value);
    }
  }

  #showFeed({ name, isRunning, fraction, result, problem }) {
    this.#isImporting = isRunning;
    const isFirst = !result && !problem;
    $("#import").textContent = isRunning ? "Stop" : isFirst ? `Import ${name}` : `Import ${name} again`;
    $("#import").classList.toggle("primary", isFirst);
    const progress = $("#progress");
    progress.hidden = !isRunning;
    if (isRunning && fraction === undefined) progress.removeAttribute("value");
    else progress.value = fraction ?? 0;
    $("#import-result").textContent = problem ?? (isRunning ? `${NUMBER.format(result.records)} read` : words(result));
    if (this.#wasImporting && !isRunning) this.#on.imported();
    this.#wasImporting = isRunning;
  }
}

/** The result of an import, in words. */
function words(result) {
  if (!result) return "";
  const { inserted, updated, unchanged, deleted } = result;
  const counts = Object.entries({ new: inserted, changed: updated, "as before": unchanged, gone: deleted });
  return counts.filter(([, count]) => count > 0)
    .map(([name, count]) => `${NUMBER.format(count)} ${name}`).join(", ") || "Nothing in the feed";
}
