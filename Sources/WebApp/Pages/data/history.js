// The history of a type: chart and table, or the path of positions.

import { call, Problem } from "../../Client/api.js";
import { h, show } from "../../Client/dom.js";
import { date, dateTime, number, t } from "../../Client/language.js";
import { keepInAddress } from "../../Client/router.js";
import { toPeople, unitText, valueText } from "../../Client/units.js";
import { fill, latest } from "../../Client/work.js";
import { chart, dataTable } from "../../Elements/chart.js";
import { dataType, dataTypeName, dataTypeSelect } from "../../Elements/dataTypes.js";
import { field, select } from "../../Elements/form.js";
import { emptyState, problemNotice } from "../../Elements/notice.js";
import {
  granularityOf, periodOf, timespan, timespanFrom, timespanInto,
} from "../../Elements/timespan.js";
import { codeName, pointTime, pointValue } from "../health/values.js";
import { positionOf, track } from "./track.js";

/** @typedef {import("../../Elements/dataTypes.js").DataType} DataType */
/** @typedef {import("../../Elements/timespan.js").Period} Period */
/** @typedef {import("../../Elements/timespan.js").Granularity} Granularity */
/** @typedef {import("../health/values.js").Point} Point */

/** @type {Granularity[]} */
const granularities = ["raw", "hour", "day", "week", "month"];

/**
 * @param {URLSearchParams} query
 * @param {AbortSignal} signal
 */
