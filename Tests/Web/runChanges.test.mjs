// Requirements: RUN-2, UI-10 (changing a run).
import assert from "node:assert/strict";
import { test } from "node:test";
import { changesOf } from "../../Sources/WebApp/Client/runChanges.js";

const run = {
  runName: "Lago", startTime: "2026-05-03T07:30:00.000Z", endTime: "2026-05-03T10:00:00.000Z",
  participants: 40, place: "Como", clauses: "Helmets.",
};

test("only what differs is sent", () => {
  assert.deepEqual(changesOf(run, { ...run }, true), {});
  assert.deepEqual(changesOf(run, { ...run, startTime: "2026-05-03T07:30:00Z" }, true), {});
  assert.deepEqual(changesOf(run, { ...run, runName: "Lago di Como", participants: 50 }, true),
    { runName: "Lago di Como", participants: 50 });
});

test("emptied fields are removed, an emptied deadline becomes the start", () => {
  const { place: _place, clauses: _clauses, ...rest } = run;
  assert.deepEqual(changesOf(run, rest, true), { place: "", clauses: "" });
  assert.deepEqual(changesOf({ ...run, enrolUntil: "2026-05-01T10:00:00Z" }, run, true),
    { enrolUntil: run.startTime });
});

test("clauses that were not shown stay unless new ones are typed", () => {
  const { clauses: _clauses, ...unknown } = run;
  assert.deepEqual(changesOf(unknown, unknown, false), {});
  assert.deepEqual(changesOf(unknown, { ...unknown, clauses: "New." }, false), { clauses: "New." });
});
