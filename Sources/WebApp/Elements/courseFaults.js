// The faults of a course in words, each with its stretches.

import { drawnLegs, stretches } from "../Client/course.js";
import { h } from "../Client/dom.js";
import { number, t } from "../Client/language.js";
import { notice } from "./notice.js";

/** @typedef {import("../Client/course.js").Course} Course */
/** @typedef {import("../Client/course.js").Fault} Fault */

const texts = /** @type {const} */ ({
  "too few points": "course.fault.few",
  "too many points": "course.fault.many",
  "leg too long": "course.fault.leg",
  "too long": "course.fault.long",
  "along another run": "course.fault.along",
});

/**
 * The reason of a fault.
 * @param {Fault} fault
 */
export function faultText({ fault, detail }) {
  const key = texts[fault];
  return key ? t(key) : detail;
}

/**
 * The reasons for which a course is refused, as one text for the summary of its form.
 * @param {readonly Fault[]} faults
 */
export function refusalOf(faults) {
  return [t("course.invalidText"), ...new Set(faults.map(faultText))].join(" ");
}

/**
 * The faults as a message; null without any.
 * @param {readonly Fault[]} faults
 * @param {Course} course
 * @param {(stretch: {from: number, to: number}) => void} onShow
 */
export function faultList(faults, course, onShow) {
  if (faults.length === 0) return null;
  return notice("error", h("p", {}, t("course.invalidText")),
    h("ul", {}, faults.map((fault) => {
      const where = stretches(drawnLegs(fault.legs, course));
      return h("li", {}, faultText(fault), " ",
        where.slice(0, 10).map((stretch) => h("button", {
          type: "button", class: "plain", onclick: () => onShow(stretch),
        }, t("course.stretch", { from: number(stretch.from + 1), to: number(stretch.to + 1) }))),
        where.length > 10 && ` ${t("course.more", { count: where.length - 10 })}`);
    })));
}
