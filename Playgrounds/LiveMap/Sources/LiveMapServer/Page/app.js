// The page: a connection, a map, a list, a tour, and the edits of the user.
import { Camera, zoomForScale } from "./camera.js";
import { Card } from "./card.js";
import { Compare } from "./compare.js";
import { Connection } from "./connection.js";
import { Controls } from "./controls.js";
import { Counters } from "./counters.js";
import { followFilters } from "./filters.js";
import { Headline } from "./headline.js";
import { followKeys } from "./keys.js";
import { drawLegend } from "./legend.js";
import { List } from "./list.js";
import { MapView } from "./map.js";
import { notify, showConnection, showGate } from "./notices.js";
import { Outbox } from "./outbox.js";
import { followPanels, freePart } from "./panels.js";
import { Sparks } from "./sparks.js";
import { Stage } from "./stage.js";
import { followTheme, readTheme } from "./theme.js";
import { Tour } from "./tour.js";

const $ = (selector) => document.querySelector(selector);

/** The share of the map's height above a selected place, so that the card does not cover the place. */
const ABOVE_CARD = 0.25;

/** The longest scale at the nearest view of a selected place, in kilometres: it shows 200 km also above the card. */
const NEAREST = 230;

/** How long the free part has no pin before the page offers to show all, in milliseconds. */
const EMPTY = 600;

/** The state that a new session of the server has to learn. */
const wish = { kinds: ["quake", "balloon"], text: "", order: "strongest", selectedID: null };
let status = {};
/** Whether the page has everything that existed when it connected. */
let isComplete = false;
/** The rows that came again because something had changed. */
let rowsSentAgain = 0;
/** The selection that the map is to show above the card. */
let broughtID = null;
/** Since when no pin is in the free part of the map. */
let emptySince = Infinity;

// MARK: The parts

const outbox = new Outbox((edit) => connection.send("edit", edit), showWaiting);
const counters = new Counters();
const headline = new Headline();
const sparks = new Sparks();
const compare = new Compare(reopen);

const map = new MapView({
  viewed: (view) => connection.send("show", view),
  began: () => connection.send("hold", { reason: "drag" }),
  ended() {
    map.sendView();
    connection.send("release", { reason: "drag" });
  },
  clicked: open,
  clickedLeg: ({ id }) => select(id),
  drew(now, work, isContinuous) {
    counters.frame(now, work, isContinuous);
    compare.frame(now);
  },
});

const list = new List(outbox, {
  needed: (from, count) => connection.send("rows", { from, count }),
  chosen(id, isPressed) {
    select(id);
    // The list lies over the card on a small window.
    if (isPressed && panels.foldList()) broughtID = id;
  },
});

const card = new Card({
  closed: () => select(null),
  revealed: (id) => connection.send("reveal", { id }),
  noted: (id, was, text) => outbox.add({ note: { id, was, text } }),
  deleted: remove,
  resolved: resolve,
});

const tour = new Tour({
  began(step) {
    connection.send("tour", { step });
    return connection.isOpen;
  },
  settled: (isSaved) => connection.send("settle", { isSaved }),
  resolved(keepsMine) {
    card.endConflict(keepsMine);
    resolve(keepsMine);
  },
});

const controls = new Controls({
  importing: (begins) => connection.send(begins ? "startImport" : "stopImport"),
  blew: (setting) => connection.send("balloons", setting),
  imported: () => map.fit(),
});

// MARK: The connection

