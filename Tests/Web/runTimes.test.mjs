// Requirements: UI-10, RUN-1 (what an organiser types about a run).
import assert from "node:assert/strict";
import { test } from "node:test";

process.env.TZ = "Europe/Rome";
const { isoOf, localOf, runFaults } = await import("../../Sources/WebApp/Client/runTimes.js");
const now = Date.parse("2026-03-01T12:00:00Z");
const good = {
  runName: "Lago", startTime: "2026-03-29T09:30", endTime: "2026-03-29T12:00", enrolUntil: "",
  participants: "40",
};

test("local times keep their zone and its summer time", () => {
  assert.equal(isoOf("2026-03-28T09:30"), "2026-03-28T08:30:00.000Z");
  assert.equal(isoOf("2026-03-29T09:30"), "2026-03-29T07:30:00.000Z");
  assert.equal(localOf("2026-03-29T07:30:00Z"), "2026-03-29T09:30");
  assert.equal(isoOf(""), null);
  assert.equal(isoOf("soon"), null);
  assert.equal(localOf(undefined), "");
});

test("a complete run has no fault, and each rule has its own", () => {
  assert.deepEqual(runFaults(good, now), {});
  assert.deepEqual(runFaults({ ...good, enrolUntil: good.startTime }, now), {});
  for (const [change, faults] of [
    [{ runName: " " }, { runName: "name" }],
    [{ startTime: "", endTime: "" }, { startTime: "start", endTime: "end" }],
    [{ startTime: "2026-02-28T10:00", endTime: "2026-02-28T11:00" }, { startTime: "startPast" }],
    [{ startTime: "2028-03-05T10:00", endTime: "2028-03-05T11:00" }, { startTime: "startFar" }],
    [{ endTime: "2026-03-29T09:30" }, { endTime: "endBefore" }],
    [{ endTime: "2026-04-06T09:31" }, { endTime: "endFar" }],
    [{ enrolUntil: "2026-03-01T13:00" }, { enrolUntil: "enrolPast" }],
    [{ enrolUntil: "2026-03-29T09:31" }, { enrolUntil: "enrolLate" }],
    [{ participants: "1" }, { participants: "participants" }],
    [{ participants: "2.5" }, { participants: "participants" }],
    [{ participants: "" }, { participants: "participants" }],
  ]) assert.deepEqual(runFaults({ ...good, ...change }, now), faults);
});
