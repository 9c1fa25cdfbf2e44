// The page that each notice leads to.

import assert from "node:assert/strict";
import { test } from "node:test";
import { noticeTarget } from "../../Sources/WebApp/Pages/notifications/noticeTarget.js";

test("A request leads to the part of the followers that has it", () => {
  const target = (/** @type {string} */ status) =>
    noticeTarget({ kind: "request", data: { status } }, "single");
  assert.equal(target("pending"), "/app/followers?part=pending");
  assert.equal(target("accepted"), "/app/followers?part=followers");
  assert.equal(target("payment due"), "/app/followers?part=followers");
  assert.equal(target("expired"), "/app/followers?part=past");
});

test("An end leads a person to the followers and a company to its request", () => {
  const data = { reqID: "a/b", status: "ended" };
  assert.equal(noticeTarget({ kind: "ended", data }, "single"), "/app/followers?part=past");
  assert.equal(noticeTarget({ kind: "ended", data }, "tp"), "/app/history/a%2Fb");
  assert.equal(noticeTarget({ kind: "answer", data: {} }, "tp"), "/app/history");
});

test("Security, alarms and room lead to the pages where the reader can act", () => {
  const target = (/** @type {string} */ kind, /** @type {unknown} */ data) =>
    noticeTarget({ kind: /** @type {any} */ (kind), data }, "single");
  assert.equal(target("security", { event: "devicePaired" }), "/app/devices");
  assert.equal(target("security", { event: "keyCreated" }), "/app/programs");
  assert.equal(target("alarm", { stage: "silent" }), "/app/sos");
  assert.equal(target("room", null), "/app/data");
});

test("A run leads a runner to My Run and an organiser to the run while it exists", () => {
  const data = { event: "changed", runID: "12" };
  assert.equal(noticeTarget({ kind: "run", data }, "single"), "/app/myrun");
  assert.equal(noticeTarget({ kind: "run", data }, "tp"), "/app/organise/runs/12");
  assert.equal(
    noticeTarget({ kind: "run", data: { ...data, event: "cancelled" } }, "tp"),
    "/app/organise/runs");
  assert.equal(noticeTarget({ kind: "run", data: {} }, "tp"), "/app/organise/runs");
});
