import "./browser.mjs";
import assert from "node:assert/strict";
import { test } from "node:test";

const { Problem } = await import("../../Sources/WebApp/Client/api.js");
const { UploadQueue, staysWaiting } = await import("../../Sources/WebApp/Client/queue.js");

const body = { dataTypes: ["weight"], values: [70], timestamp: ["2026-01-01T08:00:00Z"] };

function stage(send) {
  const items = new Map();
  const state = { account: "ada@example.org", sent: [] };
  const queue = new UploadQueue({
    storage: {
      getItem: (name) => items.get(name) ?? null,
      setItem: (name, text) => items.set(name, text),
      removeItem: (name) => items.delete(name),
    },
    account: () => state.account,
    send: async (entry) => {
      state.sent.push(entry.key);
      await send?.(entry);
    },
  });
  return { queue, state, items };
}

test("waiting values are sent once, the oldest first, with their keys", async () => {
  const { queue, state, items } = stage();
  queue.add(body, "a", new Date(0));
  queue.add(body, "b", new Date(1));
  assert.deepEqual(await queue.flush(), { sent: 2, isDone: true });
  assert.deepEqual(await queue.flush(), { sent: 0, isDone: true });
  assert.deepEqual(state.sent, ["a", "b"]);
  assert.equal(items.size, 0);
});

test("a value with a known key is kept once", () => {
  const { queue } = stage();
  assert.ok(queue.add(body, "a", new Date(0)));
  assert.ok(queue.add(body, "a", new Date(1)));
  assert.equal(queue.entries.length, 1);
});

test("without a connection everything stays, in order", async () => {
  const { queue, state } = stage(() => { throw new Problem(0, {}); });
  queue.add(body, "a", new Date(0));
  queue.add(body, "b", new Date(1));
  assert.deepEqual(await queue.flush(), { sent: 0, isDone: false });
  assert.deepEqual(state.sent, ["a"]);
  assert.deepEqual(queue.entries.map((entry) => entry.key), ["a", "b"]);
});

test("a refused value is kept with the reason and not sent again; others pass", async () => {
  const { queue, state } = stage((entry) => {
    if (entry.key === "a") throw new Problem(400, { detail: "not plausible" });
  });
  queue.add(body, "a", new Date(0));
  queue.add(body, "b", new Date(1));
  assert.deepEqual(await queue.flush(), { sent: 1, isDone: true });
  assert.equal(queue.entries[0]?.refusal, "not plausible");
  await queue.flush();
  assert.deepEqual(state.sent, ["a", "b"]);
  queue.remove("a");
  assert.deepEqual(queue.entries, []);
});

test("values belong to the account that entered them", async () => {
  const { queue, state } = stage();
  queue.add(body, "a", new Date(0));
  state.account = "bob@example.org";
  assert.deepEqual(queue.entries, []);
  await queue.flush();
  assert.deepEqual(state.sent, []);
  state.account = "ada@example.org";
  assert.equal(queue.entries.length, 1);
});

test("a change of the account ends the sending", async () => {
  const { queue, state } = stage(() => { state.account = "bob@example.org"; });
  queue.add(body, "a", new Date(0));
  queue.add(body, "b", new Date(1));
  assert.deepEqual(await queue.flush(), { sent: 1, isDone: false });
  assert.deepEqual(state.sent, ["a"]);
});

test("nothing is kept without an account, and at most 1,000 uploads", () => {
  const { queue, state } = stage();
  for (let index = 0; index < 1_000; index += 1) {
    assert.ok(queue.add(body, `${index}`, new Date(index)));
  }
  assert.equal(queue.add(body, "one more", new Date(0)), false);
  state.account = null;
  assert.equal(queue.add(body, "a", new Date(0)), false);
});

test("values wait after temporary refusals, and not after faults of their own", () => {
  for (const status of [0, 401, 403, 409, 429, 500, 503]) {
    assert.ok(staysWaiting(new Problem(status, {})), `${status}`);
  }
  for (const status of [400, 404, 413, 422]) {
    assert.ok(!staysWaiting(new Problem(status, {})), `${status}`);
  }
});
