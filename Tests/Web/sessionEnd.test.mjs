// Requirements: ACC-7, UI-14 (pages notice that their session is over).
import "./browser.mjs";
import assert from "node:assert/strict";
import { test } from "node:test";

const { call, onSessionEnd, Problem } = await import("../../Sources/WebApp/Client/api.js");

let ends = 0;
onSessionEnd(() => {
  ends += 1;
});

/**
 * Calls an endpoint whose answer is a refusal, while `/auth/me` answers with a status.
 * @param {string} name
 * @param {[status: number, error: string, detail?: string]} refusal
 * @param {number} me 0: the request fails
 * @returns {Promise<[ends: number, questions: number]>}
 */
async function refused(name, [status, error, detail = ""], me) {
  let questions = 0;
  ends = 0;
  globalThis.fetch = async (address) => {
    const isQuestion = address === "/auth/me";
    if (isQuestion) questions += 1;
    if (isQuestion && me === 0) throw new TypeError("network");
    return new Response(JSON.stringify({ error, detail }), { status: isQuestion ? me : status });
  };
  await assert.rejects(call(name), (problem) => problem instanceof Problem
    && problem.status === status && problem.error === error);
  return [ends, questions];
}

test("a wrong token ends the session", async () => {
  const wrongToken = [401, "Wrong token"];
  assert.deepEqual(await refused("GET /data/stats", wrongToken, 200), [1, 0]);
});

test("the refusals that the design document fixes end it only if it is over", async () => {
  // A missing token has the same status and error as a wrong password or an unknown person.
  for (const [name, ...refusal] of [
    ["POST /settings/single/info", 403, "Wrong authentication", "Send `Authorization: Bearer`."],
    ["POST /data/upload", 403, "Wrong parameters"], ["POST /req/single/choice", 403, "Wrong token"],
    ["POST /req/tp/sendSingle", 401, "Wrong parameters"],
  ]) {
    assert.deepEqual(await refused(name, refusal, 401), [1, 1], name);
    assert.deepEqual(await refused(name, refusal, 200), [0, 1], name);
  }
});

test("without an answer about the session it stays", async () => {
  const wrong = [403, "Wrong authentication"];
  for (const me of [0, 502, 503]) {
    assert.deepEqual(await refused("POST /settings/tp/info", wrong, me), [0, 1], String(me));
  }
});

test("other refusals and those of a login say nothing about the session", async () => {
  assert.deepEqual(await refused("POST /auth/login", [403, "Already logged in"], 401), [0, 0]);
  assert.deepEqual(await refused("POST /auth/login", [401, "Wrong token"], 401), [0, 0]);
  for (const status of [400, 404, 409, 429, 503]) {
    assert.deepEqual(await refused("POST /data/upload", [status, "No"], 401), [0, 0]);
  }
});

test("refusals at the same time read the session once", async () => {
  let questions = 0;
  ends = 0;
  globalThis.fetch = async (address) => {
    if (address === "/auth/me") questions += 1;
    return new Response(JSON.stringify({ error: "Wrong parameters" }), { status: 403 });
  };
  const calls = [1, 2, 3].map(() => call("POST /data/upload"));
  for (const { reason } of await Promise.allSettled(calls)) assert.equal(reason.status, 403);
  assert.deepEqual([ends, questions], [0, 1]);
  // A later refusal reads it again.
  await assert.rejects(call("POST /data/upload"));
  assert.equal(questions, 2);
});
