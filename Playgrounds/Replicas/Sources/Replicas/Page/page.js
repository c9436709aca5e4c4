// Shows the state of both hosts above their maps, and asks for it again and again.

const sections = new Map();

function make(host) {
  const section = document.querySelector("template").content.cloneNode(true).firstElementChild;
  section.id = host.name;
  section.querySelector("h2").textContent = host.name;
  section.querySelector("iframe").title = `The map of ${host.name}`;
  section.querySelector("iframe").src = host.address;
  section.querySelector(".plug").onclick = () =>
    post(host.name, section.classList.contains("unplugged") ? "plug" : "unplug");
  document.querySelector("main").append(section);
  return section;
}

function post(host, action) {
  return fetch(`${host}/${action}`, { method: "POST" });
}

const quoted = (note) => (note == null ? "a deletion" : note === "" ? "an empty note" : `“${note}”`);

function news(host) {
  const conflicts = host.conflicts.map(({ place, mine, theirs }) =>
    item("conflict", `${place}: ${quoted(mine)} has replaced ${quoted(theirs)}`));
  const refused = host.refused.map(({ id, place, note, reason }) => {
    const line = item("refused", `${place}: the server refused ${quoted(note)} (${reason}). Edit it, or`);
    const revert = document.createElement("button");
    revert.type = "button";
    revert.textContent = "Revert";
    revert.onclick = () => post(host.name, `revert?id=${encodeURIComponent(id)}`);
    line.append(revert);
    return line;
  });
  return [...refused, ...conflicts];
}

function item(kind, text) {
  const line = document.createElement("li");
  line.className = kind;
  line.textContent = text;
  return line;
}

function show(host) {
  if (!sections.has(host.name)) sections.set(host.name, make(host));
  const section = sections.get(host.name);
  section.classList.toggle("unplugged", !host.isPlugged);
  section.classList.toggle("offline", host.phase === "offline");
  section.querySelector(".phase").textContent = host.phase;
  section.querySelector(".waiting").textContent =
    host.waiting === 0 ? "nothing waits" : host.waiting === 1 ? "1 edit waits" : `${host.waiting} edits wait`;
  section.querySelector(".plug").textContent = host.isPlugged ? "Unplug" : "Plug in";
  // A button that is replaced while it is pressed gets no click.
  const state = JSON.stringify([host.refused, host.conflicts]);
  if (section.dataset.news === state) return;
  section.dataset.news = state;
  section.querySelector(".news").replaceChildren(...news(host));
}

for (;;) {
  try {
    const answer = await fetch("hosts");
    (await answer.json()).forEach(show);
  } catch {
    document.querySelectorAll(".phase").forEach((phase) => { phase.textContent = "the program has ended"; });
  }
  await new Promise((resolve) => setTimeout(resolve, 150));
}
