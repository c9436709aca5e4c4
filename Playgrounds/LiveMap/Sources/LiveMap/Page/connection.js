// One WebSocket, made again when it is lost.

const FIRST_WAIT = 250;
const LONGEST_WAIT = 4000;

export class Connection {
  #socket = null;
  #handlers;
  #path = "/live";
  #wait = FIRST_WAIT;
  #timer = 0;

  /**
   * @param handlers a function for each kind of event, and `opened`, which tells the server what it
   * needs to know, and `lost`.
   */
  constructor(handlers) { this.#handlers = handlers; }

  get isOpen() { return this.#socket?.readyState === WebSocket.OPEN; }

  /** Connects, and begins anew if it is connected already. */
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
      // What an old one still had to say is of another session.
      if (socket !== this.#socket) return;
      const [[name, content]] = Object.entries(JSON.parse(data));
      this.#handlers[name](content);
    };
    socket.onclose = () => {
      if (socket !== this.#socket) return;
      this.#handlers.lost();
      // Not all pages at once.
      this.#timer = setTimeout(() => this.open(), this.#wait * (0.75 + Math.random() / 2));
      this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT);
    };
  }

  /** Asks for something; what cannot be sent is dropped, `opened` sends what counts again. */
  send(name, content = {}) {
    if (this.isOpen) this.#socket.send(JSON.stringify({ [name]: content }));
  }
}
