// Requirements: SOS-4 (time left on a phone whose clock is wrong).
import assert from "node:assert/strict";
import { test } from "node:test";
import { ServerClock } from "../../Sources/WebApp/Client/serverClock.js";

const start = Date.parse("2026-03-01T10:00:00Z");

test("responses determine the difference of the clocks more finely than their seconds", () => {
  const clock = new ServerClock();
  const ahead = 93_400;
  for (let index = 0; index < 20; index += 1) {
    const sentAt = start + index * 5_130;
    const date = new Date(Math.floor((sentAt + ahead + 20) / 1_000) * 1_000).toUTCString();
    clock.learn(date, sentAt, sentAt + 40);
  }
  assert.ok(Math.abs(clock.offset - ahead) < 200, String(clock.offset));
  assert.equal(clock.now(start), start + clock.offset);
});

test("one event determines the time up to its latency", () => {
  const clock = new ServerClock();
  assert.equal(clock.offset, 0);
  clock.learnEvent("2026-03-01T10:00:30Z", start + 150);
  assert.equal(clock.offset, 29_850);
});

test("an old event does not move the clock back", () => {
  const clock = new ServerClock();
  clock.learn(new Date(start).toUTCString(), start - 50, start + 50);
  const before = clock.offset;
  clock.learnEvent("2026-03-01T09:00:00Z", start);
  assert.equal(clock.offset, before);
});

test("after one of the clocks was set the newer answer counts", () => {
  const clock = new ServerClock();
  clock.learn(new Date(start).toUTCString(), start, start + 20);
  clock.learn(new Date(start + 3_600_000).toUTCString(), start, start + 20);
  assert.ok(Math.abs(clock.offset - 3_600_500) < 600);
  clock.learn("no date", start, start);
  clock.learn(null, start, start);
  assert.ok(Math.abs(clock.offset - 3_600_500) < 600);
});
