// Server-sent events: their text format, and growing pauses between attempts to reconnect.

import { call } from "./api.js";

/** @typedef {{name: string, data: string, id: string}} ReceivedEvent */

const firstPause = 1_000;
const longestPause = 30_000;
/**
 * The server sends a comment every 15 s. EventSource hides comments, so it does not notice a
 * connection that a network dropped silently; fetch does.
 */
const longestSilence = 40_000;

/**
 * @typedef {object} FollowOptions
 * @property {AbortSignal} signal ends the stream
 * @property {Record<string, (data: any, id: string) => void>} events handlers by event name; data
 *   is parsed JSON
 * @property {(cutOffSince: Date | null) => void} [onConnection] called with null after each
 *   connection, and with the time of the loss after each disconnection
 */

/**
 * A stream of events that reconnects until its signal is aborted. After a loss it continues after
 * the last numbered event.
 * @param {string} address
 * @param {FollowOptions} options
 */
export function follow(address, options) {
  void run(new Stream(address, options), options);
}

/**
 * @param {Stream} stream
 * @param {FollowOptions} options
 */
async function run(stream, { signal, onConnection }) {
  let pause = firstPause;
  /** @type {Date | null} */
  let cutOffSince = null;
  let retryAtOnce = () => {};
  const retry = () => {
    if (document.visibilityState === "visible") retryAtOnce();
  };
  addEventListener("online", retry, { signal });
  document.addEventListener("visibilitychange", retry, { signal });
  while (!signal.aborted) {
    const wait = await stream.read(() => {
      pause = firstPause;
      cutOffSince = null;
      onConnection?.(null);
    });
    if (signal.aborted) return;
    if (cutOffSince === null) {
      cutOffSince = new Date();
      onConnection?.(cutOffSince);
    }
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(wait, pause * (0.5 + Math.random() / 2)));
      retryAtOnce = () => {
        clearTimeout(timer);
        pause = firstPause;
        resolve(undefined);
      };
      signal.addEventListener("abort", retryAtOnce, { once: true });
    });
    signal.removeEventListener("abort", retryAtOnce);
    retryAtOnce = () => {};
    pause = Math.min(pause * 2, longestPause);
  }
}

/** One address with the number of its last event. */
class Stream {
  /**
   * @param {string} address
   * @param {FollowOptions} options
   */
  constructor(address, { signal, events }) {
    this.address = address;
    this.signal = signal;
    this.events = events;
    this.lastID = "";
  }

  /**
   * Reads until the connection ends.
   * @param {() => void} onOpen
   * @returns {Promise<number>} the least pause in milliseconds that the server asks for
   */
  async read(onOpen) {
    const attempt = new AbortController();
    const stop = () => attempt.abort();
    this.signal.addEventListener("abort", stop);
    // An open connection would be silent for a while before its loss is noticed.
    addEventListener("offline", stop, { signal: attempt.signal });
    let watch = setTimeout(stop, longestSilence);
    try {
      /** @type {Record<string, string>} */
      const headers = { accept: "text/event-stream" };
      if (this.lastID) headers["last-event-id"] = this.lastID;
      const response = await fetch(this.address, {
        headers, signal: attempt.signal, credentials: "same-origin", cache: "no-store",
      });
      if (!response.ok || !response.body) return await this.refused(response);
      onOpen();
      const parser = new EventParser();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return 0;
        clearTimeout(watch);
        watch = setTimeout(stop, longestSilence);
        for (const event of parser.push(value)) this.handle(event);
      }
    } catch {
      return 0;
    } finally {
      clearTimeout(watch);
      this.signal.removeEventListener("abort", stop);
      attempt.abort();
    }
  }

  /** @param {ReceivedEvent} event */
  handle({ name, data, id }) {
    if (id) this.lastID = id;
    if (this.signal.aborted) return;
    try {
      this.events[name]?.(JSON.parse(data), id);
    } catch (fault) {
      // A fault of one handler must not end the stream for the others.
      reportError(fault);
    }
  }

  /**
   * @param {Response} response
   * @returns {Promise<number>}
   */
  async refused(response) {
    // Reading the session ends it in the pages if it has expired.
    if (response.status === 401) {
      await call("GET /auth/me", { signal: this.signal }).catch(() => {});
    }
    return (Number(response.headers.get("retry-after")) || 0) * 1_000;
  }
}

/** The longest unfinished event in characters: a stream must not fill the memory. */
const longest = 8_000_000;

/** The text format of server-sent events (WHATWG HTML, 9.2.6). */
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