export function historyPart(query, signal) {
  const content = h("div");
  const next = latest(signal);
  const choice = select(granularities.map((each) => [each, t(`granularity.${each}`)]));
  const granularityField = field({
    name: "granularity", label: t("granularity.label"), control: choice,
  });
  let value = timespanFrom(query, new Date());
  let type = dataType(query.get("type") ?? "") ?? dataType("heartRate");
  let granularity = granularities.find((each) => each === query.get("granularity"))
    ?? granularityOf(periodOf(value, new Date()) ?? {}, new Date());

  const types = dataTypeSelect({ value: type?.dataType });
  types.addEventListener("change", () => {
    type = dataType(types.value);
    load();
  });

  const load = () => {
    if (!type) return;
    const chosen = type;
    const isNumber = chosen.kind === "number";
    const work = next();
    granularityField.element.hidden = !isNumber;
    choice.value = granularity;
    timespanInto(value, query);
    query.set("type", chosen.dataType);
    query.set("granularity", granularity);
    keepInAddress(query, signal);
    const period = periodOf(value, new Date()) ?? {};
    void fill(content, work, () =>
      series(chosen, period, isNumber ? granularity : "raw", work));
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
  return h("section", {},
    h("h2", {}, t("data.part.history")),
    field({ name: "type", label: t("data.type"), control: types }).element,
    h("div", { class: "row" }, span.element, granularityField.element), content);
}

/**
 * The names of the devices, for the table; a removed one has none.
 * @param {AbortSignal} signal
 * @returns {Promise<Map<string, string>>}
 */
async function deviceNames(signal) {
  const { devices } = await call("GET /devices", { signal });
  return new Map(devices.map((device) => [device.deviceID, device.name]));
}

/**
 * Chart and table of a series, with a button for the next page.
 * @param {DataType} type
 * @param {Period} period
 * @param {Granularity} granularity
 * @param {AbortSignal} signal
 */
async function series(type, period, granularity, signal) {
  const isRaw = granularity === "raw";
  const names = isRaw ? await deviceNames(signal) : new Map();
  const read = (/** @type {string} */ cursor) => call("GET /data/series", {
    query: { type: type.dataType, ...period, granularity, cursor }, signal,
  });
  let answer = await read("");
  let points = answer.points;
  if (points.length === 0) {
    return emptyState(t("data.nothing"),
      h("a", { class: "button", href: `/app/data?part=add&type=${type.dataType}` }, t("data.add")));
  }
  const place = h("div");
  const more = h("button", { type: "button", class: "secondary" }, t("data.later"));
  const message = h("div");
  const draw = () => {
    show(place, view(type, points, granularity, names, signal));
    more.hidden = answer.next === undefined;
  };
  more.addEventListener("click", async () => {
    more.disabled = true;
    show(message);
    try {
      answer = await read(answer.next ?? "");
      points = [...points, ...answer.points];
      draw();
    } catch (problem) {
      if (signal.aborted) return;
      if (!(problem instanceof Problem)) throw problem;
      show(message, problemNotice(problem));
    } finally {
      more.disabled = false;
    }
  });
  draw();
  return h("div", {}, place, more, message);
}

/**
 * @param {DataType} type
 * @param {Point[]} points
 * @param {Granularity} granularity
 * @param {Map<string, string>} names of devices
 * @param {AbortSignal} signal
 */
function view(type, points, granularity, names, signal) {
  const name = dataTypeName(type.dataType);
  const table = granularity === "raw" ? rawTable(type, points, names)
    : bucketTable(type, points, granularity);
  if (type.kind === "position") {
    return h("div", {}, track(points.flatMap((point) => positionOf(point) ?? [])),
      dataTable(table, name));
  }
  if (type.kind === "code") return dataTable(table, name);
  const isRaw = granularity === "raw";
  const shown = points.map((point) => ({
    time: pointTime(point.time, granularity),
    value: toPeople(type.dataType, isRaw ? Number(point.value) : pointValue(type.dataType, point)),
  }));
  return chart({
    title: name, unit: unitText(type.dataType), table, signal,
    valueText: (value) => number(value, { maximumFractionDigits: 2 }),
    timeText: (time) => timeText(time, granularity),
    series: [{
      name: isRaw ? name : type.addsUp ? t("health.sum") : t("health.mean"),
      kind: type.addsUp && !isRaw ? "bar" : isRaw ? "dots" : "line", points: shown,
      band: isRaw || type.addsUp ? undefined : points.map((point) => ({
        low: toPeople(type.dataType, point.min ?? 0), high: toPeople(type.dataType, point.max ?? 0),
      })),
    }],
  });
}

/**
 * @param {number} time
 * @param {Granularity} granularity
 */
function timeText(time, granularity) {
  if (granularity === "raw") return dateTime(time, { dateStyle: "medium", timeStyle: "medium" });
  return granularity === "hour" ? dateTime(time) : date(time);
}

/**
 * Single values, the newest first.
 * @param {DataType} type
 * @param {Point[]} points
 * @param {Map<string, string>} names
 */
function rawTable(type, points, names) {
  const value = (/** @type {Point["value"]} */ each) => {
    if (typeof each === "number") return valueText(type.dataType, each, { unit: false });
    if (type.kind === "code") return codeName(type.dataType, each ?? "");
    // Coordinates break after their comma where the table is narrow.
    return (each ?? "").replace(/,(?=\S)/g, ", ");
  };
  const device = (/** @type {Point["device"]} */ each) =>
    (each ? names.get(each) ?? t("data.deviceRemoved") : t("data.byHand"));
  const unit = unitText(type.dataType);
  return {
    head: [t("health.time"), t("health.value"), t("health.unit"), t("data.device")],
    rows: [...points].reverse().map((point) => [
      timeText(Date.parse(point.time), "raw"), value(point.value), unit || "–",
      device(point.device),
    ]),
  };
}

/**
 * Hours, days, weeks or months, the newest first.
 * @param {DataType} type
 * @param {Point[]} points
 * @param {Granularity} granularity
 */
function bucketTable(type, points, granularity) {
  const text = (/** @type {number} */ value) =>
    valueText(type.dataType, value, { unit: false, digits: 2 });
  return {
    head: [
      t("health.time"), type.addsUp ? t("health.sum") : t("health.mean"), t("health.min"),
      t("health.max"), t("health.count"), t("health.unit"),
    ],
    rows: [...points].reverse().map((point) => [
      timeText(pointTime(point.time, granularity), granularity),
      text(pointValue(type.dataType, point)), text(point.min ?? 0), text(point.max ?? 0),
      number(point.count ?? 0), unitText(type.dataType),
    ]),
  };
}
