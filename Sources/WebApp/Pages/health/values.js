// The computations of My Health on answers of the API.

import { dataType } from "../../Elements/dataTypes.js";
import { nameOf } from "../../Client/language.js";
import { peopleUnit } from "../../Client/units.js";

/** @typedef {import("../../Client/types").Endpoints} Endpoints */
/** @typedef {Endpoints["GET /data/stats"]["answer"]["dataTypes"][number]} Statistics */
/** @typedef {Endpoints["GET /data/series"]["answer"]["points"][number]} Point */
/** @typedef {NonNullable<Endpoints["GET /data/compare"]["answer"]["reference"]>} Reference */
/** @typedef {"below" | "within" | "above"} Mark */

const firstTypes = ["heartRate", "steps", "speed", "sleepHours"];

/**
 * Statistics in the order of the tiles: pulse, steps, speed and sleep first.
 * @param {readonly Statistics[]} statistics
 * @param {readonly string[]} order of the types
 */
export function inTileOrder(statistics, order) {
  const rank = (/** @type {string} */ type) => {
    const first = firstTypes.indexOf(type);
    return first === -1 ? firstTypes.length + order.indexOf(type) : first;
  };
  return [...statistics].sort((left, right) => rank(left.parameter) - rank(right.parameter));
}

/**
 * The value of a point of an hour, day, week or month: the sum of types that add up, such as steps,
 * else the mean.
 * @param {string} type
 * @param {Point} point
 * @returns {number}
 */
export function pointValue(type, point) {
  const mean = point.mean ?? 0;
  return dataType(type)?.addsUp ? mean * (point.count ?? 0) : mean;
}

/**
 * A code of the API in words.
 * @param {string} type
 * @param {string} value
 */
export function codeName(type, value) {
  return nameOf(`dataValue.${type}`, value);
}

/**
 * The position of a value relative to the reference range. The value is rounded first, so that the
 * mark never contradicts the shown number.
 * @param {string} type
 * @param {number} value
 * @param {Pick<Reference, "from" | "to">} reference
 * @returns {Mark}
 */
export function markOf(type, value, { from, to }) {
  const { digits, factor } = peopleUnit(type);
  const shown = (/** @type {number} */ each) => Math.round(each * factor * 10 ** digits);
  if (from !== null && shown(value) < shown(from)) return "below";
  return shown(value) > shown(to) ? "above" : "within";
}

/**
 * The time to show for a point of the API: days, weeks and months begin at midnight of TrackMe's
 * time zone, and their noon lies on the same day in the zones of all its readers.
 * @param {string} time
 * @param {string} granularity
 */
export function pointTime(time, granularity) {
  const start = Date.parse(time);
  return granularity === "raw" || granularity === "hour" ? start : start + 12 * 3_600_000;
}

/**
 * Whether the hour, day, week or month of a point has not ended: its sum still grows.
 * @param {Point} point
 * @param {string} granularity
 * @param {Date} now
 */
export function isUnfinished({ time }, granularity, now) {
  const end = new Date(time);
  if (granularity === "hour") end.setHours(end.getHours() + 1);
  else if (granularity === "month") end.setMonth(end.getMonth() + 1);
  else end.setDate(end.getDate() + (granularity === "week" ? 7 : 1));
  return end > now;
}

/**
 * The beginning of the day before a day, in UTC, for queries that must not miss its first sample in
 * any time zone.
 * @param {number} day days since 1970-01-01
 */
export function dayBefore(day) {
  return new Date((day - 1) * 86_400_000).toISOString();
}
