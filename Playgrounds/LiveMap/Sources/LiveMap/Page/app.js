// The page: a connection, a map, a list, and what the user does with them.
import { Camera, project } from "./camera.js";
import { Connection } from "./connection.js";
import { Gestures } from "./gestures.js";
import { Land } from "./land.js";
import { List, when } from "./list.js";
import { Meters } from "./meters.js";
import { Pin, Pins } from "./pins.js";
import { Spread } from "./spread.js";
import { followTheme, readTheme } from "./theme.js";

const $ = (selector) => document.querySelector(selector);
const NUMBER = new Intl.NumberFormat("en");

const base = $("#base");
const canvas = $("#map");
const camera = new Camera();
const land = new Land();
const pins = new Pins();
const spread = new Spread();
const meters = new Meters();
let theme = readTheme();

/** What the page has to tell a new session: everything else is the store's. */
const wish = { kinds: ["quake", "balloon"], text: "", order: "strongest", selectedID: null };
let sighting = null;
let pointed = null;
let status = {};

// MARK: The connection

const connection = new Connection({
  opened() {
    badge("live", "Live");
    pins.expectAll();
    if (document.hidden) connection.send("hold", { reason: "hidden" });
    sendList();
    list.ask(true);
    sendView(true);
  },
  lost() { badge("lost", "Reconnecting"); },
  change({ difference }) {
    pins.apply(difference, camera, performance.now());
    followSpread();
    mustAcknowledge = true;
    invalidate();
  },
  complete() {
    pins.complete(camera, performance.now());
    if (wish.selectedID) connection.send("select", { id: wish.selectedID });
    invalidate();
  },
  rows(rows) {
    list.show(rows);
    connection.send("shown", { stream: "rows" });
  },
  selected({ sighting: selected }) { showCard(selected ?? null); },
  approach({ id, zoom }) {
    const pin = pins.features.get(id);
    const [x, y] = pin ? [pin.x, pin.y] : project(sighting?.longitude ?? 0, sighting?.latitude ?? 0);
    camera.flyTo(x, y, Math.max(zoom, camera.zoom), performance.now());
    invalidate();
  },
  spread({ id, legs }) {
    const pin = pins.features.get(id);
    if (pin && legs.length > 1) spread.open(pin, legs, performance.now());
    else spread.close();
    invalidate();
  },
  status(event) {
    status = event.status;
    showStatus();
    connection.send("shown", { stream: "status" });
  },
  problem({ message }) { complain(message); },
});

function badge(name, text) {
  $("#connection").className = `badge ${name}`;
  $("#connection").textContent = text;
}

let problemTimer = 0;
function complain(message) {
  $("#problem").textContent = message;
  $("#problem").hidden = false;
  clearTimeout(problemTimer);
  problemTimer = setTimeout(() => { $("#problem").hidden = true; }, 8000);
}

document.addEventListener("visibilitychange", () => {
  connection.send(document.hidden ? "hold" : "release", { reason: "hidden" });
});

// MARK: Frames

let isScheduled = false;
let mustAcknowledge = false;
let isBaseStale = true;
let lastFrame = 0;
let wasBusy = false;

function invalidate() {
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(frame);
}

function frame() {
  // Not the time of the frame's beginning: what came since would lie in the future.
  const now = performance.now();
  isScheduled = false;
  const isFlying = camera.advance(now);
  const isGliding = gestures.advance(Math.min(50, now - lastFrame));
  lastFrame = now;
  if (isFlying || isGliding) moved();
  if (isBaseStale) drawBase();
  drawPins(now);
  if (mustAcknowledge) {
    mustAcknowledge = false;
    connection.send("shown", { stream: "change" });
  }
  meters.frame(now, performance.now() - now, wasBusy);
  wasBusy = isFlying || isGliding || pins.isBusy(now) || spread.isBusy(now);
  if (wasBusy) invalidate();
}

function drawBase() {
  isBaseStale = false;
  const context = base.getContext("2d");
  context.setTransform(theme.density, 0, 0, theme.density, 0, 0);
  land.draw(context, camera, theme);
}

function drawPins(now) {
  const context = canvas.getContext("2d");
  context.setTransform(theme.density, 0, 0, theme.density, 0, 0);
  context.clearRect(0, 0, camera.width, camera.height);
  const marked = [];
  if (pointed && pins.features.has(pointed.id)) marked.push({ pin: pointed, color: theme.label });
  const selected = selectedPin(now);
  if (selected) marked.push({ pin: selected, color: theme.accent });
  pins.draw(context, camera, theme, now, marked);
  spread.draw(context, camera, theme, now, wish.selectedID);
  if (pointed?.properties.title) drawLabel(context, now);
}

