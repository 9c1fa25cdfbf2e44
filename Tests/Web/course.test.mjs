// Requirements: UI-10, RUN-1, RUN-17 (the course of a run while it is drawn).
import assert from "node:assert/strict";
import { test } from "node:test";
import * as course from "../../Sources/WebApp/Client/course.js";

const a = { lat: 45, lon: 9 };
const b = { lat: 45.01, lon: 9 };
const c = { lat: 45.01, lon: 9.01 };
const d = { lat: 45, lon: 9.01 };

test("lengths add up along the points and over the laps", () => {
  assert.deepEqual(course.distances([]), []);
  const [none, first] = course.distances([a, b]);
  assert.equal(none, 0);
  assert.ok(Math.abs(first - 1_112) < 1);
  assert.equal(course.lengthOf({ points: [a, b], laps: 3 }), first);
  const lap = [a, b, c, a];
  assert.ok(Math.abs(course.lengthOf({ points: lap, laps: 3 })
    - 3 * course.lengthOf({ points: lap, laps: 1 })) < 1e-6);
});

test("a lap is closed once, unfolded for the API and folded again", () => {
  const lap = course.closed({ points: [a, b, c], laps: 1 });
  assert.deepEqual(lap.points, [a, b, c, a]);
  assert.equal(course.closed(lap).points.length, 4);
  const path = course.unfolded({ ...lap, laps: 3 });
  assert.deepEqual(path, [a, b, c, a, b, c, a, b, c, a]);
  assert.deepEqual(course.folded(path), { points: [a, b, c, a], laps: 3 });
  assert.deepEqual(course.folded([a, b, c]), { points: [a, b, c], laps: 1 });
  assert.deepEqual(course.folded([a, b, c, a, c, b, a]).laps, 1);
  assert.deepEqual(course.folded([a, b, a, b, a]), { points: [a, b, a], laps: 2 });
  assert.deepEqual(course.closed({ points: [a], laps: 1 }).points, [a]);
  assert.deepEqual(course.pathOf({ points: [a, b], laps: 2 }),
    [{ coordinate: "45,9" }, { coordinate: "45.01,9" }]);
});

test("start and finish of a lap move together, and a removed start passes on", () => {
  const lap = { points: [a, b, c, a], laps: 2 };
  assert.deepEqual(course.moved(lap, 0, d), { points: [d, b, c, d], laps: 2 });
  assert.deepEqual(course.moved(lap, 3, d), { points: [d, b, c, d], laps: 2 });
  assert.deepEqual(course.moved(lap, 1, d), { points: [a, d, c, a], laps: 2 });
  assert.deepEqual(course.removed({ points: [a, b, c, d, a], laps: 2 }, 0),
    { points: [b, c, d, b], laps: 2 });
  assert.deepEqual(course.removed(lap, 3), { points: [a, b, c], laps: 1 });
  assert.deepEqual(course.inserted(lap, 4, [d]), { points: [a, b, c, a, d], laps: 1 });
  assert.deepEqual(course.inserted(lap, 1, [d]), { points: [a, d, b, c, a], laps: 2 });
  assert.deepEqual(course.reversed(lap).points, [a, c, b, a]);
});

test("points are read from lines of text, and wrong lines are named", () => {
  assert.deepEqual(course.pointsOf("45,9\n\n 45.01, 9 \r\n45.01; 9.01\n45\t9.01"),
    { points: [a, b, c, d], wrongLines: [] });
  assert.deepEqual(course.pointsOf("45,9\nMilano\n95,9"), { points: [a], wrongLines: [2, 3] });
});

test("faulty legs of all laps are shown on the drawn one, as stretches", () => {
  const lap = { points: [a, b, c, a], laps: 2 };
  assert.deepEqual(course.drawnLegs([0, 4, 1, 3], lap), [0, 1]);
  assert.deepEqual(course.drawnLegs([0], { points: [a], laps: 1 }), []);
  assert.deepEqual(course.stretches([0, 1, 3]), [{ from: 0, to: 2 }, { from: 3, to: 4 }]);
});

test("undo and redo; a new change drops what was undone", () => {
  const history = new course.CourseHistory();
  assert.equal(history.canUndo, false);
  history.add({ points: [a], laps: 1 });
  history.add({ points: [a, b], laps: 1 });
  history.undo();
  assert.deepEqual(history.present.points, [a]);
  history.redo();
  assert.deepEqual(history.present.points, [a, b]);
  history.undo();
  history.add({ points: [a, c], laps: 1 });
  assert.equal(history.canRedo, false);
  for (let count = 0; count < 300; count += 1) history.add({ points: [a, c], laps: 1 });
  assert.equal(history.versions.length, 100);
});

test("a recorded track is simplified within some metres, with its ends and corners", () => {
  const track = [];
  for (let step = 0; step <= 100; step += 1) track.push({ lat: 45 + step / 10_000, lon: 9 });
  for (let step = 1; step <= 100; step += 1) track.push({ lat: 45.01, lon: 9 + step / 10_000 });
  assert.deepEqual(course.simplified(track, 5),
    [{ lat: 45, lon: 9 }, { lat: 45.01, lon: 9 }, { lat: 45.01, lon: 9.01 }]);
  assert.deepEqual(course.simplified([a, b, c, a], 5), [a, b, c, a]);
  assert.deepEqual(course.simplified([], 5), []);
});
