// The state of the connection and of the gate, and messages that go away by themselves.

const NUMBER = new Intl.NumberFormat("en");
const DURATION = 8000;
const $ = (selector) => document.querySelector(selector);

/** @param count the number of edits that wait for the server. */
export function showConnection(isOpen, count) {
  const waiting = count === 0 ? "" : ` · ${count} edit${count === 1 ? " waits" : "s wait"}`;
  $("#connection").className = `badge ${isOpen ? "live" : "lost"}`;
  $("#connection").textContent = (isOpen ? "Live" : "Reconnecting") + waiting;
}

export function showGate(isClosed, pending) {
  $("#holding").hidden = !isClosed;
  $("#holding").textContent = pending === 0
    ? "Gate closed" : `Gate closed · ${NUMBER.format(pending)} pins wait`;
}

let timer = 0;
export function notify(message, isProblem = false) {
  $("#notice").textContent = message;
  $("#notice").classList.toggle("problem", isProblem);
  $("#notice").hidden = false;
  clearTimeout(timer);
  timer = setTimeout(() => { $("#notice").hidden = true; }, DURATION);
}
