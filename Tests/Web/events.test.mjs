// The event streams of the pages: pauses, the time of a loss, and the continuation after it.

import "./browser.mjs";
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

const { follow } = await import("../../Sources/WebApp/Client/events.js");
const encoder = new TextEncoder();
const { Date: RealDate, clearTimeout, fetch, setTimeout } = globalThis;
const { random } = Math;

/** Timers and dates that only a test moves. */
class Clock {
  constructor(now) {
    this.now = now;
    /** @type {Map<number, {at: number, run: () => void}>} */
    this.timers = new Map();
    const clock = this;
    let last = 0;
    globalThis.setTimeout = (run, wait = 0) => {
      last += 1;
      this.timers.set(last, { at: this.now + wait, run });
      return last;
    };
    globalThis.clearTimeout = (timer) => this.timers.delete(timer);
    globalThis.Date = class extends RealDate {
      constructor(...parts) {
        if (parts.length === 0) super(clock.now);
        else super(...parts);
      }
      static now() { return clock.now; }
    };
  }

  /** @param {number} milliseconds */
  tick(milliseconds) {
    this.now += milliseconds;
    const due = [...this.timers].filter(([, { at }]) => at <= this.now);
    for (const [timer, { run }] of due) if (this.timers.delete(timer)) run();
  }

  restore() {
    Object.assign(globalThis, { Date: RealDate, clearTimeout, setTimeout });
  }
}

/** @type {Clock} */
let clock;

/** Streams that a test opens, feeds and ends; refused ones have a status. */
class Server {
  constructor() {
    /** @type {{at: number, headers: Record<string, string>}[]} */
    this.requests = [];
    /** @type {ReadableStreamDefaultController | null} */
    this.open = null;
    this.status = 200;
    this.isReachable = true;
    /** @type {Record<string, string>} */
    this.fields = {};
    globalThis.fetch = async (_address, { headers, signal }) => {
      this.requests.push({ at: Date.now(), headers });
      if (!this.isReachable) throw new TypeError("no connection");
      if (this.status !== 200) {
        return new Response("{}", { status: this.status, headers: this.fields });
      }
      const body = new ReadableStream({ start: (controller) => { this.open = controller; } });
      const stream = this.open;
      signal.addEventListener("abort", () => {
        try {
          stream.error(signal.reason);
        } catch {
          // It has ended.
        }
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    };
  }

  /** The pauses between the requests, in milliseconds. */
  get pauses() {
    return this.requests.slice(1).map(({ at }, index) => at - this.requests[index].at);
  }
}

/** Lets everything happen that waits for no timer. */
async function settle() {
  for (let turn = 0; turn < 30; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** @param {number} milliseconds */
async function pass(milliseconds) {
  await settle();
  for (let passed = 0; passed < milliseconds; passed += 500) {
    clock.tick(500);
    await settle();
  }
}

/** @type {AbortController} */
let ending;
const losses = [];
const received = [];

function start() {
  follow("/events", {
    signal: ending.signal,
    events: { value: (data, id) => received.push([data, id]) },
    onConnection: (since) => losses.push(since?.getTime() ?? null),
  });
}

beforeEach(() => {
  clock = new Clock(1_000_000);
  Math.random = () => 1;
  globalThis.addEventListener = () => {};
  Object.assign(globalThis.document, { visibilityState: "visible", addEventListener() {} });
  ending = new AbortController();
  losses.length = 0;
  received.length = 0;
});

afterEach(async () => {
  ending.abort();
  await settle();
  clock.restore();
  globalThis.fetch = fetch;
  Math.random = random;
});

test("attempts to reconnect have growing pauses, up to half a minute", async () => {
  const server = new Server();
  server.isReachable = false;
  start();
  await pass(160_000);
  assert.deepEqual(server.pauses.slice(0, 8),
    [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
});

test("a page learns once since when it is cut off, and when it is connected again", async () => {
  const server = new Server();
  start();
  await settle();
  assert.deepEqual(losses, [null]);
  await pass(5_000);
  server.isReachable = false;
  server.open.close();
  await pass(20_000);
  assert.deepEqual(losses, [null, 1_005_000]);
  server.isReachable = true;
  await pass(20_000);
  assert.deepEqual(losses, [null, 1_005_000, null]);
  // The pauses begin anew.
  server.isReachable = false;
  server.open.close();
  const before = server.requests.length;
  await pass(1_000);
  assert.equal(server.requests.length, before + 1);
});

test("a stream continues after the last numbered event", async () => {
  const server = new Server();
  start();
  await settle();
  server.open.enqueue(encoder.encode("event: value\nid: 41\ndata: 7\n\nevent: value\ndata: 8\n\n"));
  await settle();
  assert.deepEqual(received, [[7, "41"], [8, "41"]]);
  server.open.close();
  await pass(1_500);
  assert.equal(server.requests[0].headers["last-event-id"], undefined);
  assert.equal(server.requests[1].headers["last-event-id"], "41");
});

test("a connection that became silent is given up and opened again", async () => {
  const server = new Server();
  start();
  await pass(30_000);
  server.open.enqueue(encoder.encode(": alive\n\n"));
  await pass(39_000);
  assert.equal(server.requests.length, 1);
  await pass(3_000);
  assert.equal(server.requests.length, 2);
  assert.deepEqual(losses, [null, 1_070_000, null]);
});

test("a busy server determines the pause", async () => {
  const server = new Server();
  server.status = 503;
  server.fields = { "retry-after": "7" };
  start();
  await pass(15_000);
  assert.deepEqual(server.pauses, [7_000, 7_000]);
});

test("a page that is left ends its stream and its attempts", async () => {
  const server = new Server();
  start();
  await settle();
  ending.abort();
  await pass(90_000);
  assert.equal(server.requests.length, 1);
  assert.deepEqual(losses, [null]);
});
