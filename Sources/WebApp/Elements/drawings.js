// Drawings of the subjects of TrackMe, composed of the elements that the pages themselves use. They
// only illustrate the text beside them.

import { h, svg } from "../Client/dom.js";
import { number, t } from "../Client/language.js";
import { icon } from "./icon.js";

/** @typedef {"health" | "requests" | "groups" | "sos" | "run" | "organise"} Subject */

/** The subjects of the tutorial in their order. */
export const subjects = /** @type {Subject[]} */ (
  ["health", "requests", "groups", "sos", "run", "organise"]);

const drawings = {
  health: () => [
    tile("heart", "72 /min", "M2 20 L14 18 L22 22 L30 8 L38 26 L46 17 L60 19 L74 16 L98 18"),
    tile("run", number(8_431), "M2 26 L18 24 L34 16 L50 18 L66 10 L82 12 L98 6"),
  ],
  requests: () => h("div", { class: "drawing-card" },
    h("span", { class: "row" }, icon("company"), h("strong", {}, t("tutorial.drawing.company"))),
    h("span", { class: "row" }, tag("positive", "check", t("tutorial.drawing.accept")),
      tag("negative", "close", t("tutorial.drawing.decline")))),
  groups: () => h("div", { class: "drawing-crowd" },
    Array.from({ length: 24 }, () => icon("person")),
    h("strong", { class: "drawing-count" }, `> ${number(1_000)}`)),
  sos: () => h("div", { class: "drawing-rings" }, icon("heart"), icon("phone")),
  run: () => course(["29 81", "70 73", "110 65"]),
  organise: () => course([]),
};

/**
 * The drawing of a subject; its style is drawings.css.
 * @param {Subject} subject
 */
export function drawing(subject) {
  return h("div", { class: `drawing drawing-${subject}`, "aria-hidden": "true" },
    drawings[subject]());
}

/**
 * @param {string} name
 * @param {string} value
 * @param {string} line
 */
function tile(name, value, line) {
  return h("div", { class: "drawing-card" },
    h("span", { class: "row" }, icon(name), h("strong", {}, value)),
    svg("svg", { viewBox: "0 0 100 32", class: "drawing-line" }, svg("path", { d: line })));
}

/**
 * @param {string} kind
 * @param {string} name
 * @param {string} text
 */
function tag(kind, name, text) {
  return h("span", { class: `tag tag-${kind}` }, icon(name), text);
}

/**
 * @param {string[]} points as `x y`
 * @param {number} radius
 * @param {string} name the class
 */
function circles(points, radius, name) {
  return points.map((point) => {
    const [cx, cy] = point.split(" ");
    return svg("circle", { cx, cy, r: radius, class: name });
  });
}

/**
 * A path with checkpoints, and runners on it where their positions are named.
 * @param {string[]} runners as `x y`
 */
function course(runners) {
  const checkpoints = ["10 98", "48 64", "92 82", "128 48", "170 60", "190 18"];
  return svg("svg", { viewBox: "0 0 200 110", class: "drawing-course" },
    svg("polyline", { points: checkpoints.join(" ") }),
    circles(checkpoints, runners.length > 0 ? 3 : 6, "drawing-checkpoint"),
    circles(runners, 7, "drawing-runner"));
}
