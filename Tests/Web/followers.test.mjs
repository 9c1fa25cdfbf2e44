// What a person may accept of a request, and end.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  canBeEnded, canBeRestricted, isDeleted, partialChoice, shorterDurations,
} from "../../Sources/WebApp/Pages/followers/terms.js";

const day = 86_400;
const now = Date.parse("2026-11-23T12:00:00Z");
const request = {
  email: "a@b.it", piva: "12345670157", company_name: "Acme", company_description: "",
  preconfirmed: false, kind: "single", reqID: "one", dataTypes: ["heartRate", "steps"],
  status: "pending", subscribing: true, duration: 30 * day, createdAt: "2026-11-23T12:00:00Z",
  expiresAt: null, acceptedTypes: null, from: null, to: null,
};

test("A subscription can be accepted for a shorter time than requested", () => {
  assert.deepEqual(shorterDurations(request, now), [day, 7 * day]);
});

test("Without a subscription there is no shorter time", () => {
  assert.deepEqual(shorterDurations({ ...request, subscribing: false, duration: 0 }, now), []);
});

test("A check-in lasts as long as its run", () => {
  assert.deepEqual(shorterDurations({ ...request, kind: "check-in" }, now), []);
});

test("A subscription that ends at a time can end earlier", () => {
  const to = "2026-12-03T12:00:00Z";
  assert.deepEqual(shorterDurations({ ...request, duration: 0, to }, now), [day, 7 * day]);
});

test("A request for one type, once, can only be accepted as a whole", () => {
  const once = { ...request, dataTypes: ["weight"], subscribing: false, duration: 0 };
  assert.equal(canBeRestricted(once), false);
  assert.equal(canBeRestricted(request), true);
});

test("An answer in part names only what is less than requested", () => {
  assert.deepEqual(partialChoice(request, ["steps"], 7 * day), {
    reqID: "one", choice: "accept", dataTypes: ["steps"], duration: 7 * day,
  });
  assert.deepEqual(partialChoice(request, ["heartRate", "steps"], 0), {
    reqID: "one", choice: "accept",
  });
});

test("Accepted requests can be ended, and check-ins also after their run", () => {
  assert.equal(canBeEnded({ status: "accepted", kind: "single" }), true);
  assert.equal(canBeEnded({ status: "payment due", kind: "single" }), true);
  assert.equal(canBeEnded({ status: "ended", kind: "check-in", reason: "period over" }), true);
  assert.equal(canBeEnded({ status: "ended", kind: "single", reason: "period over" }), false);
  assert.equal(canBeEnded({ status: "declined", kind: "check-in" }), false);
});

test("A deleted third party is recognised by the text of the API", () => {
  assert.equal(isDeleted({ company_name: "deleted account" }), true);
  assert.equal(isDeleted({ company_name: "Acme" }), false);
});
