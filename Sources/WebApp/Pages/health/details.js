// One type in detail: its history, its statistics, and the comparison.

import { call } from "../../Client/api.js";
import { h } from "../../Client/dom.js";
import { date, dateTime, number, t } from "../../Client/language.js";
import { keepInAddress } from "../../Client/router.js";
import { toPeople, unitText, valueText } from "../../Client/units.js";
import { fill, latest } from "../../Client/work.js";
import { chart } from "../../Elements/chart.js";
import { dataType, dataTypeName } from "../../Elements/dataTypes.js";
import { field, select } from "../../Elements/form.js";
import { emptyState } from "../../Elements/notice.js";
import {
  granularityOf, periodOf, timespan, timespanFrom, timespanInto,
} from "../../Elements/timespan.js";
import { comparisonSection, readComparison } from "./comparison.js";
import { readSeries } from "./series.js";
import { statisticsOfType } from "./statistics.js";
import { isUnfinished, pointTime, pointValue } from "./values.js";

/** @typedef {import("../../Elements/dataTypes.js").DataTypeName} DataTypeName */
/** @typedef {import("../../Elements/timespan.js").Period} Period */
/** @typedef {import("../../Elements/timespan.js").Granularity} Granularity */

/** @type {Exclude<Granularity, "raw">[]} */
const granularities = ["hour", "day", "week", "month"];

/**
 * @param {DataTypeName} type
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 */
export function details(type, query, signal) {
  const history = h("div");
  const statistics = h("div");
  const comparison = h("div");
  const next = latest(signal);
  const choice = select(granularities.map((each) => [each, t(`granularity.${each}`)]));
  let value = timespanFrom(query, new Date());
  const wanted = granularities.find((each) => each === query.get("granularity"));
  /** @type {Exclude<Granularity, "raw">} */
  let granularity = wanted ?? granularityOf(periodOf(value, new Date()) ?? {}, new Date());

  const load = () => {
    const work = next();
    const period = periodOf(value, new Date()) ?? {};
    choice.value = granularity;
    timespanInto(value, query);
    query.set("granularity", granularity);
    keepInAddress(query, signal);
    void fill(history, work, () => historyChart(type, period, granularity, work));
    void fill(statistics, work, async () => {
      const answer = await call("GET /data/stats", {
        query: { ...period, types: type }, signal: work,
      });
      const found = answer.dataTypes[0];
      return found ? statisticsOfType(found) : emptyState(t("health.nothingInPeriod"));
    });
  };
  choice.addEventListener("change", () => {
    granularity = granularities.find((each) => each === choice.value) ?? granularity;
    load();
  });
  const span = timespan({
    value,
    onChange: (chosen, period) => {
      value = chosen;
      granularity = granularityOf(period, new Date());
      load();
    },
  });
  load();
  void fill(comparison, signal, async () =>
    comparisonSection(await readComparison(type, signal), signal));
  const granularityField = field({
    name: "granularity", label: t("granularity.label"), control: choice,
  });
  return h("section", { class: "page" },
    h("p", {}, h("a", { href: "/app/health" }, t("health.back"))),
    h("h1", {}, dataTypeName(type)),
    h("div", { class: "row" }, span.element, granularityField.element),
    h("section", {}, h("h2", {}, t("health.history")), history),
    h("section", {}, h("h2", {}, t("health.statistics")), statistics),
    h("section", {}, h("h2", {}, t("health.comparison")), comparison));
}

/**
 * @param {DataTypeName} type
 * @param {Period} period
 * @param {Exclude<Granularity, "raw">} granularity
 * @param {AbortSignal} signal
 */
async function historyChart(type, period, granularity, signal) {
  const points = await readSeries(type, period, granularity, signal);
  if (points.length === 0) return emptyState(t("health.nothingInPeriod"));
  const addsUp = dataType(type)?.addsUp ?? false;
  const last = points[points.length - 1];
  const growing = last && addsUp && isUnfinished(last, granularity, new Date())
    ? pointTime(last.time, granularity) : null;
  const timeText = (/** @type {number} */ time) => {
    const text = granularity === "hour" ? dateTime(time) : date(time);
    return time === growing ? t("health.soFar", { time: text }) : text;
  };
  const shown = points.map((point) => ({
    time: pointTime(point.time, granularity), value: toPeople(type, pointValue(type, point)),
  }));
  const name = addsUp ? t("health.sum") : t("health.mean");
  return chart({
    title: t("health.historyOf", {
      type: dataTypeName(type), granularity: t(`granularity.${granularity}`).toLowerCase(),
    }),
    unit: unitText(type), timeText, signal,
    valueText: (value) => number(value, { maximumFractionDigits: 2 }),
    series: [{
      name, kind: addsUp ? "bar" : "line", points: shown, growing: growing !== null,
      band: addsUp ? undefined : points.map((point) => ({
        low: toPeople(type, point.min ?? 0), high: toPeople(type, point.max ?? 0),
      })),
    }],
    table: {
      head: [t("health.time"), name, ...(addsUp ? [] : [t("health.min"), t("health.max")]),
        t("health.count")],
      rows: [...points].reverse().map((point) => [
        timeText(pointTime(point.time, granularity)), valueText(type, pointValue(type, point)),
        ...(addsUp ? [] : [valueText(type, point.min ?? 0), valueText(type, point.max ?? 0)]),
        number(point.count ?? 0),
      ]),
    },
  });
}
