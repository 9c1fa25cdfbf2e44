// Words and small parts about emergencies, for their person and for hospitals.

import { h } from "../Client/dom.js";
import { dateTime, nameOf, relative, t } from "../Client/language.js";
import { valueText } from "../Client/units.js";
import { dataTypeName } from "./dataTypes.js";

/** @typedef {import("../Client/types").Endpoints["GET /sos/calls"]["answer"]} Calls */
/** @typedef {Calls["calls"][number]} Call */
/** @typedef {Call["readings"][number]} Reading */
/** @typedef {Call["position"]} Position */

/** @param {string} rule of the API */
export function ruleName(rule) {
  return nameOf("sosRule", rule);
}

/** @param {string} stage of the API, such as `false alarm` */
export function stageName(stage) {
  return nameOf("sosStage", stage.replace(" ", "_"));
}

/** @param {string} outcome of the API, such as `nobody found` */
export function outcomeName(outcome) {
  return nameOf("sosOutcome", outcome.replace(" ", "_"));
}

/** @param {string} sex `F` or `M` */
export function sexName(sex) {
  return nameOf("sosSex", sex);
}

/**
 * Day and time with seconds, which matter in an emergency.
 * @param {string | number | Date} time
 */
export function exactTime(time) {
  return dateTime(time, { dateStyle: "medium", timeStyle: "medium" });
}

/**
 * A reading's value with its unit.
 * @param {Pick<Reading, "dataType" | "value" | "unit">} reading
 */
function readingText({ dataType, value, unit }) {
  const amount = Number(value);
  const isNumber = value.trim() !== "" && Number.isFinite(amount);
  if (isNumber) return valueText(dataType, amount);
  return unit ? `${value} ${unit}` : value;
}

/**
 * The newest critical readings in words, at most three.
 * @param {Reading[]} readings
 */
export function criticalReadings(readings) {
  return readings.filter(({ basis }) => basis)
    .sort((left, right) => Date.parse(right.timestamp) - Date.parse(left.timestamp)).slice(0, 3)
    .map((reading) => t("emergency.reading", {
      type: dataTypeName(reading.dataType), value: readingText(reading),
      time: dateTime(reading.timestamp, { timeStyle: "medium" }),
    }));
}

/** Rows of a table of readings; a download has all of them. */
const readingsMax = 100;

/**
 * A table of readings, newest first; critical ones are marked in words.
 * @param {Reading[]} readings
 */
export function readingTable(readings) {
  if (readings.length === 0) return h("p", { class: "muted" }, t("emergency.noReadings"));
  const newest = [...readings].sort((left, right) =>
    Date.parse(right.timestamp) - Date.parse(left.timestamp)).slice(0, readingsMax);
  const attributes = {
    class: "scroll-x", tabindex: 0, role: "group", "aria-label": t("emergency.readings"),
  };
  return h("div", attributes,
    h("table", {},
      h("thead", {}, h("tr", {},
        h("th", { scope: "col" }, t("emergency.time")),
        h("th", { scope: "col" }, t("emergency.type")),
        h("th", { scope: "col" }, t("emergency.value")))),
      h("tbody", {}, newest.map((reading) => h("tr", {},
        h("td", {}, dateTime(reading.timestamp, { timeStyle: "medium" })),
        h("td", {}, dataTypeName(reading.dataType)),
        h("td", {}, readingText(reading), reading.basis && [" ",
          h("span", { class: "tag tag-negative" }, t("emergency.critical"))]))))));
}

/**
 * A position in words: coordinates, time, age and reliability.
 * @param {Position} position
 * @param {number} now milliseconds
 */
export function positionText(position, now) {
  if (!position) return t("emergency.noPosition");
  const parameters = {
    coordinate: position.coordinate.replace(",", ", "), time: exactTime(position.time),
    age: relative(position.time, now),
  };
  return position.stale
    ? t("emergency.positionStale", parameters) : t("emergency.position", parameters);
}

/** A link that calls the emergency number. */
export function callHelp() {
  return h("a", { class: "button alarm-button alarm-112", href: "tel:112" }, t("alarm.call112"));
}