/** The pin of the selected one, the cluster that lies over it, or else the place where it is. */
function selectedPin(now) {
  if (!sighting || spread.ids.includes(sighting.id)) return null;
  const pin = pins.features.get(sighting.id);
  if (pin) return pin;
  if (sighting.latitude === undefined || sighting.longitude === undefined) return null;
  const [x, y] = project(sighting.longitude, sighting.latitude);
  const over = pins.at(...camera.toScreen(x, y), camera, now);
  return over?.count > 1 ? over : new Pin(sighting.id, x, y, null, { style: "balloon" });
}

function drawLabel(context, now) {
  const [x, y] = camera.toScreen(...pointed.at(now));
  const { title, subtitle } = pointed.properties;
  const text = subtitle ? `${title} · ${subtitle}` : title;
  context.font = `560 12.5px ${theme.font}`;
  const width = context.measureText(text).width + 18;
  const left = Math.min(Math.max(x - width / 2, 8), camera.width - width - 8);
  context.fillStyle = theme.ink;
  context.beginPath();
  context.roundRect(left, y - 44, width, 25, 8);
  context.fill();
  context.fillStyle = theme.sea;
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.fillText(text, left + 9, y - 31);
}

// MARK: The view

let viewTimer = 0;

/** The camera has moved: the registry is told, but not for every frame. */
function moved() {
  isBaseStale = true;
  invalidate();
  if (!viewTimer) viewTimer = setTimeout(() => sendView(), 80);
}

function sendView() {
  clearTimeout(viewTimer);
  viewTimer = 0;
  connection.send("show", { ...camera.region, zoom: Math.max(0, camera.zoom) });
}

const gestures = new Gestures(canvas, camera, {
  moved,
  began() { connection.send("hold", { reason: "drag" }); },
  ended() {
    sendView();
    connection.send("release", { reason: "drag" });
  },
  clicked,
  pointed(x, y) {
    const now = performance.now();
    const pin = pins.at(x, y, camera, now);
    const leg = spread.at(x, y, camera, now);
    canvas.classList.toggle("pointing", Boolean(pin ?? leg));
    if (pin === pointed) return;
    pointed = pin;
    invalidate();
  },
});

function clicked(x, y) {
  const now = performance.now();
  const leg = spread.at(x, y, camera, now);
  if (leg) return select(leg.id);
  const pin = pins.at(x, y, camera, now);
  spread.close();
  if (!pin) select(null);
  else if (pin.count > 1) connection.send("open", { id: pin.id });
  else select(pin.id);
  invalidate();
}

/** A spread stack follows its cluster: closed when that is gone, asked for again when it changed. */
function followSpread() {
  if (!spread.isOpen) return;
  const pin = pins.features.get(spread.pin.id);
  if (!pin || pin.count === 1) spread.close();
  else if (pin.count !== spread.legCount) connection.send("open", { id: pin.id });
}

function resize() {
  const { innerWidth: width, innerHeight: height, devicePixelRatio: density } = window;
  for (const layer of [base, canvas]) {
    layer.width = width * density;
    layer.height = height * density;
  }
  theme = readTheme();
  camera.resize(width, height);
  moved();
}

for (const [selector, by] of [["#zoom-in", 1], ["#zoom-out", -1]]) {
  $(selector).addEventListener("click", () => {
    camera.flyTo(camera.x, camera.y, Math.max(camera.zoom + by, camera.minimum), performance.now(), 260);
    invalidate();
  });
}

// MARK: The list

const list = new List({
  needed(from, count) { connection.send("rows", { from, count }); },
  chosen(id) { select(id); },
});

function sendList() {
  const { kinds, text, order } = wish;
  connection.send("list", { kinds, text, order });
}

function changeList(change) {
  Object.assign(wish, change);
  sendList();
  list.scrollToTop();
}

for (const chip of document.querySelectorAll(".chip")) {
  chip.addEventListener("click", () => {
    const isOn = chip.ariaPressed !== "true";
    chip.ariaPressed = String(isOn);
    const others = wish.kinds.filter((kind) => kind !== chip.dataset.kind);
    changeList({ kinds: isOn ? [...others, chip.dataset.kind] : others });
  });
}
$("#search").addEventListener("input", ({ target }) => changeList({ text: target.value.trim() }));
$("#order").addEventListener("change", ({ target }) => changeList({ order: target.value }));

// MARK: The selection

