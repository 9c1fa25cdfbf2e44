// The comparison with people of the same age and with the usual values of the age.

import { call } from "../../Client/api.js";
import { h } from "../../Client/dom.js";
import { date, number, t } from "../../Client/language.js";
import { toPeople, unitText, valueText } from "../../Client/units.js";
import { chart } from "../../Elements/chart.js";
import { dataType, dataTypeName, dataTypeNames } from "../../Elements/dataTypes.js";

/** @typedef {import("../../Client/types").Endpoints} Endpoints */
/** @typedef {Endpoints["GET /data/compare"]["answer"]} Comparison */
/** @typedef {import("../../Elements/dataTypes.js").DataTypeName} DataTypeName */
/** @typedef {import("./values.js").Mark} Mark */

/**
 * @param {DataTypeName} type
 * @param {AbortSignal} signal
 */
export function readComparison(type, signal) {
  return call("GET /data/compare", { query: { type }, signal });
}

/**
 * Below, within or above the usual values, with a symbol besides the colour.
 * @param {Mark} mark
 */
export function markTag(mark) {
  const sign = { below: "↓", within: "✓", above: "↑" }[mark];
  return h("span", { class: `tag tag-${mark === "within" ? "positive" : "warning"}` },
    h("span", { "aria-hidden": "true" }, `${sign} `), t(`health.mark.${mark}`));
}

/**
 * The person's mean, or the reason for its absence.
 * @param {Comparison} comparison
 */
function ownText({ type, own, ownMissing }) {
  if (!own) return t(`health.own.${ownMissing ?? "no data"}`);
  const key = dataType(type)?.addsUp ? "health.own.perDay" : "health.own.mean";
  return t(key, { value: valueText(type, own.mean) });
}

/**
 * The mean of people of the same age, or that too few people have values.
 * @param {Comparison} comparison
 */
export function othersText({ type, others, ...comparison }) {
  const ageBand = comparison.ageBand.replace("-", "–");
  if (!others) return t("health.others.tooFew", { ageBand });
  return t("health.others.mean", {
    ageBand, value: valueText(type, others.mean), people: number(others.people),
    date: date(others.releasedAt),
  });
}

/**
 * Names the types that cannot be compared, because too few people of the same age have values.
 * @param {readonly Comparison[]} comparisons of one person
 * @returns {string} empty if all types can be compared
 */
export function tooFewText(comparisons) {
  const lacking = comparisons.filter(({ others }) => !others);
  const [first] = lacking;
  if (!first) return "";
  return t("health.others.tooFewOf", {
    ageBand: first.ageBand.replace("-", "–"),
    types: dataTypeNames(lacking.map(({ type }) => type)),
  });
}

/** @param {Comparison} comparison */
function referenceText({ type, reference }) {
  if (!reference) return null;
  const text = reference.from === null
    ? t("health.reference.to", { to: valueText(type, reference.to) })
    : t("health.reference.fromTo", {
      from: valueText(type, reference.from), to: valueText(type, reference.to),
    });
  return h("p", {}, text, h("br"),
    h("span", { class: "small muted" },
      t("health.reference.source", { source: reference.source })));
}

/**
 * The whole comparison, with a chart of the last 30 closed days.
 * @param {Comparison} comparison
 * @param {AbortSignal} signal
 */
export function comparisonSection(comparison, signal) {
  const { own } = comparison;
  return h("div", {},
    h("p", {}, ownText(comparison), own?.mark && [" ", markTag(own.mark)]),
    h("p", {}, othersText(comparison)), referenceText(comparison),
    own && daysChart(comparison, own, signal),
    h("p", { class: "small muted" }, t("health.notDiagnosis")));
}

/**
 * @param {Comparison} comparison
 * @param {NonNullable<Comparison["own"]>} own
 * @param {AbortSignal} signal
 */
function daysChart({ type, others, reference }, own, signal) {
  // A day without a time zone is drawn at its noon, which is on that day for the reader too.
  const points = own.days.map((day) => ({
    time: new Date(`${day.date}T12:00`).getTime(), value: toPeople(type, day.value),
  }));
  const [first, last] = [points[0], points[points.length - 1]];
  const mean = others && first && last ? [first, last].map(({ time }) =>
    ({ time, value: toPeople(type, others.mean) })) : [];
  return chart({
    title: t("health.days", { type: dataTypeName(type) }), unit: unitText(type),
    series: [
      { name: t("health.you"), kind: "line", points },
      ...(mean.length > 0
        ? [{ name: t("health.sameAge"), kind: /** @type {const} */ ("line"), points: mean }] : []),
    ],
    range: reference ? {
      from: reference.from === null ? null : toPeople(type, reference.from),
      to: toPeople(type, reference.to), name: t("health.reference"),
    } : undefined,
    valueText: (value) => number(value, { maximumFractionDigits: 2 }),
    timeText: (time) => date(time),
    table: {
      head: [t("health.day"), t("health.value"), t("health.reference")],
      rows: own.days.map((day) => [
        date(day.date), valueText(type, day.value), day.mark ? markTag(day.mark) : "–",
      ]),
    },
    signal,
  });
}
