// Requirements: UI-10, RUN-8 (the organiser's live board).
import assert from "node:assert/strict";
import { test } from "node:test";
import * as board from "../../Sources/WebApp/Client/liveBoard.js";

const runners = [
  { number: 3, runnerName: "Carla", status: "running", place: 2 },
  { number: 1, runnerName: "Ada", status: "signal lost", place: 3, time: "2026-05-03T08:10:00Z" },
  { number: 4, runnerName: "bruno", status: "finished", place: 1 },
  { number: 2, runnerName: "Dario", status: "signal lost", time: "2026-05-03T08:05:00Z" },
  { number: 5, runnerName: "5", status: "checked in" },
];
const compare = (left, right) => left.localeCompare(right, "it");
const numbers = (list) => list.map(({ number }) => number);

test("runners are ordered by rank, attention, name or number", () => {
  assert.deepEqual(numbers(board.ordered(runners, "place", compare)), [4, 3, 1, 2, 5]);
  assert.deepEqual(numbers(board.ordered(runners, "attention", compare)), [1, 2, 3, 5, 4]);
  assert.deepEqual(numbers(board.ordered(runners, "name", compare)), [5, 1, 4, 3, 2]);
  assert.deepEqual(numbers(board.ordered(runners, "number", compare)), [1, 2, 3, 4, 5]);
});

test("alarms name the longest silent runner first, and states are counted", () => {
  assert.deepEqual(numbers(board.silent(runners)), [2, 1]);
  assert.deepEqual(board.strayed(runners), []);
  assert.deepEqual(board.countsOf(runners),
    [["signal lost", 2], ["running", 1], ["checked in", 1], ["finished", 1]]);
  assert.deepEqual(runners.map(board.keyOf), ["3", "1", "4", "2", "5"]);
});

test("runners are found by a part of the name or by the number", () => {
  assert.deepEqual(numbers(runners.filter((runner) => board.matches(runner, " AR "))), [3, 2]);
  assert.deepEqual(numbers(runners.filter((runner) => board.matches(runner, "4"))), [4]);
  assert.equal(runners.filter((runner) => board.matches(runner, "")).length, 5);
});

test("asks every 3 s while live, without missing the start, and never after the end", () => {
  assert.equal(board.pollPause("live", -5), 3_000);
  assert.equal(board.pollPause("open", 3_600_000), 15_000);
  assert.equal(board.pollPause("open", 4_000), 4_500);
  assert.equal(board.pollPause("open", -10_000), 1_000);
  assert.equal(board.pollPause("ended", 0), null);
});
