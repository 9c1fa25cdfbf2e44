// Requirements: UI-14 (pages continue after a fault by themselves).
import "./browser.mjs";
import assert from "node:assert/strict";
import { test } from "node:test";

const { call, Problem, repetitionPause } = await import("../../Sources/WebApp/Client/api.js");

const problem = (status, retryAfter = null) => new Problem(status, {}, retryAfter);
const answer = (status, headers = {}) => async () => new Response("{}", {
  status, headers: { "content-type": "application/json", ...headers },
});

test("the pause is that of the API, unless it is too long to wait for", () => {
  assert.equal(repetitionPause(problem(429, 30)), 30_000);
  assert.equal(repetitionPause(problem(503, 120)), 120_000);
  assert.equal(repetitionPause(problem(429, 121)), null);
  // Without a time, a limit does not end by waiting a moment.
  assert.equal(repetitionPause(problem(429)), null);
});

test("refusals that a repetition does not change are not repeated", () => {
  for (const status of [400, 401, 403, 404, 409, 500]) {
    assert.equal(repetitionPause(problem(status)), null);
  }
});

test("a request that takes longer than its limit ends like one that was not answered", async () => {
  const cut = (signal) => new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });
  const late = (error) => error instanceof Problem && error.status === 0 && error.isTemporary;
  const request = () => call("GET /lookup/dataTypes", { limit: 5 });
  globalThis.fetch = (_, { signal }) => cut(signal);
  await assert.rejects(request(), late);
  globalThis.fetch = async (_, { signal }) => ({
    ok: true, headers: new Headers({ "content-type": "application/json" }), json: () => cut(signal),
  });
  await assert.rejects(request(), late);
});

test("a request whose first attempt is still running is repeated", () => {
  assert.equal(problem(409, 1).isTemporary, true);
  assert.equal(repetitionPause(problem(409, 3)), 3_000);
});

test("the pause grows with the failures in a row, and an answer resets it", async () => {
  const pauses = [];
  const attempt = async (fetch) => {
    globalThis.fetch = fetch;
    await call("GET /auth/me").catch((refusal) => pauses.push(repetitionPause(refusal)));
  };
  const cut = async () => {
    throw new TypeError("network");
  };
  for (let count = 0; count < 6; count += 1) await attempt(count % 2 === 0 ? cut : answer(503));
  assert.deepEqual(pauses, [2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  await attempt(answer(200));
  await attempt(cut);
  assert.equal(pauses.at(-1), 2_000);
});
