// Requirements: UI-11, UI-20 (positions on a map).
import assert from "node:assert/strict";
import { test } from "node:test";
import * as map from "../../Sources/WebApp/Elements/mapMath.js";

test("positions of the API are read exactly, other texts are refused", () => {
  assert.deepEqual(map.pointOf("45.4781,9.2272"), { lat: 45.4781, lon: 9.2272 });
  assert.deepEqual(map.pointOf(" -1.5 , -179 "), { lat: -1.5, lon: -179 });
  for (const text of ["", null, undefined, "45.1", "91,0", "0,181", "45,1,9,2", "a,b"]) {
    assert.equal(map.pointOf(text), null, String(text));
  }
  assert.equal(map.textOf({ lat: 45.47811234, lon: 9 }), "45.478112,9");
});

test("the projection is that of Web Mercator tiles", () => {
  assert.deepEqual(map.project({ lat: 0, lon: 0 }), { x: 0.5, y: 0.5 });
  for (const lat of [-80, -41.3, 45.4642, 84]) {
    // The formula of the OpenStreetMap wiki for the row of a tile.
    const row = (1 - Math.asinh(Math.tan((lat * Math.PI) / 180)) / Math.PI) / 2;
    assert.ok(Math.abs(map.project({ lat, lon: 9.19 }).y - row) < 1e-12);
    assert.equal(map.project({ lat, lon: 9.19 }).x, (9.19 + 180) / 360);
  }
  assert.ok(Math.abs(map.project({ lat: 85.0511, lon: 0 }).y) < 1e-6);
  assert.ok(Number.isFinite(map.project({ lat: 90, lon: 0 }).y));
});

test("distances on the sphere", () => {
  const rome = { lat: 41.9028, lon: 12.4964 };
  const milan = { lat: 45.4642, lon: 9.19 };
  assert.ok(Math.abs(map.distance(rome, milan) - 477_000) < 1_500);
  assert.equal(map.distance(rome, rome), 0);
  assert.ok(Math.abs(map.distance(milan, map.eastOf(milan, 5_000)) - 5_000) < 10);
});

test("bounds of points and of a circle", () => {
  assert.equal(map.boundsOf([]), null);
  const bounds = map.boundsOf([{ lat: 1, lon: 5 }, { lat: -2, lon: 7 }]);
  assert.deepEqual(bounds, [{ lat: -2, lon: 5 }, { lat: 1, lon: 7 }]);
  const [southWest, northEast] = map.cornersOf({ lat: 45, lon: 9 }, 5_000);
  const north = map.distance({ lat: 45, lon: 9 }, { lat: northEast.lat, lon: 9 });
  assert.ok(Math.abs(north - 5_000) < 10);
  assert.ok(southWest.lon < 9 && southWest.lat < 45);
});

test("the scale has a round length that fits", () => {
  assert.deepEqual([999, 1_000, 0.7, 49, 50].map(map.roundBelow), [500, 1_000, 0.5, 20, 50]);
  for (let zoom = 2; zoom <= 19; zoom += 1) {
    const { metres, pixels } = map.scaleBar(map.metresPerPixel(45, zoom), 110);
    assert.ok(pixels <= 110 && pixels > 40, `zoom ${zoom}`);
    assert.ok(metres > 0);
  }
});

test("the grid has a few lines with distinct labels at every zoom", () => {
  for (let width = 360; width > 1e-4; width /= 2) {
    const { lines, digits } = map.gridLines(9.19, 9.19 + width, 800);
    assert.ok(lines.length >= 1 && lines.length <= 16, `${width}: ${lines.length}`);
    assert.equal(new Set(lines.map((line) => line.toFixed(digits))).size, lines.length);
  }
  assert.deepEqual(map.gridLines(0, 1, 0).lines, []);
  assert.deepEqual(map.gridLines(1, 0, 100).lines, []);
});

test("a marker moves evenly and stops at its target", () => {
  const motion = { from: { x: 0, y: 0 }, to: { x: 1, y: 2 }, startedAt: 100, duration: 1_000 };
  assert.deepEqual(map.shownAt(motion, 50), { x: 0, y: 0 });
  assert.deepEqual(map.shownAt(motion, 600), { x: 0.5, y: 1 });
  assert.equal(map.shownAt(motion, 5_000), motion.to);
  assert.ok(map.isMoving(motion, 1_099) && !map.isMoving(motion, 1_100));
  assert.equal(map.shownAt({ ...motion, duration: 0 }, 100), motion.to);
});
