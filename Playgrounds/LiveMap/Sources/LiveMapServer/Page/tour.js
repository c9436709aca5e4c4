// The tour: six steps that work on the real store, each with its result in words.

const STEPS = {
  again: {
    name: "Import twice: 0 changes",
    promise: "The same feed comes again, and nothing on the map changes.",
  },
  gate: {
    name: "Drag: the map waits",
    promise: "Rows change while a finger moves the map, and no pin jumps.",
  },
  unsaved: {
    name: "Edit: shown unsaved",
    promise: "List, map and card show an edit before the file has it.",
  },
  conflict: {
    name: "Conflict: both kept",
    promise: "Two pages write a note on one quake. You decide.",
  },
  undo: {
    name: "Undo: yours alone",
    promise: "An undo takes back your edit, and no edit of another page.",
  },
  shuffle: {
    name: "Shuffle: same clusters",
    promise: "Clusters depend on the pins, and not on their order.",
  },
};
const NAMES = Object.keys(STEPS);
const $ = (selector) => document.querySelector(selector);

export class Tour {
  /** The step that began last; -1 before the first. */
  #current = -1;
  /** The step on the chip of a small window. */
  #shown = 0;
  #isRunning = false;
  #on;
  #answer = null;

  /** @param on `began` with a step, which answers whether the server learns of it, `settled` and `resolved` with the user's decision. */
  constructor(on) {
    this.#on = on;
    NAMES.forEach((name, index) => {
      const chip = Object.assign(document.createElement("button"), {
        type: "button", className: "step", ariaPressed: "false",
      });
      chip.dataset.step = name;
      fill(chip, index);
      chip.addEventListener("click", () => this.#begin(index));
      $("#steps").append(chip);
    });
    $("#tour-chip").addEventListener("click", () => this.#begin(this.#shown));
    $("#tour-back").addEventListener("click", () => this.#turn(-1));
    $("#tour-forward").addEventListener("click", () => this.#turn(1));
    $("#tour-next").addEventListener("click", () => this.#begin(this.#next));
    $("#tour-save").addEventListener("click", () => this.#decide(true));
    $("#tour-discard").addEventListener("click", () => this.#decide(false));
    this.#point();
  }

  get step() { return NAMES[this.#current]; }

  /** Shows the result of a step. */
  tell({ step, isRunning, text, question }) {
    this.#show(NAMES.indexOf(step));
    this.#ask(question);
    $("#chapter-text").textContent = text;
    this.#run(isRunning);
  }

  /** Ends the question about a conflict that the user has answered, on the card or here. */
  resolved(text) {
    if (this.#answer !== "resolve") return;
    this.#ask(undefined);
    $("#chapter-text").textContent = text;
  }

  /** On a low window the card of a selection takes the place of the tour. */
  giveWay() { document.body.classList.remove("telling"); }

  /** A lost connection or a problem ends the step under way. */
  interrupt() {
    this.#ask(undefined);
    this.#run(false);
  }

  /** The step that the button begins: the step on the chip, or the step after it if it has begun. */
  get #next() { return this.#shown === this.#current ? (this.#current + 1) % NAMES.length : this.#shown; }

  #begin(index) {
    if (!this.#on.began(NAMES[index])) return;
    this.#show(index);
    this.#ask(undefined);
    this.#run(true);
  }

  /** Goes to another step without beginning it. */
  #turn(by) {
    this.#shown = (this.#shown + by + NAMES.length) % NAMES.length;
    this.#point();
    if (!this.#answer && !this.#isRunning) $("#chapter-text").textContent = STEPS[NAMES[this.#shown]].promise;
  }

  #run(isRunning) {
    this.#isRunning = isRunning;
    $("#tour").classList.toggle("running", isRunning);
    $("#tour-next").disabled = isRunning;
  }

  #show(index) {
    this.#current = index;
    this.#shown = index;
    document.body.classList.add("telling");
    for (const [position, chip] of [...$("#steps").children].entries()) chip.ariaPressed = String(position === index);
    this.#point();
  }

  #point() {
    fill($("#tour-chip"), this.#shown);
    $("#tour-chip").dataset.shows = NAMES[this.#shown];
    $("#tour-chip").ariaPressed = String(this.#shown === this.#current);
    const isLast = this.#current === NAMES.length - 1;
    const isBegun = this.#shown === this.#current;
    $("#tour-next").textContent = isBegun ? (isLast ? "Again" : "Next") : this.#current < 0 ? "Begin" : "Play";
  }

  #ask(question) {
    this.#answer = question ?? null;
    $("#tour-save").textContent = question === "resolve" ? "Keep mine" : "Save";
    $("#tour-discard").textContent = question === "resolve" ? "Take theirs" : "Take it back";
    for (const button of [$("#tour-save"), $("#tour-discard")]) button.hidden = !question;
  }

  #decide(isFirst) {
    // The page ends the question, with words for the decision.
    if (this.#answer === "resolve") return this.#on.resolved(isFirst);
    this.#ask(undefined);
    this.#on.settled(isFirst);
  }
}

function fill(chip, index) {
  chip.replaceChildren(
    Object.assign(document.createElement("b"), { textContent: String(index + 1) }),
    Object.assign(document.createElement("span"), { textContent: STEPS[NAMES[index]].name }),
  );
}
