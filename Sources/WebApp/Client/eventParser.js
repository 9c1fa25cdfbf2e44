// The text format of server-sent events (WHATWG HTML, 9.2.6).

/** @typedef {{name: string, data: string, id: string}} ReceivedEvent */

/** The longest unfinished event in characters: a stream must not fill the memory. */
const longest = 8_000_000;

export class EventParser {
  constructor() {
    this.rest = "";
    this.name = "";
    /** @type {string[]} */
    this.data = [];
    this.id = "";
  }

  /**
   * The events that a part of the stream completes.
   * @param {string} part
   * @returns {ReceivedEvent[]}
   * @throws {Error} if an event is longer than its limit
   */
  push(part) {
    /** @type {ReceivedEvent[]} */
    const events = [];
    this.rest += part;
    // A CR at the end may be the first half of a CRLF.
    const lines = this.rest.split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? "";
    if (this.rest.length > longest) throw new Error("an event is too long");
    for (const line of lines) {
      if (line === "") this.finish(events);
      else this.take(line);
    }
    return events;
  }

  /** @param {ReceivedEvent[]} events */
  finish(events) {
    if (this.data.length > 0) {
      events.push({ name: this.name || "message", data: this.data.join("\n"), id: this.id });
    }
    this.name = "";
    this.data = [];
  }

  /** @param {string} line */
  take(line) {
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.name = value;
    else if (field === "data") this.data.push(value);
    else if (field === "id" && !value.includes("\0")) this.id = value;
  }
}
