// The statistics of a period: a row for each type, and all figures of one type.

import { h } from "../../Client/dom.js";
import { date, number, t } from "../../Client/language.js";
import { peopleUnit, unitText, valueText, withUnit } from "../../Client/units.js";
import { dataTable } from "../../Elements/chart.js";
import { dataTypeName } from "../../Elements/dataTypes.js";
import { boxPlot } from "./boxPlot.js";

/** @typedef {import("./values.js").Statistics} Statistics */

const figures = /** @type {const} */ ([
  "mean", "median", "p5", "p25", "p75", "p95", "variance", "stddev", "stderr", "min", "max",
]);

/** Those of the table of all types; the others are on the page of a type. */
const tableFigures = figures.filter((figure) => figure !== "variance" && figure !== "stderr");

/**
 * A figure in people's unit; a dash where one sample is too few for it.
 * @param {Statistics} statistics
 * @param {typeof figures[number]} figure
 */
export function figureText(statistics, figure) {
  const value = statistics[figure];
  const type = statistics.parameter;
  if (value === null) return "–";
  const { digits, factor } = peopleUnit(type);
  if (figure === "variance") {
    return number(value * factor * factor, { maximumFractionDigits: digits + 1 });
  }
  return valueText(type, value, { unit: false, digits: digits + 1 });
}

/** @param {Statistics} statistics */
function spread(statistics) {
  const text = (/** @type {number} */ value) =>
    valueText(statistics.parameter, value, { digits: peopleUnit(statistics.parameter).digits });
  return boxPlot(statistics, t("health.spread", {
    min: text(statistics.min), p25: text(statistics.p25), median: text(statistics.median),
    p75: text(statistics.p75), max: text(statistics.max),
  }));
}

/**
 * A table with a row for each type and a picture of its spread.
 * @param {readonly Statistics[]} statistics
 */
export function statisticsTable(statistics) {
  const rows = statistics.map((each) => [
    [h("a", { href: `/app/health?type=${each.parameter}` }, dataTypeName(each.parameter)), " ",
      h("span", { class: "muted" }, unitText(each.parameter))],
    spread(each), number(each.count), ...tableFigures.map((figure) => figureText(each, figure)),
  ]);
  return h("div", { class: "number statistics-table" },
    dataTable({
      head: [
        t("health.type"), t("health.spreadHead"), t("health.count"),
        ...tableFigures.map((figure) => t(`health.${figure}`)),
      ], rows,
    }, t("health.statistics")),
    statistics.some((each) => each.tooFew) && h("p", { class: "muted" }, t("health.tooFew")),
    h("p", { class: "small muted" }, t("health.statisticsHint")));
}

/**
 * All figures of one type, under its picture.
 * @param {Statistics} statistics
 */
export function statisticsOfType(statistics) {
  const unit = unitText(statistics.parameter);
  const row = (/** @type {string} */ name, /** @type {string} */ value) =>
    h("div", {}, h("dt", {}, name), h("dd", { class: "number" }, value));
  const shown = (/** @type {typeof figures[number]} */ figure) => {
    const text = figureText(statistics, figure);
    if (text === "–") return text;
    return figure === "variance" && unit !== "" ? `${text} (${unit})²` : withUnit(text, unit);
  };
  return h("div", {}, spread(statistics),
    h("dl", { class: "figures" },
      row(t("health.count"), number(statistics.count)),
      figures.map((figure) => row(t(`health.${figure}`), shown(figure))),
      row(t("health.newestDay"), date(new Date(statistics.date * 86_400_000)
        .toISOString().slice(0, 10)))),
    statistics.tooFew && h("p", { class: "muted" }, t("health.tooFew")),
    h("p", { class: "small muted" }, t("health.statisticsHint")));
}
