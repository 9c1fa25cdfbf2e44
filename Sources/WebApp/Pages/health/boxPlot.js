// The spread of the samples of a type as a bar: minimum, percentiles 5, 25, 50, 75, 95, maximum.

import { svg } from "../../Client/dom.js";

/** @typedef {Pick<import("./values.js").Statistics,
 *   "min" | "p5" | "p25" | "median" | "p75" | "p95" | "max">} Spread */

const width = 200;
const height = 28;
const margin = 4;

/**
 * The places of the seven values on the bar; equal values lie in its middle.
 * @param {Spread} spread
 * @returns {Record<keyof Spread, number>}
 */
export function boxPlaces(spread) {
  const length = spread.max - spread.min;
  const place = (/** @type {number} */ value) =>
    Math.round((margin + (length > 0 ? (value - spread.min) / length : 0.5)
      * (width - 2 * margin)) * 10) / 10;
  return {
    min: place(spread.min), p5: place(spread.p5), p25: place(spread.p25),
    median: place(spread.median), p75: place(spread.p75), p95: place(spread.p95),
    max: place(spread.max),
  };
}

/**
 * @param {Spread} spread
 * @param {string} label the values in words
 */
export function boxPlot(spread, label) {
  const at = boxPlaces(spread);
  const middle = height / 2;
  /** @type {(from: number, to: number, strength: number) => SVGElement} */
  const line = (from, to, strength) =>
    svg("line", {
      x1: from, x2: to, y1: middle, y2: middle, stroke: "currentColor", "stroke-width": strength,
    });
  return svg("svg", {
    class: "box-plot", viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
    "aria-label": label,
  },
  line(at.min, at.max, 1), line(at.p5, at.p95, 4),
  svg("rect", {
    x: at.p25, y: 5, width: Math.max(at.p75 - at.p25, 1), height: height - 10, rx: 3,
    class: "box-plot-box", stroke: "currentColor",
  }),
  svg("line", {
    x1: at.median, x2: at.median, y1: 3, y2: height - 3, stroke: "currentColor", "stroke-width": 3,
  }));
}
