// The tour: six steps that work on the real store, each with its result in words.

const STEPS = {
  again: "Same feed again", gate: "Gate", unsaved: "Unsaved edit", conflict: "Conflict",
  undo: "Undo", shuffle: "Any order",
};
const NAMES = Object.keys(STEPS);
const $ = (selector) => document.querySelector(selector);

export class Tour {
  #current = -1;
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
      chip.append(
        Object.assign(document.createElement("b"), { textContent: String(index + 1) }),
        Object.assign(document.createElement("span"), { textContent: STEPS[name] }),
      );
      chip.addEventListener("click", () => this.#begin(index));
      $("#steps").append(chip);
    });
    $("#tour-next").addEventListener("click", () => this.#begin((this.#current + 1) % NAMES.length));
    $("#tour-save").addEventListener("click", () => this.#decide(true));
    $("#tour-discard").addEventListener("click", () => this.#decide(false));
  }

  get step() { return NAMES[this.#current]; }

  /** Shows the result of a step. */
  tell({ step, isRunning, text, question }) {
    this.#show(NAMES.indexOf(step));
    this.#ask(question);
    $("#chapter-text").textContent = text;
    this.#run(isRunning);
    $("#tour-next").textContent = this.#current === NAMES.length - 1 ? "Again" : "Next";
  }

  /** Ends the question about a conflict that the user has answered on the card. */
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

  #begin(index) {
    if (!this.#on.began(NAMES[index])) return;
    this.#show(index);
    this.#ask(undefined);
    this.#run(true);
  }

  #run(isRunning) {
    $("#tour").classList.toggle("running", isRunning);
    $("#tour-next").disabled = isRunning;
  }

  #show(index) {
    this.#current = index;
    document.body.classList.add("telling");
    for (const [position, chip] of [...$("#steps").children].entries()) {
      chip.ariaPressed = String(position === index);
      if (position === index) chip.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
  }

  #ask(question) {
    this.#answer = question ?? null;
    $("#tour-save").textContent = question === "resolve" ? "Keep mine" : "Save";
    $("#tour-discard").textContent = question === "resolve" ? "Take theirs" : "Take it back";
    for (const button of [$("#tour-save"), $("#tour-discard")]) button.hidden = !question;
  }

  #decide(isFirst) {
    const question = this.#answer;
    this.#ask(undefined);
    if (question === "resolve") this.#on.resolved(isFirst);
    else this.#on.settled(isFirst);
  }
}
