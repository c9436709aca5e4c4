// Shows the cables and the state of both hosts above their maps, and asks for the state again and again.

const $ = (selector) => document.querySelector(selector);
const NUMBER = new Intl.NumberFormat("en");
const LONG = "It was so strong that all books fell from the shelves.";
const sections = new Map();
/** The newest state of each host, by name. */
let hosts = {};

// MARK: The state

function make(host) {
  const section = $("template").content.cloneNode(true).firstElementChild;
  section.id = host.name;
  section.querySelector("h2").textContent = host.name;
  const frame = section.querySelector("iframe");
  frame.title = `The map of ${host.name}`;
  frame.src = `${host.address}?embed=1`;
  $("main").append(section);
  return section;
}

function show(host) {
  if (!sections.has(host.name)) sections.set(host.name, make(host));
  const section = sections.get(host.name);
  section.classList.toggle("offline", host.phase === "offline");
  write(section.querySelector(".phase"), host.phase);
  write(section.querySelector(".waiting"), work(host));
  showCable(host);
  // A button that is replaced while it is pressed gets no click.
  const state = JSON.stringify(host.notes);
  if (section.dataset.notes === state) return;
  const old = new Map(JSON.parse(section.dataset.notes ?? "[]").map((note) => [note.id, note.state]));
  section.dataset.notes = state;
  section.querySelector(".notes").replaceChildren(...host.notes.map((note) => line(host, note, old.get(note.id))));
}

function work({ waiting, refused }) {
  const parts = [];
  if (waiting > 0) parts.push(waiting === 1 ? "1 edit waits" : `${waiting} edits wait`);
  if (refused > 0) parts.push(refused === 1 ? "1 edit is refused" : `${refused} edits are refused`);
  return parts.join(", ") || "nothing waits";
}

function showCable({ name, isPlugged, waiting }) {
  const cable = $(`.cable[data-host=${name}]`);
  cable.classList.toggle("cut", !isPlugged);
  cable.ariaLabel = isPlugged ? `Cut the cable of ${name}` : `Plug ${name} in`;
  cable.title = cable.ariaLabel;
  $(`.end[data-host=${name}]`).classList.toggle("holding", waiting > 0);
}

/** A note of the host, its state in words, and the ways out of it. */
function line(host, { id, place, note, state, text }, before) {
  const item = document.createElement("li");
  item.className = state;
  // The loser has to see it.
  if (state === "replaced" && before !== state) item.classList.add("flash");
  const quote = element("span", note === "" ? "an empty note" : `“${note}”`);
  quote.className = "quote";
  const words = element("span", text);
  words.className = "state";
  item.append(quote, words, element("small", place));
  if (state === "refused") item.append(button("Take it back", () => post(host.name, "revert", { id })));
  if (state === "replaced") item.append(button("Put mine back", () => post(host.name, "restore", { id })));
  return item;
}

function element(name, text) { return Object.assign(document.createElement(name), { textContent: text }); }

function button(text, act) {
  const made = element("button", text);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

function write(target, text) { if (target.textContent !== text) target.textContent = text; }

function post(host, action, values = {}) {
  const query = Object.entries(values).map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  return fetch(`${host}/${action}?${query}`, { method: "POST" });
}

// MARK: The story

const ACTS = {
  async unplug() {
    await Promise.all(["north", "south"].map((name) => post(name, "unplug")));
    return "Both cables are cut. Each host goes on with its own store.";
  },
  async edit() {
    for (const name of ["north", "south"]) await post(name, "write", { note: `felt in the ${name}` });
    return Object.values(hosts).some(({ isPlugged }) => !isPlugged)
      ? "Both wrote a note on the same quake. Neither knows of the other."
      : "Both wrote a note on the same quake. The note that came last stays.";
  },
  async plug() {
    await post("south", "plug");
    write($("#told"), "South is back, and everybody gets its note.");
    await until(() => hosts.south.phase === "live" && hosts.south.waiting === 0);
    await post("north", "plug");
    await until(() => hosts.north.phase === "live" && hosts.north.waiting === 0);
    return "North came last, so its note is everywhere. South is told.";
  },
  async break() {
    await post("north", "write", { note: LONG, rank: 1 });
    return "The server takes notes of 40 letters at most. Nothing else is held up.";
  },
};

async function play(name) {
  const buttons = document.querySelectorAll("#story button");
  buttons.forEach((each) => {
    each.ariaPressed = String(each.dataset.act === name);
    each.disabled = true;
  });
  try { write($("#told"), await ACTS[name]()); } finally {
    buttons.forEach((each) => { each.disabled = false; });
  }
}

async function until(holds) { while (!holds()) await pause(); }

function pause() { return new Promise((resolve) => setTimeout(resolve, 150)); }

for (const each of document.querySelectorAll("#story button")) {
  each.addEventListener("click", () => play(each.dataset.act));
}
for (const cable of document.querySelectorAll(".cable")) {
  cable.addEventListener("click", () => post(cable.dataset.host, cable.classList.contains("cut") ? "plug" : "unplug"));
}

for (;;) {
  try {
    const { rows, hosts: all } = await (await fetch("state")).json();
    hosts = Object.fromEntries(all.map((host) => [host.name, host]));
    write($("#rows"), `${NUMBER.format(rows)} rows`);
    all.forEach(show);
  } catch {
    document.querySelectorAll(".phase").forEach((phase) => write(phase, "the program has ended"));
  }
  await pause();
}