function select(id) {
  wish.selectedID = id;
  if (id) connection.send("select", { id });
  else connection.send("deselect");
}

function showCard(selected) {
  const isOther = selected?.id !== sighting?.id;
  sighting = selected;
  if (!selected) wish.selectedID = null;
  $("#card").hidden = !selected;
  list.select(selected?.id ?? null);
  invalidate();
  if (!selected) return;
  $("#card-title").textContent = selected.place ?? "Somewhere";
  const magnitude = selected.magnitude === undefined ? "" : `Magnitude ${selected.magnitude.toFixed(1)} · `;
  const place = [degrees(selected.latitude, "N", "S"), degrees(selected.longitude, "E", "W")].join("  ");
  $("#card-detail").textContent = `${magnitude}${when(selected)}\n${place}`;
  const note = $("#card-note");
  if (isOther || document.activeElement !== note) note.value = selected.note;
}

function degrees(value, positive, negative) {
  if (value === undefined) return "nowhere";
  return `${Math.abs(value).toFixed(2)}° ${value < 0 ? negative : positive}`;
}

$("#card-close").addEventListener("click", () => select(null));
$("#card-reveal").addEventListener("click", () => connection.send("reveal", { id: sighting.id }));
$("#card-delete").addEventListener("click", () => connection.send("delete", { id: sighting.id }));
$("#card-note").addEventListener("change", ({ target }) => {
  if (sighting) connection.send("note", { id: sighting.id, text: target.value });
});
$("#undo").addEventListener("click", () => connection.send("undo"));
document.addEventListener("keydown", (event) => {
  if (event.target.matches("input, select")) return;
  if (event.key === "Escape") {
    // The innermost first.
    if (spread.isOpen) spread.close();
    else select(null);
    invalidate();
  }
  if (event.key === "Delete" && sighting) connection.send("delete", { id: sighting.id });
});

// MARK: The controls

let isImporting = false;
$("#import").addEventListener("click", () => connection.send(isImporting ? "stopImport" : "startImport"));

for (const [id, setting] of [["count", "count"], ["moves", "movesPerSecond"]]) {
  $(`#${id}`).addEventListener("input", ({ target }) => {
    $(`#${id}-value`).textContent = NUMBER.format(target.value);
    connection.send("balloons", { [setting]: Number(target.value) });
  });
}

$("#clusters").addEventListener("change", ({ target }) => {
  spread.close();
  // A session has one registry, with clusters or without; what both show stays where it is.
  connection.open(target.checked ? "/live" : "/live?clusters=off");
});

function showStatus() {
  meters.show(status);
  showFeed(status.feed);
  $("#undo").disabled = !status.canUndo;
  for (const [id, value] of [["count", status.balloons], ["moves", status.movesPerSecond]]) {
    const slider = $(`#${id}`);
    if (document.activeElement === slider) continue;
    slider.value = value;
    $(`#${id}-value`).textContent = NUMBER.format(value);
  }
  $("#holding").hidden = !status.isHolding || document.hidden;
  $("#holding").textContent = status.pending === 0
    ? "The gate is closed" : `The gate is closed · ${NUMBER.format(status.pending)} pins wait`;
}

function showFeed({ isRunning, fraction, result, problem }) {
  isImporting = isRunning;
  $("#import").textContent = isRunning ? "Stop" : "Import a week of quakes";
  const progress = $("#progress");
  progress.classList.toggle("busy", isRunning);
  if (isRunning && fraction === undefined) progress.removeAttribute("value");
  else progress.value = isRunning ? fraction : result ? 1 : 0;
  if (problem) $("#import-result").textContent = problem;
  else if (isRunning) $("#import-result").textContent = `${NUMBER.format(result.records)} read`;
  else if (result) {
    const { inserted, updated, unchanged, deleted } = result;
    const counts = Object.entries({ new: inserted, changed: updated, "as before": unchanged, gone: deleted });
    $("#import-result").textContent = counts.filter(([, count]) => count > 0)
      .map(([name, count]) => `${NUMBER.format(count)} ${name}`).join(", ") || "Nothing in the feed";
  }
}

// MARK: The beginning

followTheme($("#dark"), () => {
  theme = readTheme();
  moved();
});
window.addEventListener("resize", resize);
setInterval(() => meters.sample(performance.now(), theme), 200);
camera.zoom = Math.log2(window.innerWidth / 512) - 0.1;
resize();
connection.open();
await land.load();
moved();

// For the console, and for tests.
globalThis.liveMap = {
  camera, connection, list, meters, pins, spread, wish,
  get status() { return status; },
  get selected() { return sighting; },
};
