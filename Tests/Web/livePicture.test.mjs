// Requirements: UI-11, RUN-5, RUN-12 (live positions of a run).
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  byPlace, countStatuses, LivePicture, paceOf,
} from "../../Sources/WebApp/Client/livePicture.js";
import { pointOf } from "../../Sources/WebApp/Elements/mapMath.js";

const full = {
  number: 17,
  full: [[412, "Anna", 1, 4546420, 919000, 1031, 300], [7, "7", 0], [9, "Carlo", 5]],
};

test("a full event replaces all runners", () => {
  const picture = new LivePicture();
  assert.equal(picture.positions(full), true);
  assert.equal(picture.runners.size, 3);
  assert.deepEqual(picture.runners.get(412), {
    number: 412, name: "Anna", status: "running", point: { lat: 45.4642, lon: 9.19 },
    metres: 1031, seconds: 300, place: null,
  });
  assert.equal(picture.runners.get(9).status, "paused");
  assert.equal(picture.runners.get(9).point, null);
  assert.equal(picture.positions({ number: 30, full: [] }), true);
  assert.equal(picture.runners.size, 0);
});

test("a picture is empty without being read until the first full event or poll", () => {
  const picture = new LivePicture();
  assert.deepEqual([picture.isRead, picture.watching], [false, null]);
  assert.equal(picture.positions({ number: 18, moved: [] }), false);
  assert.equal(picture.isRead, false);
  picture.positions({ number: 17, full: [] });
  assert.deepEqual([picture.isRead, picture.watching], [true, null]);
  const polled = new LivePicture();
  polled.polled({ runID: 1, state: "live", watching: 0, runners: [] }, pointOf);
  assert.deepEqual([polled.isRead, polled.watching], [true, 0]);
});

test("the reader of a picture is one of its spectators", () => {
  const picture = new LivePicture();
  assert.equal(picture.spectators, null);
  for (const [watching, shown] of [[0, 1], [1, 1], [7, 7]]) {
    picture.placings({ number: 17, watching, full: [] });
    assert.equal(picture.spectators, shown);
  }
});

test("changes move, replace and remove runners", () => {
  const picture = new LivePicture();
  picture.positions(full);
  assert.equal(picture.positions({
    number: 18, moved: [[412, -3, 4, 3, 1]], replaced: [[9, "Carlo", 1, 4500000, 900000, 5, 2]],
    gone: [7],
  }), true);
  assert.deepEqual(picture.runners.get(412).point, { lat: 45.46417, lon: 9.19004 });
  assert.equal(picture.runners.get(412).metres, 1034);
  assert.deepEqual(picture.runners.get(9).point, { lat: 45, lon: 9 });
  assert.equal(picture.runners.has(7), false);
  // A runner who pauses has no position any longer.
  picture.positions({ number: 19, replaced: [[412, "Anna", 5]] });
  assert.equal(picture.runners.get(412).point, null);
});

test("a thousand moves add up without an error", () => {
  const picture = new LivePicture();
  picture.positions({ number: 0, full: [[1, "1", 1, 4500000, 900000, 0, 0]] });
  for (let number = 1; number <= 1000; number += 1) {
    picture.positions({ number, moved: [[1, 1, -1, 3, 1]] });
  }
  const { point, metres, seconds } = picture.runners.get(1);
  assert.deepEqual([point, metres, seconds], [{ lat: 45.01, lon: 8.99 }, 3000, 1000]);
});

test("changes of another picture are refused", () => {
  const picture = new LivePicture();
  assert.equal(picture.positions({ number: 18, moved: [] }), false);
  picture.positions(full);
  assert.equal(picture.positions({ number: 19, moved: [] }), false);
  assert.equal(picture.positions({ number: 18, moved: [[5, 1, 1, 1, 1]] }), false);
  picture.positions(full);
  picture.expectFull();
  assert.equal(picture.positions({ number: 18, moved: [] }), false);
});

test("placings are kept across pictures and order the list", () => {
  const picture = new LivePicture();
  picture.positions(full);
  picture.placings({ number: 17, watching: 3, full: [[9, 1], [412, 2]] });
  assert.deepEqual(picture.ranked().map(({ number }) => number), [9, 412, 7]);
  picture.positions({ number: 18, replaced: [[412, "Anna", 2, 1, 1, 1, 1]] });
  assert.equal(picture.runners.get(412).place, 2);
  picture.placings({ number: 22, watching: 4, changed: [[412, 1]], gone: [9] });
  assert.equal(picture.watching, 4);
  assert.deepEqual(picture.ranked().map(({ place }) => place), [1, null, null]);
  assert.equal(byPlace({ place: null }, { place: null }), 0);
});

test("an answer to a poll makes the same picture", () => {
  const picture = new LivePicture();
  picture.positions(full);
  picture.polled({
    runID: 1, state: "live", watching: 2,
    runners: [
      { number: 3, runnerName: "3", status: "finished", coordinate: "45.1,9.2", place: 1,
        distance: 10, seconds: 5 },
      { runnerName: "anna@example.org", status: "running" },
      { number: 4, runnerName: "Dora", status: "paused" },
    ],
  }, pointOf);
  assert.deepEqual(picture.ranked().map(({ number, point }) => [number, point]),
    [[3, { lat: 45.1, lon: 9.2 }], [4, null]]);
  assert.equal(picture.positions({ number: 18, moved: [] }), false);
});

test("paces and counts", () => {
  assert.equal(paceOf(1000, 300), 300);
  assert.equal(paceOf(5, 300), null);
  assert.equal(paceOf(null, 300), null);
  assert.deepEqual(countStatuses([{ status: "finished" }, { status: "running" },
    { status: "finished" }]),
    [["running", 1], ["finished", 2]]);
});
