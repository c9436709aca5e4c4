// One WebSocket, made again after a loss.

const FIRST_WAIT = 250;
const LONGEST_WAIT = 4000;

export class Connection {
  /** The lengths of the events that have arrived, by name. Nearly all of their characters take one byte. */
  bytes = {};
  #socket = null;
  #handlers;
  #path = "/live";
  #wait = FIRST_WAIT;
  #timer = 0;

  /**
   * @param handlers a function for each kind of event, and `opened` and `lost`. `opened` tells the
   * server the state of the page.
   */
  constructor(handlers) { this.#handlers = handlers; }

  get isOpen() { return this.#socket?.readyState === WebSocket.OPEN; }

  /** Connects; an open connection gives way to the new one. */
  open(path = this.#path) {
    this.#path = path;
    clearTimeout(this.#timer);
    this.#socket?.close();
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}${path}`);
    this.#socket = socket;
    socket.onopen = () => {
      if (socket !== this.#socket) return;
      this.#wait = FIRST_WAIT;
      this.#handlers.opened();
    };
    socket.onmessage = ({ data }) => {
      // The rest of an old connection belongs to another session.
      if (socket !== this.#socket) return;
      const [[name, content]] = Object.entries(JSON.parse(data));
      this.bytes[name] = (this.bytes[name] ?? 0) + data.length;
      this.#handlers[name](content);
    };
    socket.onclose = () => {
      if (socket !== this.#socket) return;
      this.#handlers.lost();
      // Pages do not come back all at once.
      this.#timer = setTimeout(() => this.open(), this.#wait * (0.75 + Math.random() / 2));
      this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT);
    };
  }

  /** Sends a request. Without a connection it is dropped: `opened` tells the state, and edits wait in the outbox. */
  send(name, content = {}) {
    if (this.isOpen) this.#socket.send(JSON.stringify({ [name]: content }));
  }
}
