// Reading series for the tiles and the details of My Health.

import { call } from "../../Client/api.js";
import { dateTime, date } from "../../Client/language.js";
import { dataType } from "../../Elements/dataTypes.js";
import { granularityOf } from "../../Elements/timespan.js";
import { dayBefore, isUnfinished, pointTime, pointValue } from "./values.js";

/** @typedef {import("../../Elements/dataTypes.js").DataTypeName} DataTypeName */
/** @typedef {import("../../Elements/timespan.js").Period} Period */
/** @typedef {import("../../Elements/timespan.js").Granularity} Granularity */
/** @typedef {import("./values.js").Statistics} Statistics */
/** @typedef {{value: number, time: string, isDay: boolean}} Newest */

/**
 * The first page of a series; it has up to 10,000 points, which is more than a chart shows.
 * @param {DataTypeName} type
 * @param {Period} period
 * @param {Granularity} granularity
 * @param {AbortSignal} signal
 */
export async function readSeries(type, period, granularity, signal) {
  const { points } = await call("GET /data/series", {
    query: { type, ...period, granularity }, signal,
  });
  return points;
}

/**
 * The points of a small plot, without the sum of a day or week that has not ended, which would
 * look like a fall.
 * @param {DataTypeName} type
 * @param {Period} period
 * @param {AbortSignal} signal
 */
export async function plotPoints(type, period, signal) {
  const now = new Date();
  const granularity = granularityOf(period, now);
  const points = await readSeries(type, period, granularity, signal);
  const addsUp = dataType(type)?.addsUp ?? false;
  const shown = points.filter((point) => !addsUp || !isUnfinished(point, granularity, now));
  return shown.map((point) => ({
    time: pointTime(point.time, granularity), value: pointValue(type, point),
  }));
}

/**
 * The newest value of a type: its newest sample, or the newest day's sum for types that add up.
 * Series are oldest first, so the newest hour is looked up before its samples are read.
 * @param {Statistics} statistics of the period
 * @param {Period} period
 * @param {AbortSignal} signal
 * @returns {Promise<Newest | null>} null if the samples were deleted meanwhile
 */
export async function newestValue({ parameter: type, date: day }, period, signal) {
  const from = dayBefore(day);
  const isDay = dataType(type)?.addsUp ?? false;
  const near = { ...period, from: period.from && period.from > from ? period.from : from };
  const buckets = await readSeries(type, near, isDay ? "day" : "hour", signal);
  const last = buckets[buckets.length - 1];
  if (!last) return null;
  if (isDay) return { value: pointValue(type, last), time: last.time, isDay };
  const start = period.from && period.from > last.time ? period.from : last.time;
  const samples = await readSeries(type, { ...period, from: start }, "raw", signal);
  const newest = samples[samples.length - 1];
  return typeof newest?.value === "number"
    ? { value: newest.value, time: newest.time, isDay } : null;
}

/**
 * The time of a newest value, in words.
 * @param {Newest} newest
 */
export function newestTime({ time, isDay }) {
  return isDay ? date(pointTime(time, "day")) : dateTime(time);
}
