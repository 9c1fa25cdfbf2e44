// Requirements: NTF-1, REQ-2 (streams of events).
import assert from "node:assert/strict";
import { test } from "node:test";
import { EventParser } from "../../Sources/WebApp/Client/events.js";

const text = ":\n\nid: 7\nevent: alarm\ndata: {\"a\":1}\n\n: beat\n\ndata: x\ndata: y\n\n"
  + "event: only a name\n\nid: 8\r\nevent:run\r\ndata:z\r\n\r\n";
const expected = [
  { name: "alarm", data: "{\"a\":1}", id: "7" }, { name: "message", data: "x\ny", id: "7" },
  { name: "run", data: "z", id: "8" },
];

test("events are the same however the stream is cut", () => {
  for (let size = 1; size <= text.length; size += 1) {
    const parser = new EventParser();
    const events = [];
    for (let at = 0; at < text.length; at += size) {
      events.push(...parser.push(text.slice(at, at + size)));
    }
    assert.deepEqual(events, expected, `parts of ${size}`);
  }
});

test("an unfinished event is not reported, and an endless one is refused", () => {
  const parser = new EventParser();
  assert.deepEqual(parser.push("data: half"), []);
  assert.throws(() => {
    for (let part = 0; part < 20; part += 1) parser.push("x".repeat(1_000_000));
  });
});