const connection = new Connection({
  opened() {
    showConnection(connection.isOpen, outbox.count);
    isComplete = false;
    map.pins.expectAll(compare.mode !== "clusters");
    if (document.hidden) connection.send("hold", { reason: "hidden" });
    sendList();
    list.ask(true);
    map.sendView();
    outbox.sendAgain();
  },
  lost() {
    tour.interrupt();
    showConnection(connection.isOpen, outbox.count);
    $("#undo").disabled = true;
  },
  change({ difference }) {
    map.change(difference);
    followSpread();
    map.whenDrawn(() => connection.send("shown", { stream: "change" }));
  },
  everything({ features }) {
    rowsSentAgain += features.length;
    map.pins.expectAll();
    map.change({ add: features, update: [], remove: [] });
    map.pins.complete(map.camera, performance.now());
    map.whenDrawn(() => connection.send("shown", { stream: "everything" }));
  },
  complete() {
    isComplete = true;
    if (!compare.isEverything) map.pins.complete(map.camera, performance.now());
    // The pins that were there before do not count.
    headline.restart(compare.isEverything ? "rows sent again" : "map operations");
    if (wish.selectedID) connection.send("select", { id: wish.selectedID });
    map.fit();
    map.invalidate();
  },
  rows(rows) {
    list.show(rows);
    connection.send("shown", { stream: "rows" });
  },
  rowChanges({ changes }) {
    list.change(changes);
    connection.send("shown", { stream: "rows" });
  },
  badges: ({ badges }) => list.showBadges(badges),
  selected({ sighting }) {
    showCard(sighting ?? null);
    if (sighting?.longitude !== undefined && sighting.id === broughtID) {
      map.flyTo(sighting.longitude, sighting.latitude, 0, ABOVE_CARD);
    }
    broughtID = null;
  },
  approach({ id, zoom }) {
    const pin = map.pins.features.get(id);
    const { longitude, latitude } = card.sighting ?? {};
    const [x, y] = pin?.coordinates ?? [longitude ?? 0, latitude ?? 0];
    const isCluster = id !== card.sighting?.id;
    // A closer view of a single place has nothing to tell where it is.
    const nearest = isCluster ? Camera.maximum : Math.max(map.camera.zoom, zoomForScale(NEAREST, y));
    map.flyTo(x, y, Math.min(zoom, nearest), isCluster ? 0.5 : ABOVE_CARD);
    if (zoom > nearest) notify("It is one of the pins in the ringed cluster. Click the number to go on.");
  },
  spread({ id, legs }) {
    const pin = map.pins.features.get(id);
    if (pin && legs.length > 1) map.spread.open(pin, legs, performance.now());
    else map.spread.close();
    map.invalidate();
  },
  done: ({ number }) => outbox.confirm(number),
  conflict: (conflict) => card.showConflict(conflict),
  told({ chapter }) {
    const { step, isRunning, place } = chapter;
    if (place) {
      select(place.id);
      map.flyTo(place.longitude, place.latitude, 3, ABOVE_CARD);
    }
    if (step === "gate" && isRunning) map.sweep();
    tour.tell(chapter);
  },
  status(event) {
    status = event.status;
    showStatus();
    connection.send("shown", { stream: "status" });
  },
  problem({ message }) {
    tour.interrupt();
    notify(message, true);
  },
});

const stage = new Stage({
  map, compare, headline, list, operations,
  send: (name, content) => connection.send(name, content),
  status: () => status,
  isComplete: () => isComplete,
});

/** Connects for another kind of map; the list and the selection stay. */
function reopen() {
  map.spread.close();
  isComplete = false;
  connection.open(`/live?map=${compare.mode}`);
}

document.addEventListener("visibilitychange", () => {
  connection.send(document.hidden ? "hold" : "release", { reason: "hidden" });
});

// MARK: The state

function showWaiting() {
  showConnection(connection.isOpen, outbox.count);
  list.refresh();
}

function showStatus() {
  counters.show(status);
  controls.show(status);
  $("#undo").disabled = !status.canUndo;
  // The gate of a new session waits for the view. That is no news.
  showGate(status.isHolding && isComplete && !document.hidden && !compare.isEverything, status.pending);
}

/** The operations of this connection so far. */
function operations() {
  const { added = 0, moved = 0, restyled = 0, removed = 0 } = status;
  return added + moved + restyled + removed;
}

