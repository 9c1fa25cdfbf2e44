// Positions as a path on a plain grid with its scale: they are not sent to a map server.

import { h, svg } from "../../Client/dom.js";
import { number, t } from "../../Client/language.js";

/** @typedef {{latitude: number, longitude: number}} Position */

const side = 320;
const margin = 16;
const metresPerDegree = 111_195;

/**
 * The position of a point of a series, null if it has none.
 * @param {import("../health/values.js").Point} point
 * @returns {Position | null}
 */
export function positionOf({ value }) {
  const [latitude, longitude] = String(value).split(",").map(Number);
  return Number.isFinite(latitude) && Number.isFinite(longitude)
    ? { latitude: latitude ?? 0, longitude: longitude ?? 0 } : null;
}

/**
 * The corners of the path on the square, north up, with the same scale in both directions.
 * @param {readonly Position[]} positions at least one
 * @returns {{corners: [x: number, y: number][], metresPerUnit: number}}
 */
export function trackCorners(positions) {
  const first = positions[0] ?? { latitude: 0, longitude: 0 };
  const metres = positions.map(({ latitude, longitude }) => {
    // The shorter way around the globe, so that a path across the date line stays one.
    const turn = ((longitude - first.longitude + 540) % 360) - 180;
    return [
      turn * metresPerDegree * Math.cos((first.latitude * Math.PI) / 180),
      (latitude - first.latitude) * metresPerDegree,
    ];
  });
  const bounds = [0, 1].map((axis) => metres.reduce(([low = 0, high = 0], each) => {
    const value = each[axis] ?? 0;
    return [Math.min(low, value), Math.max(high, value)];
  }, [0, 0]));
  const [west = 0, east = 0] = bounds[0] ?? [];
  const [south = 0, north = 0] = bounds[1] ?? [];
  const metresPerUnit = Math.max(east - west, north - south, 10) / (side - 2 * margin);
  const round = (/** @type {number} */ value) => Math.round(value * 10) / 10;
  return {
    metresPerUnit,
    corners: metres.map(([x = 0, y = 0]) => [
      round(side / 2 + (x - (east + west) / 2) / metresPerUnit),
      round(side / 2 - (y - (north + south) / 2) / metresPerUnit),
    ]),
  };
}

/**
 * A round length for the scale: 1, 2 or 5 times a power of ten, at most a third of the picture.
 * @param {number} metresPerUnit
 */
export function scaleLength(metresPerUnit) {
  const most = (metresPerUnit * side) / 3;
  const power = 10 ** Math.floor(Math.log10(most));
  return [5, 2, 1].map((factor) => factor * power).find((length) => length <= most) ?? power;
}

/**
 * The path with its first and last position and the scale. The table beneath lists the positions.
 * @param {readonly Position[]} positions
 */
export function track(positions) {
  const { corners, metresPerUnit } = trackCorners(positions);
  const [first, last] = [corners[0], corners[corners.length - 1]];
  if (!first || !last) return null;
  const metres = scaleLength(metresPerUnit);
  const length = metres / metresPerUnit;
  const scale = metres >= 1_000
    ? number(metres / 1_000, { style: "unit", unit: "kilometer" })
    : number(metres, { style: "unit", unit: "meter" });
  const y = side - 6;
  return h("figure", { class: "track" },
    svg("svg", {
      viewBox: `0 0 ${side} ${side}`, role: "img",
      "aria-label": t("data.track", { count: positions.length }),
    },
    [1, 2, 3].map((part) => (part * side) / 4).map((at) => [
      svg("line", { class: "track-grid", x1: at, x2: at, y1: 0, y2: side }),
      svg("line", { class: "track-grid", y1: at, y2: at, x1: 0, x2: side }),
    ]),
    svg("polyline", {
      class: "track-path", points: corners.map((each) => each.join(",")).join(" "),
    }),
    svg("circle", { class: "track-first", cx: first[0], cy: first[1], r: 6 }),
    svg("rect", { class: "track-last", x: last[0] - 5, y: last[1] - 5, width: 10, height: 10 }),
    svg("line", { class: "track-scale", x1: 8, x2: 8 + length, y1: y, y2: y }),
    svg("text", { class: "track-text", x: 8, y: y - 6 }, scale)),
    h("figcaption", { class: "small muted" }, t("data.trackHint")));
}
