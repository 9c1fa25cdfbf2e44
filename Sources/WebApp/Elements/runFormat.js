// Times, distances and paces on the pages of runs.

import { dateTime, nameOf, number, t, zoneName } from "../Client/language.js";

/** @typedef {"open" | "live" | "ended"} RunState */

/**
 * A duration as a clock shows it: `0:42`, `12:05`, `1:02:05`.
 * @param {number} seconds
 */
export function clock(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  const two = (/** @type {number} */ value) => String(value).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60];
  return hours > 0
    ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/**
 * A time that may be missing.
 * @param {number | null | undefined} seconds
 */
export function timeText(seconds) {
  return seconds === null || seconds === undefined ? "–" : clock(seconds);
}

/**
 * A distance in metres below one kilometre, in kilometres from there.
 * @param {number | null | undefined} metres
 */
export function distanceText(metres) {
  if (metres === null || metres === undefined) return "–";
  return metres < 1_000
    ? number(Math.round(metres), { style: "unit", unit: "meter" })
    : number(metres / 1_000, {
      style: "unit", unit: "kilometer", minimumFractionDigits: 2, maximumFractionDigits: 2,
    });
}

/**
 * A pace in minutes per kilometre.
 * @param {number | null | undefined} secondsPerKilometre
 */
export function paceText(secondsPerKilometre) {
  if (secondsPerKilometre === null || secondsPerKilometre === undefined) return "–";
  return t("runFormat.pace", { time: clock(secondsPerKilometre) });
}

/**
 * The state of a run in a word.
 * @param {RunState} state
 */
export function stateName(state) {
  return nameOf("runState", state);
}

/**
 * The title of the page that shows the runners: an ended run is no longer live.
 * @param {RunState} state
 */
export function liveTitle(state) {
  return t(state === "ended" ? "run.lastPositions" : "live.title");
}

/**
 * The status of a runner in words.
 * @param {string} status of the API, such as `off course`
 */
export function statusName(status) {
  return nameOf("runnerStatus", status.replace(/ /g, "_"));
}

/**
 * Start and end of a run with the reader's time zone; the end of the same day as a time only.
 * @param {string} startTime
 * @param {string} endTime
 */
export function spanText(startTime, endTime) {
  const [start, end] = [new Date(startTime), new Date(endTime)];
  const isSameDay = start.toDateString() === end.toDateString();
  return t("runFormat.span", {
    start: dateTime(start),
    end: isSameDay ? dateTime(end, { timeStyle: "short" }) : dateTime(end),
    zone: zoneName(start),
  });
}

/**
 * The time since which a live page has had no news: the connection of the device is lost, or
 * TrackMe does not answer.
 * @param {Date} since
 */
export function cutOffText(since) {
  const time = dateTime(since, { timeStyle: "medium" });
  return t(navigator.onLine ? "live.unreachable" : "live.cutOff", { time });
}

/**
 * The parts of a countdown, the largest first; whole seconds.
 * @param {number} milliseconds
 * @returns {{days: number, hours: number, minutes: number, seconds: number}}
 */
export function countdownParts(milliseconds) {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1_000));
  return {
    days: Math.floor(seconds / 86_400), hours: Math.floor(seconds / 3_600) % 24,
    minutes: Math.floor(seconds / 60) % 60, seconds: seconds % 60,
  };
}
