// Requirements: SOS-5, SOS-12, UI-20.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CallBoard, pastMax } from "../../Sources/WebApp/Pages/emergencies/callBoard.js";

const call = (episodeID, fields = {}) => ({
  episodeID, stage: "dispatched", rule: "fall", suspectedAt: "2026-03-01T10:00:00Z",
  calledAt: "2026-03-01T10:00:06Z", call: 1, person: { full_name: "Ada" }, readings: [],
  position: null, ...fields,
});
const ids = (board, place) => board.list(place).map((entry) => entry.call.episodeID);

test("a call rings until it is taken on, and is past after its outcome", () => {
  const board = new CallBoard();
  assert.ok(board.takeCalled({ ...call("a"), stage: undefined, cap: "<alert/>" }));
  assert.equal(board.takeCalled(call("a")), false);
  assert.deepEqual(ids(board, "incoming"), ["a"]);
  assert.equal(board.list("incoming")[0].call.cap, undefined);
  board.acknowledge("a", "2026-03-01T10:00:20Z");
  assert.deepEqual([ids(board, "incoming"), ids(board, "own")], [[], ["a"]]);
  board.close("a", "helped");
  board.takeClosed({ episodeID: "a", reason: "closed" });
  assert.deepEqual(board.list("past").map(({ end }) => end), ["helped"]);
});

test("calls of the list are where their stage and the acknowledgement say", () => {
  const board = new CallBoard();
  board.takeList([
    call("a"), call("b", { stage: "acknowledged", acknowledgedAt: "2026-03-01T10:01:00Z" }),
    call("c", { stage: "acknowledged" }), call("d", { stage: "closed" }),
    call("e", { stage: "false alarm" }),
  ]);
  assert.deepEqual(ids(board, "incoming"), ["a"]);
  assert.deepEqual(ids(board, "own"), ["b"]);
  const past = board.list("past").map((entry) => [entry.call.episodeID, entry.end]);
  const ends = Object.fromEntries(past);
  assert.deepEqual(ends, { c: "acknowledged", d: "closed", e: "false alarm" });
});

test("a list that was read too early does not ring again", () => {
  const board = new CallBoard();
  board.takeList([call("a"), call("b")]);
  board.close("a", "another hospital has it");
  board.acknowledge("b", "2026-03-01T10:01:00Z");
  board.takeList([call("a"), call("b")]);
  const places = ["incoming", "own", "past"].map((place) => ids(board, place));
  assert.deepEqual(places, [[], ["b"], ["a"]]);
});

test("an end that arrives before its call keeps it from ringing", () => {
  const board = new CallBoard();
  board.takeClosed({ episodeID: "a", reason: "false alarm" });
  board.takeCalled(call("a"));
  assert.deepEqual(ids(board, "past"), ["a"]);
  board.takeClosed(undefined);
  assert.equal(board.takeCalled({}), false);
});

test("a later list brings new readings to a call that still rings", () => {
  const board = new CallBoard();
  board.takeCalled(call("a"));
  board.takeList([call("a", { readings: [{ value: "30" }] })]);
  assert.equal(board.list("incoming")[0].call.readings.length, 1);
});

test("the memory of a board that stays open is bounded, and newest calls come first", () => {
  const board = new CallBoard();
  for (let index = 0; index < 5_000; index += 1) {
    const calledAt = new Date(Date.parse("2026-03-01T00:00:00Z") + index * 1_000).toISOString();
    board.takeCalled(call(String(index), { calledAt }));
    board.close(String(index), "closed");
    board.takeClosed({ episodeID: `unknown ${index}`, reason: "closed" });
  }
  assert.equal(board.entries.size, pastMax);
  assert.ok(board.ends.size <= pastMax);
  assert.equal(ids(board, "past")[0], "4999");
});
