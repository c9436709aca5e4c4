// The edits of this page that the server has not confirmed.

export class Outbox {
  #edits = new Map();
  #last = 0;
  #send;
  #changed;

  /**
   * @param send sends one edit, if there is a connection.
   * @param changed called after every change of the waiting edits.
   */
  constructor(send, changed) {
    this.#send = send;
    this.#changed = changed;
  }

  get count() { return this.#edits.size; }

  /** Keeps an edit until the server confirms it. */
  add(edit) {
    this.#last += 1;
    this.#edits.set(this.#last, edit);
    this.#send({ number: this.#last, edit });
    this.#changed();
  }

  /** Sends every waiting edit again, in order. An edit that arrives twice has the effect of one. */
  sendAgain() {
    for (const [number, edit] of this.#edits) this.#send({ number, edit });
  }

  confirm(number) {
    this.#edits.delete(number);
    this.#changed();
  }

  /** The text of a waiting note; undefined if there is none. */
  note(id) {
    return [...this.#edits.values()].findLast(({ note }) => note?.id === id)?.note.text;
  }

  isDeleting(id) { return [...this.#edits.values()].some((edit) => edit.delete?.id === id); }
}
