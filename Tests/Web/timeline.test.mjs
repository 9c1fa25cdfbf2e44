// Requirements: SOS-8, UI-19.
import assert from "node:assert/strict";
import { test } from "node:test";
import { timeline } from "../../Sources/WebApp/Pages/sos/timeline.js";

const at = (second) => `2026-03-01T10:00:${String(second).padStart(2, "0")}Z`;
const episode = (fields) => ({
  episodeID: "a", stage: "closed", rule: "heartRateLow", drill: false, suspectedAt: at(0),
  abortUntil: at(5), readings: [], position: null, calls: [], ...fields,
});

test("every stage and every call has its place in time", () => {
  const moments = timeline(episode({
    confirmedAt: at(3), askedAt: at(1), dispatchedAt: at(6), acknowledgedAt: at(40),
    endedAt: at(59),
    calls: [
      { hospital: "B", voice: false, calledAt: at(36), acknowledgedAt: at(40) },
      { hospital: "A", voice: false, calledAt: at(6), withdrawnAt: at(41) },
      { hospital: null, voice: true, calledAt: at(37) },
      { hospital: null, contact: "Anna", voice: false, calledAt: at(7) },
      { hospital: null, contact: "Anna", voice: true, calledAt: at(8), acknowledgedAt: at(9) },
      { hospital: null, contact: "Anna", voice: false, allClear: true, calledAt: at(59) },
    ],
  }));
  assert.deepEqual(moments.map(({ kind, who }) => `${kind} ${who}`.trim()), [
    "suspected", "asked", "confirmed", "hospital A", "mail Anna", "voice Anna", "voiceTook Anna",
    "hospital B", "number", "hospitalTook B", "withdrawn A", "allClear Anna", "ended",
  ]);
});

test("an emergency without calls has its stages alone", () => {
  const kinds = timeline(episode({ stage: "aborted", endedAt: at(2) })).map(({ kind }) => kind);
  assert.deepEqual(kinds, ["suspected", "ended"]);
  const taken = timeline(episode({ acknowledgedAt: at(9) })).map(({ kind }) => kind);
  assert.deepEqual(taken, ["suspected", "acknowledged"]);
});