function sample() {
  const now = performance.now();
  const { status: own = 0, ...sent } = connection.bytes;
  const bytes = Object.values(sent).reduce((sum, count) => sum + count, 0);
  const { rowsChanged = 0, movesSaved = 0 } = status;
  headline.sample(now, {
    rows: rowsChanged, operations: compare.isEverything ? rowsSentAgain : operations(), bytes, moves: movesSaved,
  });
  sparks.add(headline.rates);
  compare.show(now, headline.rates.bytes);
  offerAll(now);
}

/** A view without a pin, such as the sea, has a way back. */
function offerAll(now) {
  const isEmpty = isComplete && list.total > 0 && map.isEmpty;
  emptySince = isEmpty ? Math.min(emptySince, now) : Infinity;
  $("#show-all").hidden = now - emptySince < EMPTY;
}

// MARK: The map and the list

function open(pin) {
  if (!pin) select(null);
  else if (pin.count > 1) connection.send("open", { id: pin.id });
  else select(pin.id);
}

/** A spread stack follows its cluster: it closes without it, and opens again after a change. */
function followSpread() {
  if (!map.spread.isOpen) return;
  const pin = map.pins.features.get(map.spread.pin.id);
  if (!pin || pin.count === 1) map.spread.close();
  else if (pin.count !== map.spread.legCount) connection.send("open", { id: pin.id });
}

function sendList() {
  const { kinds, text, order } = wish;
  connection.send("list", { kinds, text, order });
}

function changeList(change) {
  Object.assign(wish, change);
  sendList();
  list.scrollToTop();
}

followFilters(wish, changeList);
$("#show-all").addEventListener("click", () => map.showAll());
for (const [selector, by] of [["#zoom-in", 1], ["#zoom-out", -1]]) {
  $(selector).addEventListener("click", () => map.zoomBy(by));
}

// MARK: The selection

function select(id) {
  wish.selectedID = id;
  tour.giveWay();
  if (id) connection.send("select", { id });
  else connection.send("deselect");
  if (!id) showCard(null);
}

function showCard(sighting) {
  if (!sighting) wish.selectedID = null;
  card.show(sighting, sighting && outbox.note(sighting.id));
  map.select(sighting);
  list.select(sighting?.id ?? null);
}

function remove(id) {
  outbox.add({ delete: { id } });
  if (!connection.isOpen) select(null);
}

function resolve(keepsMine) {
  connection.send("resolve", { keepsMine });
  tour.resolved(keepsMine ? "Your note is saved over the other." : "The other note stays.");
}

$("#undo").addEventListener("click", () => outbox.add({ undo: {} }));
document.addEventListener("keydown", (event) => {
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
  if (event.key.toLowerCase() === "d" && isPlain && !event.target.matches("[type=search], [type=text], select")) {
    stage.toggle();
  }
  if (event.target.matches("input, select")) return;
  if (event.key === "Escape") {
    // The innermost first.
    if (stage.isOn) stage.end();
    else if (map.spread.isOpen) map.spread.close();
    else select(null);
    map.invalidate();
  }
  if (event.key === "Delete" && card.sighting) remove(card.sighting.id);
});
followKeys(map, { opened: open });

// MARK: The beginning

function resize() { map.resize(readTheme(), freePart()); }

followTheme($("#dark"), () => {
  resize();
  drawLegend(map.theme);
});
// In a frame the page leaves parts of itself to the page around it.
document.body.dataset.embed = new URLSearchParams(location.search).get("embed") ?? "";
const panels = followPanels(resize);
window.addEventListener("resize", resize);
setInterval(sample, 200);
connection.open();
await map.load();

// For the console, and for tests.
globalThis.liveMap = {
  camera: map.camera, card, compare, connection, counters, headline, list, map, outbox, pins: map.pins,
  spread: map.spread, stage, wish,
  get status() { return status; },
  get selected() { return card.sighting; },
};
