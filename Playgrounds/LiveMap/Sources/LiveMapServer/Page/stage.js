// Ten seconds on stage: a pin for each of many balloons, the same as clusters, a drag, and a second window.
import { project } from "./camera.js";
import { bytes } from "./headline.js";

const NUMBER = new Intl.NumberFormat("en");
const $ = (selector) => document.querySelector(selector);
/** A part of the world over which many balloons drift: longitude, latitude, zoom. */
const ASIA = [100, 28, 3];
/** The moves of each balloon in a second. */
const MOVES = 0.4;
/** A slow machine gets this much longer for each beat, in milliseconds. */
const PATIENCE = 30_000;

export class Stage {
  /** The sentences so far. */
  told = [];
  #count = Number(new URLSearchParams(location.search).get("stage") ?? 20_000);
  #page;
  #run = null;
  #before = null;
  #second = null;

  /** @param page the map, the comparison, the headline, the list, `send`, `status`, and the `operations` so far. */
  constructor(page) { this.#page = page; }

  get isOn() { return this.#run !== null; }

  toggle() {
    if (this.isOn) this.end();
    else this.#play();
  }

  /** Takes everything back that the show has changed. */
  end() {
    if (!this.isOn) return;
    const { send, compare } = this.#page;
    this.#run = null;
    this.#second?.remove();
    this.#second = null;
    send("release", { reason: "drag" });
    send("balloons", this.#before.balloons);
    compare.choose(this.#before.mode);
    document.body.classList.remove("on-stage");
    $("#stage").hidden = true;
  }

  async #play() {
    const run = {};
    this.#run = run;
    this.told = [];
    const { compare, status } = this.#page;
    const { balloons: count, movesPerSecond } = status();
    this.#before = { mode: compare.mode, balloons: { count, movesPerSecond } };
    document.body.classList.add("on-stage");
    try {
      await this.#takeOff(run);
      const pins = await this.#showPins(run);
      await this.#showClusters(run, pins);
      await this.#drag(run);
      await this.#compareWindows(run);
    } catch (error) {
      if (error !== run) throw error;
    }
  }

  // MARK: The beats

  async #takeOff(run) {
    const { map, compare, send, list, isComplete } = this.#page;
    const [longitude, latitude, zoom] = ASIA;
    map.camera.flyTo(...project(longitude, latitude), zoom, performance.now(), 900);
    map.moved();
    send("balloons", { count: this.#count, movesPerSecond: this.#count * MOVES, areUnderWay: true });
    compare.choose("pins");
    this.#tell(`${NUMBER.format(this.#count)} balloons take off.`);
    await this.#beat(run, 1000, () => list.total >= this.#count && isComplete());
  }

  async #showPins(run) {
    const { headline } = this.#page;
    this.#tell(`A pin for each of ${NUMBER.format(this.#count)} balloons.`);
    await this.#beat(run, 3000, () => headline.rates.operations > 0);
    return { ...headline.rates };
  }

  async #showClusters(run, pins) {
    const { compare, headline } = this.#page;
    compare.choose("clusters");
    this.#openSecond();
    this.#tell("The same balloons as clusters.");
    await this.#beat(run, 3000, () => headline.rates.operations > 0 && this.#page.isComplete());
    const { operations, bytes: sent } = headline.rates;
    this.#tell(
      `Each second ${rounded(pins.operations)} operations became ${rounded(operations)}, and `
        + `${bytes(pins.bytes)} became ${bytes(sent)}.`);
  }

  async #drag(run) {
    const { map, send, status, operations } = this.#page;
    await this.#beat(run, 500);
    send("hold", { reason: "drag" });
    map.sweep();
    await this.#beat(run, 0, () => status().isHolding);
    const before = { rows: status().rowsChanged, operations: operations() };
    await this.#beat(run, 1500, () => {
      const { pending } = status();
      this.#tell(`A finger moves the map. Its gate is closed, and ${count(pending, "pin")} wait.`, this.#isDragTold());
      return pending > 0;
    });
    const rows = status().rowsChanged - before.rows;
    send("release", { reason: "drag" });
    await this.#beat(run, 0, () => !status().isHolding && status().pending === 0);
    this.#tell(
      `${count(rows, "row")} changed meanwhile. The finger let go, and `
        + `${count(operations() - before.operations, "operation")} came.`);
  }

  async #compareWindows(run) {
    const { map, send, status } = this.#page;
    await this.#beat(run, 1000, () => this.#second.contentWindow?.liveMap);
    const { liveMap } = this.#second.contentWindow;
    send("balloons", { movesPerSecond: 0 });
    const { camera } = map;
    // Each window has a clock of its own.
    const { performance: clock } = this.#second.contentWindow;
    liveMap.camera.flyTo(camera.x, camera.y, camera.zoom, clock.now(), 1);
    liveMap.map.moved();
    this.#second.classList.add("shown");
    let own = digest(map, liveMap.camera.region);
    let other = digest(liveMap.map, liveMap.camera.region);
    await this.#beat(run, 1000, () => {
      const region = liveMap.camera.region;
      [own, other] = [digest(map, region), digest(liveMap.map, region)];
      return own.hash === other.hash && own.count > 0 && status().commit === liveMap.status.commit
        && status().pending + liveMap.status.pending === 0;
    });
    this.#tell(own.hash === other.hash
      ? `A second window has the same ${count(own.count, "pin")}: hash ${own.hash} in both.`
      : `The windows differ: hash ${own.hash} here, ${other.hash} there.`);
  }

  // MARK: The parts

  /** Waits for a time, and then for a condition, as long as the show goes on. */
  async #beat(run, milliseconds, holds = () => true) {
    const start = performance.now();
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      if (this.#run !== run) throw run;
      const elapsed = performance.now() - start;
      const isReady = holds();
      if (elapsed >= milliseconds && (isReady || elapsed > milliseconds + PATIENCE)) return;
    }
  }

  #isDragTold() { return this.told.at(-1)?.startsWith("A finger"); }

  /** @param isSame whether the sentence takes the place of the last. */
  #tell(text, isSame = false) {
    if (isSame) this.told.pop();
    this.told.push(text);
    $("#stage").hidden = false;
    if ($("#stage").textContent !== text) $("#stage").textContent = text;
  }

  /** A second window has a connection and a registry of its own. It is shown at the end. */
  #openSecond() {
    this.#second = Object.assign(document.createElement("iframe"), { id: "second", title: "A second window" });
    this.#second.src = "/?embed=map";
    document.body.append(this.#second);
  }
}

function rounded(rate) { return NUMBER.format(Math.round(rate)); }

function count(number, name) { return `${NUMBER.format(number)} ${name}${number === 1 ? "" : "s"}`; }

/** The number of pins and clusters in a region, and a hash of them (FNV-1a). */
function digest({ pins }, { south, west, north, east }) {
  const [x, y] = [(east - west) * 0.05, (north - south) * 0.05];
  const lines = [];
  for (const { id, coordinates: [longitude, latitude], count: size } of pins.features.values()) {
    if (longitude < west + x || longitude > east - x || latitude < south + y || latitude > north - y) continue;
    lines.push(`${id} ${longitude} ${latitude} ${size}`);
  }
  let hash = 0x811c9dc5;
  for (const line of lines.sort()) {
    for (let at = 0; at < line.length; at += 1) hash = Math.imul(hash ^ line.charCodeAt(at), 0x01000193);
  }
  return { count: lines.length, hash: (hash >>> 0).toString(16).padStart(8, "0") };
}
