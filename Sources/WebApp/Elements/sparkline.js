// A small plot beside a number. It decorates: the number and the chart's table carry the values.

import { svg } from "../Client/dom.js";

const width = 120;
const height = 32;
const margin = 3;

/**
 * The corners of the line, scaled to the plot; a line of equal values runs through the middle.
 * @param {readonly {time: number, value: number}[]} points in the order of time
 * @returns {[x: number, y: number][]}
 */
export function sparklineCorners(points) {
  const times = points.map((point) => point.time);
  const values = points.map((point) => point.value);
  const [begin, end] = [Math.min(...times), Math.max(...times)];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  /** @type {(value: number, from: number, to: number) => number} */
  const share = (value, from, to) => (to > from ? (value - from) / (to - from) : 0.5);
  const round = (/** @type {number} */ value) => Math.round(value * 10) / 10;
  return points.map(({ time, value }) => [
    round(margin + share(time, begin, end) * (width - 2 * margin)),
    round(height - margin - share(value, low, high) * (height - 2 * margin)),
  ]);
}

/**
 * A line through the points with a dot on the newest one.
 * @param {readonly {time: number, value: number}[]} points in the order of time, at most some 100
 */
export function sparkline(points) {
  const corners = sparklineCorners(points);
  const last = corners[corners.length - 1];
  return svg("svg", {
    class: "sparkline", viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true",
    focusable: "false",
  },
  corners.length > 1 && svg("polyline", {
    points: corners.map((corner) => corner.join(",")).join(" "), fill: "none",
    stroke: "currentColor", "stroke-width": 2, "stroke-linejoin": "round",
    "stroke-linecap": "round",
  }),
  last && svg("circle", { cx: last[0], cy: last[1], r: 3, fill: "currentColor" }));
}
