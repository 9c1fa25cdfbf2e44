// Requirements: UI-11 (names on the map of a live run).
import assert from "node:assert/strict";
import { test } from "node:test";
import { boxesAround, LabelPlaces } from "../../Sources/WebApp/Elements/labelPlaces.js";

test("a name that would cover another has no place", () => {
  const labels = new LabelPlaces();
  const box = { x: 10, y: 20, width: 40, height: 14 };
  assert.equal(labels.take(box), true);
  for (const [x, y, isFree] of [[30, 25, false], [-25, 20, false], [50, 20, true],
    [10, 34, true], [10, 6, true], [12, 8, false]]) {
    assert.equal(labels.take({ ...box, x, y }), isFree, `${x} ${y}`);
  }
});

test("a name is beside its runner where nothing covers it, on the same side as before", () => {
  const labels = new LabelPlaces();
  const boxes = boxesAround({ x: 100, y: 100 }, 40, 12);
  assert.deepEqual(boxes.map(({ x, y }) => [x, y]), [[112, 93], [48, 93], [80, 74], [80, 112]]);
  labels.keep({ x: 120, y: 95, width: 14, height: 14 });
  assert.equal(labels.takeFirst(boxes, 0), 1);
  assert.equal(labels.takeFirst(boxes, 3), 3);
  assert.equal(labels.takeFirst(boxes, 3), 2);
  assert.equal(labels.takeFirst(boxes, 0), -1);
});
